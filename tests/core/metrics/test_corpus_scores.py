"""Scores of corpora: sacrebleu's and NLTK's own numbers, pooled counts by hand, directions, signatures."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest
import sacrebleu
from numpy.typing import NDArray

from pfsm import PfsmError
from pfsm.metrics import SegmentMetric, get_metric
from tests.judgment_cases import rows

PAIRS = [(hypothesis, reference) for reference, hypothesis, _ in rows(80)]
HYPOTHESES = [hypothesis for hypothesis, _ in PAIRS] + ["", "  ", "A cat, it sat.", "the (old) cat!"]
ONE = [reference for _, reference in PAIRS] + ["the cat", "", "a cat, it sat.", "The old cat ?"]
TWO = [line[::-1] for line in ONE[:40]] + ONE[40:]
# A blank reference beside others is a missing one here, and a reference in sacrebleu.
THREE = [
    [line or "b" for line in TWO],
    [line or "b" for line in ONE],
    [line or "b" for line in ["a b", *ONE[:-1]]],
]
SACREBLEU = {
    "bleu": sacrebleu.BLEU,
    "chrf": sacrebleu.CHRF,
    "chrf++": partial(sacrebleu.CHRF, word_order=2),
    "ter": sacrebleu.TER,
}
POOLED = ["bleu", "chrf", "chrf++", "ter", "nist", "wer", "per", "meteor-base", "terp-base", "dpm", "hwcm"]


@pytest.mark.parametrize("streams", [[ONE], THREE], ids=["one", "three"])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("bleu", {}),
        ("bleu", {"lowercase": True, "tokenize": "intl"}),
        ("bleu", {"tokenize": "char"}),
        ("chrf", {}),
        ("chrf++", {"lowercase": True}),
        ("ter", {}),
        ("ter", {"case_sensitive": True, "normalized": True, "no_punct": True}),
    ],
)
def test_the_numbers_are_sacrebleus(name: str, options: dict[str, object], streams: list[list[str]]) -> None:
    reference = SACREBLEU[name](**options)
    wanted = reference.corpus_score(HYPOTHESES, streams)
    score = get_metric(name, **options).corpus_score(HYPOTHESES, streams)
    assert float(score) == wanted.score
    # sacrebleu's own entries stand in our signature.
    theirs = str(reference.get_signature()).split("|")[1:-1]
    assert set(theirs) <= set(score.signature.split("|"))
    assert f"nrefs:{len(streams)}" in score.signature


def test_a_segment_may_have_fewer_references() -> None:
    fewer = [*TWO[:10], *([None] * (len(TWO) - 10))]
    for name, reference in SACREBLEU.items():
        score = get_metric(name).corpus_score(HYPOTHESES, [ONE, fewer])
        assert float(score) == pytest.approx(
            reference().corpus_score(HYPOTHESES, [ONE, fewer]).score, rel=1e-13
        )
        assert score.signature.startswith("nrefs:var|refs:")


class TestErrorRates:
    def test_edits_are_pooled(self) -> None:
        hypotheses, references = ["a b", "c d e f"], ["a b c", "c e d f"]
        # One insertion, then two substitutions, over seven words; without order only the insertion.
        assert float(get_metric("wer").corpus_score(hypotheses, [references])) == pytest.approx(300 / 7)
        assert float(get_metric("per").corpus_score(hypotheses, [references])) == pytest.approx(100 / 7)
        assert float(get_metric("ter").corpus_score(hypotheses, [references])) == pytest.approx(200 / 7)
        plain = get_metric("terp-base", edits="none", costs="ter", tokeniser="ter")
        assert float(plain.corpus_score(hypotheses, [references])) == pytest.approx(200 / 7)

    @pytest.mark.parametrize("name", ["ter", "wer"])
    def test_lower_is_better(self, name: str) -> None:
        metric = get_metric(name)
        worse, best = metric.corpus_score(["x"], [["a b"]]), metric.corpus_score(["a b"], [["a b"]])
        assert 0.0 == float(best) < float(worse)
        assert metric.lower_is_better
        assert metric.oriented(np.array([2.0])).tolist() == [-2.0]
        assert "|level:corpus|better:lower|" in worse.signature
        assert "sign:" not in worse.signature
        assert "|sign:negative|" in metric.signature

    def test_without_words(self) -> None:
        for name in ("wer", "per", "ter", "terp-base", "nist"):
            assert float(get_metric(name).corpus_score([""], [[""]])) == 0.0
        for name in ("wer", "per", "ter"):
            assert float(get_metric(name).corpus_score(["a"], [[""]])) == 100.0


def test_meteor_pools_its_counts() -> None:
    metric = get_metric("meteor-base", synonyms="none", language="xx")
    # Parameters li: alpha .75, beta 1.4, gamma .7, delta .5, no function words. Six of 3 + 5 and of 3 + 4 words match;
    # the perfect segment adds no chunk, the other two.
    hypotheses, references = ["a b c", "d e x f y"], ["a b c", "d e z f"]
    p, r = 6 / 8, 6 / 7
    f = p * r / (0.75 * p + 0.25 * r)
    wanted = f * (1 - 0.7 * (2 / 6) ** 1.4)
    assert float(metric.corpus_score(hypotheses, [references])) == pytest.approx(wanted, rel=1e-12)
    assert float(metric.corpus_score(references, [references])) == pytest.approx(1.0)


# Sentences of BLEU take the effective order.
@pytest.mark.parametrize("name", [name for name in POOLED if name != "bleu"])
def test_the_corpus_of_one_segment_has_its_score(name: str) -> None:
    metric = get_metric(name)
    for hypothesis, reference in (("the old cat sat", "an old cat sat down"), ("a b", "a b"), ("a", "b c")):
        segment = metric.score_pairs([hypothesis], [reference])[0]
        corpus = np.array(metric.corpus_score([hypothesis], [[reference]]))
        assert metric.oriented(corpus) == pytest.approx(segment, abs=1e-12)


@pytest.mark.parametrize("name", POOLED)
def test_parts_of_a_corpus_add_up(name: str) -> None:
    metric = get_metric(name)
    whole = metric.corpus_score(HYPOTHESES[:30], [ONE[:30], TWO[:30]])
    statistics = metric.segment_statistics(HYPOTHESES[:30], [ONE[:30], TWO[:30]])
    totals = np.stack([statistics[:10].sum(axis=0), statistics[10:].sum(axis=0)])
    assert metric.corpus_from_totals(totals).shape == (2,)
    assert float(metric.corpus_from_totals(totals.sum(axis=0))) == pytest.approx(float(whole), rel=1e-13)
    if metric.is_additive:
        first = metric.segment_statistics(HYPOTHESES[:10], [ONE[:10], TWO[:10]])
        np.testing.assert_array_equal(first, statistics[:10])


class SharedLetters(SegmentMetric):
    """All that a metric of one's own has to have."""

    name = "shared-letters"

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
        pairs = zip(hypotheses, references, strict=True)
        return np.array([float(len(set(h) & set(r))) for h, r in pairs])


def test_metrics_that_other_processes_cannot_make() -> None:
    with pytest.raises(PfsmError, match="metric shared-letters: cannot be made in another process"):
        SharedLetters().recipe()
    with pytest.raises(PfsmError, match="metric dpm: cannot be made in another process"):
        get_metric("dpm", parser="file:/a,b.conllu").recipe()
    assert get_metric("bleu", lowercase=True).recipe().text == '["bleu(lowercase=true)", {}]'
    assert get_metric("edpm(n=5)", gamma=0.5).recipe().text == '["edpm(n=5,gamma=0.5)", {}]'
