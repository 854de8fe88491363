"""Judgments from files, as one table in memory or as a TSV."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np

from pfsm.data.formats.records import Judgment, Preference, Reading, field_getter
from pfsm.data.judgments import Judgments
from pfsm.data.preferences import Preferences
from pfsm.data.table import DataSource
from pfsm.errors import PfsmError
from pfsm.io.faults import STANDARD_INPUT, StrPath
from pfsm.io.files import checksum

_BREAKS = re.compile(r"[\t\n\r]")
_IN_TABLES = {
    Judgment: ("reference", "hypothesis", "score"),
    Preference: ("reference", "better", "worse", "votes"),
}


def collect(reading: Reading, paths: Iterable[StrPath] = ()) -> Judgments | Preferences:
    """All records of a reading as one table.

    Args:
        reading: the records; they are read to the end.
        paths: the files that hold the judgments. A model trained on them recognises these files later. Folders and
            standard input are not recorded.

    Raises:
        PfsmError: what the reader raises, or no records.
    """
    records = list(reading.records)
    if not records:
        raise PfsmError("no judgments in the files")
    sources = tuple(
        DataSource(Path(path).name, len(records), checksum(path))
        for path in paths
        if str(path) != STANDARD_INPUT and not Path(path).is_dir()
    )
    texts = {name: field_getter(reading.kind, name) for name in reading.columns}
    columns = {
        name: tuple(get(record) for record in records)
        for name, get in texts.items()
        if name not in _IN_TABLES[reading.kind]
    }
    references = tuple(record.references[0] for record in records)
    if reading.kind is Preference:
        pairs = [record for record in records if isinstance(record, Preference)]
        votes = np.array([pair.votes for pair in pairs], dtype=np.float64)
        return Preferences(
            references,
            tuple(pair.better for pair in pairs),
            tuple(pair.worse for pair in pairs),
            votes,
            columns,
            sources,
        )
    judgments = [record for record in records if isinstance(record, Judgment)]
    scores = np.array([judgment.score for judgment in judgments], dtype=np.float64)
    return Judgments(
        references, tuple(judgment.hypothesis for judgment in judgments), scores, columns, sources
    )


@dataclass(frozen=True)
class Written:
    """What was written to a TSV."""

    rows: int
    mended: int
    """Fields in which tabs or line ends, which a TSV cannot hold, were replaced by spaces."""


def write_tsv(reading: Reading, file: TextIO) -> Written:
    """Writes the records of a reading, one at a time, as the TSV that `pfsm.data.read_table` reads.

    Args:
        reading: What to write.
        file: Where to.

    Raises:
        PfsmError: what the reader raises.
    """
    file.write("\t".join(_clean(reading.columns)[0]) + "\n")
    getters = [field_getter(reading.kind, name) for name in reading.columns]
    rows = mended = 0
    for record in reading.records:
        fields, changed = _clean([get(record) for get in getters])
        file.write("\t".join(fields) + "\n")
        rows += 1
        mended += changed
    return Written(rows, mended)


def _clean(fields: Sequence[str]) -> tuple[list[str], int]:
    """The fields in a form that a TSV can hold, and how many had to change."""
    clean = [_BREAKS.sub(" ", text) for text in fields]
    return clean, sum(before != after for before, after in zip(fields, clean, strict=True))
