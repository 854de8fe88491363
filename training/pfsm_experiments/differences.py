"""Paired bootstrap tests between rows of a table.

All rows share the resamples of a group, so the differences of two rows' resampled statistics are those of a paired
bootstrap (Koehn 2004).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pfsm.evaluation import Interval
from pfsm.evaluation.bootstrap import Sample
from pfsm.evaluation.engine import corrected_differences

SIGNIFICANCE = 0.05


@dataclass(frozen=True)
class Difference:
    """From another row: difference, its interval, p-values (two-sided); NaN where resamples tell nothing of chance."""

    value: float
    interval: Interval
    p_value: float
    p_holm: float

    @property
    def significant(self) -> bool:
        """Whether it is significant, corrected for the number of differences that were tested together.

        The interval must be there and not hold zero: where a few segments carry the whole difference, resamples have
        two heaps, and centring them, as the test does, makes any difference look certain.
        """
        one_sided = self.interval.low > 0.0 or self.interval.high < 0.0
        return self.p_holm < SIGNIFICANCE and one_sided


def differences(pairs: Sequence[tuple[Sample, Sample]]) -> list[Difference | None]:
    """The first of each pair less the second; Holm's correction is for all pairs that have a p-value.

    Args:
        pairs: Statistics of two rows with their resamples, float64 [n_resamples] each, from the same draws.

    Returns:
        One a pair; None where one of the two has no value.
    """
    return [
        None
        if math.isnan(found.difference)
        else Difference(found.difference, found.interval, found.p_value, p_holm)
        for found, p_holm in corrected_differences(pairs)
    ]
