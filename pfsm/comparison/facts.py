"""What is known of segments besides references and translations: documents, sources, human scores."""

import math
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from pfsm.data.table import Table, finite_number, read_table, shown
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath

Float = NDArray[np.float64]

SOURCE, DOCUMENT, LANGUAGE, TEST_SET = "source", "document", "source_lang", "test_set"
KNOWN = (SOURCE, DOCUMENT, LANGUAGE, TEST_SET)
HUMAN = "human:"


@dataclass(frozen=True, eq=False)
class SegmentFacts:
    """Facts of the segments of a test set, each optional.

    Attributes:
        source: The source text of each segment.
        groups: By the name of a column, such as ``document``, the name that each segment has there.
        human: By system, the human scores of its segments, float64 [n_segments], higher is better; NaN where a segment
            was not judged.
    """

    source: Sequence[str] | None = None
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    human: Mapping[str, Float] = field(default_factory=dict)

    def check(self, systems: Sequence[str], n_segments: int) -> None:
        """Makes sure that the facts are of these systems and segments.

        Raises:
            ValueError: If they are not.
        """
        series: list[Sized] = [
            *([] if self.source is None else [self.source]),
            *self.groups.values(),
            *self.human.values(),
        ]
        if any(len(one) != n_segments for one in series):
            lengths = sorted({len(one) for one in series})
            raise ValueError(f"facts of {lengths} segments, there are {n_segments}")
        for name in self.human:
            if name not in systems:
                raise ValueError(f"human scores of {name!r}, which is no system here")

    def select(self, segments: Sequence[int]) -> "SegmentFacts":
        """The facts of some segments, by their numbers from 0."""
        return SegmentFacts(
            None if self.source is None else [self.source[segment] for segment in segments],
            {name: [of[segment] for segment in segments] for name, of in self.groups.items()},
            {name: scores[np.array(segments)] for name, scores in self.human.items()},
        )


def read_facts(path: StrPath, systems: Sequence[str], n_segments: int) -> SegmentFacts:
    """Facts from a table with a row for each segment, in order.

    Columns are ``source``, ``document``, ``source_lang``, ``test_set``, and ``human:SYSTEM`` with the human scores of a
    system: its name, or the name of its file without the folder, with or without ``.txt``. An empty field is a segment
    without a judgment. Columns of other names are left alone.

    Args:
        path: A TSV or CSV with a header row.
        systems: Names of the systems.
        n_segments: Number of segments.

    Raises:
        PfsmError: What `pfsm.data.table.read_table` raises; another number of rows; none of these columns; a system
            that is not there, or is not clear; a score that is not a finite number.
    """
    table = read_table(path)
    if len(table) != n_segments:
        rows = "1 row" if len(table) == 1 else f"{len(table)} rows"
        raise PfsmError(f"{table.path}: {rows}, but there are {n_segments} segments; row i must be segment i")
    human = {
        name: _system(name.removeprefix(HUMAN), systems, table.path)
        for name in table.header
        if name.startswith(HUMAN)
    }
    twice = [name for name, system in human.items() if list(human.values()).count(system) > 1]
    if twice:
        raise PfsmError(f"{table.path}: {' and '.join(twice)} are of the same system; leave one out")
    groups = {name: tuple(table.columns[name]) for name in KNOWN[1:] if name in table.columns}
    source = tuple(table.columns[SOURCE]) if SOURCE in table.columns else None
    if not (human or groups or source):
        columns = ", ".join(map(shown, table.header))
        raise PfsmError(
            f"{table.path}: no column of use; the columns are {columns}; known are {', '.join(KNOWN)} and "
            f"{HUMAN}SYSTEM"
        )
    return SegmentFacts(source, groups, {system: _scores(table, name) for name, system in human.items()})


def _system(wanted: str, systems: Sequence[str], path: str) -> str:
    if wanted in systems:
        return wanted
    named = [(system, PurePath(system).name.removesuffix(".gz")) for system in systems]
    found = [system for system, name in named if wanted in {PurePath(system).name, name.removesuffix(".txt")}]
    if len(found) == 1:
        return found[0]
    if found:
        raise PfsmError(f"{path}: {HUMAN}{wanted} may be {' or '.join(found)}; give the name as after -i")
    raise PfsmError(f"{path}: {HUMAN}{wanted} is of no system; the systems are {', '.join(systems)}")


def _scores(table: Table, name: str) -> Float:
    scores = np.full(len(table), math.nan)
    for row, text in enumerate(table.columns[name]):
        if not text.strip():
            continue
        value = finite_number(text)
        if value is None:
            line = table.line_numbers[row]
            raise PfsmError(
                f"{table.path}:{line}: {name} is {shown(text)}, a finite number or an empty field is needed"
            )
        scores[row] = value
    return scores
