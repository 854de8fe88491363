"""Instances of features against a count from the definition; the learned features; selected pairs."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.lattice.arrays import ArcFeatures, LatticeBatch
from pfsm_training.lattices.features import instances, select_pairs
from tests.oracles import log_linear as oracle
from tests.training.small_data import STATES, random_batch, random_features

ARC_NAMES, LINK_NAMES = ("rare:word", "rare:stem", "rare:never"), ("link:subject", "link:object")


def featured(batch: LatticeBatch, seed: int) -> LatticeBatch:
    n_arcs = batch.lattices.arcs.shape[0]
    return replace(
        batch,
        arc_features=random_features(seed, n_arcs, ARC_NAMES[:2]),
        link_features=random_features(seed + 1, n_arcs, LINK_NAMES),
    )


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6), max_block=st.integers(1, 3), arcs=st.floats(0.0, 4.0))
def test_instances_are_those_of_the_definition(seed: int, max_block: int, arcs: float) -> None:
    batch = featured(random_batch(seed, pairs=5, longest=4, max_block=max_block, arcs=arcs), seed)
    found = instances(batch)
    assert {name: count for name, count in found.items() if count} == oracle.instances(batch)
    transitions = [f"{prev}>{cur}" for prev in STATES for cur in STATES]
    assert list(found) == [*STATES, *transitions, *batch.arc_features.names, *LINK_NAMES]


def on_each_arc(features: ArcFeatures, n_arcs: int) -> list[list[tuple[int, float]]]:
    """What each arc carries, in the order of the entries."""
    result: list[list[tuple[int, float]]] = [[] for _ in range(n_arcs)]
    entries = zip(features.arc.tolist(), features.feature.tolist(), features.value.tolist(), strict=True)
    for arc, feature, value in entries:
        result[arc].append((feature, value))
    return result


def arcs_of(batch: LatticeBatch, pair: int) -> range:
    return range(*batch.lattices.offsets[pair : pair + 2, 2].tolist())


@pytest.mark.parametrize("pairs", [[], list(range(11, -1, -1)), [3, 3, 0, 3]])
def test_the_lattices_of_some_pairs_keep_their_features(pairs: Sequence[int]) -> None:
    batch = featured(random_batch(7, pairs=12), 7)
    part = select_pairs(batch, np.array(pairs, dtype=np.int64))
    assert len(part) == len(pairs)
    assert part.states == batch.states
    for place, pair in enumerate(pairs):
        assert oracle.edit_lattice(part, place, {}) == oracle.edit_lattice(batch, pair, {})
        for new, old in ((part.arc_features, batch.arc_features), (part.link_features, batch.link_features)):
            assert new.names == old.names
            new_carried = on_each_arc(new, part.lattices.arcs.shape[0])
            old_carried = on_each_arc(old, batch.lattices.arcs.shape[0])
            assert [new_carried[arc] for arc in arcs_of(part, place)] == [
                old_carried[arc] for arc in arcs_of(batch, pair)
            ]
