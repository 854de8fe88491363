"""Segments of NIST's ``srcset``, ``refset`` and ``tstset`` and of WMT's XML, one at a time."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from pfsm.data.formats.markup import TAGS, Tag, Text, markup_events
from pfsm.errors import PfsmError
from pfsm.io.faults import StrPath, display_name

Role = Literal["source", "reference", "system"]

_NIST_SETS: Mapping[str, Role] = {"srcset": "source", "refset": "reference", "tstset": "system"}
_WMT_PARTS: Mapping[str, Role] = {"src": "source", "ref": "reference", "hyp": "system"}
_NAMES: Mapping[Role, tuple[str, ...]] = {
    "source": (),
    "reference": ("refid", "translator", "sysid"),
    "system": ("sysid", "system"),
}
_SPACES = re.compile(r"[ \t\r\n]+")


@dataclass(frozen=True, slots=True)
class SetSegment:
    """One segment of one set."""

    role: Role
    name: str
    """Name of the system or the reference; ``""`` if the file gives none."""
    set_id: str
    source_lang: str
    target_lang: str
    document: str
    genre: str
    segment: str
    """Its id in the document; if the file gives none, its number from 1."""
    text: str
    """The text without surrounding white space; each run of blanks and line ends inside becomes one space."""
    line: int
    """The line on which it begins."""


def set_segments(path: StrPath) -> Iterator[SetSegment]:
    """The segments of a file, in order.

    Raises:
        PfsmError: what `markup_events` raises; a segment outside a document or a document outside a set; a document
            without an id; no segments; a file that ends inside a segment.
    """
    reader = _SetReader(display_name(path))
    found = False
    for event in markup_events(path):
        if isinstance(event, Text):
            reader.text(event)
        elif (finished := reader.tag(event)) is not None:
            found = True
            yield finished
    reader.finish()
    if not found:
        raise PfsmError(f"{display_name(path)}: no segments (<seg>) of a srcset, refset or tstset")


class _SetReader:
    """The current position in a file, and the segment that is open."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._role: Role | None = None
        self._set: Mapping[str, str] = {}
        self._document: Mapping[str, str] | None = None
        self._in_dataset = False
        self._dataset = ""
        self._source_lang = ""
        self._count = 0
        self._open: Tag | None = None
        self._pieces: list[str] = []

    def text(self, event: Text) -> None:
        """Adds text to the open segment."""
        if self._open is not None:
            self._pieces.append(event.content)

    def tag(self, tag: Tag) -> SetSegment | None:
        """Enters or leaves an element; returns the segment that the tag ends."""
        if tag.name not in TAGS or (tag.name in _WMT_PARTS and not self._in_dataset):
            self._pieces.append(tag.raw)  # not part of the structure: an unknown tag in XML, or text in SGML
            return None
        finished = self._close()
        if tag.closing:
            self._leave(tag.name)
        elif tag.name == "seg":
            self._begin_segment(tag)
        elif tag.name == "doc":
            self._begin_document(tag)
        else:
            self._begin_set(tag)
        return finished

    def finish(self) -> None:
        """Refuses a file that ends inside a segment."""
        if self._open is not None:
            raise PfsmError(
                f"{self._name}:{self._open.line}: the file ends inside this segment; copy it again"
            )

    def _leave(self, name: str) -> None:
        if name == "doc":
            self._document = None
        elif name in _NIST_SETS or name in _WMT_PARTS:
            self._role, self._set = None, {}

    def _begin_set(self, tag: Tag) -> None:
        if tag.name == "dataset":
            self._in_dataset, self._dataset = True, tag.attributes.get("id", "")
        elif tag.name in _NIST_SETS:
            self._role, self._set, self._document = _NIST_SETS[tag.name], tag.attributes, None
        elif tag.name in _WMT_PARTS:
            self._role, self._set, self._count = _WMT_PARTS[tag.name], tag.attributes, 0
            if self._role == "source":
                self._source_lang = tag.attributes.get("lang", "")

    def _begin_document(self, tag: Tag) -> None:
        self._document, self._count = tag.attributes, 0
        if not self._document_id():
            raise PfsmError(f"{self._name}:{tag.line}: a document without an id (docid)")

    def _document_id(self) -> str:
        document = self._document or {}
        return document.get("docid") or document.get("id", "")

    def _begin_segment(self, tag: Tag) -> None:
        if self._role is None or self._document is None:
            where = "a set (srcset, refset, tstset)" if self._role is None else "a document (doc)"
            raise PfsmError(f"{self._name}:{tag.line}: a segment outside {where}")
        self._count += 1
        self._open, self._pieces = tag, []

    def _close(self) -> SetSegment | None:
        """Ends the open segment: at its end tag, or at the next tag if the end tag is missing."""
        if self._open is None or self._role is None:
            return None
        tag, self._open = self._open, None
        document = self._document or {}
        target_lang = self._set.get("trglang", self._set.get("lang", ""))
        return SetSegment(
            self._role,
            next(
                (value for key in _NAMES[self._role] if (value := self._set.get(key) or document.get(key))),
                "",
            ),
            self._set.get("setid", self._dataset),
            self._set.get("srclang", self._source_lang),
            "" if self._role == "source" else target_lang,
            self._document_id(),
            document.get("genre", ""),
            tag.attributes.get("id", str(self._count)).strip(),
            _SPACES.sub(" ", "".join(self._pieces)).strip(" "),
            tag.line,
        )
