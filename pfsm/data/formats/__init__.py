"""Readers of the formats in which human judgments of translations are published.

Every reader goes through its files once and yields typed records (`Judgment`, `Preference`). `collect` makes one table
of them, and `write_tsv` a TSV. `read_format` finds the reader by the name of the format or detects the format from the
file.
"""

from pfsm.data.formats.records import (
    Judgment,
    Options,
    Preference,
    Reading,
    Record,
    Written,
    collect,
    write_tsv,
)
from pfsm.data.formats.registry import FORMATS, Format, guess_format, read_format, read_judged

__all__ = [
    "FORMATS",
    "Format",
    "Judgment",
    "Options",
    "Preference",
    "Reading",
    "Record",
    "Written",
    "collect",
    "guess_format",
    "read_format",
    "read_judged",
    "write_tsv",
]
