"""The parameters of the labeller's network as its file has them, with temperatures and thresholds fitted.

What is fitted brings probabilities to shares of right answers; the thresholds have the highest F1.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from pfsm.arrays import Float
from pfsm.runtime.choice import simplest_within_noise
from pfsm_linguistics.analysers.scoring import RoleScores, score_roles
from pfsm_linguistics.analysis.roles import NOUN, VERB
from pfsm_linguistics.labeller.inputs import Numbers, states_of
from pfsm_linguistics.labeller.label import Labeller, noun_keys, noun_log_odds, nouns_of
from pfsm_linguistics.labeller.weights import NominalWeights, RoleWeights
from pfsm_linguistics.parser.weights import Matrix, ParserWeights, quantised, restored
from pfsm_linguistics.training.roles.network import RoleNetwork
from pfsm_linguistics.training.roles.samples import Sample


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


TEMPERATURES = tuple(round(0.8 + 0.05 * k, 2) for k in range(25))
THRESHOLDS = tuple(round(0.2 + 0.05 * k, 2) for k in range(8))
_STEPS = 25
With = Callable[[float, float], RoleWeights]
"""The weights with a temperature and a threshold."""


def tuned(weights: RoleWeights, samples: Sequence[Sample], parser: ParserWeights) -> RoleWeights:
    """The same weights with the temperatures and the thresholds that are best on these samples.

    A temperature brings probabilities of arguments closest to shares of right arguments; a threshold makes F1 highest.
    Verbs and nouns have their own. Before those of nouns, the log-odds of being a predicate are fitted.
    """

    def for_verbs(temperature: float, threshold: float) -> RoleWeights:
        return replace(weights, temperature=temperature, threshold=threshold)

    found = _best(for_verbs, samples, parser, VERB)
    if found.nominal is None:
        return found
    nominal = _fitted_nouns(found, found.nominal, samples, parser)

    def for_nouns(temperature: float, threshold: float) -> RoleWeights:
        return replace(found, nominal=replace(nominal, temperature=temperature, threshold=threshold))

    return _best(for_nouns, samples, parser, NOUN)


def _best(having: With, samples: Sequence[Sample], parser: ParserWeights, kind: str) -> RoleWeights:
    def found(temperature: float, threshold: float) -> RoleScores:
        labeller = Labeller(having(temperature, threshold), parser)
        nominal = kind == NOUN
        return score_roles(
            ((labeller.labelled(parsed, nominal=nominal), gold) for parsed, gold in samples), of=kind
        )

    def gap(temperature: float) -> float:
        scores = found(temperature, 0.5).calibration
        if scores is None:
            return float("inf")
        return float(np.nansum((scores.mean - scores.accuracy) ** 2))

    temperature = TEMPERATURES[simplest_within_noise([-gap(one) for one in TEMPERATURES])]
    largest_first = THRESHOLDS[::-1]
    threshold = largest_first[
        simplest_within_noise([found(temperature, one).arguments.f1 for one in largest_first])
    ]
    return having(temperature, threshold)


def _fitted_nouns(
    weights: RoleWeights, nominal: NominalWeights, samples: Sequence[Sample], parser: ParserWeights
) -> NominalWeights:
    """The weights of nouns with the scale and the shift of the log-odds that are likeliest on these samples."""
    numbers = Numbers(parser)
    odds: list[Float] = [np.zeros(0)]
    rights: list[bool] = []
    for parsed, gold in samples:
        nouns = nouns_of(parsed.upos)
        if not nouns or parsed.tree is None:
            continue
        rows = numbers.of(parsed.tokens, parsed.xpos, parsed.tree)
        states = states_of(rows, parser.arrays["vectors"], weights.arrays)
        keys = noun_keys(parsed.tokens, parsed.xpos, parsed.tree, nouns)
        odds.append(noun_log_odds(nominal, keys, states[nouns]))
        predicates = {frame.predicate for frame in gold.frames or ()}
        rights += (noun in predicates for noun in nouns)
    scale, shift = logistic_fit(np.concatenate(odds), np.array(rights, dtype=np.float64))
    return replace(
        nominal,
        weights=(nominal.weights * scale).astype(np.float32),
        state=(nominal.state * scale).astype(np.float32),
        bias=nominal.bias * scale + shift,
    )


def logistic_fit(odds: Float, right: Float) -> tuple[float, float]:
    """The scale and the shift of log-odds under which what happened is likeliest, by Newton's method (Platt 1999).

    Args:
        odds: float64 [n], log-odds.
        right: float64 [n], 1 where it happened, else 0.

    Returns:
        (1, 0) if there are too few of either to tell.
    """
    design = np.stack([odds, np.ones_like(odds)], axis=1)
    fitted = np.array([1.0, 0.0])
    if min(right.sum(), (1 - right).sum()) < len(fitted):
        return 1.0, 0.0
    for _ in range(_STEPS):
        share = 1 / (1 + np.exp(-(design @ fitted)))
        # A little of the identity keeps the step finite where the samples can be told apart without fault.
        curvature = design.T @ (design * (share * (1 - share))[:, None]) + 1e-3 * np.eye(len(fitted))
        fitted += np.linalg.solve(curvature, design.T @ (right - share) - 1e-3 * (fitted - [1.0, 0.0]))
    return float(fitted[0]), float(fitted[1])
