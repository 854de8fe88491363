"""Metrics that say what their scores are made of."""

from abc import abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.distinct import score_distinct
from pfsm.metrics.metric_group import Options, PairFeatures, parse_name
from pfsm.metrics.pairs import check_pairs

Float = NDArray[np.float64]


class PartedMetric(SegmentMetric):
    """A metric whose scores come with the parts that they are made of."""

    @abstractmethod
    def _rows(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores and parts of pairs, float64 [n_pairs, 1 + n_parts]; the row of a pair depends on the pair alone."""

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs].

        Raises:
            PfsmError: If something that is needed is not installed.
            ValueError: If the lists differ in length, or one of them is a single string.
        """
        return np.ascontiguousarray(self.parts(hypotheses, references)[:, 0])

    def parts(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs and what they are made of, float64 [n_pairs, 1 + n_parts]; each distinct pair once.

        Raises:
            PfsmError: If something that is needed is not installed.
            ValueError: If the lists differ in length, or one of them is a single string.
        """
        check_pairs(hypotheses, references)
        return score_distinct(self._rows, hypotheses, references)


MakeParted = Callable[[str, Options], PartedMetric]


def prepared_parts(name: str, make: MakeParted, parts: Sequence[str]) -> PairFeatures:
    """What computes all parts of a metric, by their names, with the options that stand in the name.

    It raises `PfsmError` where the metric does not have this part with these options.

    Args:
        name: One of them, as in ``hwcm.2(of=relations)``.
        make: Makes the metric.
        parts: What comes after the point, in the metric's order; with other options it may have fewer.

    Raises:
        PfsmError: If options are wrong.
    """
    parsed = parse_name(name)
    metric = make(parsed.base, parsed.options)
    options = name[name.index("(") :] if "(" in name else ""
    names = tuple(f"{parsed.base}.{part}{options}" for part in parts)

    def values(hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
        rows = metric.parts(hypotheses, references)[:, 1:]
        found = dict(zip(names, rows.T, strict=False))
        if name not in found:
            raise PfsmError(f"feature {name!r}: with these options there is no such part")
        return found

    return values
