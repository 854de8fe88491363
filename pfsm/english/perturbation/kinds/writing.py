"""Spelling, spaces, capitals and marks."""

import itertools
import re
from collections.abc import Callable
from functools import cache

from pfsm.english.lists import is_common_noun, rows, wordnet, words
from pfsm.english.perturbation.clauses import is_question
from pfsm.english.perturbation.edits import Edit, changed, edited, in_case_of
from pfsm.english.perturbation.kind import MINOR, NONE, english, kind
from pfsm.english.perturbation.text import Dice, Parse, Text, Token, is_letters, is_word
from pfsm.english.tokens import Word
from pfsm.text.classes import SHIPPED, default_lists, normal_form

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


_WORD = re.compile(r"\b[a-z]+\b")


@cache
def _variants() -> dict[str, str]:
    pairs = [(british, american) for british, american in rows("spelling-variants")]
    return dict([*pairs, *(pair[::-1] for pair in pairs)])


@kind("spelling-variant", NONE, "British for American spelling or the other way round", languages=("en",))
def _spelling_variant(text: Text, dice: Dice) -> str | None:
    variants = _variants()
    # Words with a capital may be names, such as that of a theatre or of an organisation.
    found = [
        Edit(*word.span(), variants[word[0]])
        for word in _WORD.finditer(text.line)
        if word[0] in variants and word[0] not in {"tire", "tires", "program"}
    ]
    return changed(text.line, dice, found)


_FULL = {"wo": "will", "ca": "can", "sha": "shall"}
_NOT = words("contraction-not")
_CLITICS = {"'re": "are", "'ve": "have", "'ll": "will", "'m": "am"}
_SHORT = {"are": "'re", "have": "'ve", "will": "'ll", "am": "'m", "is": "'s"}
_PRONOUNS = frozenset(["i", "you", "we", "they", "he", "she", "it"])


@english("contraction", NONE, "a contraction is written in full or the other way round")
def _contraction(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    found = [edit for token in parse.tokens for edit in (*_with_not(parse, token), *_clitic(parse, token))]
    return changed(text.line, dice, found)


def _with_not(parse: Parse, token: Token) -> list[Edit]:
    """``do not`` and ``don't``; in questions the two stand in different places."""
    before = parse.previous(token)
    if before is None or before.upos not in {"AUX", "VERB"} or is_question(parse, token):
        return []
    new = ""
    if token.lower == "n't" and before.lower != "ai":
        full = _FULL.get(before.lower, before.lower)
        new = f"{in_case_of(full, before.form)}{'' if full == 'can' else ' '}not"
    elif token.lower == "not" and before.end < token.start and before.upos == "AUX":
        if before.lower in _NOT:
            new = f"{before.form}n't"
        elif before.lower == "will":
            new = in_case_of("won't", before.form)
    return [Edit(before.start, token.end, new)] if new else []


def _clitic(parse: Parse, token: Token) -> list[Edit]:
    before, after = parse.previous(token), parse.next(token)
    if before is None or after is None or before.lower not in _PRONOUNS or token.upos != "AUX":
        return []
    if token.lower in _CLITICS and token.start == before.end:
        return [Edit(token.start, token.end, f" {_CLITICS[token.lower]}")]
    subjects = {"am": "i", "is": before.lower, "will": before.lower, "have": "we they you i"}
    fits = (
        token.lower in _SHORT
        and before.lower in subjects.get(token.lower, "we they you")
        and after.upos in {"VERB", "ADJ", "DET", "ADV", "NOUN"}
        and after.lower != "not"
        and before.label.startswith("nsubj")
        and token.start == before.end + 1
    )
    return [Edit(before.end, token.end, _SHORT[token.lower])] if fits else []


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
