"""The parameters of the labeller's network as its file has them."""

import numpy as np
import torch
from numpy.typing import NDArray

from pfsm.english.labeller.weights import NominalWeights
from pfsm.english.parser.weights import Matrix, quantised, restored
from pfsm_training.roles.network import RoleNetwork


def exported_arrays(network: RoleNetwork) -> dict[str, Matrix]:
    """The parameters of a network under the names of `RoleWeights`."""

    def array(tensor: torch.Tensor) -> Matrix:
        return np.ascontiguousarray(tensor.detach().numpy(), dtype=np.float32)

    found = {
        "tags": array(network.tags.weight),
        "relations": array(network.relations.weight),
        # The last row is for features that are not there.
        "features": array(network.features.weight[:-1]),
        "bias": array(network.bias),
        "output": array(network.output.weight.T),
        "output_bias": array(network.output.bias),
    }
    for name in ("predicate", "head", "first", "last"):
        found[name] = array(getattr(network, name).weight.T)
    for name in ("ahead", "back"):
        for layer, lstm in enumerate(getattr(network, name)):
            found[f"{name}.{layer}.input"] = array(lstm.weight_ih_l0.T)
            found[f"{name}.{layer}.recurrent"] = array(lstm.weight_hh_l0.T)
            found[f"{name}.{layer}.bias"] = array(lstm.bias_ih_l0 + lstm.bias_hh_l0)
    return found


def exported_nouns(
    network: RoleNetwork, keys: NDArray[np.int32], labels: tuple[str, ...], most: int
) -> NominalWeights:
    """The parameters of a network for nouns.

    Args:
        network: The network.
        keys: int32 [n_features], keys of the features of nouns, ascending.
        labels: Labels that only nouns have.
        most: Number of features that are kept, those with the largest weights.
    """
    weights = network.noun_features.weight.detach().numpy()[:-1, 0]
    kept = np.sort(np.argsort(-np.abs(weights), kind="stable")[:most])
    state = np.ascontiguousarray(network.noun.weight.detach().numpy()[0], dtype=np.float32)
    bias = float(network.noun.bias.detach())
    return NominalWeights(keys[kept], as_stored(weights[None, kept])[0], state, labels, bias, 1.0, 0.5)


def as_stored(array: Matrix) -> Matrix:
    """The array as it comes back from the file."""
    return restored(*quantised(array)) if array.ndim > 1 else array
