"""What each character of a line is: a separator of words, ignored, or part of a word.

A model of text edition 2 reads lines as `clean` writes them, before anything else: its tokeniser, its features and the
pieces of an encoder know of no other text. The table depends neither on the Python that runs nor on a library.

**Separators** become one space: all white space and all controls of Unicode, U+2028 and U+0085 among them, the blank of
Braille, and format characters around numbers, verses and annotations (U+0600 to U+0605, U+06DD, U+FFF9).

**Ignored** characters are left out: whatever Unicode calls default ignorable, such as U+200B (zero-width space), the
byte-order mark, marks of direction, the soft hyphen, the word joiner, variation selectors and fillers of Hangul. Tags
are kept behind a black flag, where they say whose flag it is.

**Joiners** (U+200C, U+200D) are part of a word where they mean something: between two letters of Arabic, Persian,
Mongolian and Indic scripts (``می‌خواهم``), and U+200D between two emoji. Anywhere else they are ignored.

Everything else is part of a word or a mark, which tokenisers tell apart.
"""

import re
import unicodedata

# Whether lines are read as they are, or through the table; models that name no edition have the first.
AS_IT_IS, CLEAN = 1, 2

SEPARATORS = (
    "\0-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2800\u3000\ufff9-\ufffb"
    "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd\U00013430-\U0001343f"
)
IGNORED = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_TAGGED_FLAG = "\U0001f3f4[\U000e0020-\U000e007f]+"
_ODD = re.compile(f"(?P<kept>{_TAGGED_FLAG})|(?P<space>[{SEPARATORS}])|[{IGNORED}]")
# The characters above that `str.isprintable` takes for visible.
_SHOWN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)

# Without the punctuation of these scripts.
_JOINED = (
    "\u0620-\u065f\u066e-\u06d3\u06d5-\u06dc\u06de-\u06ff\u0710-\u0963\u0966-\u096f\u0971-\u0df3"
    "\u1000-\u1049\u1050-\u109f\u1780-\u17d3\u1820-\u18af\ua840-\ua873\ua8e0-\ua8f7"
)
_EMOJI = "\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff\U000e0020-\U000e007f"
_JOINER = re.compile(
    f"(?P<kept>(?<=[{_JOINED}])[\u200c\u200d](?=[{_JOINED}])|(?<=[{_EMOJI}])\u200d(?=[{_EMOJI}]))|[\u200c\u200d]"
)


def clean(line: str) -> str:
    """A line as words between single spaces, without ignored characters; clean text stays as it is.

    Two lines that differ in separators and ignored characters alone are the same afterwards.
    """
    if not line.isprintable() or not (line.isascii() or _SHOWN.search(line) is None):
        line = _ODD.sub(lambda odd: odd["kept"] or (" " if odd["space"] else ""), line)
        line = _JOINER.sub(lambda joiner: joiner["kept"] or "", line)
    return " ".join(line.split()) if "  " in line or line[:1] == " " or line[-1:] == " " else line


def composed(line: str) -> str:
    """Return the line in Unicode NFC: canonically equal lines are the same afterwards."""
    return unicodedata.normalize("NFC", line)


# Quotation marks, apostrophes, dashes, ellipsis and spaces of typesetters, and those of a typewriter.
_TYPEWRITTEN = (
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2039\u203a\u02bc\uff07", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\uff02", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff0d", "-")
    | dict.fromkeys("\u00a0\u2007\u2009\u202f", " ")
    | {"\u2026": "..."}
)
# Looked for by a pattern: `str.translate` looks up every character of a line, and most lines have few of these.
_TYPESET = re.compile(f"[{''.join(_TYPEWRITTEN)}]")


def typewritten(line: str) -> str:
    """A line in NFC with ``'``, ``"``, ``-``, ``...`` and plain spaces for the marks and spaces of typesetters."""
    if line.isascii():
        return line
    return _TYPESET.sub(lambda mark: _TYPEWRITTEN[mark[0]], composed(line))
