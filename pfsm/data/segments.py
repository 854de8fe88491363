"""Segments of plain files, one a line, and which references of a segment count."""

import json
import re
from collections.abc import Mapping, Sequence

from pfsm.data.bitext import units
from pfsm.data.markup import Role, SetSegment, is_bitext, set_segments
from pfsm.errors import PfsmError
from pfsm.io.files import STANDARD_INPUT, StrPath, display_name, read_lines

_MARKUP = re.compile(
    r"\s*<(?:\?xml\b|!DOCTYPE\b|!--|(?:mteval|srcset|refset|tstset|dataset|collection|doc|seg|tmx|xliff)\b)",
    re.IGNORECASE,
)
FURTHER_REFERENCE = re.compile(r"reference_([1-9][0-9]*)", re.ASCII)


def segments_of(path: StrPath, role: Role) -> tuple[str, ...]:
    """The segments of a file: its lines, or in SGML and XML those of the one set of this role; JSON is refused."""
    lines = read_lines(path)
    if not lines:
        raise PfsmError(f"{display_name(path)}: no lines, at least one segment is needed")
    if is_markup(lines):
        if str(path) == STANDARD_INPUT:
            raise PfsmError(f"{display_name(path)}: SGML or XML is read from files alone; give the file")
        if is_bitext(lines):
            return tuple(unit.source if role == "source" else unit.target for unit in units(path))
        return tuple(segment.text for segment in segments_of_one_set(path, role))
    if is_json(lines, str(path)):
        raise PfsmError(
            f"{display_name(path)}: JSON, not text; `pfsm data convert` makes a table of JSON lines, for --table"
        )
    return tuple(lines)


def segments_of_one_set(path: StrPath, role: Role) -> list[SetSegment]:
    """Return the segments of SGML or XML that are of a role; refuse a file with none, or with several sets of them."""
    chosen = [segment for segment in set_segments(path) if segment.role == role]
    names = sorted({segment.name for segment in chosen})
    if not chosen:
        raise PfsmError(f"{display_name(path)}: no segments of a {role}")
    if len(names) > 1:
        raise PfsmError(
            f"{display_name(path)}: holds several {role}s ({', '.join(names)}); split it, or read it with --from nist"
        )
    return chosen


def is_markup(lines: Sequence[str]) -> bool:
    """Whether a file is SGML or XML, such as the test sets of NIST and WMT: by its first line that is not blank."""
    return _MARKUP.match(next(filter(str.strip, lines), "")) is not None


def is_json(lines: Sequence[str], name: str) -> bool:
    """Whether a file is JSON: by its name, by its first line that is not blank, or as a whole."""
    first = next(filter(str.strip, lines), "").strip()
    if name.lower().removesuffix(".gz").endswith((".json", ".jsonl", ".ndjson")):
        return bool(first)
    return first.startswith(("{", "[")) and (_is_json(first) or _is_json("\n".join(lines)))


def _is_json(text: str) -> bool:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    # A line such as [1] is a footnote.
    return bool(value) and (isinstance(value, dict) or isinstance(value[0], dict | list | str))


def check_parallel(path: StrPath, count: int, other: StrPath, needed: int) -> None:
    """Refuse files that are not parallel line by line."""
    if count != needed:
        raise PfsmError(
            f"{display_name(path)}: {counted_lines(count)}, but {display_name(other)} has {counted_lines(needed)}; "
            "line i of both must be segment i"
        )


def counted_lines(count: int) -> str:
    """Return so many lines, in words."""
    return f"{count} line" if count == 1 else f"{count} lines"


def all_references(first: Sequence[str], columns: Mapping[str, Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """The references of every row that are not blank, of the first column and ``reference_2`` …; blank ones alone: one.

    Args:
        first: [n_rows], the column ``reference``.
        columns: Other columns by name, [n_rows] each.
    """
    further = [columns[name] for name in further_references(columns)]
    if not further:
        return tuple((reference,) for reference in first)
    return tuple(map(given_references, zip(first, *further, strict=True)))


def given_references(references: Sequence[str]) -> tuple[str, ...]:
    """The references of a segment that are not blank: blank ones are missing; the first one where all are blank."""
    return tuple(filter(str.strip, references)) or (references[0],)


def rows_with_references(rows: Sequence[Sequence[str]], name: str) -> list[int]:
    """Which of the segments of a file, by their references, have one that is not blank, from 0; refuses none at all."""
    kept = [row for row, references in enumerate(rows) if any(map(str.strip, references))]
    if rows and not kept:
        raise PfsmError(f"{name}: every reference is missing, there is nothing to score against")
    return kept


def others(rows: Sequence[int], n: int) -> tuple[int, ...]:
    """The numbers below ``n`` that are not among these."""
    chosen = {*rows}
    return tuple(row for row in range(n) if row not in chosen)


def left_out_text(left_out: int, total: int) -> str:
    """How many segments of so many are left out, which have no reference."""
    return f"{left_out} of {total} segments left out, which have no reference"


def further_references(columns: Mapping[str, Sequence[str]]) -> list[str]:
    """The columns ``reference_2``, ``reference_3`` …, by number; gaps in the numbers do not matter."""
    numbers = {name: int(match[1]) for name in columns if (match := FURTHER_REFERENCE.fullmatch(name))}
    return sorted((name for name, number in numbers.items() if number > 1), key=numbers.__getitem__)
