"""The n-best list of a line of several sentences, against all combinations of their trees."""

from itertools import product

import numpy as np
import pytest

from pfsm.analysis.sentence import DependencyTree
from pfsm.english.parser.parse import _combined


def lists_of(seed: int, sizes: tuple[int, ...]) -> list[list[DependencyTree]]:
    """For every sentence of one word its trees, the likeliest first; labels tell them apart."""
    rng = np.random.default_rng(seed)
    return [
        [
            DependencyTree((0,), (f"{sentence}-{number}",), value)
            for number, value in enumerate(sorted((-rng.exponential(size=size)).tolist(), reverse=True))
        ]
        for sentence, size in enumerate(sizes)
    ]


@pytest.mark.parametrize("count", [1, 2, 5, 17, 1000])
@pytest.mark.parametrize("sizes", [(1,), (4,), (3, 1), (3, 4), (5, 1, 4), (3, 3, 3), (2, 4, 3, 2)])
def test_against_every_combination(sizes: tuple[int, ...], count: int) -> None:
    lists = [trees[:count] for trees in lists_of(len(sizes), sizes)]
    every = {
        tuple(tree.labels[0] for tree in chosen): sum(tree.log_probability for tree in chosen)
        for chosen in product(*lists)
    }
    wanted = sorted(every.items(), key=lambda entry: -entry[1])[:count]
    found = _combined(lists, count)
    assert [tree.labels for tree in found] == [labels for labels, _ in wanted]
    assert [tree.log_probability for tree in found] == pytest.approx([value for _, value in wanted])
    assert {tree.heads for tree in found} == {(0,) * len(sizes)}
