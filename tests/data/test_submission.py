"""Score files for the WMT metrics task and mt-metrics-eval: every field, and names that the files cannot hold."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm.data.formats.mt_metrics_eval import score_lines
from pfsm.data.submission import Submission
from pfsm.errors import PfsmError

Scores = dict[str, dict[str, NDArray[np.float64]]]


def scores() -> Scores:
    return {
        "refA": {"online": np.array([1.0, 0.1, -2.5]), "uni": np.array([1 / 3, 1e-20, 3.0])},
        "refB": {"online": np.array([0.0, 1.0, 2.0]), "uni": np.array([5.0, 5.0, 6.5])},
    }


def made(domains: list[str] | None = None, documents: list[str] | None = None) -> Submission:
    return Submission("ours", "en-de", "test23", ["refA", "refB"], ["online", "uni"], domains, documents)


def mean(reference: str, system: str, segments: NDArray[np.int64]) -> float:
    return float(scores()[reference][system][segments].mean())


def rows(path: Path) -> list[list[str]]:
    text = path.read_text(encoding="utf-8")
    assert text.endswith("\n")
    return [line.split("\t") for line in text.splitlines()]


def test_wmt(tmp_path: Path) -> None:
    found = made(["news", "social", "news"], ["d1", "d2", "d1"])
    names = found.write(str(tmp_path / "ours"), "wmt", scores(), mean)
    assert [Path(name).name for name in names] == ["ours.seg.score", "ours.sys.score"]
    segments = rows(tmp_path / "ours.seg.score")
    assert segments[:4] == [
        ["ours", "en-de", "test23", "news", "d1", "refA", "online", "1", "1.0"],
        ["ours", "en-de", "test23", "social", "d2", "refA", "online", "2", "0.1"],
        ["ours", "en-de", "test23", "news", "d1", "refA", "online", "3", "-2.5"],
        ["ours", "en-de", "test23", "news", "d1", "refA", "uni", "1", repr(1 / 3)],
    ]
    assert len(segments) == 12
    systems = rows(tmp_path / "ours.sys.score")
    assert systems[0][:6] == ["ours", "en-de", "test23", "all", "refA", "online"]
    values = {tuple(row[3:6]): float(row[6]) for row in systems}
    assert len(values) == len(systems) == 3 * 2 * 2
    assert values["all", "refB", "uni"] == pytest.approx((5 + 5 + 6.5) / 3)
    assert values["news", "refA", "online"] == pytest.approx((1 - 2.5) / 2)
    assert values["social", "refB", "online"] == 1.0


def test_mt_metrics_eval(tmp_path: Path) -> None:
    names = made().write(str(tmp_path / "ours"), "mtme", scores(), mean)
    expected = [f"ours-{ref}.{level}.score" for ref in ("refA", "refB") for level in ("seg", "sys")]
    assert [Path(name).name for name in names] == expected
    for reference, systems in scores().items():
        lines = list(score_lines(tmp_path / f"ours-{reference}.seg.score"))
        assert [(line.system, line.score) for line in lines] == [
            (system, score) for system, series in systems.items() for score in series
        ]
        lines = list(score_lines(tmp_path / f"ours-{reference}.sys.score"))
        assert {line.system: line.score for line in lines} == {
            system: pytest.approx(series.mean()) for system, series in systems.items()
        }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"metric": "our metric"}, "metric name is 'our metric'"),
        ({"language_pair": "ende"}, "language pair is 'ende'"),
        ({"domains": ["news", "two words", "news"]}, "domain is 'two words'"),
        ({"systems": ["a b"]}, "system is 'a b'"),
    ],
)
def test_names_that_the_files_cannot_hold(changes: dict[str, object], message: str) -> None:
    names = {"metric": "m", "language_pair": "en-de", "test_set": "t", "references": ["A"], "systems": ["s"]}
    with pytest.raises(PfsmError, match=message):
        Submission(**names | changes)  # type: ignore[arg-type]
