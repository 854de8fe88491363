"""The texts that files of judgments refer to: references, sources, documents, system outputs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pfsm.data.fields import shown
from pfsm.data.formats.lines import stream_lines
from pfsm.data.formats.markup import is_markup
from pfsm.data.formats.nist_sets import Role, SetSegment, set_segments
from pfsm.data.formats.options import Options
from pfsm.data.formats.rows import Row
from pfsm.errors import PfsmError
from pfsm.io.faults import StrPath, display_name


def _lines(count: int) -> str:
    return f"{count} line" if count == 1 else f"{count} lines"


def segments_of(path: StrPath, role: Role) -> tuple[str, ...]:
    """The segments of a file: its lines, or in SGML and XML the segments of the one set of this role.

    Raises:
        PfsmError: what `stream_lines` and `set_segments` raise; no segments; several sets of this role.
    """
    lines = stream_lines(path)
    first = next(lines, None)
    if first is None:
        raise PfsmError(f"{display_name(path)}: no lines, at least one segment is needed")
    if is_markup(first):
        return tuple(segment.text for segment in _of_one_set(path, role))
    return (first, *lines)


def _of_one_set(path: StrPath, role: Role) -> list[SetSegment]:
    chosen = [segment for segment in set_segments(path) if segment.role == role]
    names = sorted({segment.name for segment in chosen})
    if not chosen:
        raise PfsmError(f"{display_name(path)}: no segments of a {role}")
    if len(names) > 1:
        raise PfsmError(
            f"{display_name(path)}: holds several {role}s ({', '.join(names)}); split it, or read it with --from nist"
        )
    return chosen


def document_names(path: StrPath) -> tuple[tuple[str, str], ...]:
    """The domain (``""`` if unknown) and the document of each segment.

    Args:
        path: one segment per line, either ``DOCUMENT`` or, as in mt-metrics-eval, ``DOMAIN DOCUMENT``; or SGML or XML
            of one set, or of WMT with its sources.

    Raises:
        PfsmError: what `segments_of` raises, or a line with no name or more than two.
    """
    lines = stream_lines(path)
    first = next(lines, None)
    if first is not None and is_markup(first):
        segments = list(set_segments(path))
        role: Role = segments[0].role
        return tuple((segment.genre, segment.document) for segment in _of_one_set(path, role))
    names = []
    for number, line in enumerate([] if first is None else [first, *lines], start=1):
        fields = line.split("\t") if "\t" in line else line.split()
        if len(fields) not in {1, 2} or not all(field.strip() for field in fields):
            raise PfsmError(
                f"{display_name(path)}:{number}: {shown(line)}, the name of a document is needed, "
                "optionally with its domain before it"
            )
        names.append((fields[0].strip() if len(fields) == 2 else "", fields[-1].strip()))
    return tuple(names)


@dataclass(frozen=True)
class SegmentTexts:
    """References, sources and documents of a test set, segment by segment."""

    references: tuple[tuple[str, ...], ...]
    """[n_references][n_segments]"""
    sources: tuple[str, ...]
    """[n_segments], or empty"""
    documents: tuple[tuple[str, str], ...]
    """[n_segments] of domain and document, or empty"""
    first_path: str
    """The file whose lines the other files must match."""

    def __len__(self) -> int:
        return len(self.references[0])

    def check_index(self, index: int, row: Row, column: str) -> None:
        """Refuse a row about a segment that does not exist.

        Raises:
            PfsmError: there is no segment `index`, counted from 0.
        """
        if index >= len(self):
            there = _lines(len(self))
            raise row.fault(
                f"{column} is {shown(row[column])}, but {display_name(self.first_path)} has {there}"
            )

    def references_of(self, index: int) -> tuple[str, ...]:
        """All references of a segment, counted from 0."""
        return tuple(stream[index] for stream in self.references)

    def source_of(self, index: int) -> str:
        """The source of a segment; ``""`` without sources."""
        return self.sources[index] if self.sources else ""

    def document_of(self, index: int) -> str:
        """The document of a segment; ``""`` without documents."""
        return self.documents[index][1] if self.documents else ""

    @property
    def present(self) -> list[str]:
        """The named columns that these texts fill."""
        return [name for name, there in (("source", self.sources), ("document", self.documents)) if there]


def load_texts(options: Options, where: str) -> SegmentTexts:
    """The texts given by the options.

    Args:
        options: The options of the reader.
        where: What errors call the judgments: file and format.

    Raises:
        PfsmError: no references, what `segments_of` and `document_names` raise, or files that are not
            parallel.
    """
    if not options.references:
        raise PfsmError(f"{where} contains no references; give them with --references FILE")
    first = options.references[0]
    references = tuple(segments_of(path, "reference") for path in options.references)
    sources = segments_of(options.sources, "source") if options.sources else ()
    documents = document_names(options.documents) if options.documents else ()
    streams: list[tuple[str, Sequence[object]]] = list(zip(options.references, references, strict=True))
    streams += [
        (path, stream)
        for path, stream in ((options.sources, sources), (options.documents, documents))
        if path
    ]
    for path, stream in streams:
        check_parallel(path, len(stream), first, len(references[0]))
    return SegmentTexts(references, sources, documents, first)


def check_parallel(path: StrPath, count: int, other: StrPath, needed: int) -> None:
    """Refuse files that are not parallel line by line.

    Raises:
        PfsmError: `path` has `count` segments, but `other` has `needed`.
    """
    if count != needed:
        raise PfsmError(
            f"{display_name(path)}: {_lines(count)}, but {display_name(other)} has {_lines(needed)}; "
            "line i of both must be segment i"
        )


def pair_columns(options: Options) -> Mapping[str, str]:
    """The columns that options fill with the same value for all records."""
    names = ("test_set", "source_lang", "target_lang")
    return {name: value for name in names if (value := getattr(options, name))}
