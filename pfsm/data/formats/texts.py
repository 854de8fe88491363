"""The texts that files of judgments refer to: references, sources, documents, and outputs of systems by name."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pfsm.data.formats.records import Options
from pfsm.data.formats.rows import Row
from pfsm.data.judgments import DOCUMENT, WITHIN
from pfsm.data.markup import Role, set_segments
from pfsm.data.segments import check_parallel, counted_lines, is_markup, segments_of, segments_of_one_set
from pfsm.data.table import read_table, shown
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name, read_lines, reading_explained


def document_names(path: StrPath) -> tuple[tuple[str, str], ...]:
    """The domain (``""`` if unknown) and the document of each segment.

    Args:
        path: one segment per line, either ``DOCUMENT`` or, as in mt-metrics-eval, ``DOMAIN DOCUMENT``; or SGML or XML
            of one set, or of WMT with its sources.
    """
    lines = read_lines(path)
    if is_markup(lines):
        segments = list(set_segments(path))
        role: Role = segments[0].role
        return tuple((segment.genre, segment.document) for segment in segments_of_one_set(path, role))
    names = []
    for number, line in enumerate(lines, start=1):
        fields = line.split("\t") if "\t" in line else line.split()
        if len(fields) not in {1, 2} or not all(field.strip() for field in fields):
            raise PfsmError(
                f"{display_name(path)}:{number}: {shown(line)}, the name of a document is needed, "
                "optionally with its domain before it"
            )
        names.append((fields[0].strip() if len(fields) == 2 else "", fields[-1].strip()))
    return tuple(names)


def read_documents(path: StrPath) -> list[str]:
    """The document of each segment: `document_names`, or the column ``document`` of a table with a header that has one.

    Raises:
        PfsmError: A document without a name, or what the readers raise.
    """
    first = next(iter(read_lines(path)), "")
    if DOCUMENT not in re.split(r"[\t,;]", first.strip()):
        return [f"{domain} {name}".strip() for domain, name in document_names(path)]
    table = read_table(path)
    within = [table.columns[name] for name in WITHIN if name in table.columns]
    return ["\t".join(names) for names in zip(*within, table.names(DOCUMENT), strict=True)]


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
        """Refuse a row about a segment that does not exist."""
        if index >= len(self):
            there = counted_lines(len(self))
            raise row.fault(
                f"{column} is {shown(row[column])}, but {display_name(self.first_path)} has {there}"
            )

    def of(self, index: int, test_set: str) -> dict[str, Any]:
        """The fields of a record that a segment, counted from 0, decides; ``""`` for what is not known."""
        return {
            "references": tuple(stream[index] for stream in self.references),
            "source": self.sources[index] if self.sources else "",
            "document": self.documents[index][1] if self.documents else "",
            "test_set": test_set,
            "segment_id": f"{test_set}.{index + 1}" if test_set else str(index + 1),
        }


def load_texts(options: Options, where: str) -> SegmentTexts:
    """The texts given by the options.

    Args:
        options: The options of the reader.
        where: What errors call the judgments: file and format.
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


def pair_columns(options: Options) -> Mapping[str, str]:
    """The columns that options fill with the same value for all records."""
    names = ("test_set", "source_lang", "target_lang")
    return {name: value for name in names if (value := getattr(options, name))}


_SUFFIXES = frozenset({"gz", "txt", "sgm", "sgml", "xml"})
_TEST_SET = re.compile(r"[A-Za-z_-]*test[A-Za-z_-]*[0-9]{2,4}[A-Za-z0-9_-]*", re.IGNORECASE)
_PAIR = re.compile(r"[a-z]{2}-[a-z]{2}")


def system_name(text: str, source_lang: str = "", target_lang: str = "") -> str:
    """A system's own name, extracted from the name of a file or an identifier of WMT.

    Test set, language pair, ``hyp`` and suffixes are removed: ``newstest2013.cs-en.cu-zeman.2710``,
    ``newstest2016.online-A.0.cs-en`` and ``newstest2021.cs-en.hyp.Online-B.en`` are ``cu-zeman.2710``, ``online-A.0``
    and ``Online-B``.
    """
    parts = text.split(".")
    while len(parts) > 1 and parts[-1].lower() in _SUFFIXES:
        parts.pop()
    if len(parts) > 1 and _TEST_SET.fullmatch(parts[0]):
        del parts[0]
    for end in (0, -1):
        if len(parts) > 1 and _is_pair(parts[end], source_lang, target_lang):
            del parts[end]
    if len(parts) > 1 and parts[0] == "hyp":
        del parts[0]
        if len(parts) > 1 and parts[-1] == (target_lang or parts[-1]):
            parts.pop()
    return ".".join(parts)


def _is_pair(part: str, source_lang: str, target_lang: str) -> bool:
    if source_lang and target_lang:
        return part == f"{source_lang}-{target_lang}"
    return _PAIR.fullmatch(part) is not None


def set_name_of(identifier: str) -> str:
    """The test set at the beginning of a system's identifier; ``""`` if there is none."""
    first, dot, _ = identifier.partition(".")
    return first if dot and _TEST_SET.fullmatch(first) else ""


class SystemOutputs:
    """The outputs of systems on a test set, read when asked for."""

    def __init__(
        self, entries: Iterable[str], texts: SegmentTexts, source_lang: str = "", target_lang: str = ""
    ) -> None:
        """Finds the files.

        Args:
            entries: files, folders of files, or ``NAME=FILE``.
            texts: the texts that the outputs must be parallel to.
            source_lang: source language of the outputs; files of other language pairs in folders are skipped.
            target_lang: target language of the outputs, used in the same way.
        """
        self._texts = texts
        self._pair = (source_lang, target_lang)
        self._paths: dict[str, str] = {}
        self._loaded: dict[str, tuple[str, ...]] = {}
        entries = list(entries)
        if not entries:
            raise PfsmError(
                "this format holds no translations; give them with --system-outputs FOLDER or FILE …"
            )
        for entry in entries:
            for name, path in self._files(entry):
                if name in self._paths:
                    raise PfsmError(
                        f"{path}: a second file of system {name!r} after {self._paths[name]}; give NAME=FILE"
                    )
                self._paths[name] = path

    def _files(self, entry: str) -> list[tuple[str, str]]:
        name, equals, path = entry.partition("=")
        if equals and not Path(entry).exists():
            return [(name, path)]
        folder = Path(entry)
        if not folder.is_dir():
            return [(system_name(folder.name, *self._pair), entry)]
        with reading_explained(entry):
            files = sorted(
                path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")
            )
        ours = [path for path in files if self._is_ours(path.name)]
        if not ours:
            raise PfsmError(f"{entry}: no files of system outputs in this folder")
        return [(system_name(path.name, *self._pair), str(path)) for path in ours]

    def _is_ours(self, file_name: str) -> bool:
        """Whether a file may be of our language pair: its name does not give another one."""
        pairs = {part for part in file_name.split(".") if _PAIR.fullmatch(part)}
        return not all(self._pair) or not pairs or "-".join(self._pair) in pairs

    def find(self, identifier: str, fault: Callable[[str], PfsmError], skip: bool) -> str | None:
        """The name of the system that an identifier means; one that is not among the files is refused or None."""
        name = system_name(identifier, *self._pair)
        # Direct assessments of 2021 and 2022 give systems a number that their files do not have.
        tried = (identifier, name, name.removesuffix(".0"))
        found = next((each for each in tried if each in self._paths), None)
        if found is None and not skip:
            raise fault(
                f"no output of system {shown(identifier)} was given, only of {', '.join(sorted(self._paths))}; "
                "give its file as NAME=FILE, or --skip-unknown-systems"
            )
        return found

    def lines_of(self, name: str) -> tuple[str, ...]:
        """The output of a system, by a name that `find` returned."""
        if name not in self._loaded:
            path = self._paths[name]
            lines = segments_of(path, "system")
            check_parallel(path, len(lines), self._texts.first_path, len(self._texts))
            self._loaded[name] = lines
        return self._loaded[name]
