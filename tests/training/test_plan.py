"""The plan of a training: what is decided once from data, options and an initial model; constraints by name."""

from dataclasses import replace
from typing import Any

import pytest

import pfsm
from pfsm import registry
from pfsm.errors import PfsmError
from pfsm.model.settings import Settings
from pfsm.model.shipped import find_model
from pfsm_training import TrainingConfig, train
from pfsm_training.config import config_from_dict
from pfsm_training.constraints import CONSTRAINTS
from pfsm_training.fit.plan import resolve
from pfsm_training.fit.self_match import SelfMatch, prepare
from tests.training.small_data import PLAIN, invented

JUDGMENTS = invented(0)
GERMAN = replace(JUDGMENTS, columns={**JUDGMENTS.columns, "target_lang": ("de",) * len(JUDGMENTS)})


@pytest.mark.parametrize(
    ("given", "language", "source", "tokeniser"),
    [
        ({}, None, "column", "plain"),
        ({"tokeniser": "penn"}, None, "column", "penn"),
        ({"language": "fr"}, None, "given", "plain"),
        ({}, "fr", "given", "plain"),
    ],
)
def test_the_language_is_asked_for_or_that_of_the_data(
    given: dict[str, Any], language: str | None, source: str, tokeniser: str
) -> None:
    plan = resolve(GERMAN, config=config_from_dict(given, "x"), language=language)
    assert plan.language_from == source
    whole = {"language": "fr" if source == "given" else "de", **given}
    assert plan.settings == config_from_dict(whole, "x").settings
    assert plan.settings.tokeniser == tokeniser


def test_settings_made_by_hand_name_their_language() -> None:
    assert resolve(GERMAN, config=TrainingConfig(Settings("fr"))).settings.language == "fr"
    assert resolve(GERMAN, settings=Settings("fr")).settings.language == "fr"
    assert resolve(GERMAN, config=TrainingConfig(penalty=5.0)).settings.language == "de"


def test_without_a_configuration_english_has_all_knowledge() -> None:
    plan, known = resolve(JUDGMENTS), find_model("en-fast").settings
    assert plan.language_from == "default"
    assert plan.settings == replace(known, features=dict.fromkeys(known.features))
    assert plan.constraints == {"edit_cost": 1.0}
    assert resolve(GERMAN).settings == config_from_dict({"language": "de"}, "x").settings


def test_a_constraint_of_a_script(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked for by its name, gets its option, is kept, and is in the record."""
    monkeypatch.setattr(registry, "scripts", {})
    monkeypatch.setattr(CONSTRAINTS, "_plugged", {})
    asked_for = []

    @pfsm.register.constraint("all-words")
    def all_words(asked: Any, plan: Any, text: Any) -> SelfMatch | None:
        asked_for.append(asked)
        return prepare(asked["least"], plan, text)

    options = {"lambda": 5, "all-words": {"least": 0.99}}
    model = train(JUDGMENTS, config=config_from_dict(options, "x"), threads=1)
    assert asked_for == [{"least": 0.99}]
    assert model.training["self_match"]["asked"] == 0.99
    assert (
        model.weights
        == train(
            JUDGMENTS, config=config_from_dict({"lambda": 5, "self_match": 0.99}, "x"), threads=1
        ).weights
    )
    assert model.weights != train(JUDGMENTS, config=PLAIN, threads=1).weights
    with pytest.raises(PfsmError, match="x: all-words needs solver: gauss-newton"):
        config_from_dict({**options, "solver": "lbfgs"}, "x")
    with pytest.raises(PfsmError, match=r"x: unknown key 'some-words'"):
        config_from_dict({"some-words": 1}, "x")
