"""Plants faults in a copy of the checkout, one at a time, and tells which of them the tests notice.

    python scripts/mutants.py                       # the listed faults, then a sample of 200 random ones
    python scripts/mutants.py --planted             # the listed ones alone (scripts/planted_faults.py)
    python scripts/mutants.py --random 20 --seed 1  # another sample
    python scripts/mutants.py --part 2/3            # a third of the sample, for one process of three

A random fault changes one operator, comparison, constant or condition of a line of code; which ones are drawn depends
on the seed alone. It is tried on the files of tests that are nearest by name and by imports (scripts/nearest_tests.py),
first on few, then on more, and is noticed if a test fails or hangs. The tests that failed run once more in the end,
without a fault, and have to pass. The exit status is 1 if a listed fault survives, fewer than 90% of the random ones
are noticed, or a test fails without a fault. Needs POSIX.
"""

import argparse
import ast
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from forked_tests import HANGS, NO_TESTS, ROOTS, Compiled, Effort, load_libraries, run
from nearest_tests import Nearest
from planted_faults import PLANTED, Fault

CHECKOUT = Path(__file__).resolve().parent.parent
SOURCES = ("pfsm", "kernels", "training")
# Where random faults are planted, as many in each.
AREAS = (
    "kernels/pfsm_kernels",
    "training/pfsm_training/fit",
    "training/pfsm_training/loss",
    "training/pfsm_training/data",
    "pfsm/evaluation",
    "pfsm/metrics",
    "pfsm/io",
    "pfsm/distributed",
)
KERNELS = "kernels/pfsm_kernels"
CACHE = f"{KERNELS}/__pycache__"
# These need a browser, other programs or the whole repository, and are far from any place.
FAR = (
    "tests/browser", "tests/documentation", "tests/examples", "tests/faults", "tests/installation",
    "tests/integrations", "tests/supply_chain",
)  # fmt: skip
ENOUGH = 0.9
# How many files of tests a random fault is tried on, and what there is time for; then more of them.
ROUNDS = ((4, Effort(25.0)), (20, Effort(60.0)))
# A faulty kernel is compiled first, and those that call it.
COMPILING = 90.0
LISTED, EVERYTHING = Effort(200.0, 200.0), Effort(4000.0, 300.0)
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
    what: str
    tests: str = ""

    def planted(self, source: str) -> str:
        """The source with the fault."""
        return source[: self.start] + self.text + source[self.end :]


def main() -> int:
    """Plants, tests, tells."""
    parser = argparse.ArgumentParser(description="Plants faults and tells which the tests notice.")
    parser.add_argument("--planted", action="store_true", help="the listed faults alone")
    parser.add_argument("--random", type=int, default=200, metavar="N", help="number of random faults")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--part",
        type=part,
        default=(1, 1),
        metavar="K/N",
        help="the K-th of N parts of the random ones alone",
    )
    parser.add_argument("--minutes", type=float, default=60.0, help="begin no further fault after this time")
    options = parser.parse_args()
    number, parts = options.part
    listed = [planted_change(fault) for fault in PLANTED] if parts == 1 else []
    drawn = [] if options.planted else random_changes(options.random, options.seed)[number - 1 :: parts]
    end = time.monotonic() + 60.0 * options.minutes
    load_libraries()
    os.environ.pop("NUMBA_CACHE_DIR", None)  # kernels are compiled beside the copy's sources
    with tempfile.TemporaryDirectory(prefix="pfsm-mutants-") as folder:
        stage = Stage(Path(folder).resolve())
        n_listed, missed = tried(listed, end, stage.by_listed)
        n_drawn, alive = tried(drawn, end, stage.by_nearest)
        unfit = stage.unfit()
    if n_drawn:
        low, high = interval(n_drawn - alive, n_drawn)
        print(f"{n_drawn - alive} of {n_drawn} random faults noticed (95% interval {low:.0%} to {high:.0%})")
    if n_listed:
        print(f"{n_listed - missed} of {n_listed} listed faults noticed")
    if unfit:
        print("tests that noticed a fault, and fail without one:", *unfit, sep="\n")
    return int(bool(missed) or bool(unfit) or n_drawn - alive < ENOUGH * n_drawn)


def part(text: str) -> tuple[int, int]:
    """A part of so many, such as ``2/3``."""
    number, parts = map(int, text.split("/"))
    if not 1 <= number <= parts:
        raise ValueError
    return number, parts


def interval(hits: int, number: int) -> tuple[float, float]:
    """Wilson's 95% interval of a share."""
    z, share = 1.96, hits / number
    middle = share + z * z / (2 * number)
    half = z * math.sqrt(share * (1 - share) / number + z * z / (4 * number * number))
    return (middle - half) / (1 + z * z / number), (middle + half) / (1 + z * z / number)


def tried(changes: Sequence[Change], end: float, notices: Callable[[Change], str]) -> tuple[int, int]:
    """How many faults were tried before the time was over, and how many of them nobody noticed."""
    count = alive = 0
    for change in changes:
        if time.monotonic() > end:
            break
        count += 1
        by = notices(change)
        alive += not by
        print(f"noticed  {change.what}  ({by})" if by else f"SURVIVED {change.what}", flush=True)
    return count, alive


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
    return Change(path.relative_to(CHECKOUT), start, end, fault.after, fault.what, fault.tests)


def sources(*folders: str) -> list[Path]:
    """Python files below folders of the checkout, sorted."""
    return sorted(path for folder in folders for path in (CHECKOUT / folder).rglob("*.py"))


def random_changes(count: int, seed: int) -> list[Change]:
    """A sample of all changes, as many of every area as there is room for."""
    generator = random.Random(seed)
    found: list[Change] = []
    for number, area in enumerate(AREAS):
        every = [change for path in sources(area) for change in changes(path)]
        share = count * (number + 1) // len(AREAS) - count * number // len(AREAS)
        found += generator.sample(every, min(share, len(every)))
    generator.shuffle(found)
    return found


def changes(path: Path) -> Iterator[Change]:
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
            yield Change(path.relative_to(CHECKOUT), start, end, new, what)


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


class Stage:
    """The copy of the checkout.

    Args:
        folder: An empty folder.
    """

    def __init__(self, folder: Path) -> None:
        self._copy = copied(folder / "copy")
        self._log = folder / "log"
        self._failed: dict[str, None] = {}
        self._number = 0
        tests = [
            path.relative_to(CHECKOUT).as_posix()
            for path in sources("tests")
            if path.name.startswith("test_")
        ]
        self._nearest = Nearest(
            self._copy,
            ROOTS,
            [path.relative_to(CHECKOUT).as_posix() for path in sources(*SOURCES)],
            [test for test in tests if not test.startswith(FAR)],
        )
        known = Compiled(CHECKOUT / CACHE)
        run(self._copy, self._log, ["tests/test_skips.py"], LISTED, known)
        self._compiled = next((self._copy / CACHE).glob("pfsm-kernels-*"), None)

    def by_nearest(self, change: Change) -> str:
        """The test that notices a random fault; empty: none."""
        ranked = self._nearest.of(change.path.as_posix(), change.start)
        done = 0
        by = ""
        with self._planted(change):
            for number, effort in ROUNDS:
                if not by and ranked[done:number]:
                    by = self._noticed_by(self._run(change, ranked[done:number], effort))
                    done = number
        return by

    def by_listed(self, change: Change) -> str:
        """The same for a listed fault, which has tests of its own."""
        with self._planted(change):
            return self._noticed_by(self._run(change, [change.tests], LISTED))

    def _run(self, change: Change, tests: Sequence[str], effort: Effort) -> int:
        path = change.path.as_posix()
        if not path.startswith(KERNELS) or self._compiled is None:
            return run(self._copy, self._log, tests, effort, Compiled(self._copy / CACHE))
        known = Compiled(self._copy / CACHE, self._compiled.name, frozenset(self._nearest.using(path)))
        more = replace(effort, whole=effort.whole + COMPILING, one=effort.one + COMPILING)
        return run(self._copy, self._log, tests, more, known)

    def _noticed_by(self, status: int) -> str:
        if status in {0, NO_TESTS}:
            return ""
        test = self._log.read_text(encoding="utf-8")
        if "::" in test:
            self._failed[test] = None
        return f"{test}{' hangs' if status in HANGS else ''}"

    @contextmanager
    def _planted(self, change: Change) -> Iterator[None]:
        path = self._copy / change.path
        source, before = path.read_text(encoding="utf-8"), path.stat()
        path.write_text(change.planted(source), encoding="utf-8")
        # Bytecode goes by the second and the size: no two faults have the same second.
        self._number += 1
        os.utime(path, (before.st_mtime + self._number, before.st_mtime + self._number))
        try:
            yield
        finally:
            path.write_text(source, encoding="utf-8")
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
            self._forget_kernels()

    def _forget_kernels(self) -> None:
        """Removes what was compiled of a faulty one."""
        for place in (self._copy / CACHE).glob("pfsm-kernels-*"):
            if place != self._compiled:
                shutil.rmtree(place, ignore_errors=True)

    def unfit(self) -> list[str]:
        """Tests that noticed a fault, and fail without one."""
        found: list[str] = []
        left = dict(self._failed)
        while left:
            status = run(self._copy, self._log, list(left), EVERYTHING, Compiled(self._copy / CACHE))
            if status in {0, NO_TESTS}:
                break
            test = self._log.read_text(encoding="utf-8")
            found.append(test)
            if test not in left:  # what pytest says of the whole, such as a name that is not there
                break
            del left[test]
        return found


if __name__ == "__main__":
    sys.exit(main())
