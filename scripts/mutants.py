"""Plants faults in a copy of the checkout, one at a time, and tells which of them the tests notice.

    python scripts/mutants.py                       # the listed faults, then a sample of 200 random ones
    python scripts/mutants.py --planted             # the listed ones alone (scripts/planted_faults.py)
    python scripts/mutants.py --random 20 --seed 1  # another sample

A random fault changes one operator, comparison, constant or condition of a line of code; which ones are drawn depends
on the seed alone. The tests of a part are those in `AREAS`. A fault is noticed if they fail or hang. The exit status
is 1 if a listed fault survives, or fewer than 90% of the random ones are noticed.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from planted_faults import PLANTED, Fault

CHECKOUT = Path(__file__).resolve().parent.parent
SOURCES = ("pfsm", "kernels", "training")
# Where random faults are planted, and the tests that have to notice them.
AREAS = {
    "kernels/pfsm_kernels": ("tests/kernels", "tests/lattice", "tests/metrics", "tests/evaluation"),
    "training/pfsm_training/fit": ("tests/training",),
    "training/pfsm_training/loss": ("tests/training",),
    "training/pfsm_training/data": ("tests/training",),
    "pfsm/evaluation": ("tests/evaluation", "tests/commands/test_evaluate.py"),
    "pfsm/metrics": ("tests/metrics",),
    "pfsm/io": ("tests/io",),
    "pfsm/distributed": ("tests/distributed", "tests/commands/test_score_tables.py"),
}
ENOUGH = 0.9
COMPARISONS = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
OPERATORS = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Pow: "*"}


@dataclass(frozen=True)
class Change:
    """One fault: a part of a file, by offsets in its text, and what stands there instead."""

    path: Path
    start: int
    end: int
    text: str
    tests: tuple[str, ...]
    what: str

    def planted(self, source: str) -> str:
        """The source with the fault."""
        return source[: self.start] + self.text + source[self.end :]


def main() -> int:
    """Plants, tests, tells."""
    parser = argparse.ArgumentParser(description="Plants faults and tells which the tests notice.")
    parser.add_argument("--planted", action="store_true", help="the listed faults alone")
    parser.add_argument("--random", type=int, default=200, metavar="N", help="number of random faults")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=60.0, help="begin no further fault after this time")
    parser.add_argument("--patience", type=float, default=300.0, help="seconds that tests may take")
    options = parser.parse_args()
    listed = [planted_change(fault) for fault in PLANTED]
    drawn = [] if options.planted else random_changes(options.random, options.seed)
    end = time.monotonic() + 60.0 * options.minutes
    with tempfile.TemporaryDirectory(prefix="pfsm-mutants-") as folder:
        copy = copied(Path(folder))
        missed, _ = survivors(listed, copy, end, options.patience)
        alive, n_tried = survivors(drawn, copy, end, options.patience)
    if n_tried:
        print(f"{n_tried - len(alive)} of {n_tried} random faults noticed")
    print(f"{len(listed) - len(missed)} of {len(listed)} listed faults noticed")
    return int(bool(missed) or (n_tried > 0 and n_tried - len(alive) < ENOUGH * n_tried))


def planted_change(fault: Fault) -> Change:
    """The place of a listed fault.

    Raises:
        SystemExit: If its text does not stand in the sources exactly once.
    """
    places = [
        (path, text.find(fault.before))
        for path in sources(*SOURCES)
        if fault.before in (text := path.read_text(encoding="utf-8"))
        for _ in range(text.count(fault.before))
    ]
    if len(places) != 1:
        sys.exit(f"{fault.what}: its text stands in {len(places)} places; mend scripts/planted_faults.py")
    path, start = places[0]
    end = start + len(fault.before)
    return Change(path.relative_to(CHECKOUT), start, end, fault.after, (fault.tests,), fault.what)


def sources(*folders: str) -> list[Path]:
    """Python files below folders of the checkout, sorted."""
    return sorted(path for folder in folders for path in (CHECKOUT / folder).rglob("*.py"))


def random_changes(count: int, seed: int) -> list[Change]:
    """A sample of all changes, as many of every area as there is room for."""
    generator = random.Random(seed)
    found: list[Change] = []
    for number, (area, tests) in enumerate(AREAS.items()):
        every = [change for path in sources(area) for change in changes(path, tests)]
        share = count * (number + 1) // len(AREAS) - count * number // len(AREAS)
        found += generator.sample(every, min(share, len(every)))
    generator.shuffle(found)
    return found


def changes(path: Path, tests: tuple[str, ...]) -> Iterator[Change]:
    """Every change of a file."""
    text = path.read_text(encoding="utf-8")
    begins = [0]
    for whole in text.splitlines(keepends=True):
        begins.append(begins[-1] + len(whole))

    def place(node: ast.AST) -> tuple[int, int]:
        lines = text.splitlines()
        first, last = node.lineno - 1, node.end_lineno - 1  # type: ignore[attr-defined]
        start = len(lines[first].encode()[: node.col_offset].decode())  # type: ignore[attr-defined]
        end = len(lines[last].encode()[: node.end_col_offset].decode())  # type: ignore[attr-defined]
        return begins[first] + start, begins[last] + end

    for node in code(ast.parse(text)):
        for (start, end), new in edits(node, text, place):
            line = text.count("\n", 0, start) + 1
            what = f"{path.relative_to(CHECKOUT)}:{line}: {text[start:end]!r} becomes {new!r}"
            yield Change(path.relative_to(CHECKOUT), start, end, new, tests, what)


def code(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of functions' bodies; neither annotations nor decorators, docstrings or messages."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            waiting: list[ast.AST] = list(function.body)
            while waiting:
                node = waiting.pop()
                if isinstance(node, ast.Raise | ast.FunctionDef | ast.JoinedStr):
                    continue
                yield node
                skipped = {id(getattr(node, "annotation", None))}
                waiting += [child for child in ast.iter_child_nodes(node) if id(child) not in skipped]


def edits(
    node: ast.AST, text: str, place: Callable[[ast.AST], tuple[int, int]]
) -> Iterator[tuple[tuple[int, int], str]]:
    """What one node can become."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
        (_, left), (right, _) = place(node.left), place(node.comparators[0])
        yield between(text, left, right, COMPARISONS[type(node.ops[0])])
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        (_, left), (right, _) = place(node.left), place(node.right)
        yield between(text, left, right, OPERATORS[type(node.op)])
    elif isinstance(node, ast.BoolOp):
        (_, left), (right, _) = place(node.values[0]), place(node.values[1])
        yield between(text, left, right, "or" if isinstance(node.op, ast.And) else "and")
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield place(node), str(not node.value) if isinstance(node.value, bool) else repr(node.value + 1)
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        start, end = place(node.test)
        yield (start, end), f"not ({text[start:end]})"


def between(text: str, left: int, right: int, operator: str) -> tuple[tuple[int, int], str]:
    """The operator between two operands replaced; parentheses around them stay."""
    gap = text[left:right]
    core = gap.strip(" ()\n\t")
    start = left + gap.index(core)
    return (start, start + len(core)), operator


def copied(folder: Path) -> Path:
    """A copy of the checkout as git knows it, to plant faults in."""
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=CHECKOUT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    for name in names:
        if (CHECKOUT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CHECKOUT / name, folder / name)
    return folder


def survivors(tried: Sequence[Change], copy: Path, end: float, patience: float) -> tuple[list[Change], int]:
    """Those that the tests do not notice, and how many were tried before the time was over."""
    alive, count = [], 0
    for change in tried:
        if time.monotonic() > end:
            break
        count += 1
        noticed = is_noticed(change, copy, patience)
        print(f"{'noticed ' if noticed else 'SURVIVED'} {change.what}", flush=True)
        if not noticed:
            alive.append(change)
    return alive, count


def is_noticed(change: Change, copy: Path, patience: float) -> bool:
    """Whether the tests fail, or hang, with the fault planted."""
    path = copy / change.path
    source = path.read_text(encoding="utf-8")
    path.write_text(change.planted(source), encoding="utf-8")
    search = os.pathsep.join(str(copy / folder) for folder in (".", "kernels", "training"))
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *change.tests]
    environment = {**os.environ, "PYTHONPATH": search, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, check=False, timeout=patience
        )
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_text(source, encoding="utf-8")
    # 5: no tests were found, which notices nothing.
    return done.returncode not in {0, 5}


if __name__ == "__main__":
    sys.exit(main())
