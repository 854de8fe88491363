"""Features that stand in the data: ``column:NAME`` is the number in the column NAME of a judgment.

Another metric's score, a quality estimate or a length penalty enters a model in this way. Text alone does not give such
a number, so a model with one scores rows of a table, or text together with the numbers.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from pfsm.arrays import Float
from pfsm.errors import PfsmError
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.inputs import score_distinct
from pfsm.metrics.metric_group import MetricGroup

# By the name of the column, a number for each pair.
Columns = Mapping[str, Float]
PREFIX = "column:"


def columns_of(features: Sequence[str]) -> tuple[str, ...]:
    """The columns that features are taken from, in their order."""
    return tuple(name.removeprefix(PREFIX) for name in features if name.startswith(PREFIX))


def _check_column(feature: str) -> None:
    """Refuses ``column:`` with a name that no column can have, or that a signature cannot hold."""
    name = feature.removeprefix(PREFIX)
    if not name or name != name.strip() or not name.isprintable() or "|" in name:
        raise PfsmError(
            f"feature {feature!r}: write it as column:NAME, with the name of a numeric column of the data (no '|')"
        )


GROUP = MetricGroup(
    check_part=_check_column,
    label=str,
    family=lambda name: (
        f"the number in the column {name.removeprefix(PREFIX)} of the data"
        if name.startswith(PREFIX)
        else None
    ),
)
"""All features ``column:NAME``."""


def missing_column(name: str, needed_by: str, *, single: bool = False) -> PfsmError:
    """What to say where a column is needed and only text is there; ``single``: of one translation, not of a list."""
    return PfsmError(
        f"{needed_by} needs {PREFIX}{name}, a number of every translation that its text does not give; score a table "
        f"with the column {name} (pfsm score --table FILE), or in Python give "
        f"columns={{{name!r}: {'NUMBER' if single else '[…]'}}}"
    )


def needed_columns(
    names: Sequence[str], given: Mapping[str, Sequence[float] | Float] | None, n_pairs: int, needed_by: str
) -> Columns:
    """The columns that are needed, float64 [n_pairs] each, checked; others are left out.

    Raises:
        PfsmError: A column is missing, or has a number that is not finite.
        ValueError: A column has another length or shape.
    """
    found = {}
    for name in names:
        if given is None or name not in given:
            raise missing_column(name, needed_by)
        try:
            values = np.asarray(given[name], dtype=np.float64)
        except (TypeError, ValueError):
            raise PfsmError(f"columns[{name!r}] holds something that is not a number") from None
        if values.ndim != 1:
            raise ValueError(
                f"columns[{name!r}] must have one number for each hypothesis, not an array of shape {values.shape}"
            )
        if values.size != n_pairs:
            raise ValueError(f"columns[{name!r}] has {values.size} numbers for {n_pairs} hypotheses")
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            raise PfsmError(f"columns[{name!r}][{row}] is {values[row]}, a finite number is needed")
        found[name] = values + 0.0
    return found


def score_distinct_rows(
    metric: SegmentMetric, hypotheses: Sequence[str], references: Sequence[tuple[str, ...]], columns: Columns
) -> Float:
    """`score_distinct` of rows of data with all their references; rows whose numbers count are all scored."""
    if metric.columns:
        return metric.score_rows(hypotheses, references, columns)
    return score_distinct(metric.score_segments, hypotheses, references)
