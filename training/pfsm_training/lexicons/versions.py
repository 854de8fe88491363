"""Versions of a segment: its references and translations, from files of judgments or preferences."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from pfsm.data.table import DataSource, Table, read_table
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath

# The reference, then the other texts sorted by code points.
Segment = tuple[str, ...]


def read_versions(paths: Sequence[StrPath]) -> tuple[list[Segment], list[DataSource]]:
    """The segments of all files, in the order of their references, and the files.

    All rows with the same reference are one segment. Its versions are the reference itself, further references
    (``reference_2`` and so on) and every translation (``hypothesis``, or ``better`` and ``worse``). Each text counts
    once, so a translation equal to its reference (such as a post-edit that changed nothing) is not a separate version.
    Segments with an empty reference are left out.

    Raises:
        PfsmError: If a file cannot be read, or lacks the columns.
    """
    tables = [read_table(path) for path in paths]
    versions: dict[str, set[str]] = {}
    for table in tables:
        columns = _columns(table)
        for reference, *others in zip(*columns, strict=True):
            if reference.strip():
                versions.setdefault(reference, set()).update(others)
    segments = [(reference, *sorted(versions[reference] - {reference, ""})) for reference in sorted(versions)]
    return segments, [table.source for table in tables]


def _columns(table: Table) -> list[Sequence[str]]:
    """The reference column, and every other column that holds a version."""
    translations = [name for name in ("hypothesis", "better", "worse") if name in table.columns]
    if not translations:
        raise PfsmError(f"{table.path}: no column 'hypothesis', nor 'better' and 'worse'")
    further = sorted(name for name in table.columns if name.startswith("reference_"))
    return [table.column("reference"), *(table.columns[name] for name in (*further, *translations))]


def version_pairs(segments: Iterable[Segment], at_least: int) -> Iterator[list[tuple[int, str, str]]]:
    """Every two versions of every segment, as (number of the segment, one text, the other), in lists of whole segments.

    Args:
        segments: The segments.
        at_least: Smallest size of a list, except the last.
    """
    pairs: list[tuple[int, str, str]] = []
    for number, segment in enumerate(segments):
        pairs += [(number, one, other) for one, other in combinations(segment, 2)]
        if len(pairs) >= at_least:
            yield pairs
            pairs = []
    if pairs:
        yield pairs
