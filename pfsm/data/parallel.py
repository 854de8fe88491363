"""Text to be scored: files that are parallel line by line, or tables of references and hypotheses."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pfsm.data.formats.markup import Role, is_markup
from pfsm.data.formats.texts import segments_of
from pfsm.data.judgments import absolute_advice, all_references
from pfsm.data.table import Table, read_table
from pfsm.errors import PfsmError
from pfsm.io.files import STANDARD_INPUT, StrPath, display_name, read_lines


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

    @property
    def reference_lines(self) -> Iterator[str]:
        """The lines of all references that are there."""
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

    def __len__(self) -> int:
        return len(self.hypotheses)


def read_parallel(reference_paths: Sequence[StrPath], system_paths: Sequence[StrPath]) -> ParallelText:
    """Read files that are parallel line by line (one of them may be ``-``: standard input).

    An empty line is a segment like any other; in further reference files, a blank line is a missing reference.

    Args:
        reference_paths: One file for each reference.
        system_paths: One file for each system.

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
    for position, name in enumerate(names):
        if name in names[:position]:
            raise PfsmError(f"{name}: given twice as a system; give each system once")
    streams = [
        _segments(path, "reference" if place < len(reference_paths) else "system")
        for place, path in enumerate(paths)
    ]
    for path, stream in zip(paths, streams, strict=True):
        if len(stream) != len(streams[0]):
            raise PfsmError(
                f"{display_name(path)}: {_lines(len(stream))}, but {display_name(paths[0])} has "
                f"{_lines(len(streams[0]))}; line i of both must be segment i"
            )
    if not streams or not streams[0]:
        name = display_name(paths[0]) if paths else "no files"
        raise PfsmError(f"{name}: no lines, at least one segment is needed")
    first, *further = streams[: len(reference_paths)] or [()]
    references: tuple[tuple[str | None, ...], ...] = (
        first,
        *(tuple(line if line.strip() else None for line in stream) for stream in further),
    )
    outputs = streams[len(reference_paths) :]
    return ParallelText(
        references, tuple(SystemOutput(name, lines) for name, lines in zip(names, outputs, strict=True))
    )


def _segments(path: StrPath, role: Role) -> tuple[str, ...]:
    """The segments of a file as it is: its lines, or those in SGML or XML; JSON is refused, since it is no text."""
    lines = tuple(read_lines(path))
    if lines and is_markup(lines[0]):
        if os.fspath(path) == STANDARD_INPUT:
            raise PfsmError(f"{display_name(path)}: SGML or XML is read from files alone; give the file")
        return segments_of(path, role)
    if lines and all(map(_is_json, lines[:3])):
        raise PfsmError(
            f"{display_name(path)}: JSON lines, not text; `pfsm data convert` makes a table of them for --table"
        )
    return lines


def _is_json(line: str) -> bool:
    try:
        return line.startswith("{") and isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _lines(count: int) -> str:
    return f"{count} line" if count == 1 else f"{count} lines"


def read_pairs_table(path: StrPath, numeric: Sequence[str] = ()) -> PairsTable:
    """Read references and hypotheses to be scored from a TSV or CSV file (``-``: standard input).

    Args:
        path: a file with the columns ``reference`` and ``hypothesis`` (COMET: ``ref`` and ``mt``). The columns
            ``reference_2``, ``reference_3`` … with further references, and ``system``, are optional.
        numeric: further columns to read, of numbers.

    Returns:
        The pairs, in the order of the rows.

    Raises:
        PfsmError: what `pfsm.data.table.read_table` raises, a missing column, no rows, or a number that is not finite.
    """
    table = read_table(path)
    pairs = pairs_from_table(table, numeric)
    table.need_rows()
    return pairs


def pairs_from_table(table: Table, numeric: Sequence[str] = ()) -> PairsTable:
    """The references and hypotheses in a table, which may have no rows; ``numeric`` as in `read_pairs_table`."""
    advice = absolute_advice(table)
    references = all_references(table.column("reference", advice), table.columns)
    hypotheses = tuple(table.column("hypothesis", advice))
    systems, documents = (
        tuple(table.columns[name]) if name in table.columns else None for name in ("system", "document")
    )
    return PairsTable(
        references, hypotheses, systems, {name: table.numbers(name) for name in numeric}, documents
    )
