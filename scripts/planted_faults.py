"""Plants faults that once went unnoticed in a copy of the checkout, one at a time, and tells which the tests notice.

    python scripts/planted_faults.py          # make mutants
    python scripts/planted_faults.py METEOR   # those whose description contains a text

``planted_faults.yaml`` lists them. A place is found by its text, which occurs in one source file only, so that files
may move. The exit status is 1 if a fault survives.
"""

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import yaml

CHECKOUT = Path(__file__).resolve().parent.parent
SOURCES = ("pfsm", "kernels", "training", "linguistics", "studio")


@dataclass(frozen=True)
class Fault:
    """What goes wrong, text of the source that occurs once, what it becomes, and the tests that notice it."""

    what: str
    before: str
    after: str
    tests: str


PLANTED = [
    Fault(**one) for one in yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
]


def place(fault: Fault, checkout: Path = CHECKOUT) -> Path:
    """The source file with the text of a fault."""
    files = [path for folder in SOURCES for path in (checkout / folder).rglob("*.py")]
    counts = {path: path.read_text(encoding="utf-8").count(fault.before) for path in files}
    found = [path for path, count in counts.items() if count]
    if len(found) != 1 or counts[found[0]] != 1:
        raise LookupError(f"{fault.what}: its text occurs {sum(counts.values())} times")
    return found[0]


def is_noticed(fault: Fault, checkout: Path) -> bool:
    """Whether the tests fail with the fault; the file is restored."""
    path = place(fault, checkout)
    source = path.read_text(encoding="utf-8")
    path.write_text(source.replace(fault.before, fault.after), encoding="utf-8")
    try:
        command = [sys.executable, "-m", "pytest", "-q", "-x", fault.tests]
        done = subprocess.run(command, cwd=checkout, capture_output=True, check=False, timeout=1800)
        return bool(done.returncode)
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_text(source, encoding="utf-8")


def main() -> int:
    """Plants, tests, tells."""
    wanted = [fault for fault in PLANTED if not sys.argv[1:] or sys.argv[1] in fault.what]
    with tempfile.TemporaryDirectory(prefix="pfsm-faults-") as folder:
        copy = Path(folder) / "checkout"
        subprocess.run(["git", "clone", "-q", str(CHECKOUT), str(copy)], check=True)
        survivors = 0
        for fault in wanted:
            noticed = is_noticed(fault, copy)
            survivors += not noticed
            print(f"{'noticed ' if noticed else 'SURVIVED'} {fault.what}", flush=True)
    print(f"{len(wanted) - survivors} of {len(wanted)} faults noticed")
    return int(bool(survivors))


if __name__ == "__main__":
    sys.exit(main())
