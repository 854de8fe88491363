"""Text with the marks of a typewriter: every quotation mark, apostrophe, dash and ellipsis in one form."""

import re
import unicodedata

_MARKS = (
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2039\u203a\u02bc\uff07", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\uff02", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff0d", "-")
    | dict.fromkeys("\u00a0\u2007\u2009\u202f", " ")
    | {"\u2026": "..."}
)
# Looked for by a pattern: `str.translate` looks up every character of a line, and most lines have few of these.
_ANY = re.compile(f"[{''.join(_MARKS)}]")


def typewritten(line: str) -> str:
    """A line in NFC with ``'``, ``"``, ``-``, ``...`` and plain spaces for the marks and spaces of typesetters."""
    if line.isascii():
        return line
    return _ANY.sub(lambda mark: _MARKS[mark[0]], unicodedata.normalize("NFC", line))
