"""Kinds for all languages: words and phrases are lost, added, repeated or moved."""

from itertools import pairwise

from pfsm.perturbation.edits import Edit, dropped, edited, extent, in_case_of, inserted, swapped, with_article
from pfsm.perturbation.kind import CRITICAL, MAJOR, MINOR, kind
from pfsm.perturbation.text import Dice, Parse, Text, is_letters
from pfsm.text.offsets import Word
from pfsm.text.plain import tokenise


@kind("drop-word", MAJOR, "a word is dropped")
def _drop_word(text: Text, dice: Dice) -> str | None:
    if len(text.words) < 4:
        return None
    return dropped(text.line, dice, [[word] for word in text.content])


# English says "that that", "had had", "very very" and "so so".
_DOUBLE = frozenset({"that", "had", "very", "so", "really", "much", "long", "far", "many", "no"})


def _repeatable(text: Text) -> list[Word]:
    """Words that may not stand twice: no numbers, no letters alone, not next to themselves."""
    forms = [token.form.lower() for token in text.tokens]
    return [
        token
        for at, token in enumerate(text.tokens)
        if is_letters(token.form)
        and token.form.lower() not in _DOUBLE
        and (len(token.form) > 1 or not token.form.isascii())
        and forms[at] not in (forms[at - 1 : at] + forms[at + 1 : at + 2])
    ]


def _repeated(text: Text, dice: Dice, times: int) -> str | None:
    """The text with a word that is followed by itself so many times, with a capital only if it is a name."""
    words = _repeatable(text)
    if not words:
        return None
    word = dice.choice(words)
    first = word.start in text.is_first and text.class_of(word) != "name"
    again = word.form.lower() if first else word.form
    return text.line[: word.end] + (text.gap + again) * times + text.line[word.end :]


@kind("repeat-word", MINOR, "a word is repeated once")
def _repeat_word(text: Text, dice: Dice) -> str | None:
    return _repeated(text, dice, 1)


@kind("repeat-word-4", MAJOR, "a word is repeated four times")
def _repeat_word_4(text: Text, dice: Dice) -> str | None:
    return _repeated(text, dice, 4)


def _runs(text: Text, length: int) -> list[list[Word]]:
    """Runs of so many words without a mark between them, with a word that carries meaning."""
    heavy, words = ({word.start for word in several} for several in (text.content, text.words))
    tokens = text.tokens
    runs = (tokens[first : first + length] for first in range(1, len(tokens) - length + 1))
    return [
        run
        for run in runs
        if all(token.start in words for token in run) and any(token.start in heavy for token in run)
    ]


@kind("drop-phrase", CRITICAL, "three to six words in a row are dropped")
def _drop_phrase(text: Text, dice: Dice) -> str | None:
    if len(text.words) < 8:
        return None
    return dropped(text.line, dice, _runs(text, dice.between(3, min(6, len(text.words) // 2))))


@kind("repeat-phrase", MINOR, "a run of words is repeated")
def _repeat_phrase(text: Text, dice: Dice) -> str | None:
    found = _runs(text, dice.between(3, 5))
    if not found:
        return None
    start, end = extent(dice.choice(found))
    return text.line[:end] + text.gap + text.line[start:end] + text.line[end:]


def _foreign_words(text: Text) -> list[str]:
    """Words of the next texts that carry meaning and do not stand in this one."""
    own = {word.form.lower() for word in text.words}
    for other in text.neighbours():
        found = [
            word.form
            for word in other.content
            if is_letters(word.form)
            and word.form.islower() == word.form.lower().islower()
            and word.form.lower() not in own
            and not word.form.endswith("ly")
        ]
        if found:
            return found
    return []


@kind("add-word", MAJOR, "a word of another text is added")
def _add_word(text: Text, dice: Dice) -> str | None:
    places = [word.start for word in text.words if word.start not in text.is_first]
    words = _foreign_words(text)
    if not places or not words:
        return None
    at = dice.choice(places)
    return with_article(inserted(text.line, at, dice.choice(words), spaced=text.spaced), at)


@kind("add-phrase", CRITICAL, "words of another text are added")
def _add_phrase(text: Text, dice: Dice) -> str | None:
    places = [word.start for word in text.words if word.start not in text.is_first]
    own = {word.form.lower() for word in text.content}
    for other in text.neighbours():
        found = [other.line[run[0].start : run[-1].end] for run in _runs(other, dice.between(3, 5))]
        found = [phrase for phrase in found if own.isdisjoint(phrase.lower().split())]
        if found and places:
            return inserted(text.line, dice.choice(places), dice.choice(found), spaced=text.spaced)
    return None


# Pairs of tags whose order English fixes; an adverb may stand on either side of a verb.
_FIXED = frozenset({
    ("DET", "NOUN"), ("DET", "ADJ"), ("ADJ", "NOUN"), ("ADP", "DET"), ("ADP", "NOUN"), ("ADP", "PROPN"),
    ("NOUN", "ADP"), ("DET", "PROPN"), ("NUM", "NOUN"), ("PART", "VERB"), ("NOUN", "NOUN"),
})  # fmt: skip


@kind("swap-words", MINOR, "two neighbouring words change places")
def _swap_words(text: Text, dice: Dice) -> str | None:
    pairs = _fixed_pairs(text.parse, text.line) if text.is_parsed else _any_pairs(text)
    if not pairs:
        return None
    left, right = dice.choice(pairs)
    if left.start not in text.is_first:
        return swapped(text.line, dice, [(left, right)])
    is_name = text.class_of(left) == "name" and text.is_parsed and left.form[1:].lower() != left.form[1:]
    second = left.form if is_name or left.form == "I" else left.form.lower()
    first = in_case_of(right.form, left.form)
    return edited(text.line, [Edit(left.start, left.end, first), Edit(right.start, right.end, second)])


def _fixed_pairs(parse: Parse, line: str) -> list[tuple[Word, Word]]:
    return [
        (Word(left.form, left.start, left.end), Word(right.form, right.start, right.end))
        for left, right in pairwise(parse.tokens)
        if (left.upos, right.upos) in _FIXED
        and line[left.end : right.start] == " "
        and left.lower != right.lower
        and not {left.lower, right.lower} & {"all", "both", "such", "ago", "%", "up", "down", "out", "over"}
        and not {left.label, right.label} & {"compound:prt", "fixed"}
        and left.form[-1].isalnum()
        and line[: left.start][-1:] in {"", " ", "(", '"', "“"}
        and line[right.end : right.end + 1] not in {"-", "'", "’"}
        # A clitic or a hyphen that touches the word would go with the wrong one.
        and not ((after := parse.next(right)) and after.start == right.end and after.upos != "PUNCT")
    ]


def _any_pairs(text: Text) -> list[tuple[Word, Word]]:
    return [
        (left, right)
        for left, right in pairwise(text.words)
        if text.line[left.end : right.start] == text.gap and left.form.lower() != right.form.lower()
    ]


@kind("shuffle-words", CRITICAL, "all words are shuffled")
def _shuffle_words(text: Text, dice: Dice) -> str | None:
    words = text.words
    if len({word.form.lower() for word in words}) < 5:
        return None
    moved = list(zip(words, dice.shuffled(words), strict=True))
    if 2 * sum(a.form != b.form for a, b in moved) < len(words):
        return None
    return edited(text.line, [Edit(a.start, a.end, b.form) for a, b in moved])


_MOST_SHARED = 0.3


@kind("other-text", CRITICAL, "another text stands in its place")
def _other_text(text: Text, _: Dice) -> str | None:
    own = {word.form.lower() for word in text.content}
    for other in text.neighbours():
        words = {word.form.lower() for word in other.content}
        if words and len(words & own) <= _MOST_SHARED * min(len(words), len(own)):
            return other.line
    return None


@kind("truncate", CRITICAL, "the last third to three fifths are cut off")
def _truncate(text: Text, dice: Dice) -> str | None:
    count = len(text.words)
    if count < 6:
        return None
    kept = dice.between((4 * count + 9) // 10, 7 * count // 10)
    return text.line[: text.words[kept - 1].end]


@kind("empty", CRITICAL, "nothing is left")
def _empty(text: Text, _: Dice) -> str | None:
    return "" if text.words else None


@kind("untranslated", CRITICAL, "a word of the source is left as it is", source=True)
def _untranslated(text: Text, dice: Dice) -> str | None:
    own = {word.form.lower() for word in text.words}
    source = [form for form in tokenise(text.source) if any(map(str.isalpha, form))]
    foreign = [
        (at, form)
        for at, form in enumerate(source)
        if form.lower() not in own and (len(form) >= 4 or not form.isascii())
    ]
    targets = [
        word
        for word in text.content
        if not any(map(str.isdigit, word.form))
        and not (word.form[:1].isupper() and word.start not in text.is_first)  # a name
    ]
    if not foreign or not targets:
        return None
    word = dice.choice(targets)
    place = text.words.index(word) / len(text.words)
    _, form = min(foreign, key=lambda one: abs(one[0] / len(source) - place))
    return edited(text.line, [Edit(word.start, word.end, form)])
