"""DPM and DPMF: the paper's example, the model against SciPy, the search against all derivations, edges."""

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest

from pfsm import PfsmError
from pfsm.analysis.sentence import Analysis, DependencyTree
from pfsm.metrics import get_metric
from pfsm.metrics.dpmf.dpm import dpm_scores
from pfsm.metrics.dpmf.options import ParsingOptions
from pfsm.metrics.dpmf.projective import projective_heads
from pfsm.metrics.dpmf.templates import SUBSETS, template_table
from pfsm.metrics.meteor.parameters import parameters
from tests.oracles.parsing_model import TEMPLATES, Model, Sentence

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


def sums(reference: Sentence, hypotheses: list[Sentence], options: ParsingOptions) -> list[float]:
    one = analysed(reference)
    scores = dpm_scores([analysed(h) for h in hypotheses], [one] * len(hypotheses), options)
    return [math.log(s) * (2 * len(h.words) - 1) for s, h in zip(scores.tolist(), hypotheses, strict=True)]


@pytest.mark.parametrize("actions", ["legal", "all"])
@pytest.mark.parametrize("name", SENTENCES)
def test_training_and_search_against_scipy_and_all_derivations(name: str, actions: str) -> None:
    reference, penalty = SENTENCES[name], 0.5
    model = Model(reference, penalty, actions == "legal")
    hypotheses = [*OTHERS, *SENTENCES.values()]
    options = ParsingOptions(penalty=penalty, beam=EXACT, actions=actions)
    wanted = [model.best(hypothesis) for hypothesis in hypotheses]
    np.testing.assert_allclose(sums(reference, hypotheses, options), wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("legal_only", [True, False])
def test_the_weights_are_those_of_another_optimiser(legal_only: bool) -> None:
    from pfsm_kernels.syntax.shift_reduce import parsing_model

    reference = SENTENCES["plain"]
    model = Model(reference, 0.3, legal_only)
    words, tags = (
        np.array([sorted(set(side)).index(one) + 2 for one in side], dtype=np.int64)
        for side in (reference.words, reference.tags)
    )
    heads = np.array(reference.heads, dtype=np.int64)
    keys, weights = parsing_model(words, tags, heads, template_table("all"), legal_only, 0.3)
    assert len(keys) == len(model.place)
    assert (np.diff(keys) > 0).all()
    # Features are numbered otherwise: rows as a set.
    ours, theirs = (rows[np.lexsort(rows.round(4).T)] for rows in (weights, model.weights))
    np.testing.assert_allclose(ours, theirs, atol=2e-5)


def test_the_templates_are_those_of_huang_and_others() -> None:
    ours = {frozenset(template.split()) for template in SUBSETS["all"]}
    theirs = {
        frozenset(slot + "ct" if slot[-1] in "lr" else slot for slot in template.split("-"))
        for template in TEMPLATES
    }
    assert ours == theirs
    assert len(SUBSETS["all"]) == 29


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

    @pytest.mark.parametrize("actions", ["legal", "all"])
    @pytest.mark.parametrize("penalty", [0.01, 0.1, 1.0])
    def test_with_the_papers_tags(self, penalty: float, actions: str) -> None:
        first, second = sums(
            self.REFERENCE, [self.FIRST, self.SECOND], ParsingOptions(penalty=penalty, actions=actions)
        )
        assert second + 0.3 < first < 0.0

    def test_its_numbers_over_all_actions(self) -> None:
        found = sums(self.REFERENCE, [self.FIRST, self.SECOND], ParsingOptions(penalty=1.0, actions="all"))
        np.testing.assert_allclose(found, [-4.46, -5.87], atol=0.4)

    def test_with_our_parser(self) -> None:
        lines = [" ".join(sentence.words) for sentence in (self.FIRST, self.SECOND)]
        for name in ("dpm-model", "dpmf-base"):
            first, second = get_metric(name).score_pairs(lines, [" ".join(self.REFERENCE.words)] * 2)
            assert first > second


def test_a_wider_beam_never_finds_less_and_at_last_the_best() -> None:
    reference, hypothesis = SENTENCES["plain"], OTHERS[1]
    found = [sums(reference, [hypothesis], ParsingOptions(beam=beam))[0] for beam in (1, 2, 4, EXACT)]
    best = Model(reference, ParsingOptions().penalty, True).best(hypothesis)
    assert max(found) <= best + 1e-5
    assert found[-1] == pytest.approx(best, abs=1e-5)


def test_the_reference_is_nearly_certain_where_weights_are_free() -> None:
    for reference in SENTENCES.values():
        (total,) = sums(reference, [reference], ParsingOptions(penalty=1e-4))
        assert -0.05 < total <= 0.0


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

    @pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
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

    def test_by_hand(self) -> None:
        # 1 <- 3 spans 2, which hangs on 4: the arc of 3 is lifted to the head of 1.
        assert projective_heads([4, 4, 1, 0]) == [4, 4, 4, 0]
        # Two sentences: the second root hangs on the first.
        assert projective_heads([2, 0, 4, 0]) == [2, 0, 4, 2]
        assert projective_heads([]) == []


class TestEdges:
    def test_empty_lines(self) -> None:
        metric = get_metric("dpm-model")
        scores = metric.score_pairs(["", "", "a cat", "go"], ["", "a cat", "", "go"])
        assert scores[0] == 1.0
        assert scores[1] == 0.0
        # Nothing learned: every legal action is as likely as the others; three choices in "a cat".
        assert scores[2] == pytest.approx((1 / 2) ** (1 / 3))
        assert scores[3] == 1.0

    def test_words_without_case(self) -> None:
        plain, cased = (get_metric("dpm-model", lowercase=lower) for lower in (True, False))
        one, other = ["The cat saw the dog ."], ["the cat saw the dog ."]
        assert "case:mixed" in cased.signature
        assert plain.score_pairs(one, one)[0] >= plain.score_pairs(one, other)[0] > 0.0

    def test_long_lines(self) -> None:
        line = "the cat saw a dog and " * 60
        assert 0.0 < get_metric("dpm-model").score_pairs([line], ["the cat saw a dog"])[0] < 1.0

    def test_no_tags_or_trees(self) -> None:
        bare = Analysis(("a",), (0,))
        with pytest.raises(PfsmError, match="gives no tags"):
            dpm_scores([bare], [bare], ParsingOptions())
        tagged = Analysis(("a",), (0,), ("X",))
        with pytest.raises(PfsmError, match="gives no dependency trees"):
            dpm_scores([tagged], [tagged], ParsingOptions())

    def test_several_references(self) -> None:
        scorer = get_metric("dpm-model")
        hypotheses, streams = ["a dog sleeps"], [["one two three ."], ["the cat sleeps"]]
        apart = [scorer.score_pairs(hypotheses, stream)[0] for stream in streams]
        assert scorer.segment_scores(hypotheses, streams)[0] == max(apart)
        assert apart[0] < apart[1]

    @pytest.mark.parametrize(
        ("options", "fault"),
        [
            ({"size": 3}, "unknown option 'size'; known are parser, beam, penalty"),
            ({"beam": 0}, "beam is 0, it must be a whole number from 1"),
            ({"beam": True}, "beam is True"),
            ({"penalty": 0}, "penalty is 0, it must be a number from"),
            ({"penalty": "x"}, "penalty is 'x'"),
            ({"features": "none"}, "features is 'none', it must be one of all, single"),
            ({"actions": "some"}, "actions is 'some', it must be legal or all"),
            ({"lowercase": 1}, "lowercase is 1, it must be true or false"),
            ({"parser": 1}, "parser is 1, it must be the name of a parser"),
        ],
    )
    def test_bad_options(self, options: dict[str, object], fault: str) -> None:
        with pytest.raises(PfsmError, match=fault):
            get_metric("dpm-model", **options)

    def test_options_in_the_name(self) -> None:
        signature = get_metric("dpm-model(beam=2,penalty=0.5,actions=all)").signature
        assert "|beam:2|penalty:0.5|features:all|actions:all|" in signature


class TestDpmf:
    HYPOTHESES = ("the felines slept", "a cat sleeps here", "the cat sleeps", "")
    REFERENCES = ("the cats slept",) * 3 + ("a cat",)

    def test_it_is_dpm_times_meteors_f(self) -> None:
        from pfsm.features.values import feature_values

        names = ["dpmf-base", "dpm-model", "meteor-base.f"]
        whole, syntax, words = feature_values(names, self.HYPOTHESES, self.REFERENCES).T
        np.testing.assert_allclose(whole, syntax * words, rtol=1e-12)
        assert whole[0] > 0.0

    def test_table_5(self) -> None:
        assert parameters("en", "rank").alpha == 0.85
        assert 1 - parameters("en", "rank").delta == 0.25
        assert list(parameters("en", "rank").weights.values()) == [1.0, 0.6, 0.8, 0.6]

    def test_the_f_score_by_hand(self) -> None:
        # "the" is a function word, "cat" matches, "dog" does not: P = R = (.25 + .75) / (.25 + 1.5), so F is the same.
        metric, syntax = get_metric("dpmf-base"), get_metric("dpm-model")
        pair = ["the cat dog"], ["the cat house"]
        quotient = metric.score_pairs(*pair)[0] / syntax.score_pairs(*pair)[0]
        assert quotient == pytest.approx(1.0 / 1.75)

    def test_signature_has_both(self) -> None:
        signature = get_metric("dpmf-base", beam=3).signature
        assert "|beam:3|" in signature
        assert "|stages:exact+stem+syn|" in signature
        assert "|parser:" in signature


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    code = (
        "import sys, pfsm.metrics as m; m.get_metric('dpm-model'); m.get_metric('dpmf');"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
