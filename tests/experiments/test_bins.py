"""Bins and standardised scores, on cases worked out by hand and by scipy."""

from types import MappingProxyType

import numpy as np
import pytest
from scipy import stats

from pfsm.evaluation.bins import length_bins, quantile_bins, score_bins
from pfsm_experiments.report.standardised import human_scale


def binned(values: list[float], count: int) -> list[list[float]]:
    array = np.array(values)
    found = quantile_bins(array, np.arange(array.size), count, lambda low, high: f"{low} {high}")
    for one in found:
        assert (one.low, one.high) == (array[one.rows].min(), array[one.rows].max())
        assert one.label == f"{one.low} {one.high}"
    return [sorted(array[one.rows].tolist()) for one in found]


@pytest.mark.parametrize(
    ("values", "count", "expected"),
    [
        ([4.0, 1.0, 3.0, 2.0], 4, [[1.0], [2.0], [3.0], [4.0]]),
        ([8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0], 4, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]),
        # The quartiles of these are 1, 1 and 2: equal numbers are never torn apart.
        ([1.0, 1.0, 1.0, 2.0, 5.0], 4, [[1.0, 1.0, 1.0], [2.0], [5.0]]),
        ([3.0, 3.0, 3.0], 4, [[3.0, 3.0, 3.0]]),
        ([2.0, 1.0], 5, [[1.0], [2.0]]),
        ([7.0], 5, [[7.0]]),
        ([], 4, []),
    ],
)
def test_quantiles(values: list[float], count: int, expected: list[list[float]]) -> None:
    assert binned(values, count) == expected


def test_every_judgment_is_in_one_bin_and_the_bins_are_about_equal() -> None:
    values = np.random.default_rng(0).normal(size=1003)
    rows = np.arange(1003)[::2]
    found = quantile_bins(values, rows, 5, lambda *_: "")
    assert sorted(np.concatenate([one.rows for one in found]).tolist()) == rows.tolist()
    assert {one.rows.size for one in found} <= {100, 101}
    assert np.concatenate([np.sort(values[one.rows]) for one in found]).tolist() == sorted(values[rows])


def test_names_of_bins() -> None:
    references = ["one", "", "two words", "now there are five words", "five words here as well"]
    labels = [one.label for one in length_bins(references, np.arange(5))]
    assert labels == ["0–1 word", "2 words", "5 words"]
    scores = np.array([-1.234, -1.231, 0.5, 0.7])
    assert [one.label for one in score_bins(scores, np.arange(4))] == ["-1.23", "-1.23", "0.50", "0.70"]
    assert score_bins(scores, np.array([0, 3, 1]))[-1].rows.tolist() == [3]


class TestStandardised:
    members = MappingProxyType({"a": np.array([0, 2, 4, 6]), "b": np.array([1, 3, 5])})
    human = np.array([1.0, 70.0, 2.0, 50.0, 5.0, 90.0, 4.0])
    scores = np.array([0.1, 3.0, 0.4, 2.0, 0.3, 9.0, 0.2])

    def test_errors(self) -> None:
        scale = human_scale(self.human, self.members)
        for rows in self.members.values():
            x, y = stats.zscore(self.scores[rows]), stats.zscore(self.human[rows])
            assert scale.scores[rows] == pytest.approx(y)
            assert scale.predicted(self.scores)[rows] == pytest.approx(x)
            assert scale.errors(self.scores)[rows] == pytest.approx(x - y)
            fit = stats.linregress(y, x)
            assert scale.errors_beyond_r(self.scores)[rows] == pytest.approx(
                x - fit.intercept - fit.slope * y
            )

    def test_scales_do_not_matter(self) -> None:
        scale, other = (
            human_scale(self.human, self.members),
            human_scale(1e6 + 1e-3 * self.human, self.members),
        )
        assert other.errors(-7.0 + 1e300 * self.scores) == pytest.approx(scale.errors(self.scores), abs=1e-6)

    def test_a_group_whose_human_scores_are_equal_has_no_scale(self) -> None:
        human = np.array([1.0, 0.1, 2.0, 0.1, 5.0, 0.1, 4.0])
        scale = human_scale(human, self.members)
        assert list(scale.members) == ["a"]
        assert scale.rows.tolist() == [0, 2, 4, 6]
        assert np.isnan(scale.errors(self.scores)[[1, 3, 5]]).all()

    def test_a_metric_that_gives_all_the_same_is_average_everywhere(self) -> None:
        scale = human_scale(self.human, self.members)
        scores = np.where(np.isin(np.arange(7), self.members["b"]), 0.1, self.scores)
        assert scale.errors(scores)[[1, 3, 5]] == pytest.approx(-stats.zscore([70.0, 50.0, 90.0]))
        assert scale.errors_beyond_r(scores)[[1, 3, 5]].tolist() == [0.0, 0.0, 0.0]

    def test_judgments_that_are_not_tested_have_no_error(self) -> None:
        scores = self.scores.copy()
        scores[4] = np.nan
        errors = human_scale(self.human, self.members).errors(scores)
        assert np.isnan(errors[[0, 2, 4, 6]]).all()
        assert not np.isnan(errors[[1, 3, 5]]).any()
