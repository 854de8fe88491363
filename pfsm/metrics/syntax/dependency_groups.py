"""Groups of metrics over dependencies, and of their parts as sentence-level features."""

from collections.abc import Callable, Sequence

from pfsm.metrics.analysed import AnalysedMetric
from pfsm.metrics.metric_group import MetricGroup, Options, PairFeatures, parse_name, with_options
from pfsm.metrics.parted import prepared_parts
from pfsm.metrics.syntax.dependency_metrics import (
    DPM,
    EDPM,
    EXACT,
    PUBLISHED,
    chain_metric,
    kernel_metric,
    pair_metric,
    subtree_metric,
)
from pfsm.metrics.syntax.dependency_pairs import DECOMPOSITIONS

Make = Callable[[str, Options], AnalysedMetric]
PAIR_PARTS = tuple(f"{part}.{side}" for part in DECOMPOSITIONS for side in "pr")
# Lengths of chains and depths of subtrees: those of the metrics as they are by default.
SIZE_PARTS = tuple(str(size) for size in range(1, 5))


def _group(
    name: str, about: str, make: Make, parts: Sequence[str] = (), make_parts: Make | None = None
) -> MetricGroup:
    """The group of one metric.

    Args:
        name: Its name.
        about: What it is.
        make: Makes it.
        parts: Names of its parts, without its own.
        make_parts: Makes the metric whose parts are these, where it is another.
    """

    def prepared(part: str) -> PairFeatures:
        return prepared_parts(part, make_parts or make, parts)

    def check(part: str) -> None:
        parsed = parse_name(part)
        make(parsed.base, parsed.options)

    if not parts:
        return MetricGroup({name: about}, with_options(make))
    return MetricGroup(
        {name: about},
        with_options(make),
        {name: tuple(f"{name}.{part}" for part in parts)},
        check_part=check,
        prepared=prepared,
    )


def _all_decompositions(name: str, options: Options) -> AnalysedMetric:
    return pair_metric(name, {**options, "parts": "+".join(DECOMPOSITIONS)})


_PAIRS = {
    EXACT: "EDPM over all dependency trees of a sentence: words, word pairs, dl, lh; expected F1",
    EDPM: "EDPM with relations of Universal Dependencies: F[1g,2g,dl,lh] over the 50 likeliest trees, gamma = .25",
    PUBLISHED: "EDPM as published: the same with labels A/B of the 50 likeliest constituent trees",
    DPM: "dependency pair match, F[dl,lh] of the likeliest tree; every variant by options",
}
_CHAINS = {
    "hwcm": "HWCM: head-word chains up to four words in common, mean precision",
    "hwcm-c": "HWCM over part-of-speech tags",
    "hwcm-r": "HWCM over grammatical relations",
}

GROUPS = (
    *(_group(name, about, pair_metric, PAIR_PARTS, _all_decompositions) for name, about in _PAIRS.items()),
    *(_group(name, about, chain_metric, SIZE_PARTS) for name, about in _CHAINS.items()),
    _group(
        "dstm", "DSTM: dependency subtrees in common, mean precision over depths", subtree_metric, SIZE_PARTS
    ),
    _group("dtkm", "DTKM: tree kernel of the two dependency trees, cosine", kernel_metric),
)
