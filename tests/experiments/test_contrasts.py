"""Comparisons of rows: their tests, computed in another way; rows without a number; what is resampled."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from pfsm.data import read_judgments
from pfsm.errors import PfsmError
from pfsm.evaluation.bootstrap import group_seed, resampled_rows
from pfsm.metrics import get_metric
from pfsm_experiments.data import MEAN
from pfsm_experiments.estimates import Contrast
from pfsm_experiments.report.output import Results, results_summary
from pfsm_experiments.report.tables import (
    contrast_tables,
    contrasts_latex,
    contrasts_markdown,
    explanation,
    markdown_table,
    result_tables,
)
from tests.experiments.conftest import Run
from tests.experiments.experiment_cases import LANGUAGES, table
from tests.judgment_cases import rows, tsv

Float = NDArray[np.float64]
METRICS = ("bleu", "ter", "wer", "chrf")
ROWS = [{"name": name, "metric": name} for name in METRICS]
PAIRS = [["ter", "bleu"], ["chrf", "ter"], ["wer", "chrf"]]


def values(**changes: Any) -> dict[str, Any]:
    return table(**({"train": None, "versus": None, "rows": ROWS, "contrasts": PAIRS} | changes))


def found(results: Results, row: str, other: str, group: str, statistic: str = "pearson") -> Contrast:
    (one,) = (
        one
        for one in results.contrasts
        if (one.row, one.other, one.column.group, one.statistic) == (row, other, group, statistic)
    )
    return one


def step_down(p_values: list[float]) -> list[float]:
    """Holm's correction, one p-value after the other."""
    order = sorted(range(len(p_values)), key=lambda at: p_values[at])
    corrected, highest = [0.0] * len(p_values), 0.0
    for passed, at in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - passed) * p_values[at]))
        corrected[at] = highest
    return corrected


def test_of_scores(run: Run, data: Path) -> None:
    """From the same draws: correlations by SciPy, means over the languages, p-values."""
    results = run(values(resamples=120))
    correlations: dict[str, dict[str, Float]] = {name: {} for name in METRICS}
    for language in LANGUAGES:
        test = read_judgments(data / "test" / f"{language}-en.tsv")
        draws = np.concatenate(list(resampled_rows(len(test), 120, group_seed(12345, language))))
        for name in METRICS:
            scores = get_metric(name).score_pairs(test.hypotheses, test.references)
            correlations[name][language] = np.array(
                [stats.pearsonr(scores[rows], test.scores[rows])[0] for rows in draws]
                + [stats.pearsonr(scores, test.scores)[0]]  # last, the data as they are
            )
    p_values = []
    for row, other in PAIRS:
        per_language = [correlations[row][one] - correlations[other][one] for one in LANGUAGES]
        mean = np.mean(per_language, axis=0)
        resampled, observed = mean[:-1], mean[-1]
        p_values.append((1 + sum(abs(one - resampled.mean()) >= abs(observed) for one in resampled)) / 121)
        contrast = found(results, row, other, MEAN)
        difference = contrast.difference
        assert difference is not None
        assert difference.value == pytest.approx(observed, abs=1e-9)
        assert difference.interval.low == pytest.approx(np.quantile(resampled, 0.025), abs=1e-9)
        assert difference.interval.high == pytest.approx(np.quantile(resampled, 0.975), abs=1e-9)
        assert difference.p_value == pytest.approx(p_values[-1])
        assert contrast.values == pytest.approx(
            [np.mean([correlations[name][one][-1] for one in LANGUAGES]) for name in (row, other)]
        )
        for language, expected in zip(LANGUAGES, per_language, strict=True):
            inside = found(results, row, other, language).difference
            assert inside is not None
            assert inside.value == pytest.approx(expected[-1], abs=1e-9)
    corrected = [
        one.difference.p_holm
        for one in results.contrasts
        if one.difference and (one.column.group, one.statistic) == (MEAN, "pearson")
    ]
    assert corrected == pytest.approx(step_down(p_values))
    assert corrected != pytest.approx(p_values)
    tables = contrast_tables(results.contrasts)
    assert any("| ter against bleu | " in part for part in contrasts_markdown(results.experiment, tables))
    assert "ter against bleu & " in contrasts_latex(results.experiment, tables)


UNDEFINED: dict[str, Any] = {
    "versus": "bleu",
    "statistics": ["pearson"],
    "rows": [{"name": name, "metric": name} for name in ("bleu", "per", "chrf")],
}


@pytest.mark.parametrize(("row", "other"), [("per", "bleu"), ("chrf", "per")])
def test_means_are_compared_over_the_groups_that_both_rows_have(
    run: Run, tmp_path: Path, row: str, other: str
) -> None:
    """In de, every hypothesis has the words of its reference in another order: PER has no correlation there."""
    (tmp_path / "test").mkdir()
    for language, seed in (("cs", 1), ("de", 2)):
        made = rows(30, seed)
        if language == "de":
            made = [(one, " ".join(reversed(one.split())), score) for one, _, score in made]
        text = tsv(made, source_lang=language)
        (tmp_path / "test" / f"{language}-en.tsv").write_text(text, encoding="utf-8")
    results = run(values(**UNDEFINED | {"contrasts": [[row, other]]}), tmp_path)
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
    """Four translations of one segment: every resample is that segment, and says nothing of chance."""
    (tmp_path / "one").mkdir()
    translations = ("the house is", "a house big", "the big house is old", "is")
    made = [("the house is big", text, str(score)) for score, text in enumerate(translations)]
    (tmp_path / "one" / "all.tsv").write_text(tsv(made), encoding="utf-8")
    test = {"name": "one", "files": "one/*.tsv"}
    results = run(
        values(**UNDEFINED | {"test": test, "group_by": None, "contrasts": [["chrf", "per"]]}), tmp_path
    )
    assert all(entry.value is not None and entry.interval is None for entry in results.entries)
    (contrast,) = results.contrasts
    first, second = contrast.values
    assert contrast.difference is not None
    assert contrast.difference.value == pytest.approx((first or 0.0) - (second or 0.0))
    assert not contrast.difference.significant
    (against,) = contrast_tables(results.contrasts)
    assert against.rows[0][-3:] == ("–", "–", "–")
    assert "–" not in against.rows[0][:-3]
    (shown,) = result_tables(results.entries)
    assert "| bleu | -.911 – |" in markdown_table(shown, intervals=True)
    json.dumps(results_summary(results, "", []), allow_nan=False)
    assert not recwarn.list


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve segments of four documents, three translations each."""
    (tmp_path / "d").mkdir()
    made = rows(36, seed=5)
    texts = [(made[at - at % 3][0], made[at][1], made[at][2]) for at in range(36)]
    columns: dict[str, Any] = {
        "segment_id": [f"{at // 3}" for at in range(36)],
        "system": ["abc"[at % 3] for at in range(36)],
        "document": [f"talk {at // 9}" for at in range(36)],
    }
    (tmp_path / "d" / "all.tsv").write_text(tsv(texts, **columns), encoding="utf-8")
    (tmp_path / "d" / "plain.tsv").write_text(tsv(texts, segment_id=columns["segment_id"]), encoding="utf-8")
    return tmp_path


def resampled(*statistics: str, file: str = "all", **changes: Any) -> dict[str, Any]:
    metrics = [{"name": name, "metric": name} for name in ("chrf", "ter")]
    test = {"name": "d", "files": f"d/{file}.tsv"}
    return table(
        test=test,
        statistics=list(statistics),
        group_by=None,
        train=None,
        rows=metrics,
        versus="ter",
        **changes,
    )


def test_units_make_a_difference_and_are_told(run: Run, folder: Path) -> None:
    found = []
    for unit in ("segments", "judgments", "documents", "systems"):
        results = run(resampled("pearson", resample=unit), folder)
        assert results_summary(results, "", [])["resampled"] == unit
        tables = result_tables(results.entries)
        assert f"(60 resamples of {unit}, seed 12345)" in explanation(results.experiment, tables)[0]
        found.append(results.entries[0])
    assert len({entry.value for entry in found}) == 1
    assert len({entry.interval for entry in found}) == 4


def test_refusals_before_any_work(run: Run, folder: Path) -> None:
    changes: dict[str, Any]
    for name, changes, fault in (
        (
            "pearson",
            {"resample": "documents", "file": "plain"},
            "resampling documents needs the column 'document'",
        ),
        ("mean-removed", {"resample": "judgments"}, "mean-removed compares translations of one segment"),
        ("system-accuracy", {"file": "plain"}, "system-accuracy needs the column 'system', filled"),
    ):
        with pytest.raises(PfsmError, match=fault):
            run(resampled(name, **changes), folder)
    assert not (folder / "out" / "cells").exists()
