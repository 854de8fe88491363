"""Mean-removed and length-weighted correlations in the tables of an experiment."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm.data import read_judgments
from pfsm.metrics import get_metric
from pfsm_experiments.estimates import Entry
from tests.experiments.conftest import Run
from tests.experiments.experiment_cases import table
from tests.judgment_cases import rows, tsv

Float = NDArray[np.float64]
STATISTICS = ["mean-removed", "length-weighted", "mean-removed-weighted"]


def by_hand(statistic: str, metric: Float, human: Float, segments: list[str], weights: Float) -> float:
    """Means taken off segment by segment (Kahn et al. 2009, equation 3); numpy's weighted covariance."""
    if not statistic.endswith("weighted"):
        weights = np.ones(weights.size)
    if statistic.startswith("mean-removed"):
        metric, human = metric.copy(), human.copy()
        for name in set(segments):
            inside = [at for at, one in enumerate(segments) if one == name]
            for scores in (metric, human):
                scores[inside] -= np.average(scores[inside], weights=weights[inside])
    covariance = np.cov(metric, human, aweights=weights)
    return float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twenty segments of three translations each, in an order of their own."""
    (tmp_path / "d").mkdir()
    damaged = [
        (reference, " ".join(hypothesis.split()[cut:]), f"{float(score) - cut + 0.3 * (number % 5):.3f}")
        for number, (reference, hypothesis, score) in enumerate(rows(20, seed=5))
        for cut in range(3)
    ]
    order = np.random.default_rng(1).permutation(len(damaged))
    (tmp_path / "d" / "all.tsv").write_text(tsv([damaged[at] for at in order]), encoding="utf-8")
    return tmp_path


def values(**changes: Any) -> dict[str, Any]:
    return table(
        test={"name": "d", "files": "d/*.tsv"},
        statistics=STATISTICS,
        group_by=None,
        versus=None,
        train=None,
        rows=[{"name": "chrF", "metric": "chrf"}, {"name": "TER", "metric": "ter"}],
        **changes,
    )


@pytest.mark.parametrize("statistic", STATISTICS)
def test_numbers_and_intervals(run: Run, folder: Path, statistic: str) -> None:
    """Segments drawn with all their translations, each time they are drawn a segment of its own."""
    results = run(values(resamples=1000), folder)
    test = read_judgments(folder / "d" / "all.tsv")
    metric = get_metric("chrf").score_pairs(test.hypotheses, test.references)
    lengths = np.array([float(len(one.split())) for one in test.references])
    entry = one_of(results.entries, "chrF", statistic)
    assert entry.value == pytest.approx(
        by_hand(statistic, metric, test.scores, list(test.references), lengths), abs=1e-9
    )
    names = sorted(set(test.references))
    members = [[at for at, one in enumerate(test.references) if one == name] for name in names]
    rng = np.random.default_rng(3)
    drawn = []
    for _ in range(1000):
        taken, segments = [], []
        for copy, number in enumerate(rng.integers(len(names), size=len(names))):
            taken += members[number]
            segments += [f"{copy}"] * len(members[number])
        drawn.append(by_hand(statistic, metric[taken], test.scores[taken], segments, lengths[taken]))
    assert entry.interval is not None
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert entry.interval.low == pytest.approx(low, abs=0.15 * (high - low))
    assert entry.interval.high == pytest.approx(high, abs=0.15 * (high - low))


def test_one_translation_a_segment_leaves_nothing(run: Run, data: Path) -> None:
    changes = values() | {"test": {"name": "made", "files": "test/cs*.tsv"}}
    entries = run(changes, data).entries
    for statistic in ("mean-removed", "mean-removed-weighted"):
        assert one_of(entries, "chrF", statistic).value is None
    assert one_of(entries, "chrF", "length-weighted").value is not None


def one_of(entries: tuple[Entry, ...], row: str, statistic: str) -> Entry:
    (found,) = (one for one in entries if (one.row, one.statistic) == (row, statistic))
    return found
