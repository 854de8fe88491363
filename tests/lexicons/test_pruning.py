"""Which entries are kept."""

import pytest

from pfsm.lexicons.paraphrase_formats import Pruner


@pytest.mark.parametrize(
    ("entry", "kept"),
    [
        (("Of Course", "naturally", 0.5), {(("of", "course"), ("naturally",)): 0.5}),
        (("a b c", "d", 0.5), {}),
        ((" a  b ", "d", 0.5), {(("a", "b"), ("d",)): 0.5}),
        (("same", "Same", 0.5), {}),
        (("a ,", "b", 0.5), {}),
        (("a", "b", 0.0099), {}),
        (("a", "b", 0.01), {(("a",), ("b",)): 0.01}),
        (("a", "b", 227.9), {(("a",), ("b",)): 1.0}),
        (("7", "seven", 0.5), {(("7",), ("seven",)): 0.5}),
    ],
)
def test_one_entry(entry: tuple[str, str, float], kept: dict[object, float]) -> None:
    pruner = Pruner()
    pruner.add([entry])
    assert pruner.pairs == kept


def test_the_larger_of_two_counts_in_either_order() -> None:
    for values in ((0.2, 0.6), (0.6, 0.2)):
        pruner = Pruner()
        pruner.add([("a", "B" if value < 0.5 else "b", value) for value in values])
        assert pruner.pairs == {(("a",), ("b",)): 0.6}


def test_other_bounds() -> None:
    pruner = Pruner(longest=3, smallest=0.0)
    pruner.add([("a b c", "d", 0.001), ("a b c d", "e", 0.5), ("a", "b", 0.0)])
    assert pruner.pairs == {(("a", "b", "c"), ("d",)): 0.001}
    assert pruner.read == 3
