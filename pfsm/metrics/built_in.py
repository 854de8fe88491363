"""The groups of metrics and features there are."""

from collections.abc import Iterator
from importlib import import_module

from pfsm.metrics.counted import counted_name
from pfsm.metrics.kept.differences import GROUP as KEPT
from pfsm.metrics.length import LengthRatio
from pfsm.metrics.meteor.options import BASE, METEOR, PARTS, check_options
from pfsm.metrics.metric_group import (
    MetricGroup,
    Options,
    PairFeatures,
    no_options,
    parse_name,
    with_options,
    without_options,
)
from pfsm.metrics.parted import PartedMetric, prepared_parts
from pfsm.metrics.parts import BLEU_PARTS, LENGTHS, MORE_NIST_PARTS, length_parts, nist, sacre_parts
from pfsm.metrics.sacre import sacre_metric
from pfsm.metrics.ter import TER_PARTS
from pfsm.metrics.words import word_metric


def _of_meteor(name: str, description: str) -> MetricGroup:
    def make(name: str, options: Options) -> PartedMetric:
        from pfsm.metrics.meteor.metric import MeteorMetric  # noqa: PLC0415 - who asks for another metric does not wait

        return MeteorMetric(name, check_options(name, options))

    def check(part: str) -> None:
        parsed = parse_name(part)
        if not parsed.options:
            no_options(part)
        make(parsed.base, parsed.options)

    def prepared(part: str) -> PairFeatures:
        check(part)
        return prepared_parts(part, make, PARTS)

    return MetricGroup(
        {name: description},
        with_options(make),
        {name: tuple(f"{name}.{part}" for part in PARTS)},
        check_part=check,
        prepared=prepared,
    )


_FIRST = (
    MetricGroup(
        {
            "bleu": "sentence BLEU, smoothed, effective order (sacrebleu)",
            "chrf": "chrF, character n-grams (sacrebleu)",
            "chrf++": "chrF++, character and word n-grams (sacrebleu)",
            "ter": "translation edit rate, negated: 0 is best (sacrebleu)",
        },
        with_options(sacre_metric),
        {"bleu": BLEU_PARTS, "ter": TER_PARTS},
        sacre_parts,
    ),
    MetricGroup(
        {
            "nist": "NIST, information of n-grams, counted over the references scored together",
            "wer": "word error rate in percent, negated: 0 is best",
            "per": "position-independent word error rate in percent, negated: 0 is best",
            "rouge-l": "ROUGE-L, longest common subsequence, F1",
            "rouge-w": "ROUGE-W, longest common subsequence, consecutive words weighted by 1.2, F1",
            "rouge-s": "ROUGE-S4, skip-bigrams, F1",
            "gtm-1": "GTM with e = 1: words in common, F1",
            "gtm-2": "GTM with e = 2: longer runs of words weigh more, F1",
            "ol": "lexical overlap O_l: words in common over words of either side",
        },
        with_options(word_metric),
        {"nist": MORE_NIST_PARTS},
        prepared=nist,
        check_part=nist,
        counted=counted_name(word_metric),
    ),
    _of_meteor(METEOR, "METEOR 1.5 (needs the extra paraphrases)"),
    _of_meteor(BASE, "METEOR 1.5 with what ships: no paraphrases, own function words"),
    MetricGroup(
        {"length_ratio": "shorter length over longer, in characters"},
        with_options(without_options(lambda _: LengthRatio())),
    ),
    MetricGroup(
        parts={"length": LENGTHS},
        values=length_parts,
        label=str,
        about={"length": "lengths of the two sides"},
    ),
    KEPT,
)
# Modules with `GROUPS` of their own; most of them bring parsers.
_FURTHER = (
    "pfsm.metrics.syntax.dependency_groups",
    "pfsm.metrics.syntax.overlap_groups",
    "pfsm.metrics.roles.groups",
    "pfsm.metrics.discourse.groups",
    "pfsm.metrics.dpmf.dpmf_group",
    "pfsm.metrics.terp.terp_groups",
    "pfsm.english.entailment.features",
    "pfsm.metrics.embedding",
)


class Groups:
    """All groups, in the order in which names are looked up.

    A further module is imported when it is its turn: who looks for a name of the first groups does not wait for it.
    """

    def __iter__(self) -> Iterator[MetricGroup]:
        """One group after the other."""
        yield from _FIRST
        for module in _FURTHER:
            yield from import_module(module).GROUPS


GROUPS = Groups()
