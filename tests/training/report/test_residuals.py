"""Errors by length and by group, against sums by hand."""

import math

import numpy as np
import pytest

from pfsm_training.report.residuals import MOST_GROUPS, Errors, error_tables


def errors(values: list[float], **columns: tuple[str, ...]) -> Errors:
    count = len(values)
    return Errors(
        np.array(values),
        np.ones(count),
        np.arange(count) // 2,
        ["word " * (1 + at) for at in range(count)],
        columns,
    )


def test_bins_by_length_have_means_and_intervals_over_segments() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=50).tolist()
    values[7] = math.nan
    (table,) = error_tables(errors(values))
    assert table.by == "words of the reference"
    assert [one.n for one in table.bins] == [10, 10, 9, 10, 10]
    assert table.bins[0].label == "1–11"
    first = np.array([values[at] for at in range(11) if at != 7])
    assert table.bins[0].mean == pytest.approx(first.mean())
    # Two judgments a segment, but for the last and the one that is unknown.
    deviations = first - first.mean()
    of_segment = np.array([0, 0, 1, 1, 2, 2, 3, 4, 4, 5])
    sums = np.array([deviations[of_segment == segment].sum() for segment in range(6)])
    reach = 1.959964 * math.sqrt((sums**2).sum() * 6 / 5) / 10
    assert table.bins[0].interval == pytest.approx((first.mean() - reach, first.mean() + reach), rel=1e-6)
    assert table.bins[0].spread == pytest.approx(tuple(np.quantile(first, [0.1, 0.9])))


def test_whole_weights_are_repetitions() -> None:
    rng = np.random.default_rng(1)
    values, counts = rng.normal(size=40), rng.integers(1, 5, 40)
    rows, references = np.repeat(np.arange(40), counts), ["one word"] * 40
    (found,) = error_tables(Errors(values, counts.astype(float), np.arange(40) // 2, references, {}))
    (truth,) = error_tables(Errors(values[rows], np.ones(rows.size), rows // 2, ["one word"] * rows.size, {}))
    assert found.bins[0].mean == pytest.approx(truth.bins[0].mean)
    assert found.bins[0].interval == pytest.approx(truth.bins[0].interval)
    expected = np.quantile(values[rows], [0.1, 0.9], method="inverted_cdf")
    assert found.bins[0].spread == pytest.approx(tuple(expected))


def test_only_columns_that_divide_the_data_into_a_few_groups_have_a_table() -> None:
    count = 60
    systems = tuple("ABC"[at % 3] for at in range(count))
    tables = error_tables(
        errors(
            [float(at % 3) for at in range(count)],
            system=systems,
            source_lang=("de",) * count,
            document=tuple(f"d{at}" for at in range(count)),
            other=systems,
        )
    )
    assert [table.by for table in tables] == ["words of the reference", "system"]
    assert [(one.label, one.n, one.mean) for one in tables[1].bins] == [
        ("A", 20, 0.0),
        ("B", 20, 1.0),
        ("C", 20, 2.0),
    ]
    many = tuple(str(at % (MOST_GROUPS + 1)) for at in range(10 * (MOST_GROUPS + 1)))
    assert len(error_tables(errors([0.0] * len(many), system=many))) == 1
