"""Which features a machine has, how often they occur in the training lattices, and which of them are learned."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pfsm.lattice.arrays import ArcFeatures, LatticeBatch, PerfectMatches, SentenceFeatures
from pfsm.lattice.building import find_jumps
from pfsm.lattice.names import JUMP, shared, state_parts, states_of, transition
from pfsm_kernels.lattice.instances import count_instances
from pfsm_kernels.whole_states import Parts

# Section 2.3 of Wang and Manning (2012): "We also threw away features occurring fewer than five times".
FEWEST_INSTANCES = 5


def instances(batch: LatticeBatch) -> dict[str, int]:
    """Number of instances of every feature, in the order states, transitions, arc features, link features.

    For the features of ``Jump``: the number of crossings, each of which a jump can open.
    """
    result = _edit_instances(batch) if batch.states else {}
    return result | dict.fromkeys(batch.sentence_features.names, len(batch))


def total_instances(counted: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The sum of what `instances` says of several batches."""
    total: dict[str, int] = {}
    for counts in counted:
        for name, number in counts.items():
            total[name] = total.get(name, 0) + number
    return total


def _edit_instances(batch: LatticeBatch) -> dict[str, int]:
    counts = count_instances(batch.lattices)
    result = {state: int(count) for state, count in zip(batch.states, counts.states, strict=True)}
    for prev, before in enumerate(batch.states):
        for cur, after in enumerate(batch.states):
            result[transition(before, after)] = int(counts.transitions[prev, cur])
    if batch.jumps is not None:
        crossings = batch.jumps.crossings
        count = int(crossings.hypothesis.landed.size + crossings.reference.landed.size)
        result |= {name: count for name in result if JUMP in states_of(name)}
    for name in list(result):
        for whole in shared(name):
            result[whole] = result.get(whole, 0) + result[name]
    for features in (batch.arc_features, batch.link_features):
        # An arc that carries a feature twice is still one arc.
        carries = np.zeros((len(features.names), batch.lattices.arcs.shape[0]), dtype=np.bool_)
        carries[features.feature, features.arc] = True
        carried = np.count_nonzero(carries, axis=1)
        result |= {name: int(count) for name, count in zip(features.names, carried, strict=True)}
    return result


def frequent(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Names of the features with at least ``FEWEST_INSTANCES`` instances, and of all of ``Jump``."""
    return tuple(
        name for name, count in counts.items() if count >= FEWEST_INSTANCES or JUMP in states_of(name)
    )


@dataclass(frozen=True, eq=False)
class WholeIndex:
    """Where whole states and their parts find their weights, if no transition of a part has one of its own.

    Attributes:
        parts: Which whole state each state is a part of.
        visits: int64 [S], the weight of its own that each part has; zero for whole states.
        states: int64 [1, W].
        transitions: int64 [1, W + 1, W]; the row of Start is zero throughout.
    """

    parts: Parts
    visits: NDArray[np.int64]
    states: NDArray[np.int64]
    transitions: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FeatureIndex:
    """Where each entry of the weight table and of the arc weights finds its weight in the parameter vector.

    An index of ``n_learned`` + k points at the k-th fixed weight; the very last one at zero. States and transitions
    have two weights each, their own and that of the state not split by word class (zero where it is not split).

    Attributes:
        learned: Names of the learned weights, the parameter vector's order.
        fixed: float64 [n_fixed + 1], weights that stay as they are, and a zero.
        states: int64 [2, S].
        transitions: int64 [2, S + 1, S]; the row of Start is zero throughout.
        arcs: int64 [number of names of arc features].
        links: int64 [number of names of link features].
        columns: int64 [number of sentence-level features].
        whole: The same by whole states; None where no state is split, or transitions of parts have weights.
    """

    learned: tuple[str, ...]
    fixed: NDArray[np.float64]
    states: NDArray[np.int64]
    transitions: NDArray[np.int64]
    arcs: NDArray[np.int64]
    links: NDArray[np.int64]
    columns: NDArray[np.int64]
    whole: WholeIndex | None = None


def feature_index(batch: LatticeBatch, learned: tuple[str, ...], fixed: Mapping[str, float]) -> FeatureIndex:
    """Index of a batch's features into learned and fixed weights; what is in neither weighs nothing."""
    own = set(learned)
    others = tuple((name, weight) for name, weight in fixed.items() if name not in own)
    arcs, links = batch.arc_features.names, batch.link_features.names
    return _index(learned, others, batch.states, arcs, links, batch.sentence_features.names)


# Every evaluation of an objective asks for that of each block; all are mostly one.
@lru_cache(maxsize=32)
def _index(
    learned: tuple[str, ...],
    others: tuple[tuple[str, float], ...],
    states: tuple[str, ...],
    arcs: tuple[str, ...],
    links: tuple[str, ...],
    sentence: tuple[str, ...],
) -> FeatureIndex:
    place = {name: at for at, name in enumerate((*learned, *(name for name, _ in others)))}
    zero = len(place)

    def look_up(names: Sequence[str]) -> NDArray[np.int64]:
        return np.array([place.get(name, zero) for name in names], dtype=np.int64)

    def table(states: Sequence[str], name: Callable[[str], str]) -> NDArray[np.int64]:
        rows = [look_up([name(transition(before, after)) for after in states]) for before in states]
        start = np.full((1, len(states)), zero, dtype=np.int64)
        return np.concatenate([np.array(rows, dtype=np.int64).reshape(len(rows), len(rows)), start])

    return FeatureIndex(
        learned,
        np.array([*(weight for _, weight in others), 0.0]),
        np.stack([look_up(states), look_up(tuple(map(_whole, states)))]),
        np.stack([table(states, str), table(states, _whole)]),
        look_up(arcs),
        look_up(links),
        look_up(sentence),
        _whole_index(states, place.keys(), look_up, table),
    )


def _whole_index(
    states: tuple[str, ...],
    known: Collection[str],
    look_up: Callable[[Sequence[str]], NDArray[np.int64]],
    table: Callable[[Sequence[str], Callable[[str], str]], NDArray[np.int64]],
) -> WholeIndex | None:
    found = state_parts(states, known)
    if found is None:
        return None
    whole, of = found
    # A whole state has its weight in the table.
    own = [state if state not in whole else "" for state in states]
    parts = Parts(of, len(whole))
    return WholeIndex(parts, look_up(own), look_up(whole)[np.newaxis], table(whole, str)[np.newaxis])


def _whole(name: str) -> str:
    """The shared feature of a split one; a name no feature has for others."""
    return next(iter(shared(name)), "")


def select_pairs(batch: LatticeBatch, pairs: NDArray[np.int64]) -> LatticeBatch:
    """The lattices of some pairs in the order given, with their features; a pair may be given more than once."""
    lattices = batch.lattices.select(pairs)
    # Where the arcs of each pair begin in the new batch, counted from where they begin in the old one.
    shift = lattices.offsets[:-1, 2] - batch.lattices.offsets[pairs, 2]
    kept = np.arange(lattices.arcs.shape[0]) - np.repeat(shift, np.diff(lattices.offsets[:, 2]))
    max_jump = batch.jumps.crossings.max_jump if batch.jumps is not None else 0
    return LatticeBatch(
        batch.states,
        lattices,
        _moved(batch.arc_features, kept),
        _moved(batch.link_features, kept),
        find_jumps(batch.states, lattices, max_jump),
        SentenceFeatures(batch.sentence_features.names, batch.sentence_features.values[pairs])
        if batch.sentence_features.names
        else batch.sentence_features,
        None if batch.perfect is None else _perfect_of(batch.perfect, pairs),
    )


def _perfect_of(perfect: PerfectMatches, pairs: NDArray[np.int64]) -> PerfectMatches:
    kept, of = np.unique(perfect.of[pairs], return_inverse=True)
    return PerfectMatches(select_pairs(perfect.batch, kept), of.astype(np.int64))


def _moved(features: ArcFeatures, kept: NDArray[np.int64]) -> ArcFeatures:
    """The features of the arcs ``kept``, which are the new batch's arcs by their old index."""
    order = np.argsort(features.arc, kind="stable")
    first, last = (np.searchsorted(features.arc[order], kept, side=side) for side in ("left", "right"))
    sizes = last - first
    arc = np.repeat(np.arange(kept.size), sizes)
    entries = order[np.arange(arc.size) + np.repeat(first - (np.cumsum(sizes) - sizes), sizes)]
    return ArcFeatures(features.names, arc, features.feature[entries], features.value[entries])
