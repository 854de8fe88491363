"""Where metrics err: the tables against SciPy, with ties and tiny test sets."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from pfsm.data import Judgments, read_judgments, read_preferences
from pfsm.evaluation import preference_counts
from pfsm.metrics import get_metric
from pfsm_experiments.report.mistakes import (
    BEYOND,
    ERROR,
    GROUP,
    LENGTH,
    PEARSON,
    SCORE,
    WRONG,
    MistakeTable,
)
from pfsm_experiments.report.mistakes_text import how_to_read, mistakes_markdown
from pfsm_experiments.report.results import Results
from tests.experiments.conftest import Run
from tests.experiments.experiment_cases import LANGUAGES, table
from tests.judgment_cases import rows, tsv

CHRF = [{"name": "chrF", "metric": "chrf"}]
PAIRS = {"name": "pairs", "files": "pairs/*.tsv"}


def found(results: Results, statistic: str, by: str) -> MistakeTable:
    """The one table of a kind."""
    (one,) = (table for table in results.mistakes if (table.statistic, table.by) == (statistic, by))
    return one


def kinds(results: Results) -> list[tuple[str, str]]:
    return [(table.statistic, table.by) for table in results.mistakes]


def values(one: MistakeTable, row: str = "chrF") -> list[float | None]:
    (line,) = (line for line in one.lines if line.name == row)
    return [entry.value for entry in line.entries]


def standardised(data: Path) -> tuple[list[str], NDArray[Any], NDArray[Any]]:
    """References, and human and chrF's scores, standardised within languages, of the whole test set."""
    parts = [read_judgments(data / "test" / f"{language}-en.tsv") for language in LANGUAGES]
    chrf = [get_metric("chrf").score_pairs(part.hypotheses, part.references) for part in parts]
    human = np.concatenate([stats.zscore(part.scores) for part in parts])
    return list(Judgments.join(parts).references), human, np.concatenate([stats.zscore(one) for one in chrf])


def test_agreement_by_length(run: Run, data: Path) -> None:
    results = run(table(rows=CHRF))
    references, human, chrf = standardised(data)
    lengths = np.array([len(reference.split()) for reference in references])
    first, second, third = np.percentile(lengths, [25, 50, 75])
    bins = [
        lengths <= first,
        (lengths > first) & (lengths <= second),
        (lengths > second) & (lengths <= third),
        lengths > third,
    ]
    one = found(results, PEARSON, LENGTH)
    assert [column.n for column in one.columns] == [int(inside.sum()) for inside in bins]
    expected = [stats.pearsonr(chrf[inside], human[inside])[0] for inside in bins]
    assert values(one) == pytest.approx(expected, abs=1e-9)
    assert one.best == pytest.approx(expected, abs=1e-9)
    assert one.columns[0].group == f"{lengths.min()}–{lengths[bins[0]].max()} words"


def test_errors_by_human_score(run: Run, data: Path) -> None:
    results = run(table(rows=CHRF))
    _, human, chrf = standardised(data)
    fifths = np.array_split(np.argsort(human), 5)
    one = found(results, ERROR, SCORE)
    assert [column.n for column in one.columns] == [18] * 5
    assert values(one) == pytest.approx([(chrf - human)[fifth].mean() for fifth in fifths], abs=1e-9)
    assert one.best == (None,) * 5
    residuals = []
    for language in range(3):
        x, y = (side[30 * language : 30 * language + 30] for side in (human, chrf))
        residuals.append(y - np.polyval(np.polyfit(x, y, 1), x))
    beyond = np.concatenate(residuals)
    assert values(found(results, BEYOND, SCORE)) == pytest.approx(
        [beyond[fifth].mean() for fifth in fifths], abs=1e-9
    )


@pytest.mark.parametrize(("statistic", "by"), [(PEARSON, LENGTH), (ERROR, SCORE)])
def test_intervals_draw_whole_segments(run: Run, tmp_path: Path, statistic: str, by: str) -> None:
    """Brute force: segments of three judgments each, drawn with all of them."""
    (tmp_path / "d").mkdir()
    made = [
        (reference, hypothesis, f"{float(score) + shift:.3f}")
        for reference, hypothesis, score in rows(80, seed=5)
        for shift in (0.0, 0.001, 0.002)
    ]
    (tmp_path / "d" / "all.tsv").write_text(tsv(made), encoding="utf-8")
    test = {"name": "d", "files": "d/all.tsv"}
    results = run(table(test=test, train=None, group_by=None, rows=CHRF, resamples=1500), tmp_path)
    one = found(results, statistic, by)
    judged = read_judgments(tmp_path / "d" / "all.tsv")
    human = stats.zscore(judged.scores)
    chrf = stats.zscore(get_metric("chrf").score_pairs(judged.hypotheses, judged.references))
    inside = one.bins[1].rows
    names = sorted({judged.references[at] for at in inside})
    members = {name: [at for at in inside if judged.references[at] == name] for name in names}
    assert max(map(len, members.values())) == 3
    rng = np.random.default_rng(2)
    drawn = []
    for _ in range(1500):
        taken = [at for k in rng.integers(len(names), size=len(names)) for at in members[names[k]]]
        if statistic == PEARSON:
            drawn.append(stats.pearsonr(chrf[taken], human[taken])[0])
        else:
            drawn.append((chrf - human)[taken].mean())
    interval = one.lines[0].entries[1].interval
    assert interval is not None
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert interval.low == pytest.approx(low, abs=0.15 * (high - low))
    assert interval.high == pytest.approx(high, abs=0.15 * (high - low))


class TestGroups:
    def test_tables_by_group_are_left_out_if_the_results_have_them(self, run: Run) -> None:
        assert kinds(run(table(rows=CHRF))) == [(PEARSON, LENGTH), (ERROR, SCORE), (BEYOND, SCORE)]

    def test_they_are_those_of_the_results(self, run: Run, data: Path) -> None:
        one = found(run(table(rows=CHRF, statistics=["spearman"])), PEARSON, GROUP)
        results = run(table(rows=CHRF))
        assert [column.group for column in one.columns] == list(LANGUAGES)
        ours = {entry.column.group: entry for entry in one.lines[0].entries}
        for entry in results.entries:
            if entry.statistic == "pearson" and entry.column.group in ours:
                same = ours[entry.column.group]
                assert (same.value, same.interval) == (entry.value, entry.interval)

    def test_a_learning_curve_shows_its_largest_size(self, run: Run) -> None:
        values_of = table(
            scheme="learning-curve", sizes=[20, "all"], repeats=2, rows=[*CHRF, {"name": "pFSM", "train": {}}]
        )
        results = run(values_of)
        whole = run(table(rows=[*CHRF, {"name": "pFSM", "train": {}}], statistics=["spearman"]))
        curve, plain = (found(one, PEARSON, GROUP) for one in (results, whole))
        for row in ("chrF", "pFSM"):
            assert values(curve, row) == pytest.approx(values(plain, row), abs=1e-9)
        assert "largest training size" in how_to_read(results.experiment, results.mistakes)[-1]


class TestPreferences:
    def expected(self, data: Path, chosen: Any) -> float:
        pairs = read_preferences(data / "pairs" / "cs-en.tsv")
        part = pairs.select(np.flatnonzero([chosen(reference) for reference in pairs.references]))
        score = get_metric("chrf").score_pairs
        counts = preference_counts(
            score(part.better, part.references), score(part.worse, part.references), part.votes
        )
        return 1.0 - counts.accuracy

    def test_wrong_pairs_by_length(self, run: Run, data: Path) -> None:
        results = run(table(test=PAIRS, train=None, rows=CHRF, statistics=["accuracy"]))
        assert kinds(results) == [(WRONG, LENGTH)]
        one = found(results, WRONG, LENGTH)
        expected = [
            self.expected(data, lambda text, one=one: one.low <= len(text.split()) <= one.high)
            for one in one.bins
        ]
        assert values(one) == pytest.approx(expected)
        assert 0.0 < max(expected) < 1.0
        for entry, value in zip(one.lines[0].entries, expected, strict=True):
            assert entry.interval is not None
            assert 0.0 <= entry.interval.low <= value <= entry.interval.high <= 1.0
        assert results.worst == ()
        assert any("Wrong pairs" in line for line in how_to_read(results.experiment, results.mistakes))

    def test_by_group(self, run: Run, data: Path) -> None:
        values_of = table(test=PAIRS, train=None, rows=CHRF, statistics=["tau_darr"], group_by="reference")
        one = found(run(values_of), WRONG, GROUP)
        for column, value in zip(one.columns, values(one), strict=True):
            expected = self.expected(data, lambda text, column=column: text == column.group)
            assert value == pytest.approx(expected)


class TestTinySets:
    def one(self, run: Run, folder: Path, lines: list[tuple[str, str, str]], **changes: Any) -> Results:
        (folder / "d").mkdir()
        (folder / "d" / "all.tsv").write_text(tsv(lines), encoding="utf-8")
        test = {"name": "d", "files": "d/all.tsv"}
        return run(table(test=test, train=None, group_by=None, rows=CHRF, **changes), folder)

    def test_fewer_judgments_than_bins(self, run: Run, tmp_path: Path) -> None:
        lines = [("a b", "a b", "3"), ("a b c", "a x", "1"), ("a b c d", "a b y", "2")]
        results = self.one(run, tmp_path, lines)
        lengths = found(results, PEARSON, LENGTH)
        assert [column.group for column in lengths.columns] == ["2 words", "3 words", "4 words"]
        assert values(lengths) == [None, None, None]
        errors = found(results, ERROR, SCORE)
        assert [one.rows.tolist() for one in errors.bins] == [[1], [2], [0]]
        chrf = stats.zscore(
            get_metric("chrf").score_pairs([h for _, h, _ in lines], [r for r, _, _ in lines])
        )
        assert values(errors) == pytest.approx((chrf - stats.zscore([3.0, 1.0, 2.0]))[[1, 2, 0]])

    @pytest.mark.parametrize("count", [1, 5])
    def test_equal_scores_say_nothing(self, run: Run, tmp_path: Path, count: int) -> None:
        results = self.one(run, tmp_path, [("a b c" + " d" * at, "a b", "0.1") for at in range(count)])
        assert results.mistakes == ()
        assert results.worst == ()
        assert mistakes_markdown(results.experiment, results.mistakes) == []

    def test_ties_stay_together(self, run: Run, tmp_path: Path) -> None:
        lines = [
            (reference, hypothesis, str(at % 2)) for at, (reference, hypothesis, _) in enumerate(rows(20))
        ]
        one = found(self.one(run, tmp_path, lines), ERROR, SCORE)
        assert [(column.group, column.n) for column in one.columns] == [("-1.00", 10), ("1.00", 10)]


def test_a_row_that_is_not_tested_has_dashes(run: Run) -> None:
    made = [{"name": "cheat", "train": {}, "train_data": "test/*.tsv"}, *CHRF]
    results = run(table(rows=made))
    for one in results.mistakes:
        assert set(values(one, "cheat")) == {None}
        assert None not in values(one)


def test_markdown(run: Run) -> None:
    results = run(table(rows=CHRF))
    parts = mistakes_markdown(results.experiment, results.mistakes)
    assert parts[:2] == ["## Where the mistakes are", "### Pearson's r by length of the reference, made"]
    assert "| n | 18 | 18 | 18 | 18 | 18 |" in parts[4]
    assert "within the groups of source_lang" in parts[-1]
    assert "60 resamples of the bin's segments, seed 12345" in parts[-1]
