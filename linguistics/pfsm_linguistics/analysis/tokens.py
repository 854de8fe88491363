"""Tokenisation as in the English treebanks of Universal Dependencies, with each word's place in the line.

Clitics are split off (``do`` ``n't``, ``they`` ``'ll``, ``dog`` ``'s``). Compounds are split at hyphens and slashes,
except after bound prefixes (``15`` ``-`` ``year``, but ``co-operate``). Periods stay with abbreviations, and quotes
remain as they are written. One regular expression takes the longest match at each position; ``docs/syntax.md`` says
what it was tuned on.
"""

import re
from collections.abc import Sequence

from pfsm.text.offsets import Word

_ABBREVIATIONS = (
    r"a\.m|adj|al|approx|apr|assoc|aug|av|ave|b\.c|bldg|blvd|bros|c\.e|capt|cf|cm|cmdr|co|col|conn|corp|cpl|ct|dec|dept|"
    r"dist|dr|e\.g|ed|eds|esp|est|etc|exec|ext|feb|figs?|fl|fri|ft|gen|gov|govt|hon|hrs?|i\.e|inc|int|jan|jr|jul|jun|kg|"
    r"km|lbs?|lt|ltd|maj|mar|max|messrs|mfg|mgr|min|mins|mon|mrs?|ms|msgr|mt|no|nos|nov|nr|oct|op|oz|p\.m|ph\.d|phd|pg|"
    r"pkg|pl|pp|pres|prof|pt|pvt|rd|rep|reps|rev|rs|rte|sat|sec|sens?|sept?|sgt|sq|sr|st|ste|sun|supt|tel|thu|thurs|tue|"
    r"tues|u\.k|u\.n|u\.s|univ|v|vols?|vs|wed|wk|yrs?"
)
_PREFIX = re.compile(
    r"anti|ante|auto|bi|bio|co|contra|counter|cross|cyber|de|dis|e|eco|em|ex|extra|hyper|inter|intra|macro|mega|meta|micro|"
    r"mid|mini|multi|neo|non|over|pan|para|post|pre|pro|pseudo|psycho|quasi|re|semi|sub|super|tele|trans|tri|ultra|un|"
    r"under|uni|vice|x",
    re.IGNORECASE,
)
# Parts of addresses are as long as the standards allow: without bounds, a long word takes the square of its length.
_TOKEN = re.compile(
    rf"""
      (?:https?://|ftp://|www\.)\S*[\w/=&\#~]                                        # addresses
    | [\w.+-]{{1,64}}@[\w-]+(?:\.[\w-]+)+
    | (?<!\w)(?:[\w-]{{1,63}}\.){{1,32}}
      (?:com|org|net|gov|edu|html?|php|co\.uk|info|biz|txt|doc|pdf|xls|jpg)\b(?:/\S*[\w/])?
    | [:;=8xX]['`]?-?[)(\]\[DPpoO3/\\|](?![\w/]) | <3 | \^_*\^                        # faces
    | (?<!\w)(?:\d{{1,2}}/\d{{1,2}}/\d{{2,4}} | (?:\d{{1,3}}-){{1,3}}\d{{4}})(?![\w/-])   # dates, telephones
    | (?<!\w)\d+(?:[.,:]\d+)*(?:st|nd|rd|th|s|k|x|m|M|am|pm|AM|PM)?(?!\w)
    | (?<![\w.])[a-z]+(?:\.[a-z]{{2,}}){{2,}}(?![\w.])                                    # names of newsgroups
    | (?<!\w)(?i:{_ABBREVIATIONS})\.(?!\w)
    | (?<!\w)(?:[^\W\d_]\.){{2,}}                                                    # U.S.
    | (?<!\w)[A-Z]\.(?=\s+[A-Z(])                                                    # initials
    | \.{{2,}} | -{{2,}} | ~+ | \*+ | _{{2,}} | ={{2,}} | \#+ | [!?]+ | ,, | ´´ | `` | ''
    | ['’](?:s|m|d|re|ve|ll|S|M|D|RE|VE|LL)\b
    | [^\W_]+(?:[’'][^\W\d_]+|[&](?=[^\W_])[^\W_]+|_+[^\W_]*)*                       # words
    | \S
    """,
    re.VERBOSE,
)
_CLITIC = re.compile(r"(?i)(?<=.)(n['’]t|['’](?:s|m|d|re|ve|ll))$")
_PAIRS = {
    "cannot": 3, "gonna": 3, "gotta": 3, "wanna": 3, "lemme": 3, "gimme": 3, "dunno": 2, "dont": 2, "cant": 2,
    "didnt": 3, "doesnt": 4, "isnt": 2, "wasnt": 3, "wont": 2, "couldnt": 5, "wouldnt": 5, "im": 1, "ive": 1,
    "thats": 4, "whats": 4, "havent": 4, "hasnt": 3, "arent": 3, "shouldnt": 6, "youre": 3, "theyre": 4,
}  # fmt: skip
_HYPHENS = "-‐‑"


def words_of(line: str) -> list[Word]:
    """The words of a line, in order; every character except white space belongs to exactly one word."""
    words: list[Word] = []
    for match in _TOKEN.finditer(line):
        words.extend(Word(line[start:end], start, end) for start, end in _cut(match[0], match.start()))
    return _with_prefixes(words)


def _cut(form: str, start: int) -> list[tuple[int, int]]:
    """Splits a match of the expression before its clitic or inside its contraction."""
    end = start + len(form)
    place = _PAIRS.get(form.lower(), 0)
    if not place and (clitic := _CLITIC.search(form)) and form[:1].isalnum():
        place = clitic.start()
    return [(start, start + place), (start + place, end)] if place else [(start, end)]


def _with_prefixes(words: Sequence[Word]) -> list[Word]:
    """Joins ``co`` ``-`` ``operate`` if only the hyphen stands between them."""
    joined: list[Word] = []
    for word in words:
        if len(joined) >= 2 and _is_prefix(joined[-2], joined[-1], word):
            prefix = joined[-2]
            joined[-2:] = [Word(f"{prefix.form}{joined[-1].form}{word.form}", prefix.start, word.end)]
        else:
            joined.append(word)
    return joined


def _is_prefix(prefix: Word, hyphen: Word, word: Word) -> bool:
    touching = prefix.end == hyphen.start and hyphen.end == word.start
    return (
        touching
        and hyphen.form in _HYPHENS
        and word.form[0].isalpha()
        and _PREFIX.fullmatch(prefix.form) is not None
    )
