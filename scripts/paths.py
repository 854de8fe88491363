"""Counts the files, their lines and the functions of our packages that commands enter: what there is to read of them.

Four commands run on tiny inputs, each in a fresh process. What runs only while a module is imported does not count.
"""

import random
import subprocess
import sys
import tempfile
import threading
from importlib.metadata import entry_points
from pathlib import Path
from types import CodeType, FrameType

ROOT = Path(__file__).resolve().parents[1]
PREFIXES = tuple(
    f"{path.parent}/" for path in [*ROOT.glob("pfsm*/__init__.py"), *ROOT.glob("*/pfsm_*/__init__.py")]
)
REFERENCES = ("the cat sat on the mat .", "He arrived on 3 May 2012 and paid $ 500 .")
HYPOTHESES = ("the cat is on a mat .", "He came on May 3 , 2012 and paid 500 dollars .")
SCORE = ("score", "reference.txt", "-i", "hypothesis.txt", "-m")
RUNS: dict[str, tuple[str, ...]] = {
    f"score -m {name}": (*SCORE, name) for name in ("en-small", "en-fast", "en")
}
RUNS["train FILE"] = ("train", "judgments.tsv", "-o", "model.json")


def is_importing(frame: FrameType | None) -> bool:
    """Return whether one of our modules is being imported when this frame runs."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(PREFIXES):
            return True
        frame = frame.f_back
    return False


def measure() -> None:
    """Run the command in ``sys.argv`` and print what it enters, in any thread, on standard error."""
    found: set[CodeType] = set()

    def watch(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        is_ours = event == "call" and code not in found and code.co_filename.startswith(PREFIXES)
        if is_ours and not code.co_name.startswith("<") and not is_importing(frame):
            found.add(code)

    threading.setprofile(watch)
    sys.setprofile(watch)
    main = next(one for one in entry_points(group="console_scripts") if one.name == "pfsm").load()
    main()
    sys.setprofile(None)
    files = {code.co_filename for code in found}
    lines = sum(Path(file).read_text(encoding="utf-8").count("\n") for file in files)
    functions = {(code.co_filename, code.co_qualname) for code in found}
    print(f"{len(files)} files, {lines:,} lines, {len(functions)} functions", file=sys.stderr)


def write_inputs(folder: Path) -> None:
    """Write segments to score, and random judgments to learn from."""
    draw, words = random.Random(0), " ".join(REFERENCES).split()
    rows = [[*(" ".join(draw.choices(words, k=8)) for _ in range(2)), f"{draw.random()}"] for _ in range(60)]
    table = [["reference", "hypothesis", "score"], *rows]
    for name, lines in (
        ("reference.txt", REFERENCES),
        ("hypothesis.txt", HYPOTHESES),
        ("judgments.tsv", map("\t".join, table)),
    ):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:]:
        measure()
        sys.exit()
    with tempfile.TemporaryDirectory() as inputs:
        write_inputs(Path(inputs))
        for name, arguments in RUNS.items():
            command = [sys.executable, __file__, *arguments]
            done = subprocess.run(command, cwd=inputs, capture_output=True, text=True, check=False)
            print(f"{name}: {done.stderr.splitlines()[-1]}", flush=True)
