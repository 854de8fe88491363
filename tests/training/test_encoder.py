"""Learning over an encoder: derivatives, agreement with scoring, what is held out, and resuming."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from pfsm.embeddings.encoders import load_encoder
from pfsm.encoder.scoring import HeadScorer
from pfsm.errors import PfsmError
from pfsm.model.file import Model
from pfsm.model.metric import Metric
from pfsm_training import train
from pfsm_training.config import TrainingConfig, config_from_dict
from pfsm_training.data.training_text import TrainingText
from pfsm_training.encoder import learning
from pfsm_training.encoder.material import material
from pfsm_training.encoder.network import HeadNetwork
from pfsm_training.encoder.pieces import encode_pairs, uniform_mix
from pfsm_training.fit.checkpoint import Checkpoint
from pfsm_training.fit.crossval import make_folds
from pfsm_training.options import EncoderOptions
from tests.encoder.encoders import DIMENSION, LAYERS, LINES, judgments, network
from tests.training.small_data import judgments_of

CPU = torch.device("cpu")
JUDGMENTS = judgments()


@pytest.fixture
def source(tmp_path: Path) -> str:
    return network(tmp_path)


@pytest.fixture
def config(source: str, monkeypatch: pytest.MonkeyPatch) -> TrainingConfig:
    monkeypatch.setattr(learning, "MOST_PASSES", 2)
    return TrainingConfig(encoder=EncoderOptions(source=source))


def learned(config: TrainingConfig, given: Any = JUDGMENTS, checkpoint: Checkpoint | None = None) -> Any:
    given = given.sorted()
    text, folds = TrainingText(given, None, config.settings), make_folds(given)
    return learning.learn(material(text, None, folds), folds, text.reader, config, checkpoint)


def test_the_gradient_of_a_value_is_that_of_finite_differences(source: str) -> None:
    encoder = load_encoder(source)
    lines = encode_pairs(encoder, uniform_mix(LAYERS), LINES, LINES[1:] + LINES[:1])
    torch.manual_seed(0)
    head = HeadNetwork(DIMENSION).double()
    for parameter in head.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)
    batch = lines.batch(np.arange(len(LINES)), CPU)
    batch = replace(batch, rows=batch.rows.double())
    names = [name for name, _ in head.named_parameters()]

    def value(*parameters: torch.Tensor) -> Any:
        return torch.func.functional_call(head, dict(zip(names, parameters, strict=True)), (batch,))

    assert torch.autograd.gradcheck(value, tuple(head.parameters()), fast_mode=True)


def test_scoring_and_training_compute_the_same_values(source: str) -> None:
    encoder = load_encoder(source)
    torch.manual_seed(1)
    network = HeadNetwork(DIMENSION)
    for parameter in network.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)
    mix = uniform_mix(LAYERS)
    sides = [line for line in LINES for _ in LINES], [line for _ in LINES for line in LINES]
    lines = encode_pairs(encoder, mix, *sides)
    with torch.no_grad():
        expected = network(lines.batch(np.arange(len(sides[0])), CPU)).numpy()
    scorer = HeadScorer(network.head(mix))
    known = {line: scorer.line(scorer.rows(encoder.states([line])[0].values)) for line in LINES}
    found = [scorer.value(known[one], known[other]) for one, other in zip(*sides, strict=True)]
    assert np.ptp(expected) > 0.5
    assert found == pytest.approx(expected, abs=1e-5)


def test_no_head_sees_what_it_predicts(config: TrainingConfig) -> None:
    given = JUDGMENTS.sorted()
    folds = make_folds(given)
    first = learned(config)
    own = folds.member == 0
    # Other scores of one fold change what heads say of the others, but not what is said of this one.
    changed = learned(config, replace(given, scores=np.where(own, -given.scores, given.scores)))
    assert np.array_equal(first.values[own], changed.values[own])
    assert not np.array_equal(first.values[~own], changed.values[~own])


def trained(config: TrainingConfig) -> Model:
    return train(JUDGMENTS, config=config, threads=1)


def test_a_model_scores_alike_in_any_company_and_on_any_threads(config: TrainingConfig) -> None:
    model = trained(config)
    hypotheses, references = JUDGMENTS.hypotheses, JUDGMENTS.references
    together = Metric(model, 2).score_pairs(hypotheses, references)
    alone = [Metric(model, 1).score_pairs([h], [r])[0] for h, r in zip(hypotheses, references, strict=True)]
    assert together.tolist() == alone
    # What was learned has a weight, and without it scores differ.
    name = next(iter(model.settings.features))
    assert name.startswith("encoder(head=")
    assert model.weights[f"feature:{name}"] != 0.0
    assert model.training["encoder"]["passes"] in {1, 2}
    assert f"encoder(head={name[13:29]},source=net@" in Metric(model, 1).get_signature(1)


def test_a_single_segment_is_too_little(config: TrainingConfig) -> None:
    one = judgments_of(["a b"] * 4, ["a", "b", "c", "a b"], [1.0, 2.0, 3.0, 4.0])
    with pytest.raises(PfsmError, match="two segments at least"):
        train(one, config=config)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"tune": "all"}, "encoder: tune is 'all', it must be one of head"),
        (
            {"tune": "head", "rank": 3},
            "unknown option 'rank'; known are tune, source, layers, precision, minimal_pairs",
        ),
        ({"tune": "head", "minimal_pairs": 0.3}, "encoder: minimal_pairs needs the option minimal_pairs"),
    ],
)
def test_bad_options_are_refused(value: object, message: str) -> None:
    with pytest.raises(PfsmError) as error:
        config_from_dict({"encoder": value}, "c.yaml")
    assert message in str(error.value)
