"""What plug-in matchers offer is checked before kernels see it."""

from typing import Any

import numpy as np
import pytest

from pfsm.errors import PfsmError
from pfsm.matchers.plugin import Annotations, EncodedPairs, MatcherPlugin, Offers, checked_kind
from pfsm.matchers.protocol import Annotator
from pfsm.text.vocabulary import Vocabulary


@pytest.fixture
def pairs() -> EncodedPairs:
    """Two pairs, of 3 by 2 and of 1 by 4 tokens."""
    vocabulary = Vocabulary("plain", "none")
    return EncodedPairs(vocabulary, vocabulary.encode(["a b c", "d"]), vocabulary.encode(["a b", "a b c d"]))


def offers(*rows: tuple[int, ...], **further: Any) -> Offers:
    return Offers(np.array(rows, dtype=np.int32).reshape(-1, 5), **further)


def features(*entries: tuple[int, int, float], names: tuple[str, ...] = ("mine:x",)) -> dict[str, Any]:
    block, name, value = zip(*entries, strict=True)
    return {
        "names": names,
        "offer": np.array(block, dtype=np.int64),
        "feature": np.array(name, dtype=np.int32),
        "value": np.array(value),
    }


class Mine(MatcherPlugin):
    """Offers what the test puts into it."""

    name = "mine"
    given: Offers

    def offers(self, pairs: EncodedPairs) -> Offers:
        return self.given


def said_of(given: Offers, pairs: EncodedPairs, max_block: int = 2) -> Offers:
    matcher = checked_kind("mine", type("Given", (Mine,), {"given": given})).build(max_block, {})
    return matcher.offers(pairs)


GOOD = (
    offers(),
    offers((0, 0, 1, 0, 1), (0, 1, 2, 0, 2), (1, 0, 1, 3, 1), (0, 0, 1, 1, 1)),
    offers((0, 2, 1, 1, 1), **features((0, 0, 0.5), (0, 0, -1.0))),
)
BAD = {
    "before the pair": (offers((0, -1, 1, 0, 1)), "outside its reference"),
    "behind the hypothesis": (offers((0, 0, 1, 2, 1)), "outside its hypothesis"),
    "into the next pair": (offers((0, 3, 1, 0, 1)), "outside its reference"),
    "no such pair": (offers((2, 0, 1, 0, 1)), "of a pair that is not there; the batch has 2"),
    "too large": (offers((0, 0, 3, 0, 1)), "a block of 3 tokens of the reference; max_block is 2"),
    "huge": (offers((0, 2, 2**31 - 1, 0, 1)), "outside its reference"),
    "twice": (offers((0, 0, 1, 0, 1), (1, 0, 1, 0, 1), (0, 0, 1, 0, 1)), "offers a block twice"),
    "shape": (Offers(np.zeros((1, 4), dtype=np.int32)), r"blocks of shape \(1, 4\) and type int32"),
    "name": (offers((0, 0, 1, 0, 1), **features((0, 0, 1.0), names=("x",))), "names a feature 'x'"),
    "names": (
        offers((0, 0, 1, 0, 1), **features((0, 0, 1.0), names=("mine:x", "mine:x"))),
        "names a feature twice",
    ),
    "nan": (offers((0, 0, 1, 0, 1), **features((0, 0, np.nan))), "not a finite number"),
    "no such offer": (offers((0, 0, 1, 0, 1), **features((1, 0, 1.0))), "on a block that is not there"),
    "no such name": (offers((0, 0, 1, 0, 1), **features((0, 1, 1.0))), "on a block that has no name"),
    "lengths": (
        offers((0, 0, 1, 0, 1), **{**features((0, 0, 1.0)), "value": np.zeros(2)}),
        "differ in length",
    ),
    "no numbers": (
        offers((0, 0, 1, 0, 1), **{**features((0, 0, 1.0)), "offer": np.zeros(1)}),
        "offer of its features holds no whole numbers",
    ),
}


@pytest.mark.parametrize("given", GOOD)
def test_good_offers_pass_unchanged(given: Offers, pairs: EncodedPairs) -> None:
    assert said_of(given, pairs) is given


@pytest.mark.parametrize("name", BAD)
def test_bad_offers_are_one_line(name: str, pairs: EncodedPairs) -> None:
    given, fault = BAD[name]
    with pytest.raises(PfsmError, match=rf"^matcher 'mine': .*{fault}"):
        said_of(given, pairs)


class Says(MatcherPlugin):
    """Says something of all blocks."""

    name = "says"
    state = ""
    names: tuple[str, ...] = ("says:so",)
    links: tuple[str, ...] = ("link:says",)
    value = 1.0
    block = 0

    def offers(self, pairs: EncodedPairs) -> Offers:
        return offers()

    def annotate(self, pairs: EncodedPairs, blocks: Any) -> Annotations:
        return Annotations(self.names, [(self.block, 0, self.value)], self.links, [])


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({}, ""),
        ({"names": ("so",)}, "names a feature 'so'"),
        ({"links": ("says:x",)}, "names a feature 'says:x'; names must begin with 'link:'"),
        ({"value": np.nan}, "not a finite number"),
    ],
)
def test_annotations_are_checked(changes: dict[str, Any], fault: str, pairs: EncodedPairs) -> None:
    kind = checked_kind("says", type("Changed", (Says,), {"state": "", **changes}))
    assert kind.state == ""
    matcher = kind.build(1, {})
    assert isinstance(matcher, Annotator)
    blocks = np.array([(0, 0, 1, 0, 1)], dtype=np.int32)
    if not fault:
        assert matcher.annotate(pairs, blocks).arcs == [(0, 0, 1.0)]
        return
    with pytest.raises(PfsmError, match=f"^matcher 'says': .*{fault}"):
        matcher.annotate(pairs, blocks)


def test_defaults_of_the_base_class(pairs: EncodedPairs) -> None:
    assert Mine.state == "S_mine"
    with pytest.raises(PfsmError, match=r"^x: unknown option 'a'; this matcher takes no options$"):
        Mine.check({"a": 1}, "x")
    assert Mine.learn({"a": 1}, pairs) == {"a": 1}


def test_a_matcher_must_be_of_its_kind() -> None:
    other = type("Other", (Mine,), {"build": classmethod(lambda cls, size, options: Says(size, options))})
    with pytest.raises(PfsmError, match=r"^matcher 'mine': its name is 'says', not 'mine'$"):
        checked_kind("mine", other).build(1, {})
