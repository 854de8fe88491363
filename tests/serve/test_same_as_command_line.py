"""The service says what the command line prints, to the last digit."""

import json
from collections.abc import Sequence

import pytest

from tests.command_runs import Cli, Write, text
from tests.serve.conftest import MODEL
from tests.serve.running import LINES, Running, streamed

REFERENCES = [
    "The cat sat on the mat .", "He didn't buy 3 red apples .", "", "a b c d e f g",
    'She said : " <b>no</b> " & left .', "Der Fluß 😀 fließt \u2028 weiter", "one\ttab and  two blanks",
    "The committee rejected the proposal on Monday .", "x" * 300, "Prices rose by 5 % last year .",
]  # fmt: skip
FIRST = [
    "The cat sat on a mat .", "He bought three red apples .", "something", "g f e d c b a",
    'She says : " yes " and leaves .', "Der Fluss 😀 fließt \u2028 weiter", "one tab and two blanks",
    "On Monday , the proposal was rejected by the committee .", "x" * 299 + " y", "",
]  # fmt: skip
SECOND = [line[: len(line) // 2] for line in FIRST]
OTHERS = ["A cat was sitting on the mat .", *REFERENCES[1:4], *FIRST[4:]]


@pytest.fixture(autouse=True)
def files(write: Write) -> None:
    for name, lines in (("ref", REFERENCES), ("other", OTHERS), ("first", FIRST), ("second", SECOND)):
        write(f"{name}.txt", text(lines))


def both(first: Sequence[str], second: Sequence[str]) -> list[list[str]]:
    return [list(several) for several in zip(first, second, strict=True)]


def models(hand: str) -> list[tuple[str, str]]:
    return [(MODEL, MODEL), ("en", "en"), ("any", "any"), ("hand", hand)]


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("confidence", [False, True])
def test_scores(server: Running, cli: Cli, hand: str, several: bool, confidence: bool) -> None:
    references = ["ref.txt", "other.txt"] if several else ["ref.txt"]
    for name, model in models(hand):
        command = ["score", *references, "-i", "first.txt", "-m", model, "-sl", "-f", "json"]
        printed = cli(*command, *(["-ci", "--confidence-n", "300"] if confidence else [])).document
        asked = {
            "model": name,
            "hypotheses": FIRST,
            "references": both(REFERENCES, OTHERS) if several else REFERENCES,
            "confidence": confidence,
            "resamples": 300,
        }
        given = server.post("/v1/score", asked).document
        del printed["system"]
        assert given == printed


def test_the_default_model(server: Running, cli: Cli) -> None:
    given = server.post("/v1/score", {"hypotheses": FIRST, "references": REFERENCES}).document
    printed = cli("score", "ref.txt", "-i", "first.txt", "-m", MODEL, "-f", "json").document
    assert given["score"] == printed["score"]


def test_a_stream(server: Running, cli: Cli, hand: str) -> None:
    for name, model in models(hand):
        printed = cli("score", "ref.txt", "-i", "first.txt", "-m", model, "-sl", "-f", "json").document
        pairs = [
            {"hypothesis": one, "reference": two}
            for one, two in zip(FIRST * 40, REFERENCES * 40, strict=True)
        ]
        answer = server.ask("POST", f"/v1/score?model={name}", streamed(pairs), LINES)
        *scores, end = map(json.loads, answer.body.splitlines())
        assert [one["score"] for one in scores] == printed["segment_scores"] * 40
        assert [one["segment"] for one in scores] == list(range(400))
        assert (end["signature"], end["segments"]) == (printed["signature"], 400)


def test_a_stream_with_several_references(server: Running, cli: Cli) -> None:
    command = ("score", "ref.txt", "other.txt", "-i", "first.txt", "-m", MODEL, "-sl", "-f", "json")
    printed = cli(*command).document
    pairs = [
        {"hypothesis": one, "references": several}
        for one, several in zip(FIRST, both(REFERENCES, OTHERS), strict=True)
    ]
    # The last line has no end.
    answer = server.ask("POST", "/v1/score", streamed(pairs).rstrip(b"\n"), LINES)
    *scores, end = map(json.loads, answer.body.splitlines())
    assert [one["score"] for one in scores] == printed["segment_scores"]
    del printed["segment_scores"], printed["system"]
    assert end == {**printed, "end": True}


@pytest.mark.parametrize("several", [False, True])
def test_comparisons(server: Running, cli: Cli, hand: str, several: bool) -> None:
    references = ["ref.txt", "other.txt"] if several else ["ref.txt"]
    systems = [
        {"name": "first.txt", "hypotheses": FIRST},
        {"name": "second.txt", "hypotheses": SECOND},
        {"name": "other.txt", "hypotheses": OTHERS},
    ]
    files = [str(system["name"]) for system in systems]
    for name, model in models(hand):
        command = ("compare", *references, "-i", *files, "-m", model, "-f", "json", "--confidence-n", "200")
        asked = {
            "model": name,
            "systems": systems,
            "references": both(REFERENCES, OTHERS) if several else REFERENCES,
            "resamples": 200,
        }
        assert server.post("/v1/compare", asked).document == cli(*command).document


def test_the_seed_of_a_comparison(server: Running, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PFSM_SEED", "7")
    printed = cli("compare", "ref.txt", "-i", "first.txt", "second.txt", "-m", MODEL, "-f", "json").document
    systems = [{"name": "first.txt", "hypotheses": FIRST}, {"name": "second.txt", "hypotheses": SECOND}]
    asked = {"systems": systems, "references": REFERENCES, "seed": 7}
    assert server.post("/v1/compare", asked).document == printed


def test_explanations(server: Running, cli: Cli, hand: str) -> None:
    for name, model in models(hand):
        (printed,) = cli("explain", "ref.txt", "-i", "first.txt", "-m", model, "-f", "json").document
        given = server.post(
            "/v1/explain", {"model": name, "hypotheses": FIRST, "references": REFERENCES}
        ).document
        del printed["system"]
        assert given == printed


def test_explanations_with_several_references(server: Running, cli: Cli) -> None:
    (printed,) = cli("explain", "ref.txt", "other.txt", "-i", "first.txt", "-m", MODEL, "-f", "json").document
    asked = {"hypotheses": FIRST, "references": both(REFERENCES, OTHERS)}
    given = server.post("/v1/explain", asked).document
    for one, other in zip(given["segments"], printed["segments"], strict=True):
        # The command line says which file it was, too.
        assert other.pop("counted").startswith(one.pop("counted"))
        assert one == other


def test_the_page_of_explanations(server: Running) -> None:
    asked = {"hypotheses": FIRST, "references": REFERENCES}
    answer = server.post("/v1/explain", asked, {"accept": "text/html"})
    assert answer.headers["content-type"].startswith("text/html")
    assert b"<script>" in answer.body


def test_an_explanation_shows_the_number_that_the_segment_has_in_its_file(server: Running) -> None:
    asked = {"hypotheses": FIRST[:1], "references": REFERENCES[:1], "first_segment": 12}
    (segment,) = server.post("/v1/explain", asked).document["segments"]
    assert segment["segment"] == 11
    assert b'"numbers":[12]' in server.post("/v1/explain", asked, {"accept": "text/html"}).body


def test_large_requests_are_scored_in_portions(server: Running, cli: Cli, write: Write) -> None:
    hypotheses, references = FIRST * 300, REFERENCES * 300
    write("many.txt", text(hypotheses))
    write("refs.txt", text(references))
    printed = cli("score", "refs.txt", "-i", "many.txt", "-m", MODEL, "-sl", "-f", "json").document
    given = server.post("/v1/score", {"hypotheses": hypotheses, "references": references}).document
    assert given["segment_scores"] == printed["segment_scores"]
    assert given["score"] == printed["score"]


def test_the_models(server: Running, shipped: list[str]) -> None:
    document = server.ask("GET", "/v1/models").document
    assert document["default"] == MODEL
    assert sorted(model["name"] for model in document["models"]) == sorted([*shipped, "hand"])


def test_text_that_a_model_cannot_take_apart(server: Running, cli: Cli, write: Write) -> None:
    lines = ["私は猫が好きです。", "彼は学校へ行きました。"]
    path = write("japanese.txt", text(lines))
    said = cli("score", path, "-i", path, "-m", MODEL).fault
    problem = server.post("/v1/score", {"hypotheses": lines, "references": lines}).problem
    assert problem["status"] == 422
    assert problem["detail"].partition(";")[0] == said.partition(";")[0]
    forced = {"hypotheses": lines, "references": lines, "force": True}
    assert server.post("/v1/score", forced).status == 200
    pairs = streamed([{"hypothesis": line, "reference": line} for line in lines])
    *_, end = server.ask("POST", "/v1/score", pairs, LINES).body.splitlines()
    assert json.loads(end)["problem"]["status"] == 422
    *_, end = server.ask("POST", "/v1/score?force=true", pairs, LINES).body.splitlines()
    assert json.loads(end)["end"]
