"""No command runs what a stranger's model names, unless the user says so on that very call."""

import json
from pathlib import Path

import pytest

from pfsm.commands import COMMANDS
from tests.command_runs import Cli, Write, text
from tests.experiments.experiment_cases import table, write_experiment
from tests.judgment_cases import rows, tsv
from tests.model_cases import saved
from tests.trust.conftest import COMMAND, Canary
from tests.trust.plants import PROGRAMS

FAULT = f": the model would run {COMMAND}; if you trust its author, say --trust-model (in Python: trust=True)"
PLACES = ("an option of a matcher", "a part", "no edits")
SCORING = {
    "score": ("score", "ref.txt", "-i", "one.txt", "-m", "theirs.json"),
    "score --table": ("score", "--table", "data.tsv", "-m", "theirs.json", "-sl"),
    "score in parts": ("score", "--table", "data.tsv", "-m", "theirs.json", "-o", "parts"),
    "compare": ("compare", "ref.txt", "-i", "one.txt", "two.txt", "-m", "theirs.json", "--confidence-n", "9"),
    "evaluate": ("evaluate", "data.tsv", "-m", "theirs.json", "--confidence-n", "9"),
    "evaluate --versus": (
        *("evaluate", "data.tsv", "--metric", "length_ratio"),
        *("--versus", "theirs.json", "--confidence-n", "9"),
    ),
    "explain": ("explain", "ref.txt", "-i", "one.txt", "-m", "theirs.json"),
    "explain --html": ("explain", "ref.txt", "-i", "one.txt", "-m", "theirs.json", "--html", "x.html"),
    "mbr": ("mbr", "-i", "one.txt", "-n", "2", "-m", "theirs.json"),
    "probe": ("probe", "pairs.tsv", "-m", "theirs.json", "--confidence-n", "9"),
    "submit": (
        *("submit", "ref.txt", "-i", "one.txt", "-o", "ours", "-m", "theirs.json"),
        *("--metric-name", "x", "--language-pair", "en-de", "--testset", "t"),
    ),
}
"""Every call that scores with a model."""
OTHER = {
    "train --init": ("train", "data.tsv", "--init", "theirs.json", "-o", "out.json"),
    "resources": ("resources", "learn-paraphrases", "data.tsv", "--name", "x", "--model", "theirs.json"),
    "experiment": ("experiment", "table.yaml", "--data", ".", "-o", "out"),
}
"""Calls that take a model and train or learn with it."""
NO_MODEL = {"tune", "data", "models", "metrics", "parse", "plugins", "serve", "trust", "warmup"}


@pytest.fixture(autouse=True)
def files(write: Write, tmp_path: Path, canary: Canary) -> None:
    lines = ["the red bird sings", "a small house", "rain falls", "we walk home"]
    write("ref.txt", text(lines))
    write("one.txt", text(["red birds sing", "a house", "rain falls", "we walk"]))
    write("two.txt", text(["a bird", "small house", "rain", "walk home"]))
    write("data.tsv", tsv(rows(12)))
    write("pairs.tsv", "kind\treference\tbetter\tworse\ndrop\twe walk home\twe walk home\twe home\n")
    row = {"name": "theirs", "model": "theirs.json"}
    write_experiment(tmp_path, table(rows=[row], versus=None, train=None, test="data.tsv", group_by=None))


def every_file(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_every_command_is_here() -> None:
    tested = {call.partition(" ")[0] for call in (*SCORING, *OTHER)}
    assert tested | NO_MODEL | {"show"} == set(COMMANDS)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("call", [*SCORING, *OTHER])
def test_without_the_word(call: str, place: str, cli: Cli, tmp_path: Path, canary: Canary) -> None:
    saved(tmp_path, "theirs.json", settings=PROGRAMS[place], weights={})
    before = every_file(tmp_path)
    fault = cli(*{**SCORING, **OTHER}[call]).fault
    assert "theirs.json: the model would run " in fault
    assert COMMAND in fault
    assert canary.silent
    assert every_file(tmp_path) == before


@pytest.mark.parametrize("call", SCORING)
def test_with_the_word(call: str, cli: Cli, tmp_path: Path, canary: Canary) -> None:
    saved(tmp_path, "theirs.json", settings=PROGRAMS["an option of a matcher"])
    outcome = cli(*SCORING[call], "--trust-model")
    assert outcome.status == 0, outcome.err
    assert canary.is_there


def test_the_line(cli: Cli, tmp_path: Path) -> None:
    saved(tmp_path, "theirs.json", settings=PROGRAMS["an option of a matcher"])
    assert cli(*SCORING["score"]).fault == f"theirs.json{FAULT}"


@pytest.mark.parametrize("place", PROGRAMS)
def test_show_runs_nothing_and_says_what_would_run(
    place: str, cli: Cli, tmp_path: Path, canary: Canary
) -> None:
    saved(tmp_path, "theirs.json", settings=PROGRAMS[place], weights={})
    for word in ((), ("--trust-model",)):
        (line,) = [one for one in cli("show", "theirs.json", *word).lines if one.startswith("trust ")]
        assert line.startswith("trust       would run ")
        assert COMMAND in line
        assert cli("show", "theirs.json", "-f", "json", *word).document["name"] == "hand"
    assert canary.silent


def test_the_user_may_name_programs(cli: Cli, write: Write, canary: Canary) -> None:
    scored = cli("score", "ref.txt", "-i", "one.txt", "--metric", f"edpm(parser={COMMAND})")
    assert scored.status == 0, scored.err
    assert canary.is_there


def test_training_says_what_the_model_will_need(cli: Cli, write: Write, canary: Canary) -> None:
    config = {"matchers": ["word", "dep"], "options": {"dep": {"parser": COMMAND}}, "lambda": 1}
    trained = cli("train", "data.tsv", "--config", write("c.yaml", json.dumps(config)), "-o", "own.json")
    assert trained.lines[-1] == f"  it will run {COMMAND}: who uses the file must say --trust-model"
    assert canary.is_there
    own = ("score", "ref.txt", "-i", "one.txt", "-m", "own.json")
    assert cli(*own).fault == f"own.json{FAULT}"
    assert cli(*own, "--trust-model").status == 0
    again = cli("train", "data.tsv", "--init", "own.json", "-o", "again.json", "--trust-model")
    assert again.status == 0, again.err


def test_an_experiment_with_the_word(cli: Cli, tmp_path: Path, canary: Canary) -> None:
    pytest.importorskip("matplotlib")
    saved(tmp_path, "theirs.json", settings=PROGRAMS["an option of a matcher"])
    done = cli(*OTHER["experiment"], "--trust-model", "--jobs", "1")
    assert done.status == 0, done.err
    assert canary.is_there
