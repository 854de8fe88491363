"""The registry: every matcher in it keeps the protocol's promises, and what plug-ins offer is checked."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm.errors import PfsmError
from pfsm.matchers.plugin import Annotations, MatcherPlugin, Offers, checked_kind
from pfsm.matchers.protocol import Annotator, EncodedPairs
from pfsm.matchers.registry import MATCHERS
from pfsm.model.settings import SMALLEST_BLOCKS
from pfsm.text.vocabulary import Vocabulary
from tests.core.embeddings.networks import write_vectors

# These annotate the blocks of the others.
ANNOTATING = ("dep", "role")
OFFERING = [name for name in MATCHERS if name not in ANNOTATING]


@pytest.fixture
def options(tmp_path: Path) -> dict[str, dict[str, Any]]:
    """Options of the matchers that cannot do without."""
    vectors = {"cat": [1.0, 0.0], "cats": [0.8, 0.6], "c": [0.0, 1.0]}
    return {"emb": {"source": str(write_vectors(tmp_path / "vectors.txt", vectors))}}


@pytest.mark.parametrize("name", ANNOTATING)
def test_what_annotates_offers_nothing(name: str) -> None:
    kind = MATCHERS[name]
    matcher = kind.build(1, kind.check({}, name))
    vocabulary = Vocabulary()
    lines = vocabulary.encode(["the cats, the cats", "c d e"])
    assert isinstance(matcher, Annotator)
    assert MATCHERS[name].state == matcher.state == ""
    assert len(matcher.offers(EncodedPairs(vocabulary, lines, lines)).blocks) == 0


# Numbers of one, of two and of three words.
NUMBERS, DIGITS = "ten , twenty thousand , six hundred thousand", "10 20,000 600,000"
# Amounts and dates of one, of two and of three words, and words that change places.
AMOUNTS, DATES = "5% on Fri. , 5 % , 2 May 2021 , x y z", "Friday 5% May 2nd 2021 y x z , z x y"


@pytest.mark.parametrize("name", OFFERING)
@pytest.mark.parametrize("max_block", [1, 3])
def test_the_promises_of_the_protocol(name: str, max_block: int, options: dict[str, dict[str, Any]]) -> None:
    vocabulary = Vocabulary()
    references = vocabulary.encode(
        ["the cats, the cats", "", "walks !", "c d e ; : ! f", "he said per cent", NUMBERS, AMOUNTS]
    )
    hypotheses = vocabulary.encode(
        ["the cat, the cat", "a", "", "c d e ; : ! f", "he stated percent", DIGITS, DATES]
    )
    kind = MATCHERS[name]
    max_block = max(max_block, SMALLEST_BLOCKS.get(name, 1))
    matcher = kind.build(max_block, kind.check(options.get(name, {}), name))
    offers = matcher.offers(EncodedPairs(vocabulary, references, hypotheses)).blocks
    assert offers.dtype == np.int32
    assert len({tuple(row) for row in offers.tolist()}) == len(offers) > 0
    for pair, i, p, j, q in offers.tolist():
        assert 1 <= p <= max_block
        assert 1 <= q <= max_block
        assert 0 <= i <= i + p <= np.diff(references.offsets)[pair]
        assert 0 <= j <= j + q <= np.diff(hypotheses.offsets)[pair]
    # Synonyms, spellings and vectors are of single words, the shipped paraphrases of at most two.
    assert max(offers[:, 2]) == min(
        max_block, {"morph": 1, "syn": 1, "char": 1, "emb": 1, "para": 2}.get(name, max_block)
    )


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("para", {"threshold": 1}, "unknown option 'threshold'; known are table, direction, minimum_probability, bins"),
    ("para", {"direction": "sideways"}, "direction is 'sideways', it must be one of both, forward, backward"),
    ("para", {"minimum_probability": float("nan")}, "minimum_probability is nan"),
    ("para", {"table": ["a", "a@01234567"]}, "table is .*, it must name at least one table, and each once"),
    ("para", {"table": ["a", "../b"]}, "table is '../b', it must be the name of a table"),
    ("para", {"bins": [1, 1]}, "bins is .*, it must be auto or a list of increasing numbers"),
    ("char", {"minimum": float("nan")}, "minimum is nan, it must be a number above 0, at most 1"),
    ("char", {"shortest": 4.0}, "shortest is 4.0, it must be a whole number from 1 to 64"),
    ("emb", {"source": 1}, "source is 1"),
    ("emb", {"layer": -1}, "layer is -1"),
    ("emb", {"minimum": True}, "minimum is True"),
    ("emb", {"nearest": 1.5}, "nearest is 1.5"),
    ("dep", {"marginals": "yes"}, "marginals is 'yes', it must be true or false"),
    ("dep", {"links": False, "arcs": False}, "leaves no feature"),
    ("role", {"parser": ""}, "parser is '', it must be the name of a parser"),
    ("syn", {"table": 7}, "table is 7, it must be the name of a table"),
    ("num", {"words": "de"}, "words is 'de', it must be en or none"),
]  # fmt: skip


def test_options_that_cannot_be() -> None:
    for name, options, fault in REFUSED:
        with pytest.raises(PfsmError, match=f"where: .*{fault}"):
            MATCHERS[name].check(options, "where")


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
        offers((0, 0, 1, 0, 1), **features((0, 0, 1.0), names=("mine:x",) * 2)),
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


def test_good_offers_pass_unchanged_and_bad_ones_are_one_line(pairs: EncodedPairs) -> None:
    assert all(said_of(given, pairs) is given for given in GOOD)
    for given, fault in BAD.values():
        with pytest.raises(PfsmError, match=rf"^matcher 'mine': .*{fault}"):
            said_of(given, pairs)


class Says(MatcherPlugin):
    """Says something of all blocks."""

    name = "says"
    state = ""
    names: tuple[str, ...] = ("says:so",)
    links: tuple[str, ...] = ("link:says",)
    value = 1.0

    def offers(self, pairs: EncodedPairs) -> Offers:
        return offers()

    def annotate(self, pairs: EncodedPairs, blocks: Any) -> Annotations:
        return Annotations(self.names, [(0, 0, self.value)], self.links, [])


def test_annotations_are_checked(pairs: EncodedPairs) -> None:
    blocks = np.array([(0, 0, 1, 0, 1)], dtype=np.int32)
    wrong: dict[str, dict[str, Any]] = {
        "": {},
        "names a feature 'so'": {"names": ("so",)},
        "names a feature 'says:x'; names must begin with 'link:'": {"links": ("says:x",)},
        "not a finite number": {"value": np.nan},
    }
    for fault, changes in wrong.items():
        kind = checked_kind("says", type("Changed", (Says,), {"state": "", **changes}))
        matcher = kind.build(1, {})
        assert isinstance(matcher, Annotator)
        if not fault:
            assert (kind.state, matcher.annotate(pairs, blocks).arcs) == ("", [(0, 0, 1.0)])
            continue
        with pytest.raises(PfsmError, match=f"^matcher 'says': .*{fault}"):
            matcher.annotate(pairs, blocks)


def test_defaults_of_the_base_class_and_a_matcher_of_another_kind(pairs: EncodedPairs) -> None:
    assert Mine.state == "S_mine"
    with pytest.raises(PfsmError, match=r"^x: unknown option 'a'; this matcher takes no options$"):
        Mine.check({"a": 1}, "x")
    assert Mine.learn({"a": 1}, pairs) == {"a": 1}
    with pytest.raises(
        PfsmError, match=r"^calls itself 'says'; its name must be 'mine', as it is registered$"
    ):
        checked_kind("mine", Says)
