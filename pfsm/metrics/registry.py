"""Metrics by name."""

from collections.abc import Mapping
from typing import Any

from pfsm.embeddings.features import DESCRIPTIONS as EMBEDDINGS
from pfsm.embeddings.features import is_embedding_feature
from pfsm.errors import PfsmError
from pfsm.metrics.embedding import EmbeddingMetric
from pfsm.metrics.length import LengthRatio
from pfsm.metrics.meteor.metric import MeteorMetric
from pfsm.metrics.meteor.options import NAMES as METEORS
from pfsm.metrics.meteor.options import check_options
from pfsm.metrics.protocol import SegmentMetric
from pfsm.metrics.sacre import OPTIONS, SacreMetric
from pfsm.metrics.words import WORD_METRICS, WordMetric

_DESCRIPTIONS: Mapping[str, str] = {
    "bleu": "sentence BLEU, smoothed, effective order (sacrebleu)",
    "chrf": "chrF, character n-grams (sacrebleu)",
    "chrf++": "chrF++, character and word n-grams (sacrebleu)",
    "ter": "translation edit rate, negated: 0 is best (sacrebleu)",
    "nist": "NIST, information of n-grams (as NLTK's sentence_nist)",
    "wer": "word error rate in percent, negated: 0 is best",
    "per": "position-independent word error rate in percent, negated: 0 is best",
    "rouge-l": "ROUGE-L, longest common subsequence, F1",
    "rouge-w": "ROUGE-W, longest common subsequence, consecutive words weighted by 1.2, F1",
    "rouge-s": "ROUGE-S4, skip-bigrams, F1",
    "gtm-1": "GTM with e = 1: words in common, F1",
    "gtm-2": "GTM with e = 2: longer runs of words weigh more, F1",
    "meteor": "METEOR 1.5 (needs the extra paraphrases)",
    "meteor-base": "METEOR 1.5 with what ships: no paraphrases, own function words",
    "length_ratio": "shorter length over longer, in characters",
}


def metric_names() -> tuple[str, ...]:
    """Names of the metrics that come with pfsm besides its models; those from vectors need more than a name."""
    return tuple(_DESCRIPTIONS)


def describe_metric(name: str) -> str:
    """A metric in half a line.

    Raises:
        PfsmError: If there is no metric of this name.
    """
    if is_embedding_feature(name):
        return EMBEDDINGS[name.partition("(")[0]]
    if name not in _DESCRIPTIONS:
        raise PfsmError(f"unknown metric {name!r}; known are {', '.join(metric_names())}")
    return _DESCRIPTIONS[name]


def get_metric(name: str, **options: Any) -> SegmentMetric:
    """A metric by its name.

    Args:
        name: One of `metric_names`, or of ``pfsm.embeddings.features``.
        options: Of sacrebleu's metrics, its own: ``lowercase``; for BLEU ``tokenize``; for TER ``normalized``,
            ``no_punct``, ``asian_support``, ``case_sensitive``. Of the metrics over words: ``tokeniser``,
            ``lowercase``. Of METEOR: ``language``, ``task``, ``synonyms``, ``paraphrases``.

    Raises:
        PfsmError: If there is no such metric, or it has no such option or value.
    """
    describe_metric(name)
    if name in OPTIONS:
        return SacreMetric(name, options)
    if name in WORD_METRICS:
        return WordMetric(name, options)
    if name in METEORS:
        return MeteorMetric(name, check_options(name, options))
    if options:
        raise PfsmError(f"metric {name}: has no options, but was given {', '.join(options)}")
    return EmbeddingMetric(name) if is_embedding_feature(name) else LengthRatio()
