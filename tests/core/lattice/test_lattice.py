"""Lattices: arcs against blocks looked at one by one, offsets, weights by name, batches of bounded size."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.lattice.arrays import ArcFeatures, LatticeBatch
from pfsm.lattice.building import build_lattices
from pfsm.matchers.bins import ramped
from pfsm.matchers.protocol import EncodedPairs, Offers
from pfsm.model import builder as builder_module
from pfsm.model.builder import LatticeBuilder, Pairs
from pfsm.model.settings import Settings, settings_from_dict
from pfsm_kernels.lattice.lattices import single
from tests.core.matchers.test_spelling import encoded
from tests.oracles import matching

TOKENS = ("walk", "Walk", "walks", "cat", ".", ",", "7")
lines = st.lists(st.sampled_from(TOKENS), max_size=6)
pairs_of_lines = st.lists(st.tuples(lines, lines), min_size=1, max_size=4)


def arcs_by_name(batch: LatticeBatch) -> list[list[matching.Arc]]:
    """The arcs of every pair, in the lattice's order, states by name."""
    found = []
    for first, last in zip(batch.lattices.offsets[:-1, 2], batch.lattices.offsets[1:, 2], strict=True):
        rows = batch.lattices.arcs[first:last].tolist()
        found.append([(i, p, j, q, batch.states[state]) for i, p, j, q, state in rows])
    return found


@settings(deadline=None, max_examples=150)
@given(
    pairs_of_lines,
    st.permutations(["punct", "word", "lemma"]).flatmap(
        lambda names: st.integers(0, 3).map(lambda count: names[:count])
    ),
    st.fixed_dictionaries({name: st.integers(1, 3) for name in ("punct", "word", "lemma")}),
    st.booleans(),
    st.booleans(),
)
def test_arcs_are_the_offered_blocks(
    pairs: list[tuple[list[str], list[str]]],
    names: list[str],
    max_block: dict[str, int],
    exclusive: bool,
    lowercase: bool,
) -> None:
    configuration = settings_from_dict(
        {
            "tokeniser": "plain",
            "stemmer": "porter",
            "lowercase": lowercase,
            "matchers": names,
            "matching": "exclusive" if exclusive else "overlapping",
            "max_block": {name: max_block[name] for name in names},
        },
        "test",
    )
    batch = LatticeBuilder(configuration).build(
        *([" ".join(side) for side in both] for both in zip(*pairs, strict=True))
    )
    assert batch.states == ("Insert", "Delete", *(f"S_{name}" for name in names))
    sizes = np.diff(batch.lattices.offsets, axis=0)
    for number, (reference, hypothesis) in enumerate(pairs):
        expected = matching.arcs(
            reference, hypothesis, names, max_block, exclusive=exclusive, lowercase=lowercase
        )
        found = arcs_by_name(batch)[number]
        assert sorted(found) == expected
        starts = [(i, j) for i, _, j, _, _ in found]
        assert starts == sorted(starts)
        assert sizes[number].tolist() == [len(reference), len(hypothesis), len(found)]
    assert (batch.lattices.insert_states == batch.states.index("Insert")).all()
    assert (batch.lattices.delete_states == batch.states.index("Delete")).all()


@dataclass(frozen=True)
class Offering:
    """A matcher that offers what it is told to, as a paraphrase table would: blocks of unequal size too."""

    name: str
    rows: tuple[tuple[int, int, int, int, int], ...]
    knots: tuple[float, ...] = ()

    @property
    def state(self) -> str:
        return f"S_{self.name}"

    @property
    def resources(self) -> tuple[str, ...]:
        return ()

    def offers(self, pairs: EncodedPairs) -> Offers:
        blocks = np.array(self.rows, dtype=np.int32).reshape(-1, 5)
        return ramped(self.name, blocks, np.arange(len(self.rows)) / 2.0, self.knots)


def test_features_follow_their_blocks_into_the_lattice() -> None:
    one = Offering("one", ((1, 0, 2, 1, 1), (0, 0, 1, 0, 1), (0, 0, 1, 0, 2)), (0.0, 0.75, 1.0))
    other = Offering("other", ((1, 0, 1, 0, 1), (1, 0, 2, 1, 1), (0, 0, 2, 0, 1)), (0.0, 1.0))
    batch = build_lattices(encoded(["a b", "c d"], ["e f", "g h"]), [one, other])
    assert arcs_by_name(batch) == [
        [(0, 1, 0, 1, "S_one"), (0, 1, 0, 2, "S_one"), (0, 2, 0, 1, "S_other")],
        [(0, 1, 0, 1, "S_other"), (0, 2, 1, 1, "S_one")],
    ]
    features = batch.arc_features
    assert features.names == ("one:+0", "one:+1", "other:+0")
    found = {
        (tuple(batch.lattices.arcs[arc].tolist()), features.names[feature], value)
        for arc, feature, value in zip(features.arc, features.feature, features.value.tolist(), strict=True)
    }
    # The number is half the offer's place: 0, 0.5, 1. The block both offer belongs to the first, with value 0.
    assert found == {
        ((0, 1, 0, 1, 2), "one:+0", 0.5 / 0.75),
        ((0, 1, 0, 2, 2), "one:+0", 1.0),
        ((0, 1, 0, 2, 2), "one:+1", 1.0),
        ((0, 2, 0, 1, 3), "other:+0", 1.0),
    }


def test_an_offer_outside_its_pair_is_refused_before_a_kernel_sees_it() -> None:
    with pytest.raises(ValueError, match="stay inside its pair"):
        build_lattices(encoded(["a"], ["b"]), [Offering("wide", ((0, 0, 2, 0, 1),))])


def test_features_add_up_on_their_arcs() -> None:
    features = ArcFeatures(
        ("length", "rare"),
        np.array([2, 0, 2], dtype=np.int64),
        np.array([0, 1, 1], dtype=np.int32),
        np.array([2.0, 1.0, -3.0]),
    )
    lattices = single(3, [1, 1], [0, 0], [(0, 1, 0, 1, 2), (0, 1, 1, 1, 2), (1, 1, 1, 1, 2)])
    for on_arcs, on_links in ((features, ArcFeatures()), (ArcFeatures(), features)):
        batch = LatticeBatch(("Insert", "Delete", "S_word"), lattices, on_arcs, on_links)
        weights = batch.weights({"length": 0.5, "rare": 10.0})
        here, there = (weights.arcs, weights.links)[:: 1 if on_arcs is features else -1]
        assert here is not None
        assert here.tolist() == [10.0, 0.0, 2.0 * 0.5 - 3.0 * 10.0]
        assert there is None


class TestBatches:
    REFERENCES = ("a b c", "", "d e f g h", "a", "the cats sat .", "x")
    HYPOTHESES = ("a b", "c", "", "a a a a", "the cat sat .", "y")

    @pytest.mark.parametrize(("most_pairs", "most_cells"), [(1, 1000), (2, 13), (4, 1000), (100, 1)])
    def test_batches_are_bounded_and_hold_every_pair_in_order(
        self, most_pairs: int, most_cells: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole = arcs_by_name(LatticeBuilder(Settings()).build(self.REFERENCES, self.HYPOTHESES))
        monkeypatch.setattr(builder_module, "PAIRS_PER_BATCH", most_pairs)
        monkeypatch.setattr(builder_module, "CELLS_PER_BATCH", most_cells)
        batches = list(LatticeBuilder(Settings()).batches(Pairs.of(self.HYPOTHESES, self.REFERENCES)))
        assert [arcs for batch in batches for arcs in arcs_by_name(batch)] == whole
        for number, batch in enumerate(batches):
            sizes = np.diff(batch.lattices.offsets, axis=0)[:, :2] + 1
            assert len(batch) == 1 or sizes.prod(axis=1).sum() <= most_cells
            assert 1 <= len(batch) <= most_pairs
            if number:  # no batch is smaller than it has to be
                before = np.diff(batches[number - 1].lattices.offsets, axis=0)[:, :2] + 1
                cells = before.prod(axis=1).sum() + sizes[0].prod()
                assert len(before) == most_pairs or cells > most_cells
