"""Readers of the formats human judgments come in."""

from pfsm.data.formats.registry import read_judgments
from pfsm.data.judgments import (
    Judgments,
    Preferences,
    is_preferences,
    judgments_from_table,
    preferences_from_table,
    read_preferences,
)
from pfsm.data.parallel import PairsTable, ParallelText, SystemOutput, read_pairs_table, read_parallel
from pfsm.data.reference_digests import digest, digests, overlap
from pfsm.data.table import DataSource, Table, read_table, unquoting

__all__ = [
    "DataSource",
    "Judgments",
    "PairsTable",
    "ParallelText",
    "Preferences",
    "SystemOutput",
    "Table",
    "digest",
    "digests",
    "is_preferences",
    "judgments_from_table",
    "overlap",
    "preferences_from_table",
    "read_judgments",
    "read_pairs_table",
    "read_parallel",
    "read_preferences",
    "read_table",
    "unquoting",
]
