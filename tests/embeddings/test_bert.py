"""Encoders of BERT's family as ONNX graphs, against PyTorch's own transformer layers."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm.embeddings.bert_graph import encoder_graph
from pfsm.embeddings.bert_weights import read_shape, take_weights
from pfsm.embeddings.session import open_model
from pfsm.errors import PfsmError
from tests.embeddings.networks import PIECES, SHAPE, Tensors, config, random_tensors


def by_torch(
    tensors: Tensors, ids: list[int], layers: int, first: int, segment: bool, act: str
) -> NDArray[Any]:
    """Hidden states by ``torch.nn.TransformerEncoderLayer``."""
    import torch

    given = {name: torch.tensor(values) for name, values in tensors.items()}
    d = SHAPE["d"]
    x = given["embeddings.word_embeddings.weight"][ids]
    x = x + given["embeddings.position_embeddings.weight"][first : first + len(ids)]
    if segment:
        x = x + given["embeddings.token_type_embeddings.weight"][0]
    scale, shift = given["embeddings.LayerNorm.weight"], given["embeddings.LayerNorm.bias"]
    x = torch.nn.functional.layer_norm(x, (d,), scale, shift, 1e-12)[None]
    activation = {"gelu": "gelu", "relu": "relu"}[act]
    for number in range(layers):
        stem = f"encoder.layer.{number}."
        layer = torch.nn.TransformerEncoderLayer(
            d, SHAPE["heads"], SHAPE["inner"], 0.0, activation, 1e-12, batch_first=True
        ).eval()
        parts = [f"{stem}attention.self.{what}" for what in ("query", "key", "value")]
        state = {
            "self_attn.in_proj_weight": torch.cat([given[f"{part}.weight"] for part in parts]),
            "self_attn.in_proj_bias": torch.cat([given[f"{part}.bias"] for part in parts]),
        }
        for ours, theirs in {
            "self_attn.out_proj": "attention.output.dense",
            "linear1": "intermediate.dense",
            "linear2": "output.dense",
            "norm1": "attention.output.LayerNorm",
            "norm2": "output.LayerNorm",
        }.items():
            for what in ("weight", "bias"):
                state[f"{ours}.{what}"] = given[f"{stem}{theirs}.{what}"]
        layer.load_state_dict(state)
        with torch.no_grad():
            x = layer(x)
    return np.asarray(x[0].numpy())


def test_other_activations_and_old_names_of_norms() -> None:
    tensors = random_tensors(4)
    shape = read_shape(config(hidden_act="relu"), "config.json")
    old = {
        name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): values
        for name, values in tensors.items()
    }
    weights = take_weights(old, shape, 2, "x")
    run = open_model(encoder_graph(weights, shape), weights.words, "x")
    ids = list(range(len(PIECES) - 5))
    wanted = by_torch(tensors, ids, 2, 0, True, "relu")
    np.testing.assert_allclose(run(np.array([ids]))[2, 0], wanted, atol=2e-6)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"hidden_act": "silu"}, "the activation is 'silu', one of"),
        ({"position_embedding_type": "relative_key"}, "must be absolute"),
        ({"num_hidden_layers": "many"}, "missing or not numbers"),
        ({"num_attention_heads": 0}, "2 layers of 0 heads"),
    ],
)
def test_configurations_that_cannot_be_used(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(PfsmError, match=said):
        read_shape(config() | changes, "config.json")


def test_missing_and_misshapen_tensors() -> None:
    shape = read_shape(config(), "config.json")
    tensors = random_tensors()
    name = "encoder.layer.1.output.dense.weight"
    with pytest.raises(PfsmError, match=f"^x: has no tensor {name}; is it an encoder of bert"):
        take_weights({key: value for key, value in tensors.items() if key != name}, shape, 2, "x")
    with pytest.raises(PfsmError, match=f"^x: the tensor {name} has the wrong shape"):
        take_weights({**tensors, name: tensors[name].T}, shape, 2, "x")
    with pytest.raises(PfsmError, match="do not divide among the heads"):
        take_weights(tensors, read_shape(config(num_attention_heads=3), "c"), 2, "x")
