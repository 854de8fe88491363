"""`pfsm mbr`: candidates in, the chosen ones out; `pfsm probe`: the numbers are those of the scores; faults."""

import json
from pathlib import Path

import pytest

import pfsm
import pfsm.metrics
from pfsm.model.mbr import choose
from pfsm.model.shipped import load
from tests.command_runs import Cli, Write, text
from tests.model_cases import saved

SOURCES = [
    ["the red bird sings", "a red bird sang", "the red bird sang"],
    ["walking near the river", "", "walking near a river"],
]
LINES = [line for source in SOURCES for line in source]


@pytest.fixture
def model(tmp_path: Path) -> str:
    return Path(saved(tmp_path)).name


def test_a_translation_a_line(cli: Cli, write: Write, model: str) -> None:
    write("hyps.txt", text(LINES))
    expected = [choice.text for choice in choose(SOURCES, load(model))]
    assert cli("mbr", "-i", "hyps.txt", "--num-samples", "3", "-m", model).lines == expected
    # Both sources have one that the two others are close to.
    assert expected == ["the red bird sang", "walking near the river"]


def test_the_quick_model_is_the_default(cli: Cli, write: Write) -> None:
    write("hyps.txt", text(LINES))
    outcome = cli("mbr", "-i", "hyps.txt", "-n", "3", "--signature", "short")
    assert outcome.out == text(choice.text for choice in choose(SOURCES))
    assert "pfsm: scored by en-fast; --model en agrees more with people" in outcome.err
    assert "pfsm: scored by pfsm:en-fast:" in outcome.err


def test_faults(cli: Cli, write: Write, model: str) -> None:
    write("hyps.txt", text(LINES))
    for number, weights, message in (
        ("4", "", "hyps.txt: 6 lines, not a multiple of 4"),
        ("3", "1\n2\n", "weights.txt: 2 lines, but there are 6 candidates"),
        ("3", "1\n2\nx\n1\n1\n1\n", "weights.txt:3: weight is 'x', a finite number of 0 or more"),
    ):
        given = ["--weights", write("weights.txt", weights)] if weights else []
        assert message in cli("mbr", "-i", "hyps.txt", "-n", number, "-m", model, *given).fault


WEIGHTS = [[1.0, 3.0, 0.5], [0.2, 0.2, 1.0]]


@pytest.mark.parametrize("form", ["lists", "objects", "candidates"])
def test_lists_of_json_lines(form: str, cli: Cli, write: Write, model: str) -> None:
    """Lists of any length, with weights or without."""
    sources = [[*SOURCES[0], "a bird"], SOURCES[1]]
    weights = None if form == "lists" else [[*WEIGHTS[0], 2.0], WEIGHTS[1]]
    rows: list[object] = list(sources)
    if weights is not None:
        both = zip(sources, weights, strict=True)
        rows = [
            {"candidates": texts, "weights": numbers}
            if form == "candidates"
            else [{"text": text, "weight": number} for text, number in zip(texts, numbers, strict=True)]
            for texts, numbers in both
        ]
    write("lists.jsonl", text(map(json.dumps, rows)))
    found = cli("mbr", "-i", "lists.jsonl", "-m", model, "-f", "json").document
    expected = choose(sources, load(model), weights=weights)
    assert [one["expected"] for one in found] == [choice.expected.tolist() for choice in expected]


def test_faults_of_json_lines(cli: Cli, write: Write, model: str) -> None:
    for line, message in (
        ("a bird", "x:2: no JSON; give one list of candidates a line, or text with --num-samples"),
        ('["a"]', "x:2: a list of at least 2 candidates is needed"),
        ('["a", 1]', "x:2: candidate 2 is 1, text is needed"),
        ('["a", "\\ud800"]', "x:2: half of a surrogate pair, which is not text"),
        (
            '{"candidates": ["a", "b"], "weights": [1]}',
            "x:2: weights must be a list of 2 numbers, one for each",
        ),
        (
            '{"candidates": ["a", "b"], "weights": [1, -1]}',
            "x:2: weight is '-1', a finite number of 0 or more is needed",
        ),
        ('{"candidates": ["a", "b"], "weights": [0, 1]}', "x:2: the weights are 0 but for one at most"),
    ):
        write("x", f'["a", "b"]\n{line}\n')
        assert cli("mbr", "-i", "x", "-m", model).fault.startswith(message)
    write("x", '{"candidates": ["a", "b"], "candidates": ["c", "d"]}\n')
    assert "x:1: JSON with the key 'candidates' twice" in cli("mbr", "-i", "x", "-m", model).fault


def test_a_line_end_inside_a_candidate_is_a_space(cli: Cli, write: Write) -> None:
    write("x", '["a\\nbird", "a\\r\\nbird", "a cat"]\n["b", "c"]\n')
    assert cli("mbr", "-i", "x", "--metric", "chrf").lines == ["a bird", "b"]


OWN = text(
    [
        "kind\treference\tbetter\tworse",
        "drop\twe walk home .\twe walk home\twe walk .",
        "drop\twe walk home .\twe walk .\twe walk home",
        "same\ta cat\ta cat\ta cat",
        "négation\tit is not cold\tit is not so cold\tit is so cold",
    ]
)


def test_every_pair_with_its_scores(cli: Cli, write: Write, tmp_path: Path) -> None:
    path, own = saved(tmp_path), write("own.tsv", OWN)
    metric = pfsm.load(path)
    header, *rows = [line.split("\t") for line in cli("probe", own, "-m", path, "--list").lines]
    assert header == ["kind", "reference", "better", "worse", "better_score", "worse_score"]
    assert ["\t".join(row[:4]) for row in rows] == OWN.splitlines()[1:]
    listed = cli("probe", own, "-m", path, "--list", "-f", "json").document["scores"]
    for row, entry in zip(rows, listed, strict=True):
        assert row[:4] == [entry[key] for key in header[:4]]
        for version, score in (("better", row[4]), ("worse", row[5])):
            exact = metric.score_pairs([entry[version]], [entry["reference"]])[0]
            assert entry[f"{version}_score"] == exact
            assert float(score) == pytest.approx(exact, abs=5e-5)
    # What is listed can be read again.
    again = write("again.tsv", text(["\t".join(row) for row in [header, *rows]]))
    assert cli("probe", again, "-m", path).lines[3:] == cli("probe", own, "-m", path).lines[3:]


def test_what_is_refused(cli: Cli, write: Write, tmp_path: Path) -> None:
    german = saved(tmp_path, "de.json", settings={"language": "de"})
    assert cli("probe", "-m", german).fault.startswith(
        "there are no shipped minimal pairs for 'de', only for en; give your own file"
    )
    own = write("own.tsv", OWN)
    assert cli("probe", own, "-m", german).lines
    two = ("-m", german, "--metric", "bleu")
    assert (
        cli("probe", own, *two, "--list").fault == "--list prints the scores of one model or metric; give one"
    )
    bad = write("bad.tsv", "kind\treference\tbetter\tworse\tseverity\nk\ta\tb\tc\tgrave\n")
    assert cli("probe", bad).fault == (
        "bad.tsv:2: severity is 'grave', one of none, minor, major, critical is needed"
    )


GRADED = text(
    [
        "kind\treference\tbetter\tworse\tseverity",
        "drop\twe walk home .\twe walk home .\twe walk .\tcritical",
        "typo\twe walk home .\twe walk home .\twe wlak home .\tminor",
        'quote\t“home”\t“home”\t"home"\tnone',
    ]
)


def test_severities_and_several_metrics(cli: Cli, write: Write, tmp_path: Path) -> None:
    path, own = saved(tmp_path), write("graded.tsv", GRADED)
    arguments = ("probe", own, "--confidence-n", "20")
    one = cli(*arguments, "-m", path, "-f", "json").document
    other = cli(*arguments, "--metric", "chrf", "-f", "json").document
    both = cli(*arguments, "-m", path, "--metric", "chrf", "-f", "json").document
    assert both == {"metrics": [one, other]}
    assert list(other["severity"]["median_loss"]) == ["none", "minor", "critical"]
    scores = pfsm.metrics.get_metric("chrf")
    lost = {
        kind: scores.score_pairs([better], [reference])[0] - scores.score_pairs([worse], [reference])[0]
        for kind, reference, better, worse, _ in (line.split("\t") for line in GRADED.splitlines()[1:])
    }
    assert other["severity"]["median_loss"]["critical"]["value"] == lost["drop"]
    assert other["severity"]["harmless_share"]["value"] == lost["quote"] / lost["drop"]
    lines = cli(*arguments, "-m", path, "--metric", "chrf").lines
    rows = {line[:14].strip(): line.split() for line in lines}
    assert rows["kind"] == ["kind", "n", "hand", "chrf"]
    assert any(line.startswith("median loss: harmless / critical") for line in lines)
    assert "harmless" in "".join(cli(*arguments, "--metric", "chrf").lines)
    plot = ("probe", own, "--metric", "chrf", "--confidence-n", "20", "--plot")
    assert cli(*plot, "a.svg").status == 0
    assert (tmp_path / "a.svg").read_bytes().startswith(b"<?xml")
    assert cli(*plot, "x.gif").fault == "--plot is 'x.gif', its name must end in one of .svg, .png, .pdf"


def test_into_a_file_and_as_numbers(cli: Cli, write: Write, model: str, tmp_path: Path) -> None:
    write("hyps.txt", text(LINES))
    choices = choose(SOURCES, load(model))
    assert cli("mbr", "-i", "hyps.txt", "-n", "3", "-m", model, "-o", "out.txt").lines == []
    assert (tmp_path / "out.txt").read_text() == text(choice.text for choice in choices)
    head, *rows = cli("mbr", "-i", "hyps.txt", "-n", "3", "-m", model, "-f", "tsv").lines
    assert head == "segment\tcandidate\tscore"
    assert rows == [f"{place}\t{choice.candidate}\t{choice.score!r}" for place, choice in enumerate(choices)]
