"""Several references of a segment, by metric: against sacrebleu, formulas and functions of one segment."""

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from pfsm.metrics import SegmentMetric, get_metric
from tests.judgment_cases import rows

MADE = rows(41, seed=3)
HYPOTHESES = [hypothesis for _, hypothesis, _ in MADE[:20]]
# One to three references each, now and then one that is another segment's.
REFERENCES = [
    tuple(reference for reference, _, _ in (MADE[k], MADE[k + 20], MADE[40 - k])[: 1 + k % 3])
    for k in range(20)
]


def streams() -> list[list[str | None]]:
    return [[several[k] if k < len(several) else None for several in REFERENCES] for k in range(3)]


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter"])
def test_sacrebleu_scores_sentences_alike(name: str) -> None:
    theirs = {"bleu": BLEU(effective_order=True), "chrf": CHRF(), "ter": TER()}[name]
    sign = -1.0 if name == "ter" else 1.0
    wanted = [
        sign * theirs.sentence_score(hypothesis, list(several)).score
        for hypothesis, several in zip(HYPOTHESES, REFERENCES, strict=True)
    ]
    assert get_metric(name).score_segments(HYPOTHESES, REFERENCES) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(
    "name", ["wer", "rouge-l", "gtm-2", "ol", "meteor-base", "edpm(n=1)", "sr-or-*", "dr-stm"]
)
def test_the_best_reference_counts(name: str) -> None:
    metric = get_metric(name)
    wanted = [
        max(metric.score_pairs([hypothesis] * len(several), several))
        for hypothesis, several in zip(HYPOTHESES, REFERENCES, strict=True)
    ]
    np.testing.assert_array_equal(metric.score_segments(HYPOTHESES, REFERENCES), wanted)
    assert metric.get_signature("var").startswith("nrefs:var|refs:best|")


def test_terp_divides_by_the_mean_length() -> None:
    metric = get_metric("terp-base")
    for hypothesis, several in zip(HYPOTHESES, REFERENCES, strict=True):
        costs, words = metric.pair_statistics([hypothesis] * len(several), several).T
        wanted = -100.0 * costs.min() / words.mean()
        assert metric.score_segments([hypothesis], [several])[0] == pytest.approx(wanted, rel=1e-12)
    # As TER, with TER's costs: one edit against "a b", two words on average of 2 and 4.
    plain = get_metric("terp-base", edits="none", costs="ter", tokeniser="ter")
    assert plain.score_segments(["a"], [("a b", "c d e f")])[0] == pytest.approx(-100 / 3)
    assert float(plain.corpus_score(["a"], [["a b"], ["c d e f"]])) == pytest.approx(100 / 3)
    assert plain.score_segments(["a", ""], [("", ""), ("", "")]).tolist() == [
        plain.score_pairs(["a"], [""])[0],
        0.0,
    ]


class Letters(SegmentMetric):
    name = "letters"

    def score_pairs(self, hypotheses: object, references: object) -> np.ndarray:
        return np.array([float(len(set(h) & set(r))) for h, r in zip(hypotheses, references, strict=True)])  # type: ignore[call-overload]


def test_what_cannot_be_references_is_refused() -> None:
    wrong: list[tuple[object, object, str]] = [
        (["a"], ["a"], "segment 0 needs a list of references"),
        (["a"], [()], "segment 0 needs a list of references"),
        (["a"], [("a",), ("b",)], "references of 2 segments for 1 hypotheses"),
        ("a", [("a",)], "must be lists"),
    ]
    for hypotheses, references, fault in wrong:
        with pytest.raises(ValueError, match=fault):
            Letters().score_segments(hypotheses, references)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="list of streams"):
        Letters().segment_scores(["a"], [])
    assert Letters().score_segments([], []).shape == (0,)
    assert Letters().score_segments(["ab", "c"], [("a", "ab"), ("d",)]).tolist() == [2.0, 0.0]
