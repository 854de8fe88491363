"""Rows without a number in a group or in any resample: their comparison and their display."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from pfsm_experiments.data import MEAN
from pfsm_experiments.estimates import Contrast
from pfsm_experiments.report.output import Results, results_summary
from pfsm_experiments.report.tables import (
    contrast_tables,
    markdown_table,
    result_tables,
)
from tests.experiments.conftest import Run
from tests.experiments.experiment_cases import table
from tests.judgment_cases import rows, tsv

METRICS = ("bleu", "per", "chrf")


def values(**changes: Any) -> dict[str, Any]:
    whole = {
        "train": None,
        "versus": "bleu",
        "rows": [{"name": name, "metric": name} for name in METRICS],
        "statistics": ["pearson"],
    }
    return table(**(whole | changes))


def found(results: Results, row: str, other: str, group: str) -> Contrast:
    (one,) = (
        one for one in results.contrasts if (one.row, one.other, one.column.group) == (row, other, group)
    )
    return one


@pytest.fixture
def uneven(tmp_path: Path) -> Path:
    """Two languages; in de, every hypothesis has the words of its reference in another order."""
    (tmp_path / "test").mkdir()
    for language, seed in (("cs", 1), ("de", 2)):
        made = rows(30, seed)
        if language == "de":
            made = [(one, " ".join(reversed(one.split())), score) for one, _, score in made]
        text = tsv(made, source_lang=language)
        (tmp_path / "test" / f"{language}-en.tsv").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def results(run: Run, uneven: Path) -> Results:
    """PER gives equal scores in de, so it has no correlation there and cannot be compared."""
    return run(values(contrasts=[["per", "bleu"], ["chrf", "bleu"], ["chrf", "per"]]), uneven)


@pytest.mark.parametrize(("row", "other"), [("per", "bleu"), ("chrf", "per")])
def test_means_are_compared_over_the_groups_that_both_rows_have(
    results: Results, row: str, other: str
) -> None:
    assert found(results, row, other, "de").difference is None
    overall, alone = found(results, row, other, MEAN), found(results, row, other, "cs")
    assert overall.difference is not None
    assert alone.difference is not None
    assert overall.values == alone.values
    assert overall.difference.value == alone.difference.value
    assert overall.difference.interval == alone.difference.interval
    assert overall.difference.p_value == alone.difference.p_value


def test_a_single_segment_has_no_intervals_and_no_marks(
    run: Run, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    """Three translations of one segment: every resample is that segment, and says nothing of chance."""
    (tmp_path / "one").mkdir()
    translations = ("the house is", "a house big", "the big house is old", "is")
    lines = [f"the house is big\t{text}\t{score}" for score, text in enumerate(translations)]
    (tmp_path / "one" / "all.tsv").write_text(
        "\n".join(["reference\thypothesis\tscore", *lines, ""]), encoding="utf-8"
    )
    settings = values(test={"name": "one", "files": "one/*.tsv"}, group_by=None, contrasts=[["chrf", "per"]])
    results = run(settings, tmp_path)
    assert all(entry.value is not None for entry in results.entries)
    assert all(entry.interval is None for entry in results.entries)
    (contrast,) = results.contrasts
    only_a_difference(contrast)
    (against,) = contrast_tables(results.contrasts)
    assert against.rows[0][-3:] == ("–", "–", "–")
    assert "–" not in against.rows[0][:-3]
    (shown,) = result_tables(results.entries)
    assert "| bleu | -.911 – |" in markdown_table(shown, intervals=True)
    summary = results_summary(results, "", [])
    unknown = {"interval": [None, None], "p_value": None, "p_holm": None}
    assert summary["contrasts"][0]["difference"].items() >= unknown.items()
    json.dumps(summary, allow_nan=False)
    assert not recwarn.list


def only_a_difference(contrast: Contrast) -> None:
    """Checks that the difference has neither an interval nor p-values."""
    one = contrast.difference
    first, second = contrast.values
    assert one is not None
    assert first is not None
    assert second is not None
    assert one.value == pytest.approx(first - second)
    assert all(map(math.isnan, (one.interval.low, one.interval.high, one.p_value, one.p_holm)))
    assert not one.significant
