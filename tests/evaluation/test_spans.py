"""Predicted error spans against marks, by hand, and what is refused."""

import json
from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from pfsm.evaluation.spans import Mark, Marked, baselines, between_raters, marks_from_json, measured
from tests.command_runs import Cli

LINE = "one two three four"
MARKS = (
    Mark(0, 7, "major", "a"),
    Mark(4, 7, "minor", "a"),
    Mark(4, 13, "minor", "b"),
    Mark(14, 18, "minor", "c"),
)


def test_by_hand() -> None:
    shared = Marked(LINE, "one five six four", MARKS, 3, "d")
    assert shared.levels().tolist() == [0] * 4 + [2] * 3 + [0] * 11
    free = Marked(LINE, LINE, (), 3, "e")
    of_one = Marked(LINE, LINE, MARKS[:1], 3, "f")  # neither free of marks nor with one that is shared
    spans = [
        [Mark(7, 7, "major", points=3.0), Mark(5, 9, "minor", points=1.0)],
        [Mark(0, 3, "major", points=1.0)],
        [Mark(7, 7, "major", points=9.0)],
    ]
    found = {name: value for name, (value, _) in measured([shared, free, of_one], spans, 0, 1).items()}
    assert found == pytest.approx(
        {
            "precision": 2 / 7, "recall": 2 / 3, "F1": 4 / 10, "F1 with severity": 2 / 10,
            "costliest touches": 1.0, "one of three touches": 1.0, "gain over chance": 1.0 - 3 / 18,
            "width of costliest": 0.0, "width of three": 4 / 18, "AUC": 1.0,
        }
    )  # fmt: skip
    words, longest, _ = baselines([shared], 1).values()
    assert (
        [(mark.start, mark.end) for mark in words[0]] == [(4, 13)] == [(m.start, m.end) for m in longest[0]]
    )
    ones, ranked = between_raters([shared, free])
    assert [one.left_out for one in ones] == ["a", "b", "c"]
    assert ranked[0][0].severity == "major"
    assert ones[2].levels().tolist() == shared.levels().tolist()  # c marks nothing that the others share


def test_intervals_hold_the_value() -> None:
    ones = [Marked(LINE, LINE, MARKS[: k % 4], 3, str(k % 7)) for k in range(40)]
    spans = [[Mark(4, 7 + k % 3, "major", points=1.0 + k)] for k in range(40)]
    for value, interval in measured(ones, spans, 100, 1).values():
        assert interval is None or not interval.low > value or not value > interval.high


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "must be a JSON list"),
        ("[[0, 1]]", "errors, mark 1 is"),
        ('[[0, 1, "minor"], [5, 4, "minor"]]', "mark 2: start 5 lies behind end 4"),
        ('[[true, 1, "minor"]]', "start is 'True'"),
        ('[{"start": 0, "end": 1, "severity": "bad"}]', "severity is 'bad'"),
        ('[{"start": 0, "end": 1, "severity": "minor", "points": NaN}]', "points is 'nan'"),
    ],
)
def test_refused(text: str, said: str) -> None:
    with pytest.raises(PfsmError, match=r"^f\.tsv:3: ") as caught:
        marks_from_json(text, LINE, "f.tsv:3")
    assert said in str(caught.value)


def test_the_command(cli: Cli, tmp_path: Path) -> None:
    marks = json.dumps([[4, 7, "Major", "x", "a"], [0, 3, "neutral", "x", "a"], [7, 7, "critical"]])
    rows = [f"{LINE}\t{LINE.replace('two', 'too')}\t{marks}\t{k}" for k in range(6)]
    data, spans, out = (tmp_path / name for name in ("m.tsv", "s.jsonl", "o.jsonl"))
    data.write_text("\n".join(["reference\thypothesis\terrors\tdocument", *rows]) + "\n", encoding="utf-8")
    refs = "".join(f"{LINE}\n" for _ in rows)
    (tmp_path / "ref").write_text(refs, encoding="utf-8")
    (tmp_path / "hyp").write_text(refs.replace("two", "too"), encoding="utf-8")
    arguments = ("score", str(tmp_path / "ref"), "-i", str(tmp_path / "hyp"), "-m", "en-small")
    assert cli(*arguments, "--spans", str(spans)).status == 0
    by_model = json.loads(cli("evaluate", str(data), "--spans", "-m", "en-small", "-f", "json").out)
    by_file = json.loads(cli("evaluate", str(data), "--spans", str(spans), "-f", "json").out)
    assert [*by_model["spans"].values()] == [*by_file["spans"].values()]
    assert by_file["spans"][str(spans)]["costliest touches"]["value"] == 1.0
    out.write_text("{}\n" * 6, encoding="utf-8")
    assert (
        "o.jsonl:1: must be an object with a list of errors"
        in cli("evaluate", str(data), "--spans", str(out)).fault
    )
    assert "leave --metric out" in cli("evaluate", str(data), "--spans", "--metric", "bleu").fault
