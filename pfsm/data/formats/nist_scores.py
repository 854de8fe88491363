"""Segment scores for NIST's sets, which contain none themselves.

The file has five columns without a header, as in NIST's mteval and MetricsMATR (test set, system, document, segment,
score), or a header with ``system``, ``document``, ``segment`` and a score.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from pfsm.data.fields import finite_number, header_names, shown
from pfsm.data.formats.lines import stream_lines
from pfsm.data.formats.options import Options
from pfsm.data.formats.rows import Row
from pfsm.errors import PfsmError
from pfsm.io.faults import StrPath, display_name

_MATR = ("test_set", "system", "document", "segment", "score")
_OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "test_set": ("setid",),
    "system": ("sysid", "sys"),
    "document": ("docid", "doc"),
    "segment": ("segid", "seg", "segment_id"),
    "rater": ("judge", "annotator"),
}


def score_rows(path: StrPath, options: Options) -> tuple[Sequence[str], Iterator[Row]]:
    """Our names of the columns of a score file, and its rows.

    Raises:
        PfsmError: what `stream_lines` raises, an empty file, a missing column; during iteration, a row with fewer or
            more fields than there are columns.
    """
    name = display_name(path)
    lines = stream_lines(path)
    first = next(lines, None)
    if first is None:
        raise PfsmError(f"{name}: empty file, scores are needed")
    fields = _split(first)
    if len(fields) == len(_MATR) and finite_number(fields[-1]) is not None:
        return _MATR, _rows(name, enumerate(chain([first], lines), start=1), _MATR)
    header = _our_names(header_names(fields, name), options.score_column or "score")
    for needed in ("system", "document", "segment", "score"):
        if needed not in header:
            there = ", ".join(shown(field_name) for field_name in fields)
            raise PfsmError(
                f"{name}: no column {needed!r}; the columns are {there}; without a header, five columns are "
                "needed: test set, system, document, segment, score"
            )
    return header, _rows(name, enumerate(lines, start=2), header)


def _our_names(header: Sequence[str], score_column: str) -> list[str]:
    names = []
    for column in header:
        lower = column.lower()
        ours = next((name for name, others in _OTHER_NAMES.items() if lower in others), lower)
        names.append("score" if column == score_column else "other score" if ours == "score" else ours)
    return names


def _rows(name: str, lines: Iterator[tuple[int, str]], header: Sequence[str]) -> Iterator[Row]:
    for number, line in lines:
        fields = _split(line)
        if len(fields) != len(header):
            raise PfsmError(
                f"{name}:{number}: {len(fields)} fields, {len(header)} are needed ({', '.join(header)})"
            )
        yield Row(name, number, dict(zip(header, fields, strict=True)))


def _split(line: str) -> list[str]:
    return [field_text.strip() for field_text in line.split("\t")] if "\t" in line else line.split()
