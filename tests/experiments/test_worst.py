"""The worst segments: their choice, their explanation, where their text is written, and odd text."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from pfsm import Metric
from pfsm.metrics import get_metric
from pfsm.model.explain.text import explanation_lines
from pfsm_experiments import run_experiment
from pfsm_experiments.report.mistakes_page import mistakes_section
from pfsm_experiments.report.results import Results
from pfsm_experiments.report.worst import Mistake, WorstSegments
from tests.experiments.conftest import Run
from tests.experiments.experiment_cases import LANGUAGES, run_here, table, tree, write_experiment
from tests.experiments.test_numbers import joined

CHRF, PFSM = {"name": "chrF", "metric": "chrf"}, {"name": "pFSM", "train": {}}
FLAT = {"name": "flat", "train": {"edits": False, "features": ["chrf"]}}
ODD = '<b>odd</b> & "quoted" {{config}}'


def only(results: Results) -> WorstSegments:
    (one,) = results.worst
    return one


def test_they_have_the_largest_errors(run: Run, data: Path) -> None:
    worst = only(run(table(rows=[CHRF, PFSM], mistakes_of="chrF", mistakes=7)))
    test = joined(data, "test")
    predicted = get_metric("chrf").score_pairs(test.hypotheses, test.references)
    parts = [slice(30 * at, 30 * at + 30) for at in range(len(LANGUAGES))]
    errors = np.concatenate(
        [stats.zscore(predicted[part]) - stats.zscore(test.scores[part]) for part in parts]
    )
    order = np.argsort(errors)
    for found, expected in ((worst.overrated, order[::-1][:7]), (worst.underrated, order[:7])):
        assert [one.judgment for one in found] == expected.tolist()
        for one in found:
            at = one.judgment
            assert one.error == pytest.approx(errors[at], abs=1e-9)
            assert (one.reference, one.hypothesis) == (test.references[at], test.hypotheses[at])
            assert (one.human, one.predicted) == (test.scores[at], predicted[at])
            assert one.group == test.columns["source_lang"][at]
            assert one.labels == (("segment_id", test.columns["segment_id"][at]),)
            assert one.explanation == ()
    assert (worst.test, worst.row) == ("made", "chrF")


class TestWhose:
    def test_the_last_row_with_a_model(self, run: Run) -> None:
        assert only(run(table(rows=[PFSM, FLAT, CHRF]))).row == "flat"

    def test_without_a_model_nothing(self, run: Run) -> None:
        assert run(table(rows=[CHRF])).worst == ()

    def test_none_are_wanted(self, run: Run) -> None:
        assert run(table(rows=[CHRF, PFSM], mistakes=0)).worst == ()

    def test_a_row_that_is_not_tested(self, run: Run) -> None:
        cheat = {"name": "cheat", "train": {}, "train_data": "test/*.tsv"}
        assert run(table(rows=[cheat, CHRF], mistakes_of="cheat")).worst == ()


class TestExplanations:
    def test_they_come_from_the_model_of_the_fold(self, run: Run) -> None:
        results = run(
            table(scheme="k-fold", folds=3, train={"name": "made", "files": "train/*"}, test=None, rows=[PFSM, CHRF],
                  versus=None)
        )  # fmt: skip
        worst = only(results)
        assert len(worst.overrated) == len(worst.underrated) == 10
        folds = set()
        for one in (*worst.overrated, *worst.underrated):
            (cell,) = (
                done for done in results.cells if done.cell.train and one.judgment in done.cell.tests["made"]
            )
            folds.add(cell.cell.fold)
            assert cell.outcome.model is not None
            explained = Metric(cell.outcome.model).explain(one.hypothesis, one.reference)
            assert explained.score == pytest.approx(one.predicted)
            assert one.explanation == tuple(line.rstrip() for line in explanation_lines(explained))
            assert any(line.startswith("edits  ") for line in one.explanation)
        assert len(folds) > 1

    def test_of_a_learning_curve_from_the_largest_size(self, run: Run) -> None:
        rows = [CHRF, PFSM]
        curve = only(run(table(scheme="learning-curve", sizes=[20, "all"], repeats=2, rows=rows)))
        plain = only(run(table(rows=rows)))
        assert [one.judgment for one in curve.overrated] == [one.judgment for one in plain.overrated]
        assert [one.explanation for one in curve.underrated] == [one.explanation for one in plain.underrated]

    def test_a_model_without_edits(self, run: Run) -> None:
        for one in only(run(table(rows=[FLAT], versus=None))).overrated:
            assert "edits       none in this model" in one.explanation
            assert one.explanation[-1].endswith("  chrf")

    def test_what_cannot_be_explained(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("pfsm.model.explain.places.MOST_PLACES", 3)
        explanations = [one.explanation for one in only(run(table(rows=[PFSM], versus=None))).overrated]
        assert all(lines[0].startswith("no explanation: ") for lines in explanations)


def test_equal_errors_stand_in_the_order_of_their_text(run: Run, tmp_path: Path) -> None:
    """Whatever the order of the rows."""
    lines = [("the red tree", f"the red {word}", "1") for word in ("sun", "ant", "cow")]
    lines += [("a b c", "a b c", "0"), ("d e f", "", "5")]
    orders = []
    for number, made in enumerate((lines, lines[::-1])):
        (tmp_path / f"d{number}").mkdir()
        text = "reference\thypothesis\tscore\n" + "".join("\t".join(line) + "\n" for line in made)
        (tmp_path / f"d{number}" / "all.tsv").write_text(text, encoding="utf-8")
        test = {"name": "d", "files": f"d{number}/*"}
        row = {"name": "words", "metric": "per"}
        values = table(test=test, train=None, group_by=None, rows=[row], versus=None, mistakes_of="words")
        worst = only(run(values, tmp_path))
        orders.append([one.hypothesis for one in (*worst.overrated, *worst.underrated)])
    assert orders[0] == orders[1]
    alike = [one for one in orders[0] if one.startswith("the red")]
    assert alike == ["the red ant", "the red cow", "the red sun"]


def test_sentences_stand_in_the_report_alone(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pfsm_experiments.run.run_tasks", run_here)
    config = write_experiment(tmp_path, table(rows=[CHRF, PFSM], statistics=["spearman"], mistakes=3))
    worst = only(run_experiment(config, data, tmp_path / "out"))
    files = tree(tmp_path / "out")
    report = files.pop("report.html").decode()
    shown = (*worst.overrated, *worst.underrated)
    for one in shown:
        assert one.reference in report
        assert not [name for name, content in files.items() if one.reference.encode() in content]
    assert "The 3 segments of made that pFSM overrates most" in report
    assert "## Where the mistakes are" in files["table.md"].decode()
    mistakes = json.loads(files["results.json"])["mistakes"]
    assert [entry["judgment"] for entry in mistakes["segments"]] == [one.judgment for one in shown]
    assert {(entry["statistic"], entry["by"]) for entry in mistakes["tables"]} == {
        ("pearson", "length of the reference"),
        ("pearson", "group"),
        ("signed_error", "human score"),
        ("signed_error_beyond_r", "human score"),
    }
    for entry in mistakes["tables"]:
        assert ("low" in entry) == (entry["by"] != "group")
        assert entry["interval"][0] <= entry["value"] <= entry["interval"][1]


def test_odd_text_stands_as_it_is(run: Run) -> None:
    results = run(table(rows=[CHRF]))
    mistake = Mistake(3, ODD, (("system", ODD),), ODD, "", 1.25, -0.5, 2.125, (ODD, "\ud800"))
    worst = WorstSegments(ODD, ODD, (mistake,), ())
    lines = tuple(replace(line, name=ODD) for line in results.mistakes[0].lines)
    page = mistakes_section(results.experiment, [replace(results.mistakes[0], lines=lines)], [worst])
    assert "<b>" not in page
    assert page.count("&lt;b&gt;odd&lt;/b&gt; &amp; &quot;quoted&quot; {{config}}") == 7
    assert "underrates" not in page
    assert '<span class="error">+2.12</span> (empty)</summary>' in page
    page.encode()
    for tag in ("details", "summary", "ol", "li", "dl", "dd", "pre", "table", "section", "p"):
        assert len(re.findall(rf"<{tag}[ >]", page)) == page.count(f"</{tag}>")


def test_nothing_to_show_is_no_section(run: Run) -> None:
    assert mistakes_section(run(table(rows=[CHRF])).experiment, [], []) == ""
