"""Sentence-level features: numbers about a pair that a model may weigh in addition to its edit score.

Every registered metric is one; others are parts of a metric, or too plain to be a metric.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from pfsm.arrays import Float, Int64
from pfsm.errors import NotInstalledError, PfsmError
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.inputs import COLUMN, columns_of, missing_column
from pfsm.metrics.metric_group import MetricGroup, PairFeatures
from pfsm.metrics.registry import feature_names, get_metric, group_of
from pfsm.registry import find_table
from pfsm.runtime.names import known_names
from pfsm.text.scripts import n_words

# Options in a metric's name that are references (`pfsm.io.named_resources`).
_OPTIONS = re.compile(r"(?P<before>[(,](?P<key>parser)=)(?P<value>.+?)(?=,|\)$)")
UNCOUNTED = (
    "the information of n-grams is counted over references, but the model has no counts; train it anew"
)


def check_feature(name: str) -> None:
    """Refuses what is not a feature; nothing that it needs is loaded.

    Raises:
        PfsmError: If there is no feature of this name, its options are wrong, or its value for a pair would depend on
            the other pairs, whatever is counted over the references first.
    """
    group = _group(name)
    if group.is_metric(name):
        get_metric(name).counted_over(()).check_independent()
    else:
        group.check_part(name)


def counted_features(names: Iterable[str], references: Sequence[str]) -> list[str]:
    """The features with the labels of the counts that they take from references.

    The counts are known to this process from then on; `tables_of` gives them. Names with labels stay as they are.

    Raises:
        PfsmError: If there is no such feature, or something that it needs is not there.
    """
    distinct = list(dict.fromkeys(references))
    return [_group(name).counted(name, distinct) for name in names]


def is_counted(name: str) -> bool:
    """Whether the value of a feature depends on the pair alone: the name says where the counts come from."""
    return _group(name).counted(name, ()) == name


def _group(name: str) -> MetricGroup:
    group = group_of(name)
    if group is None:
        known = known_names(name, feature_names(), "`pfsm metrics --features`")
        raise PfsmError(f"unknown feature {name!r}; {known}")
    return group


def _metric(name: str) -> SegmentMetric:
    """The metric that is a feature."""
    metric = get_metric(name)
    metric.check_independent()
    return metric


def can_run_in_child_process(names: Iterable[str]) -> bool:
    """Return whether all features need nothing but text, so that forked processes can compute them."""
    return all(_group(name).can_run_in_child_process for name in names)


def feature_signature(name: str) -> str:
    """What decides a feature's values: its name, and for a metric its signature without ``nrefs`` and our version.

    A part of a metric has the metric's.
    """
    group = _group(name)
    if group.label is not None:
        return group.label(name)
    bare, parenthesis, options = name.partition("(")
    metric = get_metric(bare.partition(".")[0] + parenthesis + options)
    return f"{name}({','.join(metric.signature.split('|')[1:-1])})"


def with_checksum(name: str) -> str:
    """The name as a model keeps it: what decides its values outside the package by name and checksum.

    Raises:
        PfsmError: If what it needs is not there.
    """
    return _OPTIONS.sub(_pinned_option, _group(name).pin(name))


def _pinned_option(match: re.Match[str]) -> str:
    analysers = find_table("analyser")
    return match[0] if analysers is None else f"{match['before']}{analysers.pinned(match['value'])}"


def missing_packages(names: Iterable[str]) -> list[NotInstalledError]:
    """What features need and is not installed, one error for each feature that lacks something."""
    found = []
    for name in names:
        try:
            feature_signature(name)
            if not _is_plain_metric(_group(name), name):
                _group(name).prepare(name)
        except NotInstalledError as error:
            found.append(error)
        except PfsmError:  # another fault is for the call that uses the feature
            continue
    return found


@dataclass(frozen=True, eq=False)
class OwnLines:
    """The lines against themselves that pairs of the relative form are counted from.

    Attributes:
        lines: The reference of a pair, if it has text, else the hypothesis.
        of: int64 [n_pairs], which of them is that of each pair.
        first: int64 [n_lines], a pair whose reference is the line; None where some line is none's.
    """

    lines: Sequence[str]
    of: Int64
    first: Int64 | None = None

    @staticmethod
    def among(references: Sequence[str], hypotheses: Sequence[str]) -> "OwnLines":
        """Return those of text that nobody has read yet."""
        numbers: dict[str, int] = {}
        lines = (
            reference if reference.strip() else hypothesis
            for reference, hypothesis in zip(references, hypotheses, strict=True)
        )
        of = np.array([numbers.setdefault(line, len(numbers)) for line in lines], dtype=np.int64)
        return OwnLines(list(numbers), of)


class FeatureSet:
    """Features that are computed together. Their metrics are made once; nothing that they need is loaded before use.

    Not for use from several threads at once.

    Args:
        names: The features.
        relative: Whether the value of a pair is its difference to that of its reference against itself, with counts as
            rates per word; a column of the data, which is not of the text, stays as it is.

    Raises:
        PfsmError: As `check_feature`; for parts of a metric that must be made first, and for features whose counts are
            not known (`counted_features`), `values` raises it.
    """

    def __init__(self, names: Sequence[str], *, relative: bool = False) -> None:
        self.names = tuple(names)
        self._relative = relative
        self._counts = [column for column, name in enumerate(self.names) if _group(name).is_count(name)]
        self._prepared: dict[str, PairFeatures] = {}
        for name in self.names:
            group = _group(name)
            if not is_counted(name):
                check_feature(name)
            elif _is_plain_metric(group, name):
                self._prepared[name] = partial(_score, name, _metric(name))
            elif group.prepared is None:
                check_feature(name)

    def values(
        self,
        hypotheses: Sequence[str],
        references: Sequence[str],
        columns: Mapping[str, Float] | None = None,
        own: OwnLines | None = None,
    ) -> Float:
        """Values of the features, float64 [n_pairs, n_names]; what features share is computed once.

        Args:
            hypotheses: Translations.
            references: As many references.
            columns: Of each column that a feature is taken from the numbers, float64 [n_pairs].
            own: What differences are counted from, where that is known.

        Raises:
            PfsmError: If something that a feature needs is not there.
            ValueError: If the lists differ in length.
        """
        values = self._values(hypotheses, references, columns or {})
        if not self._relative or not values.size:
            return values
        return self._differences(values, hypotheses, own or OwnLines.among(references, hypotheses))

    def _differences(self, values: Float, hypotheses: Sequence[str], counted: OwnLines) -> Float:
        """Return the values of pairs as differences to those of what they are counted from against itself."""
        distinct, of = counted.lines, counted.of
        given = {name: np.zeros(len(distinct)) for name in columns_of(self.names)}
        own = self._values(distinct, distinct, given)
        if self._counts:
            # A rate is per word of the two sides' mean; nothing is changed in a pair without words.
            ours, perfect = (np.array(list(map(n_words, side))) for side in (hypotheses, distinct))
            values[:, self._counts] /= np.maximum(0.5 * (ours + perfect[of]), 1.0)[:, np.newaxis]
            own[:, self._counts] /= np.maximum(perfect, 1.0)[:, np.newaxis]
        return np.asarray(values - own[of])

    def _values(
        self, hypotheses: Sequence[str], references: Sequence[str], columns: Mapping[str, Float]
    ) -> Float:
        values = np.zeros((len(hypotheses), len(self.names)))
        known = {f"{COLUMN}{name}": numbers for name, numbers in columns.items()}
        for column, name in enumerate(self.names):
            if name not in known:
                known.update(self._computer(name)(hypotheses, references))
            values[:, column] = known[name]
        return values

    def _computer(self, name: str) -> PairFeatures:
        """What computes a feature. Of features that are computed together only the first one needs it."""
        if name.startswith(COLUMN):
            raise missing_column(name.removeprefix(COLUMN), f"feature {name}")
        if name not in self._prepared:
            if not is_counted(name):
                raise PfsmError(f"feature {name}: {UNCOUNTED}")
            self._prepared[name] = _group(name).prepare(name)
        return self._prepared[name]


def _is_plain_metric(group: MetricGroup, name: str) -> bool:
    """Whether the values of a feature are the scores of the metric of that name."""
    return group.is_metric(name) and (group.label is None or group.values is None)


def _score(
    name: str, metric: SegmentMetric, hypotheses: Sequence[str], references: Sequence[str]
) -> dict[str, Float]:
    return {name: metric.score_pairs(hypotheses, references)}


def feature_values(names: Sequence[str], hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    """Values of features of one list of pairs; for several lists, make a `FeatureSet`.

    Features that count over references count over those of the list.

    Returns:
        float64 [n_pairs, n_names].

    Raises:
        PfsmError: As `FeatureSet`.
        ValueError: If the lists differ in length.
    """
    return FeatureSet(counted_features(names, references)).values(hypotheses, references)
