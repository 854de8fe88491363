"""The service says what the command line prints, to the last digit."""

import json
from collections.abc import Sequence

import pytest

from pfsm.model.shipped import shipped_models
from tests.command_runs import Cli, Write, text
from tests.studio.serve.conftest import MODEL
from tests.studio.serve.running import LINES, Running, streamed

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
OTHERS = [
    line if line.strip() else "." for line in ("A cat was sitting on the mat .", *REFERENCES[1:4], *FIRST[4:])
]


@pytest.fixture(autouse=True)
def files(write: Write) -> None:
    for name, lines in (("ref", REFERENCES), ("other", OTHERS), ("first", FIRST), ("second", SECOND)):
        write(f"{name}.txt", text(lines))


def both(first: Sequence[str], second: Sequence[str]) -> list[list[str]]:
    return [list(several) for several in zip(first, second, strict=True)]


def models(hand: str) -> list[tuple[str, str]]:
    return [(MODEL, MODEL), ("en", "en"), ("multi", "multi"), ("hand", hand)]


@pytest.mark.parametrize("several", [False, True])
def test_scores(server: Running, cli: Cli, hand: str, several: bool) -> None:
    confidence = several
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
        assert all(one.endswith(" empty") for one in given.pop("warnings"))
        assert given == printed


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


def test_comparisons(server: Running, cli: Cli, hand: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PFSM_SEED", "7")
    outputs = {"first.txt": FIRST, "second.txt": SECOND, "other.txt": OTHERS}
    systems = [{"name": name, "hypotheses": lines} for name, lines in outputs.items()]
    options = ("-f", "json", "--confidence-n", "200")
    for number, (name, model) in enumerate(models(hand)):
        references = ["ref.txt", "other.txt"][: 1 + number % 2]
        asked = {
            "model": name, "systems": systems, "resamples": 200, "seed": 7,
            "references": both(REFERENCES, OTHERS) if number % 2 else REFERENCES,
        }  # fmt: skip
        printed = cli("compare", *references, "-i", *outputs, "-m", model, *options).document
        given = server.post("/v1/compare", asked).document
        assert all(one.endswith(" empty") for one in given.pop("warnings"))
        assert given == printed


def test_explanations(server: Running, cli: Cli, hand: str) -> None:
    for name, model in ((MODEL, MODEL), ("hand", hand)):
        (printed,) = cli("explain", "ref.txt", "-i", "first.txt", "-m", model, "-f", "json").document
        asked = {"model": name, "hypotheses": FIRST, "references": REFERENCES}
        given = server.post("/v1/explain", asked).document
        del printed["system"]
        assert given == printed


def test_the_models(server: Running) -> None:
    document = server.ask("GET", "/v1/models").document
    assert document["default"] == MODEL
    names = sorted(["hand", *(model.name for model in shipped_models())])
    assert sorted(model["name"] for model in document["models"]) == names


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


GERMAN = ["Das ist nicht der Weg, den wir gehen.", "Der Hund und die Katze"]
ENGLISH = ["This is not the way that we go.", "The dog and the cat"]


@pytest.mark.parametrize("path", ["/v1/score", "/v1/compare", "/v1/explain", "stream"])
def test_answers_warn_of_another_language(server: Running, path: str) -> None:
    """Streams at their end."""
    for lines, more, warned in (
        (GERMAN, {}, True), (GERMAN, {"model": "multi"}, False), (GERMAN, {"force": True}, False), (ENGLISH, {}, False),
    ):  # fmt: skip
        if path == "stream":
            query = "".join(f"?{key}={value}".lower() for key, value in more.items())
            pairs = streamed([{"hypothesis": line, "reference": line} for line in lines])
            said = json.loads(server.ask("POST", f"/v1/score{query}", pairs, LINES).body.splitlines()[-1])
        else:
            systems = {"systems": [{"name": name, "hypotheses": lines} for name in "ab"]}
            texts = systems if path == "/v1/compare" else {"hypotheses": lines}
            said = server.post(path, {"references": lines, **texts, **more}).document
        warnings = said.get("warnings", [])
        assert ["is for English, which the text does not look like" in one for one in warnings] == [
            True
        ] * warned


def test_segments_without_a_reference_are_left_out(server: Running) -> None:
    less, lines = [one for one in REFERENCES if one.strip()], [*FIRST[:2], *FIRST[3:]]
    asked = {"model": "en-small", "skip_missing_references": True, "references": REFERENCES}
    found = server.post("/v1/score", {**asked, "hypotheses": FIRST}).document
    assert found.pop("segments_left_out") == [2]
    assert (
        found
        == server.post("/v1/score", {"model": "en-small", "references": less, "hypotheses": lines}).document
    )
    systems = [{"name": "A", "hypotheses": FIRST}, {"name": "B", "hypotheses": SECOND}]
    compared = server.post("/v1/compare", {**asked, "systems": systems, "resamples": 99}).document
    assert (compared["segments_left_out"], compared["segments"]) == ([2], len(less))
    assert (
        server.post("/v1/score", {**asked, "references": ["", " "], "hypotheses": ["a", "b"]}).status == 422
    )
