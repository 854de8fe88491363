"""A training that is interrupted and resumed gives the same result as one that is not."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pfsm.data import Preferences
from pfsm.errors import PfsmError
from pfsm.model.file import Model
from pfsm.model.settings import Settings
from pfsm_training import TrainingConfig, train
from pfsm_training.fit import starts
from pfsm_training.fit.checkpoint import Checkpoint
from pfsm_training.options import EncoderOptions, MinimalPairsOptions
from tests.training.small_data import invented

if TYPE_CHECKING:
    from pfsm_training.fit.lbfgs import Iteration

PLAIN = invented(0)
JUDGMENTS = replace(PLAIN, columns={**PLAIN.columns, "raters": ("2",) * len(PLAIN)})
FEW = JUDGMENTS.select(np.arange(36))
CONFIG = TrainingConfig(penalty=(0.5, 5.0))


def training(checkpoint: Checkpoint | None = None, listener: "Counting | None" = None) -> "Model":
    return heard(listener or Counting(), judgments=FEW, config=CONFIG, checkpoint=checkpoint)


def heard(listener: "Counting", **given: Any) -> "Model":
    """A training whose iterations a listener is told of."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pfsm_training.fit.fitting.tell", listener)
        return train(**given, threads=1)


class Counting:
    """Counts iterations; Ctrl-C after so many."""

    def __init__(self, last: float = float("inf")) -> None:
        self.last = last
        self.seen: list[tuple[str, int]] = []

    def __call__(self, step: str, iteration: "Iteration | None") -> None:
        if iteration is None:
            return
        self.seen.append((step, iteration.number))
        if len(self.seen) == self.last:
            raise KeyboardInterrupt


@pytest.mark.parametrize(("compared", "fewest"), [(1000, 5000), (20, 5)])
def test_a_resumed_training_gives_the_same_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compared: int, fewest: int
) -> None:
    """Also where starts are compared on a sample, folds start from the minima of a half, and a part is fitted first."""
    monkeypatch.setattr(starts, "MOST_EXPLORED", 10)
    monkeypatch.setattr(starts, "MOST_COMPARED", compared)
    monkeypatch.setattr(starts, "FEWEST_OF_PART", fewest)
    whole = Counting()
    expected = json.dumps(training(listener=whole).to_dict())
    path = tmp_path / "m.checkpoint"
    for stop in (3, len(whole.seen) - 1):
        with pytest.raises(KeyboardInterrupt):
            training(Checkpoint(path, resume=False), Counting(stop))
        rest = Counting()
        checkpoint = Checkpoint(path, resume=True)
        assert json.dumps(training(checkpoint, rest).to_dict()) == expected
        # Nothing is done again.
        assert rest.seen == whole.seen[stop:]
        checkpoint.remove()
        assert not path.exists()


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.checkpoint"
    for content in ("", "[1]", '{"format": "pfsm-checkpoint-1"}', '{"format": "pfsm-checkpoint-2"}'):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(PfsmError, match="not a checkpoint of pfsm"):
            training(Checkpoint(path, resume=True))


def votes_for(better: str, worse: str, votes: float = 1.0) -> Preferences:
    return Preferences(
        ("a lamp", "a river"), (better, "river"), (worse, "stone"), np.array([votes, 1.0]), {}, ()
    )


HELD: dict[str, Any] = {
    "judgments": JUDGMENTS,
    "preferences": votes_for("lamp", "night"),
    "config": CONFIG,
    "init": None,
}
"""A training that is begun; each of the following differs from it in one thing."""
OTHERS: dict[str, dict[str, Any]] = {
    "lambda": {"config": replace(CONFIG, penalty=(0.5, 5.5))},
    "rule of lambda": {"config": replace(CONFIG, lambda_rule="one_standard_error")},
    "solver": {"config": replace(CONFIG, solver="lbfgs")},
    "start": {"config": replace(CONFIG, start="zero")},
    "objective": {"config": replace(CONFIG, objective="huber")},
    "mixture": {"config": replace(CONFIG, mixture=0.25)},
    "raw scores": {"config": replace(CONFIG, standardise=False)},
    "edit cost": {"config": replace(CONFIG, edit_cost=0.5)},
    "self match": {"config": replace(CONFIG, self_match=0.9)},
    "minimal pairs": {"config": replace(CONFIG, minimal_pairs=MinimalPairsOptions(kinds=("drop-word",)))},
    "encoder": {"config": replace(CONFIG, encoder=EncoderOptions())},
    "weights": {"config": replace(CONFIG, weights="raters")},
    "settings": {"settings": Settings(matchers=("word",))},
    "no judgments": {"judgments": None},
    "fewer judgments": {"judgments": JUDGMENTS.select(np.arange(80))},
    "scores": {"judgments": replace(JUDGMENTS, scores=JUDGMENTS.scores + 1.0)},
    "references": {"judgments": replace(JUDGMENTS, references=("x", *JUDGMENTS.references[1:]))},
    "hypotheses": {"judgments": replace(JUDGMENTS, hypotheses=("x", *JUDGMENTS.hypotheses[1:]))},
    "segments": {"judgments": replace(JUDGMENTS, columns={})},
    "languages": {
        "judgments": replace(JUDGMENTS, columns={**JUDGMENTS.columns, "source_lang": ("de",) * 90})
    },
    "no preferences": {"preferences": None},
    "better": {"preferences": votes_for("lamps", "night")},
    "worse": {"preferences": votes_for("lamp", "nights")},
    "votes": {"preferences": votes_for("lamp", "night", 2.0)},
    "initial model": {"init": Model("init", weights={"S_word": 1.0})},
}


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("begun") / "m.checkpoint"
    with pytest.raises(KeyboardInterrupt):
        heard(Counting(1), **HELD, checkpoint=Checkpoint(path, resume=False))
    return path


@pytest.mark.parametrize("key", OTHERS)
def test_a_training_that_differs_in_one_thing_is_refused(begun: Path, key: str) -> None:
    other = {**HELD, **OTHERS[key]}
    with pytest.raises(PfsmError, match="checkpoint of a training with other data, settings or version"):
        heard(Counting(1), **other, checkpoint=Checkpoint(begun, resume=True))


def test_every_option_of_training_is_among_them() -> None:
    changed = {
        name
        for other in OTHERS.values()
        if "config" in other
        for name in TrainingConfig.__dataclass_fields__
        if getattr(other["config"], name) != getattr(CONFIG, name)
    }
    # The settings of the machine are among the others; no option of a plug-in is.
    assert changed == set(TrainingConfig.__dataclass_fields__) - {"settings", "own", "constraints"}
