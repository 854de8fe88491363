"""XLIFF 1.2 and 2 and TMX, as translators' tools write them: units with source, target and alternative translations.

Alternatives, such as machine translations that were edited, are ``alt-trans`` or ``match``, named by their origin. The
content of codes (``ph``, ``bpt``, ``ept``, ``it``, ``ut``) is left out, that of other elements inside a text stays.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element, TreeBuilder

from pfsm.data.markup import Tag, markup_events
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name

_CODES = frozenset({"ph", "bpt", "ept", "it", "ut"})
_UNITS = frozenset({"file", "trans-unit", "alt-trans", "unit", "segment", "match", "tu", "tuv"})
_KEPT = _UNITS | {"source", "target", "seg"}
_SPACES = re.compile(r"[ \t\r\n]+")


class Unit(NamedTuple):
    """A text and its translation, each in one line and ``""`` where it is missing."""

    line: int
    name: str
    """Its id; of XLIFF 2 those of unit and segment."""
    document: str
    languages: tuple[str, str]
    source: str
    target: str
    alternatives: Mapping[str, str]
    """Translations by origin."""


def units(path: StrPath) -> list[Unit]:
    """Read all units of a file.

    Raises:
        PfsmError: What `markup_events` raises; no units; of TMX units in more than two languages.
    """
    root, header = _structure(path)
    found = [unit for file in root.iter("file") for unit in _of_file(file, header)]
    found = found or list(_of_memory(root, header, display_name(path)))
    if not found:
        raise PfsmError(f"{display_name(path)}: no units with a source or a target")
    return found


def _structure(path: StrPath) -> tuple[Element, dict[str, str]]:
    """The elements that hold units and texts, not those inside texts or around units; attributes of the whole file."""
    builder, codes, header = TreeBuilder(), 0, dict[str, str]()
    builder.start("root", {})
    for event in markup_events(path):
        if not isinstance(event, Tag):
            builder.data("" if codes else event)
            continue
        name = event.name.rpartition(":")[2]
        codes += (-1 if event.closing else 1) * (name in _CODES)
        if name in {"xliff", "header"}:
            header |= event.attributes
        if name in _KEPT and event.closing:
            builder.end(name)
        elif name in _KEPT:
            builder.start(name, {**event.attributes, "line": str(event.line)})
    builder.end("root")
    return builder.close(), header


def _text(element: Element, name: str) -> str:
    return _SPACES.sub(" ", element.findtext(name, "")).strip(" ")


def _of_file(file: Element, header: Mapping[str, str]) -> Iterator[Unit]:
    """The units of XLIFF: each ``trans-unit`` is one, each ``segment`` of a ``unit`` another."""
    source_lang = file.get("source-language", header.get("srclang", ""))
    languages = source_lang, file.get("target-language", header.get("trglang", ""))
    for whole in (one for one in file.iter() if one.tag in {"trans-unit", "unit"}):
        parts = [whole] if whole.tag == "trans-unit" else whole.findall("segment")
        others = [*whole.findall("alt-trans"), *whole.findall("match")]
        for part in parts:
            name = ".".join(filter(None, dict.fromkeys([whole.get("id"), part.get("id")])))
            source = _text(part, "source")
            own = [one for one in others if len(parts) == 1 or _text(one, "source") == source]
            yield Unit(
                int(part.get("line", "0")), name, file.get("original", ""), languages, source,
                _text(part, "target"), _by_origin(own),
            )  # fmt: skip


def _by_origin(others: Sequence[Element]) -> dict[str, str]:
    found: dict[str, str] = {}
    counts = Counter[str]()
    for other in others:
        name = other.get("origin") or other.get("tool-id") or "alternative"
        counts[name] += 1
        if text := _text(other, "target"):
            found[name if counts[name] == 1 else f"{name}.{counts[name]}"] = text
    return found


def _of_memory(root: Element, header: Mapping[str, str], name: str) -> Iterator[Unit]:
    """The units of TMX; the source's language is that of the header, or the first."""
    rows = [
        (tu, {one.get("xml:lang", one.get("lang", "")): _text(one, "seg") for one in tu.findall("tuv")})
        for tu in root.iter("tu")
    ]
    there = list(dict.fromkeys(language for _, texts in rows for language in texts))
    if len(there) > 2:
        raise PfsmError(f"{name}: more than two languages ({', '.join(there)}); keep two")
    main = header.get("srclang", "").partition("-")[0].lower()
    first, second, *_ = *sorted(there, key=lambda one: one.partition("-")[0].lower() != main), "", ""
    for tu, texts in rows:
        both = texts.get(first, ""), texts.get(second, "")
        yield Unit(int(tu.get("line", "0")), tu.get("tuid", ""), "", (first, second), *both, {})
