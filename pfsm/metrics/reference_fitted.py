"""Metrics that count over the references of a call, unless counts are given to them once and for all."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Self

from pfsm.errors import PfsmError
from pfsm.metrics.base import ALL_AT_ONCE, SegmentMetric
from pfsm.metrics.names import parse_name, written_name
from pfsm.metrics.ngram_table import INFO, SET, NgramTable, remember
from pfsm.runtime.options import Options


class ReferenceFittedMetric(SegmentMetric):
    """A metric whose scores depend on a table of n-grams: that of the references of the call, or a given one."""

    _table: NgramTable | None = None

    def set_table(self, table: NgramTable | None) -> None:
        """Takes the counts from a table; None: from the references of each call."""
        self._table = table
        self.is_additive = table is not None

    @abstractmethod
    def count(self, references: Sequence[str]) -> NgramTable:
        """The table of some distinct lines."""

    @property
    def info(self) -> str:
        """The label of the table, for signatures; ``set`` where the references scored together are counted."""
        return SET if self._table is None else self._table.label

    @property
    def is_independent(self) -> bool:
        """Whether the table is given."""
        return self._table is not None

    def check_independent(self) -> None:
        """Refuses a metric without a table."""
        if not self.is_independent:
            raise PfsmError(
                f"{self.name}: the information of n-grams is counted over all references that are scored together, "
                f"but they are scored in parts here; {ALL_AT_ONCE}"
            )

    @property
    def tables(self) -> Mapping[str, NgramTable]:
        """The table that is given."""
        return {} if self._table is None else {self._table.label: self._table}

    def table_for(self, references: Sequence[str]) -> NgramTable:
        """The given table, or else that of these lines; one that occurs twice counts once."""
        return self.count(list(dict.fromkeys(references))) if self._table is None else self._table

    def counted_over(self, references: Sequence[str]) -> Self:
        """As `SegmentMetric.counted_over`; a table that is given stays."""
        if self._table is not None:
            return self
        fixed = copy(self)
        fixed.set_table(self.table_for(references))
        fixed.origin = written_name(self.origin, {INFO: fixed.info}) if self.origin else ""
        return fixed


def counted_name(make: Callable[[str, Options], SegmentMetric]) -> Callable[[str, Sequence[str]], str]:
    """`pfsm.metrics.metric_group.MetricGroup.counted` of metrics and their parts.

    Args:
        make: From the name of a metric and options to the metric.
    """

    def counted(name: str, references: Sequence[str]) -> str:
        parsed = parse_name(name)
        metric = make(parsed.base, parsed.options)
        if not isinstance(metric, ReferenceFittedMetric) or metric.is_independent:
            return name
        return written_name(name, {INFO: remember(metric.table_for(references))})

    return counted
