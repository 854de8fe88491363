"""Errors in the text: they add up to the loss, and stand where the edit is."""

import json
from pathlib import Path

import pytest

from pfsm.model.explain.errors import MAJOR, MINOR, marker
from pfsm.model.shipped import load
from tests.command_runs import Cli

REFERENCE = "“The committee” will not approve the new budget of 300 euros before Friday."
EDITS = {
    REFERENCE.replace(" not", ""): ("", "not"),
    REFERENCE.replace("300", "900"): ("900", "300"),
    REFERENCE.replace("budget", "umbrella"): ("umbrella", "budget"),
    REFERENCE.replace("new budget", "new purple budget"): ("purple", ""),
}


@pytest.mark.parametrize("name", ["en-fast", "en"])
def test_an_edit_is_found_where_it_is(name: str) -> None:
    metric = load(name, 1)
    for text, (wrong, right) in EDITS.items():
        explanation = metric.explain(text, REFERENCE)
        assert explanation.perfect is not None
        first = explanation.errors[0]
        assert (wrong in first.text, right in first.correction) == (True, True), text
        assert first.text == text[first.start : first.end]
        assert sum(one.points for one in explanation.errors) == pytest.approx(
            explanation.perfect - explanation.score, abs=1e-9
        )
        points = [one.points for one in explanation.errors]
        assert points == sorted(points, reverse=True)
        assert min(points) >= 0.0
    assert metric.explain(REFERENCE, REFERENCE).errors == ()
    (empty,) = metric.explain("", REFERENCE).errors
    assert (empty.start, empty.end, empty.correction) == (0, 0, REFERENCE)
    assert metric.explain("  ", REFERENCE).errors[0].text == ""


def test_errors_do_not_depend_on_what_is_beside_them() -> None:
    texts = [*EDITS, "Nobody came.", "第一 個。"]
    together = [one.errors for one in load("en-fast", 2).explanations(texts, [REFERENCE] * len(texts))]
    metric = load("en-fast", 1)
    assert together == [metric.explain(text, REFERENCE).errors for text in texts]


def test_severities() -> None:
    by = marker("edits")
    found = load("en-fast", 1).explain(next(iter(EDITS)), REFERENCE).errors
    assert {one.severity for one in found} <= {MINOR, MAJOR}
    assert all((one.severity == MAJOR) == (one.points >= by.major) for one in found)


class TestSpansOfFiles:
    def test_one_object_a_segment(self, cli: Cli, tmp_path: Path) -> None:
        texts = list(EDITS)
        for name, lines in (("ref", [REFERENCE] * 4), ("a", texts), ("b", texts[::-1])):
            (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        ref, a, b, out = (str(tmp_path / name) for name in ("ref", "a", "b", "out.jsonl"))
        assert cli("score", ref, "-i", a, b, "-m", "en-fast", "--spans", out).status == 0
        rows = [json.loads(line) for line in Path(out).read_text(encoding="utf-8").splitlines()]
        expected = [(x, k) for x in (a, b) for k in range(1, 5)]
        assert [(row["system"], row["segment"]) for row in rows] == expected
        scores = load("en-fast", 1).score_pairs([*texts, *texts[::-1]], [REFERENCE] * 8)
        assert [row["score"] for row in rows] == pytest.approx(scores.tolist(), abs=1e-9)
        assert {*rows[0]} == {"system", "segment", "score", "errors"}
        assert {*rows[0]["errors"][0]} == {"start", "end", "severity", "points", "text", "correction"}
        second = tmp_path / "second"
        second.write_text(
            "\n" + f"{REFERENCE}\n" * 3, encoding="utf-8"
        )  # the first segment has one reference
        assert cli("score", ref, str(second), "-i", a, "-m", "en-fast", "--spans", out).status == 0
        rows = [json.loads(line) for line in Path(out).read_text(encoding="utf-8").splitlines()]
        assert [row["reference"] for row in rows] == [REFERENCE] * 4

    def test_what_explains_nothing_is_refused(self, cli: Cli, tmp_path: Path) -> None:
        (tmp_path / "ref").write_text("a b\n", encoding="utf-8")
        ref, out = str(tmp_path / "ref"), tmp_path / "out.jsonl"
        for more in (("--metric", "bleu"), ("-m", "en-small", "--metric", "bleu")):
            assert "--spans needs one model" in cli("score", ref, "-i", ref, *more, "--spans", str(out)).fault
            assert not out.exists()


def test_undo_is_what_mending_one_error_alone_gains() -> None:
    metric = load("en-fast", 1)
    reference, line = "Seven people were hurt, two of them badly.", "Seventeen people were hurt, two badly."
    mended = ["Seven people were hurt, two badly.", "Seventeen people were hurt, two of them badly."]
    (one,) = metric.undone([metric.explain(line, reference)], [line], [reference])
    assert [error.text for error in one.errors] == ["Seventeen", ""]
    assert one.undo == pytest.approx(metric.score_pairs(mended, [reference] * 2) - one.score, abs=1e-9)
