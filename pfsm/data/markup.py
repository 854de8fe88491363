"""Segments of NIST's SGML and XML (``srcset``, ``refset``, ``tstset``) and of WMT's XML, one at a time.

A file that begins with ``<?xml`` is XML and must be well-formed. Anything else is read as the SGML of the test sets,
which may have tags in upper or lower case, missing end tags, and unescaped ``&`` and ``<``. Declarations of entities
are refused in both, before anything can be expanded. External DTDs may be named but are never fetched.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal
from xml.parsers import expat

from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name, read_lines

TAGS = (
    "mteval", "srcset", "refset", "tstset", "dataset", "collection", "doc", "src", "ref", "hyp", "seg",
    "hl", "h1", "h2", "p", "poster",
)  # fmt: skip
"""The tags that structure a file; in SGML anything else in angle brackets is text."""
_QUOTED = r"""(?:"[^"]*"|'[^']*'|[^'"<>])*"""
_TAG = re.compile(rf"<\s*(/?)\s*({'|'.join(TAGS)})(?=[\s/>])({_QUOTED}|[^<>]*)>", re.IGNORECASE)
_OPENING = re.compile(r"<!--|<!DOCTYPE|<\?", re.IGNORECASE)
_UNFINISHED = re.compile(
    rf"<!--(?:(?!-->).)*\Z|<(?:!DOCTYPE|\s*/?\s*(?:{'|'.join(TAGS)})(?=\s|\Z))[^<>]*\Z",
    re.IGNORECASE | re.DOTALL,
)
_DECLARATION = re.compile(r"<!ENTITY|<!DOCTYPE(?:(?!<!DOCTYPE)[^>\[])*+\[", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w:.-])([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_ENTITY = re.compile(r"&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_ELEMENT = re.compile(r"<(?:(?:[\w.-]+:)?(xliff|tmx)\b|[a-z])", re.IGNORECASE)
_PROLOGUE = 50  # lines before the first element
_LONGEST_TAG = 1 << 16
_MARKS = frozenset("<>[")
_ENTITIES_REFUSED = "declares entities, which are refused; put the text in their place"


@dataclass(frozen=True, slots=True)
class Tag:
    """A start or end tag."""

    name: str
    """In lower case, as the names of attributes are."""
    attributes: Mapping[str, str]
    closing: bool
    line: int
    raw: str = ""
    """In SGML the tag as written, in case it turns out to be text."""


def is_bitext(lines: Sequence[str]) -> bool:
    """Whether SGML or XML is XLIFF or TMX: by its first element."""
    first = _ELEMENT.search("\n".join(lines[:_PROLOGUE]))
    return first is not None and first[1] is not None


def markup_events(path: StrPath) -> Iterator[Tag | str]:
    """The tags of a file and the text between them, entities resolved, in order."""
    name = display_name(path)
    lines = read_lines(path)
    if not lines:
        raise PfsmError(f"{name}: empty file, a test set is needed")
    is_xml = lines[0].lstrip().startswith("<?xml") or is_bitext(lines)
    yield from (_xml_events if is_xml else _sgml_events)(iter(lines), name)


def resolved(text: str) -> str:
    """The text with the five named entities and numeric ones resolved, once; anything else stays as it is."""

    def character(match: re.Match[str]) -> str:
        decimal, hexadecimal, named = match.groups()
        if named:
            return _NAMED[named]
        code = int(decimal) if decimal else int(hexadecimal, 16)
        valid = 0 < code < 0x110000 and not 0xD800 <= code < 0xE000
        return chr(code) if valid else match[0]

    return _ENTITY.sub(character, text)


def _sgml_events(lines: Iterator[str], name: str) -> Iterator[Tag | str]:
    pending, begun = "", 0  # possibly the beginning of a tag that ends on a later line
    for number, line in enumerate(lines, start=1):
        start = begun if pending else number
        if pending and len(pending) + len(line) < _LONGEST_TAG and not _MARKS.intersection(line):
            pending += f"{line}\n"  # whatever has begun neither ends here nor becomes something else
            continue
        text = _without_skipped(f"{pending}{line}\n")
        if _DECLARATION.search(text):
            raise PfsmError(f"{name}:{number}: {_ENTITIES_REFUSED}")
        unfinished = _UNFINISHED.search(text)
        if unfinished and len(text) - unfinished.start() <= _LONGEST_TAG:
            pending = text[unfinished.start() :]
            begun = number + 1 - pending.count("\n")
            text = text[: unfinished.start()]
        else:
            pending = ""
        yield from _pieces(text, start)
    yield from _pieces(pending, begun)


def _without_skipped(text: str) -> str:
    """The text without comments, document types and processing instructions; of these only line ends are left."""
    parts, place, unclosed = [], 0, set()
    for match in _OPENING.finditer(text):
        closing = "-->" if match[0] == "<!--" else ">"
        if match.start() < place or closing in unclosed:
            continue
        end = text.find(closing, match.end())
        if end < 0:
            unclosed.add(closing)
        elif len(match[0]) > 4 and "[" in text[match.end() : end]:
            break  # it declares something, and is refused
        else:
            end += len(closing)
            parts += [text[place : match.start()], "\n" * text.count("\n", match.start(), end)]
            place = end
    return "".join([*parts, text[place:]])


def _pieces(text: str, line: int) -> Iterator[Tag | str]:
    """Tags and text of a stretch that begins on this line."""
    end = 0
    for match in _TAG.finditer(text):
        if match.start() > end:
            yield resolved(text[end : match.start()])
        number = line + text.count("\n", 0, match.start())
        attributes = {
            key.lower(): resolved(double or single or bare)
            for key, double, single, bare in _ATTRIBUTE.findall(match[3])
        }
        yield Tag(match[2].lower(), attributes, bool(match[1]), number, match[0])
        end = match.end()
    if end < len(text):
        yield resolved(text[end:])


def _xml_events(lines: Iterator[str], name: str) -> Iterator[Tag | str]:
    parser = expat.ParserCreate()
    events: list[Tag | str] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        lower = {key.lower(): value for key, value in attributes.items()}
        events.append(Tag(tag.lower(), lower, False, parser.CurrentLineNumber))

    def refuse(*_: object) -> None:
        raise PfsmError(f"{name}:{parser.CurrentLineNumber}: {_ENTITIES_REFUSED}")

    def unknown(entity: str, _: bool) -> None:
        raise PfsmError(
            f"{name}:{parser.CurrentLineNumber}: &{entity}; is not a known entity; put the character in its place"
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: events.append(Tag(tag.lower(), {}, True, parser.CurrentLineNumber))
    parser.CharacterDataHandler = events.append
    parser.EntityDeclHandler = refuse
    parser.SkippedEntityHandler = unknown
    for content, last in chain(((f"{line}\n", False) for line in lines), [("", True)]):
        try:
            parser.Parse(content, last)
        except expat.ExpatError as error:
            raise PfsmError(
                f"{name}:{error.lineno}: not well-formed XML ({expat.ErrorString(error.code)}); correct it, "
                "or remove the line <?xml …> to have it read as SGML, which allows more"
            ) from None
        yield from events
        events.clear()


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
    """The segments of a file, in order."""
    reader = _SetReader(display_name(path))
    found = False
    for event in markup_events(path):
        if isinstance(event, str):
            reader.pieces.append(event)  # outside a segment it is dropped
        elif (finished := reader.tag(event)) is not None:
            found = True
            yield finished
    if reader.open is not None:
        raise PfsmError(
            f"{display_name(path)}:{reader.open.line}: the file ends inside this segment; copy it again"
        )
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
        self._source_lang = self._target_lang = ""
        self._count = 0
        self.open: Tag | None = None
        self.pieces: list[str] = []

    def tag(self, tag: Tag) -> SetSegment | None:
        """Enters or leaves an element; returns the segment that the tag ends."""
        if tag.name not in TAGS or (tag.name in _WMT_PARTS and not self._in_dataset):
            self.pieces.append(tag.raw)  # not part of the structure: an unknown tag in XML, or text in SGML
            return None
        finished = self._close()
        if tag.closing:
            if tag.name == "doc":
                self._document = None
            elif tag.name in _NIST_SETS or tag.name in _WMT_PARTS:
                self._role, self._set = None, {}
        elif tag.name == "seg":
            self._begin_segment(tag)
        elif tag.name == "doc":
            self._begin_document(tag)
        else:
            self._begin_set(tag)
        return finished

    def _begin_set(self, tag: Tag) -> None:
        if tag.name == "dataset":
            self._in_dataset, self._dataset = True, tag.attributes.get("id", "")
        elif tag.name in _NIST_SETS:
            self._role, self._set, self._document = _NIST_SETS[tag.name], tag.attributes, None
        elif tag.name in _WMT_PARTS:
            self._role, self._set, self._count = _WMT_PARTS[tag.name], tag.attributes, 0
            if self._role == "source":
                self._source_lang = tag.attributes.get("lang", "")
            elif self._role == "reference":
                self._target_lang = tag.attributes.get("lang", "")

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
        self.open, self.pieces = tag, []

    def _close(self) -> SetSegment | None:
        """Ends the open segment: at its end tag, or at the next tag if the end tag is missing."""
        if self.open is None or self._role is None:
            return None
        tag, self.open = self.open, None
        document = self._document or {}
        # WMT21 wrote ``language`` in its outputs; where nothing is written, the language is that of the reference.
        keys = ("trglang", "lang", "language")
        target_lang = next((value for key in keys if (value := self._set.get(key))), self._target_lang)
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
            _SPACES.sub(" ", "".join(self.pieces)).strip(" "),
            tag.line,
        )
