"""The n-best list of a line of several sentences, against all combinations of their trees."""

import itertools

import numpy as np
import pytest

from pfsm.analysis.sentence import DependencyTree
from pfsm.english.parser.parse import _combined


def test_n_best_lists_against_every_combination() -> None:
    """Of a line of several sentences of one word; labels tell the trees apart."""
    rng = np.random.default_rng(1)
    for sizes, count in itertools.product([(1,), (3, 1), (3, 4), (5, 1, 4), (2, 4, 3, 2)], [1, 2, 17, 1000]):
        lists = [
            [
                DependencyTree((0,), (f"{sentence}-{number}",), value)
                for number, value in enumerate(sorted((-rng.exponential(size=size)).tolist(), reverse=True))
            ][:count]
            for sentence, size in enumerate(sizes)
        ]
        every = {
            tuple(tree.labels[0] for tree in chosen): sum(tree.log_probability for tree in chosen)
            for chosen in itertools.product(*lists)
        }
        wanted = sorted(every.items(), key=lambda entry: -entry[1])[:count]
        found = _combined(lists, count)
        assert [tree.labels for tree in found] == [labels for labels, _ in wanted]
        assert [tree.log_probability for tree in found] == pytest.approx([value for _, value in wanted])
        assert {tree.heads for tree in found} == {(0,) * len(sizes)}
