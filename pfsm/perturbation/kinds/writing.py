"""Spelling, spaces, capitals and marks."""

import itertools
import re
from collections.abc import Callable

from pfsm.facts.lists import is_common_noun, wordnet, words
from pfsm.perturbation.edits import Edit, changed, edited
from pfsm.perturbation.kind import MINOR, NONE, kind
from pfsm.perturbation.text import Dice, Text, is_letters, is_word
from pfsm.text.classes import SHIPPED, default_lists, normal_form
from pfsm.text.offsets import Word

_LEAST = 5


def _spellable(text: Text) -> list[Word]:
    """Words of small letters that are long enough for a slip not to make another word of them."""
    return [
        word
        for word in text.words
        if len(word.form) >= _LEAST and word.form.isalpha() and word.form.islower()
    ]


def _is_known(text: Text, form: str) -> bool:
    """Whether a spelling is a word: in English by WordNet and the word lists, else by the words of the text."""
    if default_lists(text.language) not in SHIPPED or any(word.form == form for word in text.words):
        return any(word.form == form for word in text.words)
    classes = text.classes
    listed = classes.function | classes.negation | classes.number
    return normal_form(form) in listed or bool(wordnet().synonyms.synsets(form))


def _misspelt(text: Text, dice: Dice, last: int, slip: Callable[[str, int], str]) -> str | None:
    """The text with a slip at a letter of a word, from its second to the one so far from its end."""
    for word in dice.shuffled(_spellable(text))[:8]:
        form = slip(word.form, dice.between(1, len(word.form) - last))
        if form != word.form and not _is_known(text, form):
            return edited(text.line, [Edit(word.start, word.end, form)])
    return None


@kind("misspell", MINOR, "a letter of a word is replaced")
def _misspell(text: Text, dice: Dice) -> str | None:
    letters = sorted({letter for word in text.words for letter in word.form if letter.islower()})
    return _misspelt(text, dice, 2, lambda form, at: form[:at] + dice.choice(letters) + form[at + 1 :])


@kind("drop-letter", MINOR, "a letter of a word is dropped")
def _drop_letter(text: Text, dice: Dice) -> str | None:
    return _misspelt(text, dice, 2, lambda form, at: form[:at] + form[at + 1 :])


@kind("transpose-letters", MINOR, "two letters of a word change places")
def _transpose_letters(text: Text, dice: Dice) -> str | None:
    return _misspelt(text, dice, 3, lambda form, at: form[:at] + form[at + 1] + form[at] + form[at + 2 :])


def _without_space(text: Text, dice: Dice, places: list[int]) -> str | None:
    return changed(text.line, dice, [Edit(at, at + 1, "") for at in places]) if text.spaced else None


@kind("join-words", MINOR, "the space between two words is missing")
def _join_words(text: Text, dice: Dice) -> str | None:
    places = [
        left.end
        for left, right in itertools.pairwise(text.words)
        if text.line[left.end : right.start] == " " and is_letters(left.form) and is_letters(right.form)
    ]
    return _without_space(text, dice, places)


@kind("tokenise", MINOR, "marks stand apart from words")
def _tokenise(text: Text, _: Dice) -> str | None:
    return " ".join(token.form for token in text.tokens) if text.spaced else None


# Not behind initials and abbreviations, and not before digits: "A.Smith" is written, "1,2" is another number.
_BEHIND = re.compile(r"(?<=[^\W\d_]{4}[.,;:!?)]) (?=[^\W\d_])")


@kind("detokenise", MINOR, "the space behind a mark is missing")
def _detokenise(text: Text, dice: Dice) -> str | None:
    """The space behind a mark is missing.

    Spaces in front of marks, as tokenised text has them, are faults of the text itself: to leave them out mends it.
    """
    return _without_space(text, dice, [found.start() for found in _BEHIND.finditer(text.line)])


@kind("lower-first", MINOR, "the first letter is a small one")
def _lower_first(text: Text, _: Dice) -> str | None:
    for word in text.words[:1]:
        if word.form[0].isupper() and not word.form[1:2].isupper():
            return edited(text.line, [Edit(word.start, word.start + 1, word.form[0].lower())])
    return None


# Titles and offices are written both ways, as are other nouns within names: "the chamber of commerce".
_EITHER_WAY = words("lower-name-either-way")


@kind("lower-name", MINOR, "a name loses its capital")
def _lower_name(text: Text, dice: Dice) -> str | None:
    words = [
        word
        for word in text.words
        if word.form[0].isupper()
        and word.form[1:].islower()
        and word.start not in text.is_first
        and word.form.lower() not in _EITHER_WAY
    ]
    if text.is_parsed:
        names = {token.start for token in text.parse.tokens if token.upos == "PROPN"}
        words = [word for word in words if word.start in names]
    # In a line of headline capitals a small letter is no fault.
    if not words or 2 * len(words) > len(text.words):
        return None
    edits = [Edit(word.start, word.end, word.form.lower()) for word in words]
    edits = [edit for edit in edits if not (text.is_english and is_common_noun(edit.new))]
    return changed(text.line, dice, edits)


@kind("lower-all", MINOR, "all letters are small")
def _lower_all(text: Text, _: Dice) -> str | None:
    return text.line.lower()


@kind("upper-all", MINOR, "all letters are capitals")
def _upper_all(text: Text, _: Dice) -> str | None:
    return text.line.upper()


_ENDS = ".!?。！？।॥؟۔…"


@kind("drop-punctuation", MINOR, "the mark at the end is dropped")
def _drop_punctuation(text: Text, _: Dice) -> str | None:
    line = text.line.rstrip()
    if not line or line[-1] not in _ENDS or len(text.words) < 3:
        return None
    kept = line.rstrip(_ENDS).rstrip()
    # The period of an abbreviation stays.
    if not is_word(kept[-1:]) or (line[-1] == "." and "." in kept.split()[-1]):
        return None
    return kept


_OTHER = {
    ".": "?,;", "!": ",;", "?": ".,", "。": "？，", "！": "，", "？": "。，", "।": "?,", "؟": "،", "۔": "؟،",
}  # fmt: skip


@kind("change-punctuation", MINOR, "the mark at the end is another one")
def _change_punctuation(text: Text, dice: Dice) -> str | None:
    line = text.line.rstrip()
    if len(text.words) < 3 or line[-1] not in _OTHER or line[-2] in _OTHER:
        return None
    return line[:-1] + dice.choice(_OTHER[line[-1]])


_TIED = frozenset({
    ("DET", "NOUN"), ("DET", "ADJ"), ("ADP", "DET"), ("ADP", "NOUN"), ("ADP", "PROPN"), ("ADJ", "NOUN"),
    ("PART", "VERB"), ("AUX", "VERB"),
})  # fmt: skip
_MARKS = {"zh": "，", "ja": "、", "ar": "،", "fa": "،", "ur": "،"}


@kind("add-punctuation", MINOR, "a comma is added")
def _add_punctuation(text: Text, dice: Dice) -> str | None:
    if text.is_parsed:
        tokens = text.parse.tokens
        places = [
            left.end
            for left, right in itertools.pairwise(tokens)
            if (left.upos, right.upos) in _TIED
            and text.line[left.end] == " "
            and left.label not in {"compound:prt", "nsubj", "obj", "root"}
        ]
    else:
        pairs = itertools.pairwise(text.words)
        places = [left.end for left, right in pairs if text.line[left.end : right.start] == text.gap]
    mark = _MARKS.get(text.language[:2].lower(), ",")
    return changed(text.line, dice, [Edit(at, at, mark) for at in places])


_TO_TYPEWRITER = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "...", "‑": "-"}
)


@kind("unicode-punctuation", NONE, "quotes, apostrophes and dashes are other characters")
def _unicode_punctuation(text: Text, _: Dice) -> str | None:
    plain = text.line.translate(_TO_TYPEWRITER)
    if plain != text.line:
        return plain
    line = re.sub(r"(?<=\w)'(?=\w)", "’", text.line)
    line = re.sub(r'(^|[\s(])"(?=\S)', r"\1“", line)
    line = re.sub(r'(?<=\S)"(?=$|[\s.,;:!?)])', "”", line)
    line = line.replace(" - ", " – ").replace("...", "…")
    # Both marks of a pair are replaced, or none is.
    return None if '"' in line and ("“" in line or "”" in line) else line
