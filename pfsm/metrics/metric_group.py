"""Groups: metrics, and the sentence-level features that go with them, which are made in one way.

A name is that of a metric, as in ``chrf``; with options, as in ``edpm(n=50,gamma=0.25)``; or one part of what a metric
is made of, as in ``bleu.bp``. A metric can be scored alone, stand in an experiment, and enter a model as a feature; a
part is a feature only.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.metrics.base import SegmentMetric

Float = NDArray[np.float64]
Options = Mapping[str, Any]
# From hypotheses and references to values of features by name, float64 [n_pairs] each.
PairFeatures = Callable[[Sequence[str], Sequence[str]], dict[str, Float]]

_NAME = re.compile(r"(?P<base>[^.()=,]+)(?:\.(?P<part>[^()=,]+))?(?:\((?P<options>.*)\))?")


class MetricName(NamedTuple):
    """A name taken apart.

    Attributes:
        base: The metric.
        part: Which of its parts; empty for the metric itself.
        options: What stands in the parentheses; values are numbers or truth values where they read as such, else text.
    """

    base: str
    part: str
    options: dict[str, Any]


def parse_name(name: str) -> MetricName:
    """Takes ``base.part(key=value,…)`` apart.

    Raises:
        PfsmError: If it is not of this form.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise PfsmError(f"{name!r} is no name of a metric; write it as chrf, bleu.bp or edpm(n=50)")
    return MetricName(match["base"], match["part"] or "", _options(name, match["options"] or ""))


def _options(name: str, text: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for entry in filter(None, text.split(",")):
        key, equals, value = entry.partition("=")
        if not (key and equals and value) or key in options:
            raise PfsmError(f"{name!r}: {entry!r} is no option; write it as edpm(n=50,gamma=0.25)")
        options[key] = _value(value)
    return options


def _value(text: str) -> bool | int | float | str:
    if text in {"true", "false"}:
        return text == "true"
    if "_" in text or not text.isascii():
        # Python reads 1_0 as ten; to people it is a name.
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def written_name(name: str, options: Options) -> str:
    """The name with further options in its parentheses; empty if one of them cannot be written so."""
    if not options:
        return name
    base, _, given = name.partition("(")
    written = dict(entry.split("=", 1) for entry in filter(None, given.removesuffix(")").split(",")))
    written |= {
        key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in options.items()
    }
    whole = f"{base}({','.join(f'{key}={value}' for key, value in written.items())})"
    try:
        read = _options(whole, whole.partition("(")[2].removesuffix(")"))
    except PfsmError:
        return ""
    return whole if all(read[key] == value for key, value in options.items()) else ""


def _as_it_is(name: str) -> str:
    return name


def _not_counted(name: str, _: Sequence[str]) -> str:
    return name


def _no_metric(name: str, _: Options) -> SegmentMetric:
    raise PfsmError(f"{name!r} is a feature, it cannot score alone")


def no_options(name: str) -> None:
    """Refuses options behind the name of a part that has none.

    Raises:
        PfsmError: If there are parentheses.
    """
    bare, parenthesis, _ = name.partition("(")
    if parenthesis:
        raise PfsmError(f"feature {name}: has no options; write it as {bare}")


@dataclass(frozen=True)
class MetricGroup:
    """Metrics and features that are made in one way.

    Attributes:
        metrics: Names of the metrics, without options, with half a line on each.
        make: From the name of one of them, with what stands in its parentheses, and further options, to the metric;
            refuses what it does not know with `PfsmError`.
        parts: By the part of a name before the point, the names of all features that are computed together and are no
            metrics, written whole, as in ``bleu.1``.
        values: From the name of such a feature, hypotheses and references to the values of the feature and of those
            that cost no more, by name, float64 [n_pairs] each.
        prepared: The same where a metric has to be made first: from the name to what computes the values, which is
            kept and called for every batch of pairs.
        check_part: Refuses the name of such a feature with `PfsmError` where its options are wrong; loads nothing.
        label: From the name of a feature to how a signature gives it, if not with the metric's signature.
        pin: From the name of a feature to how a model keeps it: with checksums, if anything outside the package
            decides its values.
        counted: From the name of a feature, and the references that it is to be used with, to the name with the label
            of their counts, if the feature takes any.
        listed: Whether the names mean something without options.
        about: By the same as `parts`, half a line on each of the features, where they are parts of no metric.
    """

    metrics: Mapping[str, str] = field(default_factory=dict)
    make: Callable[[str, Options], SegmentMetric] = _no_metric
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    values: Callable[[str, Sequence[str], Sequence[str]], dict[str, Float]] | None = None
    prepared: Callable[[str], PairFeatures] | None = None
    check_part: Callable[[str], object] = no_options
    label: Callable[[str], str] | None = None
    pin: Callable[[str], str] = _as_it_is
    counted: Callable[[str, Sequence[str]], str] = _not_counted
    listed: bool = True
    about: Mapping[str, str] = field(default_factory=dict)

    def knows(self, name: str) -> bool:
        """Whether a metric or feature is of this group, whatever stands in its parentheses."""
        bare = name.partition("(")[0]
        return bare in self.metrics or any(bare in parts for parts in self.parts.values())

    def is_metric(self, name: str) -> bool:
        """Whether it is a metric, not merely a feature."""
        return name.partition("(")[0] in self.metrics

    def prepare(self, name: str) -> PairFeatures:
        """What computes a feature that is no metric, and those that cost no more."""
        if self.prepared is not None:
            return self.prepared(name)
        if self.values is None:
            raise KeyError(name)
        return partial(self.values, name)

    def describe(self, name: str) -> str:
        """A metric or feature of the group in half a line; of a part, whose part it is."""
        bare = name.partition("(")[0]
        if bare in self.metrics:
            return self.metrics[bare]
        whole = next(whole for whole, parts in self.parts.items() if bare in parts)
        return self.about.get(whole, f"part of {whole}")


def without_options(make: Callable[[str], SegmentMetric]) -> Callable[[str, Options], SegmentMetric]:
    """For metrics that have none."""

    def checked(name: str, options: Options) -> SegmentMetric:
        if options:
            raise PfsmError(f"metric {name}: has no options, but was given {', '.join(options)}")
        return make(name)

    return checked


def with_options(
    make: Callable[[str, Options], SegmentMetric],
) -> Callable[[str, Options], SegmentMetric]:
    """For metrics that take options in parentheses as well as apart; those given apart count."""

    def checked(name: str, options: Options) -> SegmentMetric:
        parsed = parse_name(name)
        return make(parsed.base, {**parsed.options, **options})

    return checked


def columns(
    names: Sequence[str], compute: Callable[[Sequence[str], Sequence[str]], Float]
) -> Callable[[str, Sequence[str], Sequence[str]], dict[str, Float]]:
    """`MetricGroup.values` of features without options from a function that gives float64 [n_pairs, n_names]."""

    def values(_: str, hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
        return dict(zip(names, compute(hypotheses, references).T, strict=True))

    return values


def prepared_columns(
    names: Sequence[str], make: Callable[[], Callable[[Sequence[str], Sequence[str]], Float]]
) -> Callable[[str], PairFeatures]:
    """`MetricGroup.prepared` of features without options.

    Args:
        names: The features.
        make: Makes what they come from, and returns the function that gives float64 [n_pairs, n_names].
    """

    def prepared(name: str) -> PairFeatures:
        no_options(name)
        return partial(columns(names, make()), name)

    return prepared
