"""DPM and DPMF: the paper's example, the model against SciPy, the search against all derivations, edges."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from pfsm import PfsmError
from pfsm.features.values import feature_values
from pfsm.metrics import get_metric
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree
from pfsm_linguistics.metrics.dpmf import dpm_scores, projective_heads
from tests.linguistics.oracles.parsing_model import Model, Sentence

EXACT = 1000  # a beam that never closes on the sentences here
SENTENCES = {
    "plain": Sentence(("the", "cat", "sees", "a", "dog"), ("DT", "NN", "VBZ", "DT", "NN"), (2, 3, 0, 5, 3)),
    "left": Sentence(
        ("very", "old", "red", "cats", "sleep"), ("RB", "JJ", "JJ", "NNS", "VBP"), (2, 4, 4, 5, 0)
    ),
    "right": Sentence(("go", "to", "town", "today", "."), ("VB", "IN", "NN", "NN", "."), (0, 1, 2, 1, 1)),
    "twice": Sentence(("no", ",", "no", ",", "no"), ("UH", ",", "UH", ",", "UH"), (0, 3, 1, 5, 1)),
    "two": Sentence(("cats", "sleep"), ("NNS", "VBP"), (2, 0)),
    "one": Sentence(("go",), ("VB",), (0,)),
}
OTHERS = [
    Sentence(("the", "dog", "sees", "cats"), ("DT", "NN", "VBZ", "NNS")),
    Sentence(("a", "cat", "a", "cat", "sees"), ("DT", "NN", "DT", "NN", "VBZ")),
    Sentence(("sleep", "sleep"), ("VBP", "VB")),
    Sentence(("unheard", "of"), ("XX", "YY")),
    Sentence(("go",), ("VB",)),
]


def analysed(sentence: Sentence) -> Analysis:
    tree = DependencyTree(sentence.heads, ("x",) * len(sentence.heads))
    return Analysis(sentence.words, (0,), (), sentence.tags, (tree,) if sentence.heads else ())


def sums(reference: Sentence, hypotheses: list[Sentence], **options: Any) -> list[float]:
    one = analysed(reference)
    scores = dpm_scores([analysed(h) for h in hypotheses], [one] * len(hypotheses), **options)
    return [math.log(s) * (2 * len(h.words) - 1) for s, h in zip(scores.tolist(), hypotheses, strict=True)]


@pytest.mark.parametrize(
    ("name", "actions"), [*((name, "legal") for name in SENTENCES), ("plain", "all"), ("twice", "all")]
)
def test_training_and_search_against_scipy_and_all_derivations(name: str, actions: str) -> None:
    reference, penalty = SENTENCES[name], 0.5
    model = Model(reference, penalty, actions == "legal")
    hypotheses = [*OTHERS, *SENTENCES.values()]
    found = sums(reference, hypotheses, penalty=penalty, beam=EXACT, actions=actions)
    wanted = [model.best(hypothesis) for hypothesis in hypotheses]
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


class TestThePapersExample:
    """Table 2 of Yu et al. (2015): the hypotheses share only tags with the reference, yet the first is better."""

    # The copula is the head, as in Stanford's dependencies before a "to".
    REFERENCE = Sentence(
        ("my", "objective", "is", "to", "discover", "the", "truth", "."),
        ("PRP", "NN", "VBZ", "TO", "VB", "DT", "NN", "."),
        (2, 3, 0, 5, 3, 7, 5, 3),
    )
    FIRST = Sentence(("our", "goal", "was", "finding", "fact", "."), ("PRP", "NN", "VBZ", "VBG", "NN", "."))
    SECOND = Sentence(("was", "finding", "our", "goal", "fact", "."), ("VBZ", "VBG", "PRP", "NN", "NN", "."))

    def test_its_numbers_over_all_actions(self) -> None:
        found = sums(self.REFERENCE, [self.FIRST, self.SECOND], actions="all")
        np.testing.assert_allclose(found, [-4.46, -5.87], atol=0.4)


class TestProjectiveTrees:
    def heads(self, n: int) -> list[tuple[int, ...]]:
        """All assignments of heads without a cycle."""
        return [heads for heads in itertools.product(range(n + 1), repeat=n) if self.acyclic(heads)]

    def acyclic(self, heads: tuple[int, ...] | list[int]) -> bool:
        for word in range(1, len(heads) + 1):
            place, steps = word, 0
            while place and steps <= len(heads):
                place, steps = heads[place - 1], steps + 1
            if place:
                return False
        return True

    def projective(self, heads: tuple[int, ...] | list[int]) -> bool:
        """No two arcs cross, the root's drawn from the far left."""
        spans = [(min(h, d), max(h, d)) for d, h in enumerate(heads, 1)]
        return not any(a < c < b < d for (a, b), (c, d) in itertools.permutations(spans, 2))

    @pytest.mark.parametrize("n", [1, 4])
    def test_all_small_trees(self, n: int) -> None:
        kept = lifted = 0
        for heads in self.heads(n):
            found = projective_heads(heads)
            assert self.acyclic(found)
            assert found.count(0) == 1
            assert self.projective(found)
            if heads.count(0) == 1 and self.projective(heads):
                assert found == list(heads)
                kept += 1
            lifted += found != list(heads)
        assert kept > 0
        assert lifted > 0 or n < 2


class TestEdges:
    def test_empty_lines(self) -> None:
        metric = get_metric("dpm-model")
        scores = metric.score_pairs(["", "", "a cat", "go"], ["", "a cat", "", "go"])
        assert scores[0] == 1.0
        assert scores[1] == 0.0
        # Nothing learned: every legal action is as likely as the others; three choices in "a cat".
        assert scores[2] == pytest.approx((1 / 2) ** (1 / 3))
        assert scores[3] == 1.0

    def test_no_tags_or_trees(self) -> None:
        bare = Analysis(("a",), (0,))
        with pytest.raises(PfsmError, match="gives no tags"):
            dpm_scores([bare], [bare])
        tagged = Analysis(("a",), (0,), ("X",))
        with pytest.raises(PfsmError, match="gives no dependency trees"):
            dpm_scores([tagged], [tagged])


class TestDpmf:
    HYPOTHESES = ("the felines slept", "a cat sleeps here", "the cat sleeps", "")
    REFERENCES = ("the cats slept",) * 3 + ("a cat",)

    def test_it_is_dpm_times_meteors_f(self) -> None:
        names = ["dpmf-base", "dpm-model", "meteor-base.f"]
        whole, syntax, words = feature_values(names, self.HYPOTHESES, self.REFERENCES).T
        np.testing.assert_allclose(whole, syntax * words, rtol=1e-12)
        assert whole[0] > 0.0
