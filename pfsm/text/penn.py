r"""Penn Treebank tokenisation, token for token that of NLTK's ``TreebankWordTokenizer`` (3.10, no arguments).

The conventions are those of Robert MacIntyre's sed script for the Treebank: punctuation becomes tokens of its own, a
period only at the end of the line (before closing quotes and brackets). Clitics (``do n't``, ``they 'll``, ``dog 's``)
are split off, ``cannot`` and similar words are split in two, and double quotes become two backticks or two apostrophes.
NLTK makes two dozen passes over the line, and each inserts spaces that later passes may look at. This module gets the
same result by cutting once, from coarse to fine:

1. a line, at spaces, opening quotes, marks (``, : ; ? ! ...`` and so on) and the final period, into *pieces*;
2. a piece, at brackets, double dashes and closing quotes, into *words*;
3. a word, before its clitics and inside its contractions, into tokens.

What each stage needs to know about neighbouring text is noted where it is used. The time is linear in the length of the
line.

Only ASCII spaces separate in stages 1 to 3 (before a tab or a no-break space ``dog's`` is not split); tokens
are split at all other white space at the very end.

In text edition 2 the lines are sentences (`sentence_keys`), as NLTK's ``word_tokenize`` has it.

Digits and letters come from the Unicode tables of the running Python. NLTK takes digits from the ``regex`` package,
which may know digits of newer scripts; this matters for a comma or colon before such a digit.
"""

import re
from collections.abc import Sequence

from pfsm.text.chunks import CachedTokeniser, Tokeniser
from pfsm.text.sentences import split

# In a run of commas and colons every other one is glued to what follows (",,a" gives "," and ",a"), because the NLTK
# pass that splits at "mark, no digit" consumes both characters. A mark that ends the line stands alone.
_DELIMITER = re.compile(
    r"""
      (?P<two_openings> (?:``|\A") (?:"|'') )
    | (?P<opening> `` | \A" | (?<=[ (\[{<])(?:"|'') )
    | (?P<mark> [:,](?=[:,]\n?\Z) | [:,](?![\d:,]) | \.\.\. | [;@\#$%&?!] )
    | (?P<glued> [:,][:,] )
    | (?P<space> [ ]+ )
    """,
    re.VERBOSE,
)
_MARKS = frozenset(":,;@#$%&?!")
# All that the rules name, but for letters and a period.
_CUT = re.compile(r"""[][(){}<>"'`:,;@\#$%&?!\s]|--|\.\.\.""")
_INSIDE_PIECE = re.compile(r"""([][(){}<>]|--|''|")""")
_CONTRACTION = re.compile(
    r"\b(?:(can)(not)|(d)('ye)|(gim)(me)|(gon)(na)|(got)(ta)|(lem)(me)|(more)('n)|(wan)(na)(?=\s|\Z))\b",
    re.IGNORECASE,
)
# All that it finds in a word of the letters a to z.
_CONTRACTED = frozenset({"cannot", "gimme", "gonna", "gotta", "lemme", "wanna"})
_TIS = re.compile(r"('t)(is)\b", re.IGNORECASE)
_TWAS = re.compile(r"('t)(was)\b", re.IGNORECASE)

_SHORT_CLITICS = ("'s", "'S", "'m", "'M", "'d", "'D", "'")
_LONG_CLITICS = ("'ll", "'LL", "'re", "'RE", "'ve", "'VE", "n't", "N'T")

# White space by the Unicode property: str.isspace and str.split know four more (U+001C to U+001F).
_WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_CLOSERS = "])}>\"'"

# Keys of `chunk_keys`. A chunk in mid-line is its own key; the other keys begin with a space, which no chunk does.
_FIRST = " ^"
_LAST = " $"
_LAST_SPACED = " _"
_WHOLE_LINE = " ="


def chunk_keys(line: str) -> list[str]:
    """The keys of a line's chunks, in order; `chunk_tokens` of each give the tokens of the line.

    A rule looks at one chunk and at most at a space on either side of it. There are three exceptions: quotes at the
    very start of the line, the final period, and the apostrophe that ends a line without a space after it. So the last
    chunk, and a first one that begins with a quote, have keys of their own. A line of one chunk is one key. So is a
    line whose last chunk is other white space, because the final period may stand before it.
    """
    body = line.rstrip(" ")
    keys = body.split(" ")
    last = keys[-1]
    if len(keys) == 1 or last.isspace():
        return [_WHOLE_LINE + line]
    keys[-1] = (_LAST if len(body) == len(line) else _LAST_SPACED) + last
    first = keys[0]
    if first and first[0] in "\"'":
        keys[0] = _FIRST + first
    return keys


def sentence_keys(line: str, language: str) -> list[str]:
    """The keys of a line's sentences, one after the other, so that each ends as a line does.

    Args:
        line: As `pfsm.text.characters.clean` writes it.
        language: By whose rules the sentences end.
    """
    spans = split(line, language)
    if len(spans) < 2:
        return chunk_keys(line)
    return [key for start, end in spans for key in chunk_keys(line[start:end].rstrip(" "))]


def chunk_tokens(key: str) -> Sequence[str]:
    """The tokens of one key of `chunk_keys`: those of the chunk when no rule touches its neighbours."""
    if key.isalnum() and _is_whole(key):
        return (key,)
    if key[:1] != " ":
        simple = _simple_tokens(key, "")
    else:
        simple = _simple_tokens(key[2:], ".") if key.startswith(_LAST) else ()
    return simple or _tokens_in_line(key)


def _tokens_in_line(key: str) -> Sequence[str]:
    """The tokens of a key in a line that has what stands around its chunk."""
    if key[:1] != " ":
        return tuple(_line_tokens(f"x {key} x")[1:-1])
    context, chunk = key[:2], key[2:]
    if context == _LAST:
        return tuple(_line_tokens(f"x {chunk}")[1:])
    if context == _LAST_SPACED:
        return tuple(_line_tokens(f"x {chunk} ")[1:])
    if context == _FIRST:
        return tuple(_line_tokens(f"{chunk} x")[:-1])
    return tuple(_line_tokens(chunk))


def _simple_tokens(chunk: str, period: str) -> Sequence[str]:
    """The tokens of a chunk that is whole but for a mark, ``'s`` or the final period behind it, as most are; else none.

    Args:
        chunk: It begins behind a space, and ends before one or at the end of the line.
        period: ``.`` where a period ends the line, else empty.
    """
    if period and chunk[-1:] == period:
        head = chunk[:-1]
        return (head, period) if head[-1:] != period and _is_whole(head) else ()
    if _is_whole(chunk):
        return (chunk,)
    size = 1 if chunk[-1:] in _MARKS else 2 if chunk[-2:] == "'s" else 0
    head, tail = chunk[: len(chunk) - size], chunk[len(chunk) - size :]
    return (head, tail) if size and _is_whole(head) else ()


def _is_whole(word: str) -> bool:
    """Whether no rule cuts a word or rewrites any of it; of an empty one there is nothing to be whole."""
    if word.isascii() and word.isalnum():  # as most words are
        return word.lower() not in _CONTRACTED
    return bool(word) and _CUT.search(word) is None and _CONTRACTION.search(word) is None


def _line_tokens(line: str) -> list[str]:
    tokens: list[str] = []
    period = _final_period(line)
    end = len(line) if period is None else period
    start = 0
    for match in _DELIMITER.finditer(line, 0, end):
        _add_piece(tokens, line[start : match.start()], spaced=True)
        start = match.end()
        match match.lastgroup:
            case "mark":
                tokens.append(match[0])
            case "glued":
                tokens.append(match[0][0])
                start -= 1
            case "opening":
                tokens.append("``")
            case "two_openings":
                tokens += ("``", "``")
    _add_piece(tokens, line[start:end], spaced=period is not None)
    if period is not None:
        _add_piece(tokens, line[period:].rstrip(_WHITE_SPACE), spaced=True)
    return tokens


def _final_period(line: str) -> int | None:
    """Position of the period that ends the line, except for closing quotes, brackets and white space."""
    body = line.rstrip(_WHITE_SPACE).rstrip(_CLOSERS)
    run = len(body) - len(body.rstrip("."))
    return len(body) - 1 if run % 3 == 1 and len(body) > 1 else None


def _add_piece(tokens: list[str], piece: str, *, spaced: bool) -> None:
    """Stage 2. Before a space, an apostrophe is split off first; clitics then end before the apostrophe."""
    apostrophe = spaced and len(piece) > 1 and piece[-1] == "'" and piece[-2] != "'"
    words = _INSIDE_PIECE.split(piece[:-1] if apostrophe else piece)
    for place, word in enumerate(words):
        if place % 2:
            tokens.append("''" if word == '"' else word)
        elif word:
            _add_word(tokens, word)
    if apostrophe:
        tokens.append("'")


def _add_word(tokens: list[str], word: str) -> None:
    """Stage 3. A short clitic is split off first, then a long one: ``don't's`` gives ``do``, ``n't``, ``'s``."""
    if _is_whole(word):
        tokens.append(word)
        return
    head, short = _split_clitic(word, _SHORT_CLITICS)
    head, long = _split_clitic(head, _LONG_CLITICS)
    start = 0
    for match in _CONTRACTION.finditer(head):
        _add_tis(tokens, head[start : match.start()])
        tokens += (part for part in match.groups() if part)
        start = match.end()
    _add_tis(tokens, head[start:])
    tokens += (clitic for clitic in (long, short) if clitic)


def _split_clitic(word: str, clitics: tuple[str, ...]) -> tuple[str, str]:
    if word.endswith(clitics):
        clitic = next(clitic for clitic in clitics if word.endswith(clitic))
        head = word[: -len(clitic)]
        if head and head[-1] != "'":
            return head, clitic
    return word, ""


def _add_tis(tokens: list[str], word: str) -> None:
    """``'tis``, then ``'twas``, are split only at the start of a word; each split starts a new word."""
    for pattern in (_TIS, _TWAS):
        if match := pattern.match(word):
            tokens += match.groups()
            word = word[match.end() :]
    tokens += word.split()


PENN = Tokeniser("penn", chunk_keys, chunk_tokens)

tokenise = CachedTokeniser(PENN)
