"""The listed faults can still be planted, random ones are faults of code, and near tests are those that notice them."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(CHECKOUT / "scripts"))

import mutants  # noqa: E402 - a script, not a package
from forked_tests import ROOTS  # noqa: E402
from nearest_tests import Nearest  # noqa: E402
from planted_faults import PLANTED, Fault  # noqa: E402


@pytest.mark.parametrize("fault", PLANTED, ids=lambda fault: fault.what)
def test_a_listed_fault_has_one_place(fault: Fault) -> None:
    change = mutants.planted_change(fault)
    source = (CHECKOUT / change.path).read_text(encoding="utf-8")
    assert source[change.start : change.end] == fault.before
    assert change.planted(source) == source.replace(fault.before, fault.after)
    ast.parse(change.planted(source))
    assert (CHECKOUT / change.tests.partition("::")[0]).exists()


def test_random_faults_compile_and_are_the_same_in_every_run() -> None:
    drawn = mutants.random_changes(60, 0)
    assert [change.what for change in drawn] == [change.what for change in mutants.random_changes(60, 0)]
    assert len({change.what for change in drawn}) > 50
    for change in drawn:
        source = (CHECKOUT / change.path).read_text(encoding="utf-8")
        changed = change.planted(source)
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source)), change.what


def ranked() -> Nearest:
    tests = [path.relative_to(CHECKOUT).as_posix() for path in mutants.sources("tests")]
    files = [path.relative_to(CHECKOUT).as_posix() for path in mutants.sources(*mutants.SOURCES)]
    return Nearest(CHECKOUT, ROOTS, files, [name for name in tests if "/test_" in name])


def test_most_listed_faults_have_their_tests_near() -> None:
    """The lists were made by hand, test by test."""
    most = mutants.ROUNDS[-1][0]
    nearest = ranked()
    hits = [
        change.tests.partition("::")[0] in nearest.of(change.path.as_posix(), change.start)[:most]
        for change in map(mutants.planted_change, PLANTED)
    ]
    assert sum(hits) >= 0.9 * len(hits)


SOURCE = "def fourth(number):\n    while number % 4:\n        number += 1\n    return number // 4\n"
TESTS = """from pfsm.part import fourth
def test_parts():
    assert fourth(8) == 2
"""
PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import mutants
from forked_tests import Effort
folder = Path(sys.argv[2])
mutants.CHECKOUT, mutants.LISTED, mutants.EVERYTHING = folder / "from", Effort(30.0, 1.0), Effort(30.0, 1.0)
mutants.copied = lambda to: (folder / "from").rename(to)
stage = mutants.Stage(folder)
source = (folder / "copy" / "pfsm" / "part.py").read_text()
for before, after in eval(sys.argv[3]):
    start = source.index(before)
    change = mutants.Change(Path("pfsm/part.py"), start, start + len(before), after, "", "tests/test_part.py")
    print(stage.by_listed(change) or "SURVIVED")
print(stage.unfit())
"""


def test_faults_of_a_copy_are_noticed_hang_and_survive(tmp_path: Path) -> None:
    for name, content in {
        "pfsm/__init__.py": "",
        "pfsm/part.py": SOURCE,
        "tests/test_part.py": TESTS,
        "tests/test_skips.py": "def test_nothing():\n    pass\n",
        "pyproject.toml": "[tool.pytest.ini_options]\npythonpath = ['.']\n",
    }.items():
        (tmp_path / "from" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "from" / name).write_text(content)
    changes = [("// 4", "* 4"), ("number % 4", "True"), ("+= 1", "-= 1")]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, CHECKOUT / "scripts", tmp_path, repr(changes)],
        capture_output=True,
        text=True,
        check=False,
    )
    test = "tests/test_part.py::test_parts"
    expected = [test, f"{test} hangs", "SURVIVED", "[]"]
    assert done.stdout.splitlines() == expected, done.stderr
