"""Turns a trained network into the weights of the shipped file."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from torch import Tensor

from pfsm.english.parser.weights import Matrix, ParserWeights
from pfsm_training.parsing.inventory import Inventory
from pfsm_training.parsing.network import ParserNetwork

# _HIDDEN: linear layer, non-linearity and dropout; _OUTPUTS: plain linear layers; _FORMS: biaffine forms.
_HIDDEN = (
    "tag_layer", "arc_dependent", "arc_head", "label_dependent", "label_head", "span_left", "span_right",
    "span_label_left", "span_label_right",
)  # fmt: skip
_OUTPUTS = ("upos", "xpos", "starts")
_FORMS = ("arcs", "labels", "spans", "span_labels")
UNCALIBRATED = {"arcs": 1.0, "labels": 1.0, "spans": 1.0}


def exported(
    network: ParserNetwork,
    inventory: Inventory,
    vector_words: Sequence[str],
    *,
    name: str,
    licence: str,
    card: Mapping[str, Any],
    temperatures: Mapping[str, float] = UNCALIBRATED,
) -> ParserWeights:
    """The weights of the network, not yet quantised."""
    inventories = {
        "words": inventory.words,
        "vector_words": tuple(vector_words),
        "characters": inventory.characters,
        "upos": inventory.upos,
        "xpos": inventory.xpos,
        "labels": inventory.labels,
        "span_labels": inventory.span_labels,
    }
    return ParserWeights(name, licence, card, inventories, temperatures, _arrays(network))


def _arrays(network: ParserNetwork) -> dict[str, Matrix]:
    encoder = network.encoder
    found = {
        "words": encoder.words.weight,
        "vectors": encoder.vectors,
        "characters": encoder.characters.weight,
        "filters.weight": encoder.filters.weight,
        "filters.bias": encoder.filters.bias,
        "root_arc": network.root_arc,
        "root_label": network.root_label,
    }
    for layer, pair in enumerate(encoder.lstms):
        for direction, lstm in zip(("forward", "backward"), pair, strict=True):  # type: ignore[call-overload]
            prefix = f"lstm.{layer}.{direction}"
            found[f"{prefix}.input"] = lstm.weight_ih_l0
            found[f"{prefix}.recurrent"] = lstm.weight_hh_l0
            found[f"{prefix}.bias"] = lstm.bias_ih_l0 + lstm.bias_hh_l0
    for layer_name in (*_HIDDEN, *_OUTPUTS):
        part = getattr(network, layer_name)
        linear = part[0] if layer_name in _HIDDEN else part
        found[f"{layer_name}.weight"], found[f"{layer_name}.bias"] = linear.weight, linear.bias
    for form in _FORMS:
        weight = getattr(network, form).weight
        found[form] = weight.reshape(-1, weight.shape[-1])
    return {key: _array(value) for key, value in found.items()}


def _array(values: Tensor) -> Matrix:
    array: Matrix = np.ascontiguousarray(values.detach().float().numpy())
    return array
