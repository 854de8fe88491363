"""Text to be scored: files that are parallel line by line, or tables of references and hypotheses."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from pfsm.data.formats.registry import read_judged
from pfsm.data.judgments import absolute_advice
from pfsm.data.segments import (
    all_references,
    check_parallel,
    given_references,
    others,
    rows_with_references,
    segments_of,
)
from pfsm.data.table import Table
from pfsm.errors import PfsmError
from pfsm.io.files import STANDARD_INPUT, StrPath, display_name, one_line


@dataclass(frozen=True)
class SystemOutput:
    """The output of one system on a test set."""

    name: str
    """The path as given; ``-`` is standard input."""
    lines: tuple[str, ...]
    """[n_segments]"""

    def __len__(self) -> int:
        return len(self.lines)


@dataclass(frozen=True)
class ParallelText:
    """References and the outputs of systems; line i of every one is segment i."""

    references: tuple[tuple[str | None, ...], ...]
    """Reference streams, as sacrebleu takes them: [n_references][n_segments]; None: a further one that is missing."""
    systems: tuple[SystemOutput, ...]
    """In the order given."""
    left_out: tuple[int, ...] = ()
    """Segments of the files that are not among these, from 0."""

    @property
    def reference_lines(self) -> Iterator[str]:
        """The lines of all references that exist."""
        return (line for stream in self.references for line in stream if line is not None)

    @property
    def filled(self) -> list[list[str]]:
        """The streams, with the first reference in place of further ones that are missing."""
        first = [line or "" for line in self.references[0]] if self.references else []
        return [
            [own if line is None else line for line, own in zip(stream, first, strict=True)]
            for stream in self.references
        ]


@dataclass(frozen=True)
class PairsTable:
    """Hypotheses with their references, one hypothesis per row."""

    references: tuple[tuple[str, ...], ...]
    """[n_rows][1 or more]: ``reference``, then those of ``reference_2``, ``reference_3`` … that are not empty."""
    hypotheses: tuple[str, ...]
    """[n_rows]"""
    systems: tuple[str, ...] | None
    """[n_rows], the column ``system``; None if the table has no such column."""
    numbers: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    """Further columns that were asked for, float64 [n_rows] each."""
    documents: tuple[str, ...] | None = None
    """[n_rows], the column ``document``; None if the table has no such column."""
    left_out: tuple[int, ...] = ()
    """Rows of the file that are not among these, from 0."""

    def __len__(self) -> int:
        return len(self.hypotheses)


def read_parallel(
    reference_paths: Sequence[StrPath],
    system_paths: Sequence[StrPath],
    *,
    skip_missing_references: bool = False,
) -> ParallelText:
    """Read files that are parallel line by line (one of them may be ``-``: standard input).

    An empty line is a segment like any other; a blank reference is missing where the segment has others.

    Args:
        reference_paths: One file for each reference.
        system_paths: One file for each system.
        skip_missing_references: Leave out segments whose references are all blank.

    Returns:
        References and outputs, line by line.

    Raises:
        PfsmError: what `pfsm.io.files.read_lines` raises, files with different numbers of lines or with none, a
            system given twice, or standard input given more than once.
    """
    paths = [*reference_paths, *system_paths]
    if [os.fspath(path) for path in paths].count(STANDARD_INPUT) > 1:
        raise PfsmError("standard input: given more than once, it can be read only once; give files")
    names = [os.fspath(path) for path in system_paths]
    if len({*names}) < len(names):
        raise PfsmError(f"{max(names, key=names.count)}: given twice as a system; give each system once")
    if not reference_paths:
        raise PfsmError("no files of references, one at least is needed")
    streams = [
        segments_of(path, "reference" if place < len(reference_paths) else "system")
        for place, path in enumerate(paths)
    ]
    for path, stream in zip(paths, streams, strict=True):
        check_parallel(path, len(stream), paths[0], len(streams[0]))
    segments = list(map(given_references, zip(*streams[: len(reference_paths)], strict=True)))
    outputs = streams[len(reference_paths) :]
    kept, n = list(range(len(segments))), len(segments)
    if skip_missing_references:
        kept = rows_with_references(segments, display_name(paths[0]))
        segments = [segments[row] for row in kept]
        outputs = [tuple(stream[row] for row in kept) for stream in outputs]
    return ParallelText(
        tuple(zip_longest(*segments)),
        tuple(SystemOutput(name, lines) for name, lines in zip(names, outputs, strict=True)),
        others(kept, n),
    )


def read_pairs_table(
    path: StrPath, numeric: Sequence[str] = (), *, skip_missing_references: bool = False
) -> PairsTable:
    """Read references and hypotheses to be scored from a TSV or CSV file, or annotations (``-``: standard input).

    Args:
        path: a file with the columns ``reference`` and ``hypothesis`` (COMET: ``ref`` and ``mt``). The columns
            ``reference_2``, ``reference_3`` … with further references, and ``system``, are optional.
        numeric: further columns to read, of numbers.
        skip_missing_references: leave out rows whose references are all blank.

    Returns:
        The pairs, in the order of the rows.

    Raises:
        PfsmError: what `pfsm.data.formats.read_judged` raises, a missing column, no rows, or a number that is not
            finite.
    """
    table = read_judged(path)
    pairs = pairs_from_table(table, numeric)
    table.need_rows()
    if not skip_missing_references:
        return pairs
    kept = rows_with_references(pairs.references, table.path)
    return replace(pairs_from_table(table.select(kept), numeric), left_out=others(kept, len(pairs)))


def pairs_from_table(table: Table, numeric: Sequence[str] = ()) -> PairsTable:
    """The references and hypotheses in a table, which may have no rows; ``numeric`` as in `read_pairs_table`."""
    advice = absolute_advice(table)
    references = all_references(table.column("reference", advice), table.columns)
    hypotheses = tuple(table.column("hypothesis", advice))
    systems, documents = (
        tuple(map(one_line, table.columns[name])) if name in table.columns else None
        for name in ("system", "document")
    )
    return PairsTable(
        references, hypotheses, systems, {name: table.numbers(name) for name in numeric}, documents
    )
