"""XLIFF 1.2 and 2 and TMX, as translators' tools write them: units with source, target and alternative translations.

Alternatives, such as machine translations that were edited, are ``alt-trans`` or ``match``, named by their origin. The
content of codes (``ph``, ``bpt``, ``ept``, ``it``, ``ut``) is left out, that of other elements inside a text stays.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, TreeBuilder

from pfsm.data.markup import Tag, markup_events
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name

_CODES = frozenset({"ph", "bpt", "ept", "it", "ut"})
_STRUCTURE = frozenset({"file", "trans-unit", "alt-trans", "unit", "segment", "match", "header", "tu", "tuv"})
_TEXTS = frozenset({"source", "target", "seg"})
_SPACES = re.compile(r"[ \t\r\n]+")


@dataclass(frozen=True)
class Unit:
    """A text and its translation, each in one line and ``""`` where it is missing."""

    line: int
    name: str
    """Its id; of XLIFF 2 those of unit and segment."""
    document: str
    languages: tuple[str, str]
    source: str
    target: str
    alternatives: Sequence[tuple[str, str]] = ()
    """Origins, each once, and translations."""


def units(path: StrPath) -> list[Unit]:
    """Read all units of a file.

    Raises:
        PfsmError: What `markup_events` raises; no units; of TMX units in more than two languages.
    """
    root = _structure(path)
    pair = (root.get("srclang", ""), root.get("trglang", ""))
    found = [unit for file in root.iter("file") for unit in _of_file(file, pair)] or _of_memory(root, path)
    if not found:
        raise PfsmError(f"{display_name(path)}: no units with a source or a target")
    return found


def _structure(path: StrPath) -> Element:
    """The elements that hold units and texts; those inside a text are gone, and so are comments, groups and notes."""
    builder = TreeBuilder()
    builder.start("root", {})
    codes = 0
    for event in markup_events(path):
        if not isinstance(event, Tag):
            builder.data(event if codes == 0 else "")
            continue
        name = event.name.rpartition(":")[2]
        codes += (-1 if event.closing else 1) * (name in _CODES)
        if name in _STRUCTURE | _TEXTS:
            if event.closing:
                builder.end(name)
            else:
                builder.start(name, {**event.attributes, "line": str(event.line)})
        elif name == "xliff" and not event.closing:
            builder.start("header", {**event.attributes})
            builder.end("header")
    builder.end("root")
    root = builder.close()
    for header in root.iter("header"):
        root.attrib.update(header.attrib)
    return root


def _text(element: Element, name: str) -> str:
    return _SPACES.sub(" ", element.findtext(name, "")).strip(" ")


def _of_file(file: Element, pair: tuple[str, str]) -> Iterator[Unit]:
    """The units of XLIFF: each ``trans-unit`` is one, each ``unit`` one or more segments."""
    languages = (file.get("source-language", pair[0]), file.get("target-language", pair[1]))
    for whole in file.iter():
        if whole.tag not in {"trans-unit", "unit"}:
            continue
        parts = [whole] if whole.tag == "trans-unit" else whole.findall("segment")
        others = [*whole.findall("alt-trans"), *whole.findall("match")]
        for part in parts:
            ids = dict.fromkeys([whole.get("id", ""), part.get("id", "")])
            source = _text(part, "source")
            own = [one for one in others if len(parts) == 1 or _text(one, "source") == source]
            yield Unit(
                int(part.get("line", "0")), ".".join(filter(None, ids)), file.get("original", ""), languages,
                source, _text(part, "target"), list(_named(own)),
            )  # fmt: skip


def _named(others: Sequence[Element]) -> Iterator[tuple[str, str]]:
    counts: Counter[str] = Counter()
    for other in others:
        if text := _text(other, "target"):
            name = other.get("origin") or other.get("tool-id") or "alternative"
            counts[name] += 1
            yield name if counts[name] == 1 else f"{name}.{counts[name]}", text


def _of_memory(root: Element, path: StrPath) -> list[Unit]:
    """The units of TMX; the source's language is that of the header, or the first."""
    rows = [
        (tu, {one.get("xml:lang", one.get("lang", "")): _text(one, "seg") for one in tu.findall("tuv")})
        for tu in root.iter("tu")
    ]
    there = dict.fromkeys(language for _, texts in rows for language in texts)
    if len(there) > 2:
        raise PfsmError(f"{display_name(path)}: more than two languages ({', '.join(there)}); keep two")
    main = root.get("srclang", "").partition("-")[0].lower()
    first, *last = sorted(there, key=lambda name: name.partition("-")[0].lower() != main) or [""]
    pair = (first, last[0] if last else "")
    return [
        Unit(
            int(tu.get("line", "0")),
            tu.get("tuid", ""),
            "",
            pair,
            texts.get(pair[0], ""),
            texts.get(pair[1], ""),
        )
        for tu, texts in rows
    ]
