"""English: a phrase with a preposition is dropped."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import without
from pfsm.perturbation.english.clauses import is_whole
from pfsm.perturbation.kind import CRITICAL, english
from pfsm.perturbation.lists import words
from pfsm.perturbation.text import Parse, Text, Token

_LONGEST = 8
# What they open says little: "of course", "in fact", "at all".
_SET = words("drop-prepositional-phrase-set")


def prepositional_phrases(parse: Parse, line: str) -> list[list[Token]]:
    """Adjuncts and attributes that begin with a preposition, as words that stand together."""
    found = []
    for token in parse.tokens:
        case = parse.child(token, "case")
        if (
            token.label not in {"obl", "nmod"}
            or case is None
            or token.lower in _SET
            or not case.form.isalpha()
        ):
            continue
        phrase = parse.phrase(token)
        if phrase and phrase[0] == case and 2 <= len(phrase) <= _LONGEST and is_whole(line, phrase):
            found.append(phrase)
    return found


def _change(text: Text, dice: Dice) -> str | None:
    phrases = prepositional_phrases(text.parse, text.line)
    if not phrases:
        return None
    phrase = dice.choice(phrases)
    return without(text.line, phrase[0].start, phrase[-1].end)


KIND = english("drop-prepositional-phrase", CRITICAL, "a phrase with a preposition is dropped", _change)
