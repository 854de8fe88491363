"""Kills ``pfsm train`` and ``pfsm score`` at random moments; the same command must then end as if nothing had happened.

    python scripts/kills.py             # 20 kills of each command
    python scripts/kills.py 500 --seed 1

A moment is an event of Python's audit hooks (files opened and renamed, imports, processes), so a seed gives the same
moments. After each kill the command runs again: it must exit with 0, its output must have the same bytes as that of an
undisturbed run, and no checkpoint may be left. The exit status is 1 if not. Needs POSIX.
"""

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path

_CHILD = """
import os, signal, sys
moment, events = int(sys.argv[1]), 0
def count(event, arguments):
    global events
    events += 1
    if events == moment:
        os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(count)
from pfsm.cli import main
status = main(sys.argv[2:])
print("events", events, file=sys.stderr)
sys.exit(status)
"""
WORDS = ("the", "a", "cat", "dog", "sat", "ran", "on", "under", "mat", "house")
COMMANDS = {
    "train": ("train", "judgments.tsv", "-o", "model.json", "--resume", "--threads", "1"),
    "score": ("score", "--table", "table", "-o", "scores", "--partition-size", "1k", "--model", "en-small"),
}


def main() -> int:
    """Disturbs each command, and says what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kills", nargs="?", type=int, default=20, help="of each command (default: 20)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    faults = 0
    for name, arguments in COMMANDS.items():
        with tempfile.TemporaryDirectory() as folder:
            undisturbed, events = run(prepared(Path(folder) / "whole"), arguments)
        for _ in range(options.kills):
            moment = draw.randint(events // 2, events)
            with tempfile.TemporaryDirectory() as folder:
                found = disturbed(prepared(Path(folder) / "killed"), arguments, moment, undisturbed)
            faults += bool(found)
            print(f"{name}, killed at event {moment:,} of {events:,}: {found or 'fine'}", flush=True)
    return int(bool(faults))


def prepared(folder: Path) -> Path:
    """A new folder with judgments, the same ones each time."""
    (folder / "table").mkdir(parents=True)
    words = random.Random(7)
    lines = ["reference\thypothesis\tscore"]
    for _ in range(60):
        reference = [words.choice(WORDS) for _ in range(8)]
        kept = [word for word in reference if words.random() < 0.8]
        lines.append(f"{' '.join(reference)}\t{' '.join(kept) or 'the'}\t{len(kept) / 8}")
    for path in (folder / "judgments.tsv", folder / "table" / "part.tsv"):
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def run(folder: Path, arguments: tuple[str, ...], moment: int = 0) -> tuple[dict[str, bytes], int]:
    """Runs a command, killed at an event; returns what lies in the folder, and how many events there were."""
    command = [sys.executable, "-c", _CHILD, str(moment), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if not moment and done.returncode:
        raise RuntimeError(done.stderr)
    found = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".pfsm-")]
    files = {str(path.relative_to(folder)): path.read_bytes() for path in found}
    return files, 0 if moment else int(done.stderr.split()[-1])


def disturbed(folder: Path, arguments: tuple[str, ...], moment: int, undisturbed: dict[str, bytes]) -> str:
    """Kills a command, runs it again, and says what differs from an undisturbed run, nothing or a text."""
    run(folder, arguments, moment)
    try:
        after, _ = run(folder, arguments)
    except RuntimeError as error:
        return f"does not go on: {error}"
    for files in (after, undisturbed):
        for name in [name for name in files if name.startswith("scores/_parts/")]:
            del files[name]  # tells when the input was written
    different = sorted(name for name in {*after, *undisturbed} if after.get(name) != undisturbed.get(name))
    return f"other files: {', '.join(different)}" if different else ""


if __name__ == "__main__":
    sys.exit(main())
