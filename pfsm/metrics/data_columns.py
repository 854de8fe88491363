"""Features that stand in the data: ``column:NAME`` is the number in the column NAME of a judgment.

Another metric's score, a quality estimate or a length penalty enters a model in this way. Text alone does not give such
a number, so a model with one scores rows of a table, or text together with the numbers.
"""

from collections.abc import Sequence

from pfsm.arrays import Float
from pfsm.errors import PfsmError
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.inputs import COLUMN, Columns, score_distinct
from pfsm.metrics.metric_group import MetricGroup


def _check_column(feature: str) -> None:
    """Refuses ``column:`` with a name that no column can have, or that a signature cannot hold."""
    name = feature.removeprefix(COLUMN)
    if not name or name != name.strip() or not name.isprintable() or "|" in name:
        raise PfsmError(
            f"feature {feature!r}: write it as column:NAME, with the name of a numeric column of the data (no '|')"
        )


GROUP = MetricGroup(
    check_part=_check_column,
    label=str,
    family=lambda name: (
        f"the number in the column {name.removeprefix(COLUMN)} of the data"
        if name.startswith(COLUMN)
        else None
    ),
)
"""All features ``column:NAME``."""


def score_distinct_rows(
    metric: SegmentMetric, hypotheses: Sequence[str], references: Sequence[tuple[str, ...]], columns: Columns
) -> Float:
    """`score_distinct` of rows of data with all their references; rows whose numbers count are all scored."""
    if metric.columns:
        return metric.score_segments(hypotheses, references, columns)
    return score_distinct(metric.score_segments, hypotheses, references)
