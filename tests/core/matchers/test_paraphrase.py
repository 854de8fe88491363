"""S_para: blocks that a table links, against a look at every block of every size."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pfsm.lexicons.compiling import compile_paraphrases
from pfsm.lexicons.paraphrases import Phrase
from pfsm.matchers.paraphrase import ParaphraseMatcher
from pfsm.matchers.protocol import EncodedPairs
from pfsm.matchers.registry import MATCHERS
from tests.core.lexicons.lexicon_cases import install, paraphrases
from tests.core.matchers.test_spelling import encoded as lines_encoded

Table = dict[tuple[Phrase, Phrase], float]
Pairs = list[tuple[list[str], list[str]]]
WORDS = ("a", "b", "c", "d")
phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(tuple)
tables = st.dictionaries(st.tuples(phrases, phrases), st.sampled_from([0.001, 0.01, 0.5, 1.0]), max_size=40)
lines = st.lists(st.sampled_from([*WORDS, "A", "other", ","]), max_size=7)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path))


def encoded(pairs: Pairs) -> EncodedPairs:
    references, hypotheses = ([" ".join(side) for side in sides] for sides in zip(*pairs, strict=True))
    return lines_encoded(references, hypotheses, tokeniser="plain", stemmer="none")


def expected(
    given: Sequence[Table], pairs: Pairs, max_block: int, direction: str, smallest: float
) -> dict[tuple[int, ...], float]:
    found: dict[tuple[int, ...], float] = {}
    for number, (reference, hypothesis) in enumerate(pairs):
        for i, one in blocks_of(reference, max_block):
            for j, other in blocks_of(hypothesis, max_block):
                both = {"forward": [(one, other)], "backward": [(other, one)]}
                keys = both.get(direction, [(one, other), (other, one)])
                values = [table[key] for table in given for key in keys if key in table]
                if values and max(values) >= smallest:
                    found[number, i, len(one), j, len(other)] = math.log10(max(values))
    return found


def blocks_of(line: list[str], max_block: int) -> list[tuple[int, Phrase]]:
    return [
        (start, tuple(token.lower() for token in line[start : start + size]))
        for start in range(len(line))
        for size in range(1, min(max_block, len(line) - start) + 1)
    ]


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(tables, min_size=1, max_size=2),
    st.lists(st.tuples(lines, lines), min_size=1, max_size=3),
    st.integers(1, 4),
    st.sampled_from(["both", "forward", "backward"]),
    st.sampled_from([0.0, 0.01, 0.6]),
)
def test_links_are_those_of_the_tables(
    tmp_path: Path, given: list[Table], pairs: Pairs, max_block: int, direction: str, smallest: float
) -> None:
    names = [f"t{number}" for number in range(len(given))]
    for name, table in zip(names, given, strict=True):
        install(compile_paraphrases(name, table, "free", []), tmp_path)
    blocks, values = ParaphraseMatcher(names, max_block, direction, smallest).links(encoded(pairs))
    found = dict(zip(map(tuple, blocks.tolist()), values.tolist(), strict=True))
    assert len(found) == len(blocks)
    assert found == pytest.approx(expected(given, pairs, max_block, direction, smallest), abs=1e-6)


def test_the_probability_is_a_feature_in_soft_bins(tmp_path: Path) -> None:
    install(paraphrases({("a", "b"): 0.1, ("a", "c"): 0.01, ("a", "d"): 1.0}), tmp_path)
    kind = MATCHERS["para"]
    options = kind.check({"table": "few", "bins": [-2, -0.5, 0]}, "options")
    offers = kind.build(1, options).offers(encoded([(["a"], ["b", "c", "d"])]))
    assert offers.names == ("para:+0", "para:+1")
    weights = np.array([3.0, 6.0])
    points = np.bincount(offers.offer, weights[offers.feature] * offers.value, minlength=3)
    by_block = {tuple(block[[3]]): point for block, point in zip(offers.blocks, points, strict=True)}
    # -1 is two thirds of the way from -2 to -.5.
    assert by_block == pytest.approx({(0,): 2.0, (1,): 0.0, (2,): 9.0}, abs=1e-6)


def test_bins_and_checksums_are_learned(tmp_path: Path) -> None:
    install(paraphrases({("a", "b"): 0.1, ("a", "c"): 0.01, ("a b", "d"): 1.0}), tmp_path)
    install(paraphrases({("a", "c"): 0.001}, "more"), tmp_path)
    kind = MATCHERS["para"]
    options = kind.check({"table": ["few", "more"]}, "options")
    assert options == {
        "table": ["few", "more"],
        "direction": "both",
        "minimum_probability": 0.0,
        "bins": "auto",
    }
    assert kind.build(1, options).offers(encoded([(["a"], ["b"])])).names == ()
    learned = kind.learn(options, encoded([(["a"], ["b", "c"]), (["a", "b"], ["d"])]))
    assert learned["bins"] == [-2.0, -1.6, -1.2, -0.8, -0.4, 0.0]  # quantiles of -2, -1, 0
    assert learned["table"] == list(kind.build(1, options).resources)
    assert [name.partition("@")[0] for name in learned["table"]] == ["few", "more"]
    assert kind.check(learned, "options") == learned
    assert kind.learn(learned, encoded([([], [])])) == learned
