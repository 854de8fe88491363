"""What every metric keeps to, and smoothed BLEU against NLTK and sacrebleu."""

import subprocess
import sys

import numpy as np
import pytest
import sacrebleu

from pfsm.metrics import SegmentMetric, get_metric, metric_names
from pfsm.metrics.contract import MetricContract
from tests.judgment_cases import rows

PAIRS = [(hypothesis, reference) for reference, hypothesis, _ in rows(30)]
HYPOTHESES = [hypothesis for hypothesis, _ in PAIRS]
REFERENCES = [reference for _, reference in PAIRS]


def test_a_metric_defines_at_most_six_methods_and_must_define_one() -> None:
    own = {name for name, value in vars(MetricContract).items() if callable(value) and name[0] != "_"}
    assert own == {
        "score_pairs", "entries", "pair_statistics", "corpus_from_totals", "understood_scores", "named_parts",
    }  # fmt: skip
    assert MetricContract.__abstractmethods__ == SegmentMetric.__abstractmethods__ == {"score_pairs"}


def test_length_ratio_by_hand() -> None:
    metric = get_metric("length_ratio")
    scores = metric.score_pairs(["ab cd", "abc", "", "", "a b"], ["abc", "ab cd", "ab", "", " ab\t"])
    assert scores.tolist() == [0.75, 0.75, 0.0, 1.0, 1.0]


# METEOR's own tables may not be installed, and take long to load; tests/core/metrics/test_meteor.py has it.
WITH_TABLES = {"meteor", "dpmf", "terp"}


# Means over n-grams have no largest value; how sure a model of the reference is of the reference depends on it.
UNBOUNDED = {"dpm-model", "dpmf-base", *(name for name in metric_names() if "nist" in name)}
ODD = ["", " ", "a\u2028b", "\ud800", "é" * 500, "0", "\0"]


@pytest.mark.parametrize("name", [name for name in metric_names() if name not in WITH_TABLES])
def test_what_every_metric_keeps_to(name: str) -> None:
    """Pairs in any order, and odd ones; a perfect translation is never beaten."""
    metric = get_metric(name)
    assert np.isfinite(metric.score_pairs(ODD, ODD[::-1])).all()
    assert metric.score_pairs([], []).shape == (0,)
    with pytest.raises(ValueError, match="2 references for 1 hypotheses"):
        metric.score_pairs(["a"], ["a", "b"])
    with pytest.raises(ValueError, match="references must be a list"):
        metric.score_pairs(["a"], "a")
    metric = metric.counted_over(REFERENCES)  # NIST counts over the references of a call.
    scores = metric.score_pairs(HYPOTHESES, REFERENCES)
    backward = metric.score_pairs([*HYPOTHESES[::-1], "x"], [*REFERENCES[::-1], "y"])
    np.testing.assert_array_equal(scores, backward[-2::-1])
    if name in UNBOUNDED:
        return
    best = metric.score_pairs(REFERENCES, REFERENCES)
    assert (scores <= best + 1e-9).all()
    if name.startswith(("sr-", "dr-")):
        # A line in which the labeller finds no argument, or the rules no condition, scores 0. A discourse tree that
        # is less than four deep has less than 1 even against itself.
        assert name == "dr-stm" or set(best.tolist()) <= {0.0, 1.0}
        assert best.max() > 0.0
    else:
        assert np.ptp(best) < 1e-9


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    code = (
        "import sys, pfsm.metrics as m; [m.get_metric(name) for name in ('bleu', 'dpm-model', 'dpmf')];"
        "assert not {'sacrebleu', 'numba'} & set(sys.modules);"
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
