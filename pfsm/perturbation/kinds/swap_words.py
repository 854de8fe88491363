"""Two words that stand side by side change places."""

from pfsm.analysis.tokens import Word
from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited, in_case_of
from pfsm.perturbation.kind import MINOR, Kind
from pfsm.perturbation.text import Parse, Text, Token

# Pairs of tags whose order English fixes; an adverb may stand on either side of a verb.
_FIXED = frozenset({
    ("DET", "NOUN"), ("DET", "ADJ"), ("ADJ", "NOUN"), ("ADP", "DET"), ("ADP", "NOUN"), ("ADP", "PROPN"),
    ("NOUN", "ADP"), ("DET", "PROPN"), ("NUM", "NOUN"), ("PART", "VERB"), ("NOUN", "NOUN"),
})  # fmt: skip


def _change(text: Text, dice: Dice) -> str | None:
    pairs = _fixed_pairs(text.parse, text.line) if text.is_parsed else _any_pairs(text)
    if not pairs:
        return None
    left, right = dice.choice(pairs)
    opens = left.start in text.is_first
    is_name = (
        text.class_of(Word(left.form, 0, 0)) == "name"
        and text.is_parsed
        and left.form[1:].lower() != left.form[1:]
    )
    second = left.form.lower() if opens and not is_name and left.form != "I" else left.form
    return edited(
        text.line,
        [
            Edit(left.start, left.end, in_case_of(right.form, left.form) if opens else right.form),
            Edit(right.start, right.end, second),
        ],
    )


def _fixed_pairs(parse: Parse, line: str) -> list[tuple[Word, Word]]:
    return [
        (Word(left.form, left.start, left.end), Word(right.form, right.start, right.end))
        for left, right in zip(parse.tokens, parse.tokens[1:], strict=False)
        if (left.upos, right.upos) in _FIXED
        and line[left.end : right.start] == " "
        and left.lower != right.lower
        and not {left.lower, right.lower} & {"all", "both", "such", "ago", "%", "up", "down", "out", "over"}
        and not {left.label, right.label} & {"compound:prt", "fixed"}
        and left.form[-1].isalnum()
        and line[: left.start][-1:] in {"", " ", "(", '"', "“"}
        and line[right.end : right.end + 1] not in {"-", "'", "’"}
        and not _is_clitic_follower(parse, right)
    ]


def _is_clitic_follower(parse: Parse, token: Token) -> bool:
    """Whether a clitic or hyphen touches the word, which would go with the wrong one."""
    after = parse.next(token)
    return after is not None and after.start == token.end and after.upos != "PUNCT"


def _any_pairs(text: Text) -> list[tuple[Word, Word]]:
    gap = " " if text.spaced else ""
    return [
        (left, right)
        for left, right in zip(text.words, text.words[1:], strict=False)
        if text.line[left.end : right.start] == gap and left.form.lower() != right.form.lower()
    ]


KIND = Kind("swap-words", MINOR, "two neighbouring words change places", _change)
