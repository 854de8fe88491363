"""Trains the labeller of semantic roles: its network, then the temperature and the threshold of its probabilities."""

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch

from pfsm.analysis.labeller.encoder import Numbers
from pfsm.analysis.labeller.label import Labeller
from pfsm.analysis.labeller.weights import RoleWeights
from pfsm.analysis.parser.parameters import Matrix, ParserWeights
from pfsm.analysis.parser.weights import quantised, restored
from pfsm.analysis.role_scoring import RoleScores, score_roles
from pfsm_training.parsing.subnormals import without_subnormals
from pfsm_training.roles.network import RoleNetwork, RoleSizes
from pfsm_training.roles.samples import (
    Sample,
    Sentence,
    batch_of,
    keep_features,
    known_labels,
    sentence_of,
)

TEMPERATURES = tuple(round(0.8 + 0.1 * k, 1) for k in range(13))
THRESHOLDS = tuple(round(0.2 + 0.05 * k, 2) for k in range(8))


@dataclass(frozen=True)
class RolePlan:
    """How to train a labeller.

    Attributes:
        passes: Passes through the training sentences.
        words: Approximate number of words in a batch.
        features: Number of features that are kept, those most often in arguments.
        rate: Adam's rate while it is constant.
        constant: Share of the steps before the rate falls linearly to 0.
        averaging: Share of the old average kept at each step.
        gold: Share of sentences that a pass reads with their gold tree instead of a parser's.
        least: A label is known if so many spans have it.
        seed: Seed of all random numbers.
        sizes: Sizes of the network.
    """

    passes: int = 11
    words: int = 800
    features: int = 40_000
    rate: float = 2e-3
    constant: float = 0.4
    averaging: float = 0.995
    gold: float = 0.4
    least: int = 15
    seed: int = 1
    sizes: RoleSizes = field(default_factory=RoleSizes)


@without_subnormals()
def train_labeller(
    plan: RolePlan,
    name: str,
    samples: tuple[Sequence[Sample], Sequence[Sample]],
    parser: ParserWeights,
    report: Callable[[str], None],
) -> RoleWeights:
    """A labeller trained on these samples, not yet calibrated.

    Args:
        plan: How to train.
        name: Name of the labeller.
        samples: Sentences with parses by parsers that have not seen them, and the same with their gold trees.
        parser: The parser that the labeller reads.
        report: Receives a line of text after every pass.
    """
    torch.manual_seed(plan.seed)
    labels = known_labels(samples[1], plan.least)
    numbers = Numbers(parser)
    kinds = [[sentence_of(sample, labels, numbers) for sample in part] for part in samples]
    keys = keep_features([one for part in kinds for one in part if one is not None], plan.features)
    report(f"{len(labels)} labels, {keys.size} features")
    inventories = parser.inventories
    counts = (len(inventories["xpos"]), len(inventories["labels"]), keys.size, len(labels))
    vectors = torch.from_numpy(np.ascontiguousarray(parser.arrays["vectors"], dtype=np.float32))
    network = RoleNetwork(plan.sizes, vectors, counts)
    average = copy.deepcopy(network)
    optimiser = torch.optim.Adam(network.parameters(), lr=plan.rate, betas=(0.9, 0.95), fused=True)
    steps = 0
    network.train()
    for number in range(plan.passes):
        random = np.random.default_rng([plan.seed, number])
        taken = random.random(len(kinds[0])) < plan.gold
        pairs = [gold if given else parsed for given, parsed, gold in zip(taken, *kinds, strict=True)]
        groups = list(_groups([one for one in pairs if one is not None], plan.words, random))
        loss = 0.0
        for group in groups:
            progress = min(1.0, steps / (len(groups) * plan.passes))
            share = 1.0 if progress < plan.constant else (1 - progress) / (1 - plan.constant)
            for one in optimiser.param_groups:
                one["lr"] = plan.rate * share
            loss += _step(network, optimiser, group, keys.size)
            steps += 1
            kept = min(plan.averaging, (1 + steps) / (10 + steps))
            with torch.no_grad():
                torch._foreach_lerp_(list(average.parameters()), list(network.parameters()), 1 - kept)
        report(f"pass {number + 1}: loss {loss / sum(len(one.predicates) for one in pairs if one):.4f}")
    arrays = {key: _as_stored(array) for key, array in exported_arrays(average).items()}
    return RoleWeights(name, "", {}, labels, 1.0, 0.5, keys, arrays)


def _groups(
    sentences: Sequence[Sentence], words: int, random: np.random.Generator
) -> Iterator[list[Sentence]]:
    """Batches of sentences of similar length, in random order."""
    lengths = np.array([len(one.words) for one in sentences])
    order = np.argsort(lengths + random.random(lengths.size) * 3, kind="stable")
    groups: list[list[Sentence]] = [[]]
    count = 0
    for place in order.tolist():
        if count >= words:
            groups.append([])
            count = 0
        groups[-1].append(sentences[place])
        count += int(lengths[place])
    for place in random.permutation(len(groups)).tolist():
        yield groups[place]


def _step(
    network: RoleNetwork, optimiser: torch.optim.Optimizer, group: Sequence[Sentence], n_features: int
) -> float:
    """One step of the optimiser; returns the sum of the losses of the predicates."""
    from pfsm_kernels.roles.sets import gradients  # noqa: PLC0415 - brings numba

    optimiser.zero_grad(set_to_none=True)
    scores = network(batch_of(group, n_features))
    sizes = [size for one in group for size in one.sizes]
    n_words = [len(one.words) for one in group for _ in one.sizes]
    out = np.zeros(tuple(scores.shape))
    loss = gradients(
        np.cumsum([0, *sizes]),
        np.concatenate([one.spans for one in group]),
        np.array(n_words, dtype=np.int64),
        np.concatenate([one.gold for one in group]),
        scores.detach().numpy().astype(np.float64),
        out,
    )
    scores.backward(torch.from_numpy((out / len(sizes)).astype(np.float32)))
    torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
    optimiser.step()
    return float(loss)


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


def _as_stored(array: Matrix) -> Matrix:
    """The array as it comes back from the file."""
    return restored(*quantised(array)) if array.ndim > 1 else array


def tuned(weights: RoleWeights, samples: Sequence[Sample], parser: ParserWeights) -> RoleWeights:
    """The same weights with the temperature and the threshold that are best on these samples.

    The temperature brings probabilities closest to shares of right arguments; the threshold makes F1 highest.
    """

    def found(temperature: float, threshold: float) -> RoleScores:
        labeller = Labeller(replace(weights, temperature=temperature, threshold=threshold), parser)
        return score_roles((labeller.labelled(parsed), gold) for parsed, gold in samples)

    def gap(temperature: float) -> float:
        scores = found(temperature, 0.5).calibration
        if scores is None:
            return float("inf")
        return float(np.nansum((scores.mean - scores.accuracy) ** 2))

    temperature = min(TEMPERATURES, key=lambda one: (gap(one), one))
    threshold = max(THRESHOLDS, key=lambda one: (found(temperature, one).arguments.f1, one))
    return replace(weights, temperature=temperature, threshold=threshold)
