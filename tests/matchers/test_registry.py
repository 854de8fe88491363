"""The registry: names, states, and that every matcher in it keeps the protocol's promises."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm.errors import PfsmError
from pfsm.matchers.protocol import Annotator, EncodedPairs
from pfsm.matchers.registry import MATCHERS, matcher_state
from pfsm.model.settings import SMALLEST_BLOCKS
from pfsm.text.vocabulary import Vocabulary
from tests.embeddings.networks import write_vectors

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
    assert matcher_state(name) == matcher.state == ""
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


@pytest.mark.parametrize(
    ("name", "options", "fault"),
    [
        (
            "para",
            {"threshold": 1},
            "unknown option 'threshold'; known are table, direction, minimum_probability, bins",
        ),
        (
            "para",
            {"direction": "sideways"},
            "direction is 'sideways', it must be one of both, forward, backward",
        ),
        ("para", {"minimum_probability": float("nan")}, "minimum_probability is nan"),
        (
            "para",
            {"table": ["a", "a@01234567"]},
            "table is .*, it must name at least one table, and each once",
        ),
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
    ],
)
def test_options_that_cannot_be(name: str, options: dict[str, Any], fault: str) -> None:
    with pytest.raises(PfsmError, match=f"where: .*{fault}"):
        MATCHERS[name].check(options, "where")
