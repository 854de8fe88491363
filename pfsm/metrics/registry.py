"""Metrics and features by name, in their groups."""

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from itertools import chain
from typing import Any

from pfsm.arrays import Float
from pfsm.encoder.feature import check_feature, feature_label, pinned_feature, prepared_feature
from pfsm.encoder.names import FEATURE
from pfsm.errors import PfsmError
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.bleu import BLEU_PARTS, BleuMetric, bleu_parts
from pfsm.metrics.data_columns import GROUP as COLUMNS
from pfsm.metrics.edit_rates import TER_PARTS, TerMetric, ter_parts
from pfsm.metrics.inputs import score_distinct
from pfsm.metrics.lengths import LENGTHS, LengthRatio, length_parts
from pfsm.metrics.meteor.options import BASE, METEOR, PARTS, check_options
from pfsm.metrics.metric_group import MetricGroup, MetricWithComponents, group_with_parts, without_options
from pfsm.metrics.mixtures import mixtures
from pfsm.metrics.names import mixed_parts, written_name
from pfsm.metrics.ngram_table import remember_documents
from pfsm.metrics.nist import counted_name
from pfsm.metrics.plugin import feature_group, metric_group
from pfsm.metrics.sacre import CHRF, ChrfMetric, SacreMetric
from pfsm.metrics.words import MORE_NIST_PARTS, prepared_nist, word_metric
from pfsm.registry import Table, own
from pfsm.runtime.names import known_names, nearest
from pfsm.runtime.typed import Options


def _meteor(name: str, options: Options) -> MetricWithComponents:
    from pfsm.metrics.meteor.metric import MeteorMetric  # noqa: PLC0415 - who asks for another metric does not wait

    return MeteorMetric(name, check_options(name, options))


_OF_SACREBLEU: Mapping[str, type[SacreMetric]] = {
    "bleu": BleuMetric,
    **dict.fromkeys(CHRF, ChrfMetric),
    "ter": TerMetric,
}


def _sacre_parts(name: str, hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
    """The parts of BLEU or of TER, whichever a feature is one of, by name, float64 [n_pairs] each."""
    compute, names = (ter_parts, TER_PARTS) if name.startswith("ter.") else (bleu_parts, BLEU_PARTS)
    return dict(zip(names, score_distinct(compute, hypotheses, references).T, strict=True))


_FIRST = (
    MetricGroup(
        {
            "bleu": "sentence BLEU, smoothed, effective order (sacrebleu)",
            "chrf": "chrF, character n-grams (sacrebleu)",
            "chrf++": "chrF++, character and word n-grams (sacrebleu)",
            "ter": "translation edit rate, negated: 0 is best (sacrebleu)",
        },
        lambda name, options: _OF_SACREBLEU[name](name, options),
        parts={"bleu": BLEU_PARTS, "ter": TER_PARTS},
        values=_sacre_parts,
        counts=frozenset(part for part in TER_PARTS if part.endswith("_count")),
        labels={"chrf": "character n-grams in common (chrF)"},
        can_run_in_child_process=True,
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
        word_metric,
        parts={"nist": MORE_NIST_PARTS},
        prepared=prepared_nist,
        check_part=prepared_nist,
        counted=counted_name(word_metric),
    ),
    group_with_parts(METEOR, "METEOR 1.5 (needs the extra paraphrases)", _meteor, PARTS),
    group_with_parts(BASE, "METEOR 1.5 with what ships: no paraphrases, own function words", _meteor, PARTS),
    MetricGroup(
        {"length_ratio": "shorter length over longer, in characters"},
        without_options(lambda _: LengthRatio()),
        labels={"length_ratio": "the length fits"},
        can_run_in_child_process=True,
    ),
    MetricGroup(
        parts={"length": LENGTHS},
        values=length_parts,
        label=str,
        counts=frozenset({"reference_words", "hypothesis_words"}),
        about={"length": "lengths of the two sides"},
        can_run_in_child_process=True,
    ),
)
# Modules with `GROUPS` of their own; most of them bring parsers.
_FURTHER = (
    "pfsm.metrics.preservation",
    "pfsm.metrics.terp",
    "pfsm.metrics.embedding",
)


def _groups() -> Iterator[MetricGroup]:
    """All groups, in the order in which names are looked up.

    A further module is imported when it is its turn: who looks for a name of the first groups does not wait for it.
    Groups of our other packages come last (entry points ``pfsm.metric_groups``: a sequence of `MetricGroup`); other
    people's packages offer single metrics and features.
    """
    yield from _FIRST
    for module in _FURTHER:
        yield from import_module(module).GROUPS
    for point in own("metric_group").values():
        yield from point.load()


# What a training learns over an encoder; it means nothing without the model that it was learned for.
_LEARNED = MetricGroup(
    parts={FEATURE: (FEATURE,)},
    prepared=prepared_feature,
    check_part=check_feature,
    label=feature_label,
    pin=pinned_feature,
    about={FEATURE: "learned over an encoder: a machine over word pieces and order-free similarity"},
    labels={FEATURE: "similarity by the encoder"},
)


# Columns first, whatever they are called; then mixtures: a name such as dp-or-*_b is theirs, not a type of dp-or.
_MIXTURES = mixtures(lambda name: next((group for group in _groups() if group.is_metric(name)), None))


def _all(name: str) -> Iterator[MetricGroup]:
    """The groups that a name may belong to."""
    return chain((COLUMNS, _LEARNED), [_MIXTURES] if mixed_parts(name) else [], _groups())


def _built_in(name: str) -> MetricGroup | None:
    return next((group for group in _all(name) if group.knows(name)), None)


def _is_taken(name: str) -> bool:
    return any(group.knows(name) or name in group.parts for group in _all(name))


METRICS: Table[MetricGroup] = Table("metric", {}, metric_group, _is_taken)
"""Metrics of other packages: those that come with pfsm are found in groups."""
FEATURES: Table[MetricGroup] = Table("feature", {}, feature_group, _is_taken)
"""Sentence-level features of other packages that are not metrics."""
# Mixtures of metrics of other packages; a package's own NAME_b or NAME_i comes first.
_OF_PLUGINS = mixtures(lambda name: METRICS.get(name.partition("(")[0]))


def metric_names() -> tuple[str, ...]:
    """Names of all metrics but models; those from vectors need more than a name.

    Returns:
        The names, in the order of the documentation.
    """
    return (*(name for group in _groups() if group.listed for name in group.metrics), *METRICS)


def group_of(name: str) -> MetricGroup | None:
    """The group of a metric or feature; None where there is none of this name."""
    bare = name.partition("(")[0]
    found = _built_in(name) or METRICS.get(bare) or FEATURES.get(bare)
    return _OF_PLUGINS if found is None and mixed_parts(name) and _OF_PLUGINS.knows(name) else found


def describe_feature(name: str) -> str:
    """A metric, or a part of one that is a feature alone, in half a line.

    Raises:
        PfsmError: If there is neither of this name.
    """
    group = group_of(str(name))
    return _group_of_metric(name).describe(name) if group is None else group.describe(name)


def _group_of_metric(name: str) -> MetricGroup:
    # Who calls from Python may give anything.
    group = group_of(str(name))
    if group is not None and not group.is_metric(name):
        raise PfsmError(f"{name!r} is a feature of models, it cannot score alone")
    if group is None:
        known = nearest(str(name)) or known_names(name, metric_names(), "`pfsm metrics`")
        raise PfsmError(f"unknown metric {name!r}; {known}")
    return group


def get_metric(name: str, **options: Any) -> SegmentMetric:
    """A metric by its name.

    Args:
        name: One of `metric_names`, or of ``pfsm.metrics.embedding``; options may stand behind it in parentheses.
        options: Of sacrebleu's metrics, its own: ``lowercase``; for BLEU ``tokenize``; for TER ``normalized``,
            ``no_punct``, ``asian_support``, ``case_sensitive``. Of the metrics over words: ``tokeniser``,
            ``lowercase``. Of METEOR: ``language``, ``task``, ``synonyms``, ``paraphrases``.

    Returns:
        The metric.

    Raises:
        PfsmError: If there is no such metric, or it has no such option or value.
    """
    metric = _group_of_metric(name).metric(name, options)
    metric.origin, metric.maker = written_name(name, options), f"{__name__}:{metric_with_tables.__name__}"
    return metric


def metric_with_tables(text: str) -> SegmentMetric:
    """A metric from its name and the counts that the name refers to, as `SegmentMetric.recipe` writes them.

    Raises:
        PfsmError: If it cannot be made.
    """
    name, documents = json.loads(text)
    remember_documents(documents, f"metric {name}")
    return get_metric(name)


def expanded(name: str) -> tuple[str, ...]:
    """The features that a name means: of ``bleu.*`` all parts of BLEU, of any other name itself.

    Options stand behind the star, as in ``meteor.*(task=v0.7)``.
    """
    bare, parenthesis, options = name.partition("(")
    prefix = bare.removesuffix(".*")
    parts = () if prefix == bare else tuple(part for one in _groups() for part in one.parts.get(prefix, ()))
    return tuple(f"{part}{parenthesis}{options}" for part in parts) or (name,)


def part_names(name: str) -> tuple[str, ...]:
    """The features that a metric is made of, with the options in its name; none of a metric without parts."""
    base, parenthesis, options = name.partition("(")
    return tuple(
        part + parenthesis + options
        for group in _groups()
        if base in group.metrics
        for part in group.parts.get(base, ())
    )


def metric_parts(name: str, hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
    """Values of the parts of a metric by name, float64 [n_pairs] each; none of a metric without parts.

    Raises:
        PfsmError: If there is no such metric, or its parts do not have its options.
        ValueError: If the lists differ in length, or one of them is a single string.
    """
    group, names = _group_of_metric(name), part_names(name)
    if not names:
        return {}
    group.check_part(names[0])
    return group.prepare(names[0])(hypotheses, references)


def feature_names() -> tuple[str, ...]:
    """Names of all sentence-level features."""
    parts = (name for group in _groups() for names in group.parts.values() for name in names)
    others = (name for group in _groups() if not group.listed for name in group.metrics)
    return (*metric_names(), *parts, *others, *FEATURES)
