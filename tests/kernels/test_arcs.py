"""Offers merged into arcs, their order, and soft bins, against Python's own sorting, a dictionary, a formula."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.lattice.arrays import merged
from pfsm_kernels.lattice.features import ramps
from pfsm_kernels.lattice.lattices import each_once

Row = tuple[int, int, int, int, int]

small = st.integers(0, 3)
rows_of_a_matcher = st.lists(st.tuples(small, small, small, small, small), max_size=8, unique=True)


def by_place(row: Row) -> Row:
    pair, i, p, j, q = row
    return pair, i, j, p, q


@settings(deadline=None, max_examples=200)
@given(st.lists(rows_of_a_matcher, max_size=4), st.booleans(), st.booleans())
def test_merged_offers(offers: list[list[Row]], exclusive: bool, shuffled: bool) -> None:
    given_rows = [offer if shuffled else sorted(offer, key=by_place) for offer in offers]
    arrays = [np.array(offer, dtype=np.int32).reshape(-1, 5) for offer in given_rows]
    arcs, rank, per_pair, places = merged(arrays, 4, exclusive)
    everything = [(by_place(row), matcher, row) for matcher, offer in enumerate(given_rows) for row in offer]
    wanted: list[tuple[Row, int]] = []
    for _, matcher, row in sorted(everything):
        if not (exclusive and wanted and wanted[-1][0] == row):
            wanted.append((row, matcher))
    assert [tuple(arc) for arc in arcs.tolist()] == [(*row[1:], 0) for row, _ in wanted]
    assert rank.tolist() == [matcher for _, matcher in wanted]
    assert per_pair.tolist() == [sum(row[0] == pair for row, _ in wanted) for pair in range(4)]
    numbers = {entry: place for place, entry in enumerate(wanted)}
    flat = [(row, matcher) for matcher, offer in enumerate(given_rows) for row in offer]
    assert places.tolist() == [numbers.get(entry, -1) for entry in flat]


def test_every_row_stays_once_with_its_largest_value() -> None:
    draw = np.random.default_rng(5)
    # The last rows do not fit into one number.
    sizes = (0, 3, 1), (1, 1, 1), (40, 3, 2), (500, 9, 3), (2000, 1, 40), (400, 3, 2), (400, 3, 2)
    for (size, n_pairs, largest), step in zip(sizes, (1, 1, 1, 1, 1, 2**29, -1), strict=True):
        sides = step * draw.integers(0, largest + 1, (size, 4))
        rows = np.column_stack([draw.integers(0, n_pairs, size), sides]).astype(np.int32)
        values = draw.random(size).astype(np.float32)
        expected: dict[tuple[int, ...], float] = {}
        for (pair, i, p, j, q), value in zip(rows.tolist(), values.tolist(), strict=True):
            expected[pair, i, j, p, q] = max(value, expected.get((pair, i, j, p, q), 0.0))
        found, best = each_once(rows, values)
        assert found[:, [0, 1, 3, 2, 4]].tolist() == [list(row) for row in sorted(expected)]
        assert best.tolist() == [expected[row] for row in sorted(expected)]


def test_shares_are_those_of_the_formula() -> None:
    draw = np.random.default_rng(6)
    for knots in (np.array([0.0, 1.0]), np.array([-2.0, -0.5, 0.1, 3.0])):
        values = np.concatenate([knots, draw.uniform(-3.0, 4.0, 200), [-9.0, 9.0]])
        expected = [
            (row, step, min((value - low) / (high - low), 1.0))
            for row, value in enumerate(values.tolist())
            for step, (low, high) in enumerate(pairwise(knots.tolist()))
            if value > low
        ]
        found = ramps(values, knots)
        assert list(zip(*(part.tolist() for part in found), strict=True)) == expected
    assert [part.size for part in ramps(np.zeros(0), np.array([0.0, 1.0]))] == [0, 0, 0]
