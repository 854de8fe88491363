"""References for the translations of an MQM file, which has none itself."""

from collections.abc import Mapping

from pfsm.data.fields import shown
from pfsm.data.formats.options import Options
from pfsm.data.formats.rows import Row
from pfsm.data.formats.texts import SegmentTexts, load_texts
from pfsm.errors import PfsmError
from pfsm.io.faults import display_name


def bare(text: str) -> str:
    """A text without blanks and quotation marks, in which form copies of it are recognised."""
    return "".join(text.split()).replace('"', "")


class ReferenceFinder:
    """Finds the references for a row, in files or among the translations of reference systems."""

    def __init__(self, options: Options) -> None:
        """Reads the files.

        Raises:
            PfsmError: neither files nor reference systems, or both; what `load_texts` raises.
        """
        if bool(options.references) == bool(options.reference_systems):
            raise PfsmError(
                "MQM files hold no references: give either --references FILE, or --reference-systems with the "
                "systems of the file whose translations are the references"
            )
        self._options = options
        self._texts: SegmentTexts | None = load_texts(options, "MQM") if options.references else None
        self._starts: dict[str, tuple[int, int]] = {}
        if self._texts is not None:
            for index, (_, document) in enumerate(self._texts.documents):
                first, count = self._starts.get(document, (index, 0))
                if first + count != index:
                    name = display_name(options.documents)
                    raise PfsmError(f"{name}:{index + 1}: document {shown(document)} is not in one piece")
                self._starts[document] = (first, count + 1)
        self._translations: dict[tuple[str, str], list[str]] = {}

    @property
    def count(self) -> int:
        """The largest number of references of a segment."""
        return len(self._options.references) or len(self._options.reference_systems)

    def find_in(self, targets: Mapping[tuple[str, str, str], str]) -> None:
        """Picks the references out of the translations, by system, document and segment of the document.

        Raises:
            PfsmError: a reference system that has no translations.
        """
        there = {system for system, _, _ in targets}
        for system in self._options.reference_systems:
            if system not in there:
                raise PfsmError(f"no system {shown(system)}; the file has {', '.join(sorted(there))}")
            for (each, document, segment), target in targets.items():
                if each == system:
                    self._translations.setdefault((document, segment), []).append(target)

    def references_of(self, row: Row, source: str) -> tuple[int | None, tuple[str, ...]]:
        """The number of a row's segment in the files, from 0 (None without files), and its references.

        Raises:
            PfsmError: there are no references, or the source differs from the row's.
        """
        if self._texts is None:
            found = self._translations.get((row["doc"], row["doc_id"].strip()), [])
            if not found:
                raise row.fault(
                    f"no reference system has segment {row['doc_id']} of document {shown(row['doc'])}"
                )
            return None, tuple(found)
        at = self._place(row, self._texts)
        if self._texts.sources and bare(self._texts.source_of(at)) != bare(source):
            raise row.fault(
                f"the source differs from line {at + 1} of {display_name(self._options.sources)}; find segments "
                "by document with --documents FILE, or give the right files"
            )
        return at, self._texts.references_of(at)

    def _place(self, row: Row, texts: SegmentTexts) -> int:
        if not texts.documents:
            at = row.whole("seg_id") - 1
            texts.check_index(at, row, "seg_id")
            return at
        document = row["doc"]
        if document not in self._starts:
            name = display_name(self._options.documents)
            raise row.fault(f"doc is {shown(document)}, which {name} does not have")
        first, count = self._starts[document]
        number = row.whole("doc_id")
        if number > count:
            raise row.fault(f"doc_id is {number}, but the document has {count} segments")
        return first + number - 1
