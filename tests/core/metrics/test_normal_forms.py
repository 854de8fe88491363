"""Canonically equal texts score the same, copies score exactly the best score, no score depends on its batch."""

import random
import unicodedata
import warnings

import numpy as np
import pytest

from pfsm.errors import PfsmWarning
from pfsm.metrics.registry import get_metric, metric_names
from pfsm.metrics.sacre import OPTIONS
from pfsm.model.shipped import load
from pfsm.text.language_names import looks_foreign
from pfsm.text.mismatch import mismatches
from pfsm.text.scripts import is_without_spaces, n_words

PAIRS = [
    ("Chị ấy đã đọc quyển sách ở thư viện.", "Chị đã đọc quyển sách mới ở thư viện."),
    ("Le café était fermé à Noël, Zoë l'a vérifié.", "Le café fut fermé à Noël et Zoë l'a dit."),
    ("그는 어제 학교에 갔다.", "그녀는 어제 학교에 갔다."),
    ("ガラスの窓が開いた。", "ガラス窓が開きました。"),
    ("वह ज़रूर पढ़ रहा है।", "वह पढ़ता है।"),
    ("The café near the château closed in the évening.", "The château near the café was closed."),
    ("é " * 45 + ". Ünd " + "ö " * 30 + ".", "é " * 40 + ". Ünd " + "ö " * 35 + "."),
]
COMPOSED, APART = (
    [[unicodedata.normalize(form, line) for line in side] for side in zip(*PAIRS, strict=True)]
    for form in ("NFC", "NFD")
)
# Needs extras, which tests do without, or is no metric of ours.
OURS = [name for name in metric_names() if name not in {*OPTIONS, "meteor", "terp", "dpmf"}]
MODELS = ("en", "en-fast", "en-small", "multi")


@pytest.mark.parametrize("name", [*OURS, *MODELS])
@pytest.mark.filterwarnings("ignore::pfsm.errors.PfsmWarning")  # of text without spaces between words
def test_canonically_equal_texts_score_the_same(name: str) -> None:
    metric = load(name) if name in MODELS else get_metric(name)
    references, hypotheses = COMPOSED
    expected = metric.score_pairs(hypotheses, references)
    for theirs, ours in ((COMPOSED[0], APART[1]), (APART[0], COMPOSED[1]), APART):
        assert (metric.score_pairs(ours, theirs) == expected).all()
    several = [[*pair] for pair in zip(references, APART[0], strict=True)]
    doubled = [[line, line] for line in references]
    assert (metric.score_segments(hypotheses, several) == metric.score_segments(hypotheses, doubled)).all()
    assert metric.corpus_score(APART[1], [references]) == metric.corpus_score(hypotheses, [references])


@pytest.mark.parametrize("name", OPTIONS)
def test_metrics_of_sacrebleu_warn(name: str) -> None:
    metric, (references, hypotheses) = get_metric(name), COMPOSED
    for ours, theirs in ((hypotheses, APART[0]), (APART[1], references)):
        for score in (metric.score_pairs, lambda h, r: metric.corpus_score(h, [r])):
            with pytest.warns(PfsmWarning, match="another Unicode normal form .* convert both to NFC"):
                score(ours, theirs)
        with pytest.warns(PfsmWarning, match="normal form"):
            metric.score_segments(ours, [[line, line] for line in theirs])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric.score_pairs(hypotheses, references)
        metric.score_pairs(*APART)
        metric.score_pairs(["A cafe."], [APART[0][1]])


def test_checks_of_languages_and_scripts_see_no_difference() -> None:
    lines, others = COMPOSED[0] * 5, APART[0] * 5
    assert mismatches({"it": others}, [lines]) == mismatches({"it": lines}, [lines])
    assert mismatches({"it": APART[1] * 5}, [others]) == mismatches({"it": COMPOSED[1] * 5}, [lines])
    for one, other in zip(lines, others, strict=True):
        assert is_without_spaces(one) == is_without_spaces(other)
        assert n_words(one) == n_words(other)
        assert looks_foreign([one]) == looks_foreign([other])


def _copies() -> list[str]:
    draw = random.Random(3)
    words = ["a", "red", "bird", "sang", ",", "the", "old", "man", "near", "lake", "4", "é"]
    return [" ".join(draw.choices(words, k=draw.randrange(2, 60))) for _ in range(200)]


# What is best; of the others a copy has what its reference is worth, or its parse.
BEST = dict.fromkeys(("bleu", "chrf", "chrf++", *MODELS), 100.0) | dict.fromkeys(("ter", "wer", "per"), 0.0)
PARSED = ("edpm-exact", "edpm", "edpm-ab", "dpm", "hwcm", "dstm", "dtkm", "stm", "tkm", "dp-ol-*")
BEST |= dict.fromkeys(
    ("rouge-l", "rouge-w", "rouge-s", "gtm-1", "gtm-2", "ol", "meteor-base", "length_ratio", *PARSED), 1.0
)
KNOWN = {*MODELS, *metric_names()}  # those of linguistics, where they are


@pytest.mark.parametrize("name", [name for name in BEST if name in KNOWN])
def test_copies_score_exactly_the_best_score(name: str) -> None:
    metric = load(name) if name in MODELS else get_metric(name)
    lines = _copies()[: 15 if name in PARSED else None]
    assert {*metric.score_pairs(lines, lines).tolist()} == {BEST[name]}
    assert float(metric.corpus_score(lines, [lines])) == BEST[name]


@pytest.mark.parametrize("name", [*OURS, *OPTIONS, *MODELS])
@pytest.mark.filterwarnings("ignore::pfsm.errors.PfsmWarning")
def test_a_score_does_not_depend_on_its_batch(name: str) -> None:
    metric = load(name) if name in MODELS else get_metric(name)
    if not metric.is_independent:
        return
    lines = _copies()[:9]
    hypotheses, references = [*lines, COMPOSED[1][-1]], [*lines[1:], lines[0], COMPOSED[0][-1]]
    alone = [metric.score_pairs([h], [r])[0] for h, r in zip(hypotheses, references, strict=True)]
    assert (metric.score_pairs(hypotheses, references) == np.array(alone)).all()
