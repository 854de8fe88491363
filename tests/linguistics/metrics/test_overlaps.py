"""Overlaps over linguistic elements: layers worked out by hand, counting by brute force, names, mixtures."""

from collections import Counter

import numpy as np
import pytest

from pfsm import PfsmError
from pfsm.metrics import get_metric
from pfsm_linguistics.analysis.constituents import parse_brackets
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree
from pfsm_linguistics.metrics.syntax.overlap import (
    SEQUENCES,
    average_overlap,
    labels_of,
    layer_scores,
    pooled_overlap,
)
from pfsm_linguistics.metrics.syntax.trees import LAYERS, Element

# I have a red pen: the sentence of Liu and Gildea (2005), section 2.1.
PEN = Analysis(
    ("I", "have", "a", "red", "pen"),
    (0,),
    ("PRON", "VERB", "DET", "ADJ", "NOUN"),
    ("PRP", "VBP", "DT", "JJ", "NN"),
    (DependencyTree((2, 0, 5, 5, 2), ("nsubj", "root", "det", "amod", "obj")),),
    None,
    (parse_brackets("(TOP (S (NP (PRP I)) (VP (VBP have) (NP (DT a) (JJ red) (NN pen)))))").tree,),
)
NOTHING = Analysis(())
UNPARSED = Analysis(("I", "have"), (0,))


def of_type(layer: str, name: str) -> list[object]:
    """The items of a type that the pen has."""
    return [item for kind, item in LAYERS[layer].elements(PEN) if kind == name]


class TestLayers:
    def test_words_by_tag_chunk_level_and_category(self) -> None:
        assert list(LAYERS["pos"].elements(PEN)) == [
            ("PRP", "i"), ("VBP", "have"), ("DT", "a"), ("JJ", "red"), ("NN", "pen"),
        ]  # fmt: skip
        assert sorted(LAYERS["leaf"].elements(PEN)) == sorted(LAYERS["pos"].elements(PEN))
        assert of_type("chunk", "NP") == ["i", "a", "red", "pen"]
        assert of_type("chunk", "VP") == ["have"]
        assert [of_type("level", level) for level in "1234"] == [["have"], ["i", "pen"], ["a", "red"], []]
        assert of_type("category", "NOUN") == ["pen"]

    def test_constituents_hold_all_their_words(self) -> None:
        assert of_type("constituent", "NP") == ["i", "a", "red", "pen"]
        assert of_type("constituent", "VP") == ["have", "a", "red", "pen"]
        assert of_type("constituent", "S") == ["i", "have", "a", "red", "pen"]
        assert of_type("constituent", "TOP") == []
        nested = Analysis(("a", "b"), (0,), constituents=(parse_brackets("(NP (NP (N a)) (N b))").tree,))
        assert Counter(LAYERS["constituent"].elements(nested)) == {("NP", "a"): 2, ("NP", "b"): 1}

    def test_relations_rule_their_subtrees(self) -> None:
        assert sorted(map(str, of_type("relation", "obj"))) == ["a", "pen", "red"]
        assert of_type("relation", "nsubj") == ["i"]
        assert sorted(map(str, of_type("relation", "root"))) == ["a", "have", "i", "pen", "red"]


def by_hand(hypothesis: Analysis, reference: Analysis, layer: str) -> tuple[float, float]:
    """Average overlap and pooled overlap by counting in plain Python."""
    ours, theirs = (Counter(LAYERS[layer].elements(one)) for one in (hypothesis, reference))
    types = {kind for kind, _ in (*ours, *theirs)}
    parts: list[tuple[Counter[Element], Counter[Element]]] = [
        tuple(Counter({e: n for e, n in bag.items() if e[0] == kind}) for bag in (ours, theirs))  # type: ignore[misc]
        for kind in sorted(types)
    ]
    overlaps = [(one & other).total() / (one | other).total() for one, other in parts]
    pooled = (ours & theirs).total() / (ours | theirs).total()
    return sum(overlaps) / len(types), pooled


def random_analysis(rng: np.random.Generator) -> Analysis:
    """A line over few words, tags and labels, with a random tree and flat constituents."""
    n = int(rng.integers(1, 9))
    heads = tuple(int(rng.integers(0, word + 1)) if word else 0 for word in range(n))
    words = ["abcd"[k] for k in rng.integers(0, 4, n)]
    tags = ["XYZ"[k] for k in rng.integers(0, 3, n)]
    inner = " ".join(f"({tag} {word})" for tag, word in zip(tags, words, strict=True))
    tree = parse_brackets(f"(S (NP {inner}))").tree
    labels = tuple("xyz"[k] for k in rng.integers(0, 3, n))
    return Analysis(
        tuple(words), (0,), tuple(tags), tuple(tags), (DependencyTree(heads, labels),), None, (tree,)
    )


RNG = np.random.default_rng(8)
OURS, THEIRS = ([random_analysis(RNG) for _ in range(60)] for _ in range(2))


class TestCounting:
    @pytest.mark.parametrize("layer", list(LAYERS))
    def test_against_counting_by_hand(self, layer: str) -> None:
        wanted = np.array([by_hand(h, r, layer) for h, r in zip(OURS, THEIRS, strict=True)])
        for column, measure in enumerate((average_overlap, pooled_overlap)):
            scores = layer_scores(OURS, THEIRS, LAYERS[layer], measure)
            np.testing.assert_allclose(scores, wanted[:, column], rtol=0, atol=1e-12)
            assert ((scores >= 0) & (scores <= 1)).all()
            assert (layer_scores(OURS, OURS, LAYERS[layer], measure) == 1.0).all()

    def test_what_was_not_analysed(self) -> None:
        hypotheses = [NOTHING, NOTHING, PEN, UNPARSED, UNPARSED]
        references = [NOTHING, PEN, NOTHING, PEN, UNPARSED]
        for layer in LAYERS.values():
            scores = layer_scores(hypotheses, references, layer, average_overlap)
            assert scores.tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]
        for sequence in SEQUENCES.values():
            assert not any(labels_of(one, sequence) for one in (NOTHING, UNPARSED))

    def test_a_parser_of_the_wrong_kind(self) -> None:
        bare = Analysis(PEN.tokens, (0,), (), (), PEN.trees)
        for layer, what in (("constituent", "constituents"), ("pos", "tags")):
            with pytest.raises(PfsmError, match=f"the parser gives no {what}"):
                layer_scores([bare], [PEN], LAYERS[layer], average_overlap)


def test_o_l_by_hand() -> None:
    lines, others = ["a a B", "", "x", "", "a a a"], ["A b c", "", "", "x", "a a"]
    # Sets {a, b} and {a, b, c}: two in common of three.
    assert get_metric("ol").score_pairs(lines, others).tolist() == [2 / 3, 1.0, 0.0, 0.0, 1.0]
