"""The numbers of the tables, computed in another way."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from pfsm import Metric, load
from pfsm.data import Judgments, read_judgments, read_preferences
from pfsm.evaluation import evaluate_groups, holm, preference_counts
from pfsm.metrics import get_metric
from pfsm_experiments.estimates import Entry
from pfsm_experiments.report.output import Results
from pfsm_training import train
from pfsm_training.config import config_from_dict
from tests.experiments.conftest import Run
from tests.experiments.experiment_cases import LANGUAGES, table
from tests.judgment_cases import rows, tsv


def number(results: Results, row: str, group: str, statistic: str = "pearson", **column: Any) -> Entry:
    """The only entry of a row, statistic and column."""
    (found,) = (
        entry
        for entry in results.entries
        if (entry.row, entry.column.group, entry.statistic) == (row, group, statistic)
        and all(getattr(entry.column, key) == value for key, value in column.items())
    )
    return found


def joined(data: Path, part: str, languages: tuple[str, ...] = LANGUAGES) -> Judgments:
    return Judgments.join([read_judgments(data / part / f"{language}-en.tsv") for language in languages])


def test_train_and_test(run: Run, data: Path) -> None:
    results = run(table(resamples=200))
    metrics = {
        "chrF": get_metric("chrf").score_pairs,
        "pFSM": Metric(train(joined(data, "train"))).score_pairs,
        "near | en-small": Metric(
            train(
                joined(data, "train"),
                config=config_from_dict({"lambda": 50}, ""),
                init=load("en-small").model,
            )
        ).score_pairs,
    }
    for row, score in metrics.items():
        means = []
        for language in LANGUAGES:
            test = read_judgments(data / "test" / f"{language}-en.tsv")
            predicted = score(test.hypotheses, test.references)
            entry = number(results, row, language)
            assert entry.value == pytest.approx(stats.pearsonr(predicted, test.scores)[0], abs=1e-9)
            assert number(results, row, language, "spearman").value == pytest.approx(
                stats.spearmanr(predicted, test.scores)[0], abs=1e-9
            )
            assert entry.column.n == 30
            assert entry.value is not None
            means.append(entry.value)
            # `pfsm evaluate` prints the same interval.
            evaluated = evaluate_groups(predicted, test.scores, [language] * 30, n_resamples=200, seed=12345)
            assert entry.interval is not None
            assert entry.interval.low == pytest.approx(evaluated.groups[0].pearson.interval.low, abs=1e-9)
            assert entry.interval.high == pytest.approx(evaluated.groups[0].pearson.interval.high, abs=1e-9)
        mean = number(results, row, "mean")
        assert mean.value == pytest.approx(np.mean(means), abs=1e-12)
        assert mean.column.n == 90


def test_differences_are_those_of_a_paired_bootstrap(run: Run, data: Path) -> None:
    results = run(table(resamples=400, rows=[*table()["rows"], {"name": "ter", "metric": "ter"}]))
    test = read_judgments(data / "test" / "de-en.tsv")
    rng = np.random.default_rng(1)
    drawn = rng.integers(30, size=(4000, 30))
    human = test.scores[drawn]

    def resampled(name: str) -> Any:
        scores = get_metric(name).score_pairs(test.hypotheses, test.references)[drawn]
        return np.array([stats.pearsonr(x, y)[0] for x, y in zip(scores, human, strict=True)])

    between = resampled("ter") - resampled("chrf")
    ours = number(results, "ter", "de").difference
    assert ours is not None
    base = number(results, "chrF", "de")
    assert base.difference is None
    assert base.value is not None
    assert ours.value == pytest.approx((number(results, "ter", "de").value or 0.0) - base.value)
    spread = between.std()
    assert ours.interval.low == pytest.approx(np.quantile(between, 0.025), abs=0.5 * spread)
    assert ours.interval.high == pytest.approx(np.quantile(between, 0.975), abs=0.5 * spread)
    observed = (np.abs(between - between.mean()) >= abs(ours.value)).mean()
    assert ours.p_value == pytest.approx(observed, abs=0.12)
    rows = ("pFSM", "near | en-small", "ter")
    found = [number(results, row, "de").difference for row in rows]
    values = [one.p_value for one in found if one is not None]
    assert [one.p_holm for one in found if one is not None] == holm(values).tolist()


def test_round_robin(run: Run, data: Path) -> None:
    results = run(
        table(
            scheme="round-robin",
            train={"name": "made", "files": "train/*.tsv"},
            test=None,
            rows=[{"name": "pFSM", "train": {}}],
            versus=None,
        )
    )
    for language in LANGUAGES:
        others = tuple(other for other in LANGUAGES if other != language)
        metric = Metric(train(joined(data, "train", others)))
        test = joined(data, "train", (language,))
        r = stats.pearsonr(metric.score_pairs(test.hypotheses, test.references), test.scores)[0]
        assert number(results, "pFSM", language).value == pytest.approx(r, abs=1e-9)


def test_folds_are_put_together(run: Run, data: Path) -> None:
    results = run(
        table(
            scheme="k-fold",
            folds=3,
            train={"name": "made", "files": "train/*.tsv"},
            test=None,
            rows=[{"name": "chrF", "metric": "chrf"}, {"name": "pFSM", "train": {}}],
            group_by=None,
        )
    )
    whole = joined(data, "train")
    predicted = np.full(len(whole), np.nan)
    for one in results.cells:
        if one.cell.train is not None:
            assert one.cell.train.judgments is not None
            metric = Metric(train(one.cell.train.judgments))
            rows = one.cell.tests["made"]
            part = whole.select(rows)
            predicted[rows] = metric.score_pairs(part.hypotheses, part.references)
    entry = number(results, "pFSM", "all")
    assert entry.value == pytest.approx(stats.pearsonr(predicted, whole.scores)[0], abs=1e-9)
    chrf = get_metric("chrf").score_pairs(whole.hypotheses, whole.references)
    assert number(results, "chrF", "all").value == pytest.approx(
        stats.pearsonr(chrf, whole.scores)[0], abs=1e-12
    )


def test_learning_curve(run: Run, data: Path) -> None:
    results = run(table(scheme="learning-curve", sizes=[20, "all"], repeats=2, rows=table()["rows"][:2]))
    test = joined(data, "test")
    expected = []
    for one in results.cells:
        if one.cell.size == 20 and one.cell.train is not None:
            assert one.cell.train.judgments is not None
            metric = Metric(train(one.cell.train.judgments))
            predicted = metric.score_pairs(test.hypotheses, test.references)
            means = evaluate_groups(predicted, test.scores, test.columns["source_lang"], n_resamples=1)
            expected.append(means.pearson.value)
    entry = number(results, "pFSM", "mean", size=20)
    assert len(expected) == 2
    assert entry.samples == pytest.approx(expected, abs=1e-9)
    assert entry.value == pytest.approx(np.mean(expected), abs=1e-9)
    # A metric has the same number at every size.
    chrf = {size: number(results, "chrF", "mean", size=size).value for size in (20, 120)}
    assert chrf[20] == chrf[120]
    difference = number(results, "pFSM", "mean", size=20).difference
    assert difference is not None
    assert difference.value == pytest.approx((entry.value or 0.0) - (chrf[20] or 0.0))


class TestPreferences:
    def values(self, **changes: Any) -> dict[str, Any]:
        return table(
            test={"name": "pairs", "files": "pairs/*.tsv"},
            statistics=["accuracy", "tau_wmt12", "tau_wmt13", "tau_wmt14", "tau_darr"],
            group_by=None,
            **changes,
        )

    def test_tables(self, run: Run, data: Path) -> None:
        results = run(self.values())
        pairs = read_preferences(data / "pairs" / "cs-en.tsv")
        metric = get_metric("chrf")
        counts = preference_counts(
            metric.score_pairs(pairs.better, pairs.references),
            metric.score_pairs(pairs.worse, pairs.references),
            pairs.votes,
        )
        assert number(results, "chrF", "all", "accuracy").value == pytest.approx(counts.accuracy)
        for variant in ("wmt12", "wmt13", "wmt14", "darr"):
            entry = number(results, "chrF", "all", f"tau_{variant}")
            assert entry.value == pytest.approx(counts.kendall_tau(variant))
            assert entry.column.n == 50

    def test_intervals_draw_whole_segments(self, run: Run, data: Path) -> None:
        """Brute force with segments drawn; pairs drawn one by one would give a narrower interval."""
        results = run(self.values(resamples=2000))
        pairs = read_preferences(data / "pairs" / "cs-en.tsv")
        score = get_metric("chrf").score_pairs
        right = score(pairs.better, pairs.references) > score(pairs.worse, pairs.references)
        names = sorted(set(pairs.references))
        rows = {name: [at for at, one in enumerate(pairs.references) if one == name] for name in names}
        assert len(names) < len(pairs)
        rng = np.random.default_rng(0)
        drawn = []
        for _ in range(2000):
            taken = [at for k in rng.integers(len(names), size=len(names)) for at in rows[names[k]]]
            drawn.append(pairs.votes[taken] @ right[taken] / pairs.votes[taken].sum())
        interval = number(results, "chrF", "all", "accuracy").interval
        assert interval is not None
        low, high = np.quantile(drawn, [0.025, 0.975])
        assert interval.low == pytest.approx(low, abs=0.015)
        assert interval.high == pytest.approx(high, abs=0.015)

    def test_training_on_preferences(self, run: Run, data: Path) -> None:
        made = [{"name": "of pairs", "train": {}, "train_data": "pairs/*.tsv"}]
        results = run(table(rows=made, versus=None))
        pairs = read_preferences(data / "pairs" / "cs-en.tsv")
        metric = Metric(train(None, preferences=pairs))
        test = joined(data, "test", ("fi",))
        r = stats.pearsonr(metric.score_pairs(test.hypotheses, test.references), test.scores)[0]
        assert number(results, "of pairs", "fi").value == pytest.approx(r, abs=1e-9)


@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall_tau_b"])
def test_intervals_of_correlations_draw_whole_segments(run: Run, tmp_path: Path, statistic: str) -> None:
    """Brute force: segments of three judgments each, drawn with all of them."""
    (tmp_path / "d").mkdir()
    made = [(reference, hypothesis, score) for reference, hypothesis, score in rows(20, seed=5)]
    damaged = [
        (reference, " ".join(hypothesis.split()[cut:]), f"{float(score) - cut:.3f}")
        for reference, hypothesis, score in made
        for cut in range(3)
    ]
    (tmp_path / "d" / "all.tsv").write_text(tsv(damaged), encoding="utf-8")
    values = table(
        test={"name": "d", "files": "d/*.tsv"},
        statistics=[statistic],
        group_by=None,
        versus=None,
        train=None,
        rows=[{"name": "chrF", "metric": "chrf"}],
        resamples=1000,
    )
    results = run(values, tmp_path)
    test = read_judgments(tmp_path / "d" / "all.tsv")
    predicted = get_metric("chrf").score_pairs(test.hypotheses, test.references)
    scipys = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall_tau_b": stats.kendalltau}
    names = sorted(set(test.references))
    members = {name: [at for at, one in enumerate(test.references) if one == name] for name in names}
    rng = np.random.default_rng(3)
    drawn = []
    for _ in range(1000):
        taken = [at for k in rng.integers(len(names), size=len(names)) for at in members[names[k]]]
        drawn.append(scipys[statistic](predicted[taken], test.scores[taken])[0])
    entry = number(results, "chrF", "all", statistic)
    assert entry.value == pytest.approx(scipys[statistic](predicted, test.scores)[0], abs=1e-9)
    assert entry.interval is not None
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert entry.interval.low == pytest.approx(low, abs=0.15 * (high - low))
    assert entry.interval.high == pytest.approx(high, abs=0.15 * (high - low))


def test_a_row_that_is_tested_nowhere_has_no_numbers(run: Run) -> None:
    made = [{"name": "cheat", "train": {}, "train_data": "test/*.tsv"}, {"name": "chrF", "metric": "chrf"}]
    results = run(table(rows=made))
    entries = [entry for entry in results.entries if entry.row == "cheat"]
    assert len(entries) == 8
    assert all((one.value, one.interval, one.difference) == (None, None, None) for one in entries)
    assert number(results, "chrF", "cs").value is not None


def test_a_row_grows_from_its_initial_model(run: Run, data: Path) -> None:
    """The number of the row is that of the training in Python."""
    init, grown = load("en-small").model, {"features": ["chrf"], "lambda": 50}
    results = run(
        table(
            rows=[
                {"name": "grown", "train": {**grown, "init": "en-small"}},
                {"name": "chrF", "metric": "chrf"},
            ],
            resamples=20,
        )
    )
    model = train(joined(data, "train"), config=config_from_dict(grown, "", init), init=init)
    assert model.training["init"]["added"] == {"features": ["chrf"]}
    test = read_judgments(data / "test" / "cs-en.tsv")
    scores = Metric(model).score_pairs(test.hypotheses, test.references)
    expected = stats.pearsonr(scores, test.scores)[0]
    assert number(results, "grown", "cs").value == pytest.approx(expected, abs=1e-9)
