"""The listed faults can still be planted, and random ones are faults of code: every one of them compiles."""

import ast
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(CHECKOUT / "scripts"))

import mutants  # noqa: E402 - a script, not a package
from planted_faults import PLANTED, Fault  # noqa: E402


@pytest.mark.parametrize("fault", PLANTED, ids=lambda fault: fault.what)
def test_a_listed_fault_has_one_place(fault: Fault) -> None:
    change = mutants.planted_change(fault)
    source = (CHECKOUT / change.path).read_text(encoding="utf-8")
    assert source[change.start : change.end] == fault.before
    assert change.planted(source) == source.replace(fault.before, fault.after)
    ast.parse(change.planted(source))
    for name in change.tests:
        assert (CHECKOUT / name.partition("::")[0]).exists()


def test_random_faults_compile_and_are_the_same_in_every_run() -> None:
    drawn = mutants.random_changes(60, 0)
    assert [change.what for change in drawn] == [change.what for change in mutants.random_changes(60, 0)]
    assert len({change.what for change in drawn}) > 50
    for change in drawn:
        source = (CHECKOUT / change.path).read_text(encoding="utf-8")
        changed = change.planted(source)
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source)), change.what
