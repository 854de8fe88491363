"""Metrics by name: sacrebleu's own numbers, its published examples, signs, options, several references."""

import math
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
import sacrebleu
from numpy.typing import NDArray

from pfsm.metrics import get_metric, metric_names, score_distinct
from pfsm.metrics.registry import describe_metric
from tests.judgment_cases import rows

PAIRS = [(hypothesis, reference) for reference, hypothesis, _ in rows(60)]
HYPOTHESES = [hypothesis for hypothesis, _ in PAIRS]
REFERENCES = [reference for _, reference in PAIRS]


def bleu_by_hand(hypothesis: Sequence[str], reference: Sequence[str]) -> float:
    """Sentence BLEU of tokens: effective order, each further order without a match halves its count."""
    log_precisions, halvings = [], 1.0
    for order in range(1, 5):
        total = len(hypothesis) - order + 1
        if total < 1:
            break
        ours, theirs = (
            Counter(tuple(side[k : k + order]) for k in range(len(side) - order + 1))
            for side in (hypothesis, reference)
        )
        matches: float = (ours & theirs).total()
        if not matches:
            if order == 1:
                return 0.0
            halvings *= 2.0
            matches = 1.0 / halvings
        log_precisions.append(math.log(matches / total))
    penalty = min(0.0, 1.0 - len(reference) / len(hypothesis))
    return 100.0 * math.exp(penalty + sum(log_precisions) / len(log_precisions))


def chrf_by_hand(hypothesis: str, reference: str, order: int = 6, beta: float = 2.0) -> float:
    """chrF of two strings: mean precision and recall over the orders both sides are long enough for."""
    ours, theirs = hypothesis.replace(" ", ""), reference.replace(" ", "")
    parts = []
    for n in range(1, min(order, len(ours), len(theirs)) + 1):
        left, right = (Counter(side[k : k + n] for k in range(len(side) - n + 1)) for side in (ours, theirs))
        matches = (left & right).total()
        parts.append((matches / left.total(), matches / right.total()))
    if not parts:
        return 0.0
    precision, recall = np.mean(parts, axis=0)
    below = beta**2 * precision + recall
    return float(100.0 * (1 + beta**2) * precision * recall / below) if below else 0.0


def test_bleu_against_its_definition() -> None:
    made = [(h, r) for h, r in PAIRS if h]
    scores = get_metric("bleu").score_pairs([h for h, _ in made], [r for _, r in made])
    wanted = [bleu_by_hand(h.split(), r.split()) for h, r in made]
    np.testing.assert_allclose(scores, wanted, rtol=1e-12, atol=1e-12)


def test_chrf_against_its_definition() -> None:
    scores = get_metric("chrf").score_pairs(HYPOTHESES, REFERENCES)
    np.testing.assert_allclose(scores, [chrf_by_hand(h, r) for h, r in PAIRS], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("chrf++", sacrebleu.CHRF(word_order=2)),
        ("ter", sacrebleu.TER()),
        ("bleu", sacrebleu.BLEU(effective_order=True)),
    ],
)
def test_the_numbers_are_sacrebleus(name: str, reference: sacrebleu.BLEU) -> None:
    sign = -1.0 if name == "ter" else 1.0
    wanted = [sign * reference.sentence_score(h, [r]).score for h, r in PAIRS]
    scores = get_metric(name).score_pairs(HYPOTHESES, REFERENCES)
    assert scores.dtype == np.float64
    np.testing.assert_array_equal(scores, wanted)


def test_ter_by_hand() -> None:
    references = ["a b c d", "a b c d", "a b c d", "a b c d", ""]
    hypotheses = ["a b c d", "a b d", "c d a b", "", ""]
    # Nothing; one word lost; one block moved; all four lost; nothing there.
    assert get_metric("ter").score_pairs(hypotheses, references).tolist() == [0.0, -25.0, -25.0, -100.0, 0.0]


def test_length_ratio_by_hand() -> None:
    metric = get_metric("length_ratio")
    scores = metric.score_pairs(["ab cd", "abc", "", "", "a b"], ["abc", "ab cd", "ab", "", " ab\t"])
    assert scores.tolist() == [0.75, 0.75, 0.0, 1.0, 1.0]


# METEOR's own tables may not be installed, and take long to load; tests/metrics/test_meteor.py has it.
WITH_TABLES = {"meteor", "dpmf", "terp"}


@pytest.mark.parametrize("name", [name for name in metric_names() if name not in WITH_TABLES])
class TestEveryMetric:
    def test_a_perfect_translation_is_never_beaten(self, name: str) -> None:
        if "nist" in name:
            pytest.skip(
                "a mean over n-grams: leaving out what says little can raise it, and it has no largest value"
            )
        if name in {"dpm-model", "dpmf-base"}:
            pytest.skip(
                "a probability: how sure a model of the reference is of the reference itself depends on it"
            )
        metric = get_metric(name)
        best = metric.score_pairs(REFERENCES, REFERENCES)
        assert (metric.score_pairs(HYPOTHESES, REFERENCES) <= best + 1e-9).all()
        if name.startswith(("sr-", "dr-")):
            # A line in which the labeller finds no argument, or the rules no condition, scores 0. A discourse tree that
            # is less than four deep has less than 1 even against itself.
            assert name == "dr-stm" or set(best.tolist()) <= {0.0, 1.0}
            assert best.max() > 0.0
            return
        assert np.ptp(best) < 1e-9

    def test_odd_lines_and_no_pairs(self, name: str) -> None:
        metric = get_metric(name)
        odd = ["", " ", "a\u2028b", "\ud800", "é" * 500, "0", "\0"]
        assert np.isfinite(metric.score_pairs(odd, odd[::-1])).all()
        assert metric.score_pairs([], []).shape == (0,)
        with pytest.raises(ValueError, match="2 references for 1 hypotheses"):
            metric.score_pairs(["a"], ["a", "b"])
        with pytest.raises(ValueError, match="references must be a list"):
            metric.score_pairs(["a"], "a")

    def test_the_order_of_pairs_and_their_neighbours_do_not_matter(self, name: str) -> None:
        # NIST counts over the references of a call.
        metric = get_metric(name).counted_over(REFERENCES)
        forward = metric.score_pairs(HYPOTHESES, REFERENCES)
        backward = metric.score_pairs([*HYPOTHESES[::-1], "x"], [*REFERENCES[::-1], "y"])
        np.testing.assert_array_equal(forward, backward[-2::-1])

    def test_signature(self, name: str) -> None:
        entries = [entry.split(":", 1) for entry in get_metric(name).signature.split("|")]
        assert entries[0] == ["nrefs", "1"]
        assert entries[-1][0] == "version"
        assert len({key for key, _ in entries}) == len(entries)
        assert describe_metric(name)


def test_options_change_scores_and_signature() -> None:
    plain, lower = get_metric("bleu"), get_metric("bleu", lowercase=True)
    assert plain.score_pairs(["The Cat"], ["the cat"])[0] == 0.0
    assert lower.score_pairs(["The Cat"], ["the cat"])[0] == pytest.approx(100.0)
    assert "case:mixed" in plain.signature
    assert "case:lc" in lower.signature
    characters = get_metric("bleu", tokenize="char").score_pairs(["猫坐下"], ["猫坐着"])
    assert characters[0] == pytest.approx(bleu_by_hand("猫坐下", "猫坐着"))


def test_distinct_pairs_are_scored_once() -> None:
    seen: list[tuple[str, str]] = []

    def score(hypotheses: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
        seen.extend(zip(hypotheses, references, strict=True))
        return np.arange(len(hypotheses), dtype=np.float64)

    scores = score_distinct(score, ["a", "b", "a", "a"], ["r", "r", "r", "s"])
    assert seen == [("a", "r"), ("b", "r"), ("a", "s")]
    assert scores.tolist() == [0.0, 1.0, 0.0, 2.0]


class TestSeveralReferences:
    def test_the_best_one_counts(self) -> None:
        scorer = get_metric("bleu")
        scores = scorer.segment_scores(["a b c", "x"], [["a b d", "x"], ["a b c", "y"]])
        assert scores.tolist() == pytest.approx([100.0, 100.0])
        assert scorer.score_pairs(["a b c"], ["a b d"])[0] < 99.0
        assert scorer.get_signature(2).startswith("nrefs:2|refs:all|level:segment|")
        assert scorer.get_signature("var").startswith("nrefs:var|refs:all|")
        assert scorer.get_signature() == get_metric("bleu").signature

    def test_no_stream(self) -> None:
        with pytest.raises(ValueError, match="list of streams"):
            get_metric("bleu").segment_scores(["a"], [])


def test_sacrebleu_is_imported_when_it_is_needed() -> None:
    code = (
        "import sys, pfsm.metrics as m; m.get_metric('bleu'); assert 'sacrebleu' not in sys.modules;"
        "m.get_metric('bleu').score_pairs(['a'], ['a']); assert 'sacrebleu' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


class TestSmoothingOfBleu:
    """Add-one smoothing of n-grams of two words or more (Lin and Och 2004)."""

    HYPOTHESES = (
        "the cat sat on the red mat .",
        "a bird sings near the old river",
        "no word here is right at all",
    )
    REFERENCES = (
        "the cat is on the mat .",
        "a bird sang near the river today",
        "the river is high and brown now",
    )

    def test_by_hand(self) -> None:
        # Words 6 of 8, pairs (3 + 1) of (7 + 1): "the cat", "on the", "mat ."; threes and fours 1 of 7 and of 6.
        scores = get_metric("bleu(smooth_method=add-k)").score_pairs(self.HYPOTHESES[:1], self.REFERENCES[:1])
        assert scores[0] == pytest.approx(100 * (6 / 8 * 4 / 8 * 1 / 7 * 1 / 6) ** 0.25)

    def test_against_nltk(self) -> None:
        bleu = pytest.importorskip("nltk.translate.bleu_score")
        smoothing = bleu.SmoothingFunction().method2
        for value in (1, 0.5):
            name = f"bleu(smooth_method=add-k,smooth_value={value})"
            found = get_metric(name).score_pairs(self.HYPOTHESES, self.REFERENCES)
            for score, hypothesis, reference in zip(found, self.HYPOTHESES, self.REFERENCES, strict=True):
                words = hypothesis.split(), [reference.split()]
                if value == 1 and score > 0:
                    wanted = bleu.sentence_bleu(words[1], words[0], smoothing_function=smoothing)
                    assert score == pytest.approx(100 * wanted)
                alone = sacrebleu.sentence_bleu(
                    hypothesis, [reference], smooth_method="add-k", smooth_value=value
                )
                assert score == alone.score

    def test_corpora_are_smoothed_once(self) -> None:
        for options in ({"smooth_method": "add-k"}, {"smooth_method": "floor", "smooth_value": 0.3}):
            found = get_metric("bleu", **options).corpus_score(self.HYPOTHESES, [list(self.REFERENCES)])
            wanted = sacrebleu.metrics.BLEU(**options).corpus_score(self.HYPOTHESES, [list(self.REFERENCES)])
            assert found.score == wanted.score
