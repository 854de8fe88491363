"""Instances of features against a count from the definition; the learned features; selected pairs."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.lattice.arrays import ArcFeatures, LatticeBatch
from pfsm_kernels.lattice.instances import count_instances
from pfsm_kernels.lattice.lattices import single
from pfsm_training.lattices.features import feature_index, frequent, instances, select_pairs
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


def test_a_place_with_several_arcs_of_a_state_is_one_instance() -> None:
    """Blocks of two sizes and two offers of the same one begin in one place; both sizes end in two."""
    arcs = [(0, 1, 0, 1, 2), (0, 1, 0, 1, 2), (0, 2, 0, 2, 2), (1, 1, 1, 1, 2)]
    counts = count_instances(single(3, [1, 1], [0, 0], arcs))
    # Cells are (0..2, 0..2): an Insert can begin left of the last column, a Delete above the last row.
    assert counts.states.tolist() == [6, 6, 2]
    # S>S meets at (1, 1); an Insert can follow S at (1, 1) but not at the end; S follows neither at the start.
    assert counts.transitions.tolist() == [[3, 4, 1], [4, 3, 1], [1, 1, 1]]


def test_a_feature_with_fewer_than_five_instances_is_dropped_but_those_of_jump_never() -> None:
    counts = {
        "Insert": 4,
        "Delete": 5,
        "S_word": 0,
        "Jump": 0,
        "Jump>Insert": 1,
        "Insert>Jump": 0,
        "Jump>Jump": 0,
        "Insert>Delete": 5,
        "link:subject": 4,
        "link:object": 6,
        "S_Jumper": 3,
    }
    kept = ("Delete", "Jump", "Jump>Insert", "Insert>Jump", "Jump>Jump", "Insert>Delete", "link:object")
    assert frequent(counts) == kept


def test_every_entry_finds_its_weight() -> None:
    batch = featured(random_batch(2, pairs=3), 2)
    learned = ("S_word", "Insert>Delete", "link:object", "unseen")
    fixed = {"Insert": 0.5, "S_word": 9.0, "rare:word": -2.0, "Delete>S_odd": 4.0}
    index = feature_index(batch, learned, fixed)
    values = np.concatenate([[1.0, 2.0, 3.0, 99.0], index.fixed])
    by_name = {**fixed, "S_word": 1.0, "Insert>Delete": 2.0, "link:object": 3.0}
    assert index.learned == learned
    none = [0.0] * len(STATES)  # nothing is split by word class
    assert values[index.states].tolist() == [[by_name.get(name, 0.0) for name in STATES], none]
    table = [[by_name.get(f"{prev}>{cur}", 0.0) for cur in STATES] for prev in STATES]
    assert values[index.transitions].tolist() == [[*table, none], [none] * (len(STATES) + 1)]
    assert values[index.arcs].tolist() == [by_name.get(name, 0.0) for name in batch.arc_features.names]
    assert values[index.links].tolist() == [by_name.get(name, 0.0) for name in LINK_NAMES]


def on_each_arc(features: ArcFeatures, n_arcs: int) -> list[list[tuple[int, float]]]:
    """What each arc carries, in the order of the entries."""
    result: list[list[tuple[int, float]]] = [[] for _ in range(n_arcs)]
    entries = zip(features.arc.tolist(), features.feature.tolist(), features.value.tolist(), strict=True)
    for arc, feature, value in entries:
        result[arc].append((feature, value))
    return result


def arcs_of(batch: LatticeBatch, pair: int) -> range:
    return range(*batch.lattices.offsets[pair : pair + 2, 2].tolist())


@pytest.mark.parametrize(
    "pairs",
    [[], [0], [5, 2, 9], list(range(12)), list(range(11, -1, -1)), [3, 3, 0, 3]],
    ids=["none", "empty", "some", "all", "backwards", "repeated"],
)
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
