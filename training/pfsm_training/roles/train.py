"""Trains the labeller of semantic roles: its features, its network, its temperature."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.labeller.inputs import VERB, candidates_of, sentence_arrays
from pfsm.analysis.labeller.label import Labeller, Tagged
from pfsm.analysis.labeller.weights import KEY_BITS, RoleWeights
from pfsm.analysis.parser.features import normal_form
from pfsm.analysis.parser.parameters import Matrix, ParserWeights
from pfsm.analysis.parser.weights import quantised, restored
from pfsm.analysis.role_scoring import score_roles
from pfsm.analysis.sentence import Analysis
from pfsm_training.roles.treebank import labelled_spans_of

Int64 = NDArray[np.int64]
TEMPERATURES = tuple(round(0.8 + 0.1 * k, 1) for k in range(13))
# A feature that hardly occurs in arguments is worth this share of one that does.
_OF_OTHERS = 0.02
_FEWEST, _FEWEST_OTHERS = 2, 12
# What AdaGrad's sums begin with, so that first steps are small.
_START, _START_OF_FEATURES = 1e-2, 1e-3


@dataclass(frozen=True)
class RolePlan:
    """How to train a labeller.

    Attributes:
        passes: Passes through the training predicates.
        hidden: Units of the hidden layer.
        features: Number of features that are kept, those most often in arguments.
        rate: AdaGrad's rate at the beginning; it falls linearly to 0.
        drop: Share of features left out in training.
        least: A label is known if so many spans have it.
        seed: Seed of all random numbers.
    """

    passes: int = 3
    hidden: int = 48
    features: int = 60_000
    rate: float = 0.05
    drop: float = 0.25
    least: int = 15
    seed: int = 1


@dataclass(frozen=True, eq=False)
class _Data:
    """Candidates of all predicates, one after the other; see `pfsm_kernels.roles.training.epoch`."""

    starts: Int64
    predicate: Int64
    base: Int64
    n_words: Int64
    spans: Int64
    rows: NDArray[np.int32]
    heads: Int64
    gold: Int64
    vectors: Int64


Sample = tuple[Analysis, Analysis]
"""A sentence as a parser sees it, and its gold standard with roles."""


def known_labels(samples: Sequence[Sample], least: int) -> tuple[str, ...]:
    """Labels of spans that occur often enough, the most frequent first."""
    counts = Counter(
        label
        for _, gold in samples
        for frame in gold.frames or ()
        for label in labelled_spans_of(frame).values()
    )
    return tuple(
        label for label, count in sorted(counts.items(), key=lambda one: (-one[1], one[0])) if count >= least
    )


def train_labeller(
    plan: RolePlan,
    name: str,
    samples: Sequence[Sample],
    parser: ParserWeights,
    report: Callable[[str], None],
) -> RoleWeights:
    """A labeller trained on these samples, not yet calibrated.

    Args:
        plan: How to train.
        name: Name of the labeller.
        samples: Parses by parsers that have not seen the sentence, and the gold standard.
        parser: The parser that the labeller reads.
        report: Receives a line of text after every pass.
    """
    from pfsm_kernels.roles.training import epoch  # noqa: PLC0415 - brings numba

    labels = known_labels(samples, plan.least)
    data, keys = _prepared(samples, labels, parser, plan.features)
    random = np.random.default_rng(plan.seed)
    arrays = _first_arrays(random, keys.size, parser.arrays["vectors"].shape[1], plan.hidden, len(labels))
    sums = {
        key: np.full(array.shape, _START_OF_FEATURES if key == "features" else _START, dtype=np.float32)
        for key, array in arrays.items()
    }
    vectors = np.ascontiguousarray(parser.arrays["vectors"], dtype=np.float32)
    names = ("features", "bias", "predicate", "head", "output", "output_bias")
    state = [array for key in names for array in (arrays[key], sums[key])]
    for number in range(plan.passes):
        order = random.permutation(data.predicate.size)
        rates = [plan.rate * (1 - share / plan.passes) for share in (number, number + 1)]
        loss = epoch(
            order, data.starts, data.predicate, data.base, data.n_words, data.spans, data.rows, data.heads, data.gold,
            data.vectors, vectors, *state, *rates, plan.drop, number,
        )  # fmt: skip
        report(f"pass {number + 1}: loss {loss / order.size:.4f}")
    return RoleWeights(name, "", {}, labels, 1.0, keys, _as_stored(arrays))


def _as_stored(arrays: Mapping[str, Matrix]) -> dict[str, Matrix]:
    """The arrays as they come back from the file."""
    return {name: restored(*quantised(array)) if array.ndim > 1 else array for name, array in arrays.items()}


def _first_arrays(
    random: np.random.Generator, features: int, vector: int, hidden: int, n_labels: int
) -> dict[str, Matrix]:
    def normal(*shape: int, scale: float) -> Matrix:
        return (random.normal(size=shape) * scale).astype(np.float32)

    return {
        "features": normal(features, hidden, scale=0.03),
        "bias": np.zeros(hidden, dtype=np.float32),
        "predicate": normal(vector, hidden, scale=0.03),
        "head": normal(vector, hidden, scale=0.03),
        "output": normal(hidden, n_labels, scale=0.2),
        "output_bias": np.full(n_labels, -3.0, dtype=np.float32),
    }


def _prepared(
    samples: Sequence[Sample], labels: Sequence[str], parser: ParserWeights, most: int
) -> tuple[_Data, NDArray[np.int32]]:
    """The candidates of all predicates with the rows of their features, and the keys of the features that are kept."""
    from pfsm_kernels.roles.features import count_features, fill_table, find_rows  # noqa: PLC0415

    number = {label: k for k, label in enumerate(labels)}
    in_arguments, in_all = (np.zeros(1 << KEY_BITS, dtype=np.int32) for _ in range(2))
    mask = (1 << KEY_BITS) - 1
    lists: dict[str, list[Int64]] = {"spans": [], "heads": [], "gold": []}
    hashes = []
    columns: list[tuple[int, int, int]] = []
    words: list[str] = []
    for parsed, gold in samples:
        spans_of = {frame.predicate: labelled_spans_of(frame) for frame in gold.frames or ()}
        arrays = _arrays_of(parsed)
        for word in [k for k, tag in enumerate(parsed.upos) if tag == VERB]:
            offered = candidates_of(arrays, word)
            right = spans_of.get(word, {})
            chosen = [number.get(right.get((start, end), ""), -1) for start, end, _ in offered.spans.tolist()]
            lists["spans"].append(offered.spans)
            lists["heads"].append(offered.heads)
            lists["gold"].append(np.array(chosen, dtype=np.int64))
            count_features(offered.features, lists["gold"][-1], mask, in_arguments, in_all)
            hashes.append(offered.features)
            columns.append((word, len(words), len(parsed.tokens)))
        words += map(normal_form, parsed.tokens)
    keys = _kept(in_arguments, in_all, most)
    size = 1 << (4 * keys.size).bit_length()
    table, table_rows = np.zeros(size, dtype=np.int64), np.full(size, -1, dtype=np.int32)
    fill_table(keys.astype(np.int64), table, table_rows)
    rows = np.zeros((sum(map(len, hashes)), hashes[0].shape[1]), dtype=np.int32)
    starts = np.cumsum([0, *map(len, hashes)], dtype=np.int64)
    for k, (first, last) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        find_rows(hashes[k], mask, table, table_rows, rows[first:last])
    known = {word: k for k, word in enumerate(parser.inventories["vector_words"], 1)}
    predicate, base, n_words = np.array(columns, dtype=np.int64).T.copy()
    joined = {key: np.concatenate(parts) for key, parts in lists.items()}
    vectors = np.array([known.get(word, 0) for word in words], dtype=np.int64)
    return _Data(starts, predicate, base, n_words, rows=rows, vectors=vectors, **joined), keys


def _arrays_of(parsed: Analysis):  # type: ignore[no-untyped-def]
    tree = parsed.tree
    assert tree is not None
    constituents = parsed.constituents[0] if parsed.constituents else None
    return sentence_arrays(parsed.tokens, (parsed.upos, parsed.xpos), tree.heads, tree.labels, constituents)


def _kept(in_arguments: NDArray[np.int32], in_all: NDArray[np.int32], most: int) -> NDArray[np.int32]:
    """Keys of the features that are kept, the most useful first."""
    worth = in_arguments + _OF_OTHERS * in_all
    worth[(in_arguments < _FEWEST) & (in_all < _FEWEST_OTHERS)] = 0.0
    order = np.argsort(-worth, kind="stable")[:most]
    return order[worth[order] > 0].astype(np.int32)


def labelled(labeller: Labeller, parses: Sequence[Analysis]) -> list[Analysis]:
    """The parses of single sentences with the labeller's roles."""
    found = []
    for parsed in parses:
        frames = labeller.sentence_frames(Tagged(parsed.tokens, parsed.upos, parsed.xpos), _arrays_of(parsed))
        found.append(replace(parsed, frames=tuple(frames)))
    return found


def with_temperature(
    weights: RoleWeights, samples: Sequence[Sample], parser: ParserWeights
) -> tuple[RoleWeights, float]:
    """The same weights with the temperature that brings probabilities closest to shares of right arguments."""

    def gap(temperature: float) -> float:
        labeller = Labeller(replace(weights, temperature=temperature), parser)
        found = labelled(labeller, [parsed for parsed, _ in samples])
        scores = score_roles(zip(found, (gold for _, gold in samples), strict=True)).calibration
        if scores is None:
            return float("inf")
        return float(np.nansum((scores.mean - scores.accuracy) ** 2))

    best = min(TEMPERATURES, key=lambda one: (gap(one), one))
    return replace(weights, temperature=best), best
