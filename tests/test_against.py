"""The benchmark of two trees: which ratio it prints, and what it flags."""

import importlib
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "scripts" / "benchmarks"


@pytest.fixture
def against(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("against")


def test_ratios_are_medians_of_runs_that_followed_each_other(against: Any) -> None:
    work = against.Work("it", 100, ("-c", ""))
    # Both trees slow down together: run by run the other one takes 2, 2 and 1 times as long.
    line, ratio = against.row(work, [1.0, 10.0, 4.0], [2.0, 20.0, 4.0])
    assert ratio == 2.0
    assert line == "| it | 25 | 25 | 2.00 |  |"


def test_what_is_more_than_a_tenth_slower_is_flagged(against: Any) -> None:
    for ours, flag in ((1.05, ""), (1.2, "**slower**")):
        line, _ = against.row(against.Work("it", 1, ()), [ours] * 3, [1.0] * 3)
        assert line.endswith(f"| {flag} |")


def test_a_tree_runs_its_own_code(against: Any, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "module.py").write_text(
            f"number = {len(name) + (name == 'two')}\n", encoding="utf-8"
        )
    trees = [against.Tree(tmp_path / name, tmp_path, tmp_path) for name in ("one", "two")]
    work = against.Work("it", 1, ("-c", "import module; print(module.number)"), is_timed=True)
    assert [tree.seconds(work) for tree in trees] == [3.0, 4.0]
    assert trees[0].seconds(against.Work("it", 1, ("-c", "raise SystemExit(2)"))) is None
