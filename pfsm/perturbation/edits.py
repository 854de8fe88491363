"""Edits of a line at places of its characters, with spaces and capitals put right."""

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from pfsm.perturbation.text import Dice, Token
from pfsm.text.offsets import Word

_CLOSING = re.compile(r"[.,;:!?…)\]}»”’'\"。，、；：！？]")
_AN = re.compile(r"(?i)[aeiou]|hono|hour|heir|honest")
_NOT_AN = re.compile(r"(?i)one\b|once\b|eu|uk|uni(?!n|m)|us[eaiu]|ut[io]|ur[aeio]|ewe")

Spanned = Word | Token
Item = TypeVar("Item")


class Edit(NamedTuple):
    """Characters ``start`` to ``end`` (not included) are replaced by ``new``."""

    start: int
    end: int
    new: str


def put(word: Spanned, new: str) -> Edit:
    """A word is replaced by another of its case."""
    return Edit(word.start, word.end, in_case_of(new, word.form))


def extent(words: Sequence[Spanned]) -> tuple[int, int]:
    """From the first character of some words to behind the last one."""
    return words[0].start, words[-1].end


def edited(line: str, edits: Sequence[Edit]) -> str:
    """The line with the edits made; they must not overlap."""
    parts, at = [], 0
    for start, end, new in sorted(edits):
        parts += [line[at:start], new]
        at = end
    return "".join([*parts, line[at:]])


def without(line: str, start: int, end: int) -> str:
    """The line without some characters and the space that stood beside them; a new first word takes the capital."""
    rest = line[end:]
    before = line[:start]
    if not before.strip():
        rest = rest.lstrip(" ,")
        return before + (capitalised(rest) if line[start : start + 1].isupper() else rest)
    if before.rstrip().endswith(",") and re.match(r"\s*[.,;:!?]", rest):
        before = before.rstrip()[:-1]
    if before.endswith(" ") and (not rest or rest[0] == " " or _CLOSING.match(rest)):
        before = before[:-1]
    return before + rest


def inserted(line: str, at: int, words: str, *, spaced: bool = True) -> str:
    """The line with words in front of the word that begins at ``at``."""
    return f"{line[:at]}{words}{' ' if spaced else ''}{line[at:]}"


def capitalised(text: str) -> str:
    """The text with a capital as its first letter."""
    return text[:1].upper() + text[1:]


def in_case_of(new: str, old: str) -> str:
    """A new word with the case of the one that it replaces."""
    if len(old) > 1 and old.isupper() and any(map(str.isalpha, old)):
        return new.upper()
    return capitalised(new) if old[:1].isupper() else new


def with_article(line: str, at: int) -> str:
    """The line with ``a`` or ``an`` right before the word that begins at ``at``, if an article stands there."""
    head, tail = line[:at], line[at:]
    found = re.search(r"(?<![\w'’])(an?)[ \u00a0]$", head, re.IGNORECASE)
    if found is None or not tail[:1].isalpha():
        return line
    # By the spelling of the word.
    wanted = "an" if _AN.match(tail) and not _NOT_AN.match(tail) else "a"
    wanted = wanted.capitalize() if found[1][0].isupper() else wanted
    return f"{head[: found.start(1)]}{wanted}{head[found.end(1) :]}{tail}"


def place_of_change(before: str, after: str) -> tuple[int, int]:
    """Characters of ``before``, from and to (not included), within which two texts differ, in whole words.

    Both ends are moved out to the next white space; nothing is between them if words were only added.
    """
    if before == after:
        return len(before), len(before)
    most = min(len(before), len(after))
    head = next((k for k in range(most) if before[k] != after[k]), most)
    tail = next((k for k in range(most - head) if before[-1 - k] != after[-1 - k]), most - head)
    start, end = head, len(before) - tail
    added = after[head : len(after) - tail]
    if not (before[start:end] or added)[:1].isspace() and not added[:1].isspace():
        while start > 0 and not before[start - 1].isspace():
            start -= 1
    if not (before[start:end] or added)[-1:].isspace() and not added[-1:].isspace():
        while end < len(before) and not before[end].isspace():
            end += 1
    return start, end


def drawn(dice: Dice, groups: Sequence[Sequence[Item]]) -> Sequence[Item]:
    """One of some groups; nothing where there is none."""
    return dice.choice(groups) if groups else ()


def changed(line: str, dice: Dice, found: Sequence[Edit | list[Edit]]) -> str | None:
    """The line with one of some edits made, or with all edits of one list; None where there is none."""
    if not found:
        return None
    chosen = dice.choice(found)
    return edited(line, [chosen] if isinstance(chosen, Edit) else chosen)


def dropped(line: str, dice: Dice, found: Sequence[Sequence[Spanned]]) -> str | None:
    """The line without one of some runs of words; None where there is none."""
    return without(line, *extent(dice.choice(found))) if found else None


def swapped(line: str, dice: Dice, pairs: Sequence[tuple[Word, Word]]) -> str | None:
    """The line with the words of one of some pairs in each other's place; None where there is none."""
    edits = [
        [Edit(left.start, left.end, right.form), Edit(right.start, right.end, left.form)]
        for left, right in pairs
    ]
    return changed(line, dice, edits)


def replaced(line: str, dice: Dice, found: Sequence[tuple[Spanned, str]]) -> str | None:
    """The line with one word replaced by another of its case, behind the right article; None where there is none."""
    if not found:
        return None
    token, new = dice.choice(found)
    return with_article(edited(line, [put(token, new)]), token.start)
