"""Groups: metrics, and the sentence-level features that go with them, which are made in one way.

A name is that of a metric, as in ``chrf``; with options, as in ``edpm(n=50,gamma=0.25)``; or one part of what a metric
is made of, as in ``bleu.bp``. A metric can be scored alone, stand in an experiment, and enter a model as a feature; a
part is a feature only.

Those of other packages are checked here: what they must be, and what they say of pairs.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from pfsm.arrays import Float
from pfsm.errors import PfsmError
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.inputs import score_composed
from pfsm.metrics.names import parse_name
from pfsm.runtime.typed import Options

# From hypotheses and references to values of features by name, float64 [n_pairs] each.
PairFeatures = Callable[[Sequence[str], Sequence[str]], dict[str, Float]]


class MetricWithComponents(SegmentMetric):
    """A metric whose scores come with the parts that they are made of."""

    @abstractmethod
    def _rows(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores and parts of pairs, float64 [n_pairs, 1 + n_parts]; the row of a pair depends on the pair alone."""

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs]."""
        return np.ascontiguousarray(self.parts(hypotheses, references)[:, 0])

    def parts(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs and what they are made of, float64 [n_pairs, 1 + n_parts]; each distinct pair once.

        Raises:
            PfsmError: If something that is needed is not installed.
            ValueError: If the lists differ in length, or one of them is a single string.
        """
        return score_composed(self._rows, hypotheses, references)


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
        make: Makes a metric from its name without parentheses and its options, those in the parentheses among them;
            refuses unknown ones with `PfsmError`.
        takes_names: Whether ``make`` is given the name whole, and only the options that do not stand in it.
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
        counts: The features that grow with the length of the text, or the part before the point in the names of
            several; models of the relative form take their rates.
        listed: Whether the names mean something without options.
        about: By the same as `parts`, half a line on each of the features, where they are parts of no metric.
        labels: Features in plain words, by name, as explanations have them where their names say too little.
        family: From a name to half a line on it, if it is one of a family that no list holds; else None.
        can_run_in_child_process: Whether the features need nothing but text, as `MatcherKind` says it.
    """

    metrics: Mapping[str, str] = field(default_factory=dict)
    make: Callable[[str, Options], SegmentMetric] = _no_metric
    takes_names: bool = False
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    values: Callable[[str, Sequence[str], Sequence[str]], dict[str, Float]] | None = None
    prepared: Callable[[str], PairFeatures] | None = None
    check_part: Callable[[str], object] = no_options
    label: Callable[[str], str] | None = None
    pin: Callable[[str], str] = str
    counted: Callable[[str, Sequence[str]], str] = lambda name, _: name
    counts: frozenset[str] = frozenset()
    listed: bool = True
    about: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    family: Callable[[str], str | None] = lambda _: None
    can_run_in_child_process: bool = False

    def knows(self, name: str) -> bool:
        """Whether a metric or feature belongs to this group, whatever its parentheses hold."""
        bare = name.partition("(")[0]
        listed = bare in self.metrics or any(bare in parts for parts in self.parts.values())
        return listed or self.family(name) is not None

    def is_metric(self, name: str) -> bool:
        """Whether it is a metric, not merely a feature."""
        of_family = self.make is not _no_metric and self.family(name) is not None
        return of_family or name.partition("(")[0] in self.metrics

    def metric(self, name: str, options: Options) -> SegmentMetric:
        """Makes a metric of the group; of options that stand in the parentheses too, those given apart count."""
        if self.takes_names:
            return self.make(name, options)
        parsed = parse_name(name)
        if parsed.part:
            raise PfsmError(f"metric {name}: has no parts, but {parsed.part!r} follows the point")
        return self.make(parsed.base, {**parsed.options, **options})

    def is_count(self, name: str) -> bool:
        """Whether a feature grows with the length of the text."""
        bare = name.partition("(")[0]
        return bare in self.counts or bare.partition(".")[0] in self.counts

    def prepare(self, name: str) -> PairFeatures:
        """What computes a feature that is not a metric, and those that cost no more."""
        if self.prepared is not None:
            return self.prepared(name)
        if self.values is None:
            raise KeyError(name)
        return partial(self.values, name)

    def describe(self, name: str) -> str:
        """A metric or feature of the group in half a line; of a part, whose part it is."""
        bare = name.partition("(")[0]
        found = self.metrics[bare] if bare in self.metrics else self.family(name)
        if found is not None:
            return found
        whole = next(whole for whole, parts in self.parts.items() if bare in parts)
        return self.about.get(whole, f"part of {whole}")


def without_options(make: Callable[[str], SegmentMetric]) -> Callable[[str, Options], SegmentMetric]:
    """For metrics that have none."""

    def checked(name: str, options: Options) -> SegmentMetric:
        if options:
            raise PfsmError(f"metric {name}: has no options, but was given {', '.join(options)}")
        return make(name)

    return checked


MakeWithComponents = Callable[[str, Options], MetricWithComponents]


def group_with_parts(
    name: str,
    about: str,
    make: MakeWithComponents,
    parts: Sequence[str],
    make_parts: MakeWithComponents | None = None,
) -> MetricGroup:
    """The group of one metric and its parts, which take the metric's options.

    Args:
        name: Its name.
        about: What it is, in half a line.
        make: Makes it.
        parts: Names of its parts, without its own.
        make_parts: Makes the metric whose parts are these, where it is another.
    """

    def check(part: str) -> None:
        parsed = parse_name(part)
        if not parsed.options:
            no_options(part)
        make(parsed.base, parsed.options)

    def prepared(part: str) -> PairFeatures:
        """What computes all parts, by their names, with the options that stand in the name of this one."""
        parsed = parse_name(part)
        if not parsed.options:
            no_options(part)
        metric = (make_parts or make)(parsed.base, parsed.options)
        options = part[part.index("(") :] if "(" in part else ""
        names = tuple(f"{parsed.base}.{one}{options}" for one in parts)

        def values(hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
            # With other options a metric may have fewer parts.
            found = dict(zip(names, metric.parts(hypotheses, references)[:, 1:].T, strict=False))
            if part not in found:
                raise PfsmError(f"feature {part!r}: with these options there is no such part")
            return found

        return values

    return MetricGroup(
        {name: about},
        make,
        parts={name: tuple(f"{name}.{part}" for part in parts)},
        check_part=check,
        prepared=prepared,
    )
