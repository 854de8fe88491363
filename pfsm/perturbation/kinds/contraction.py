"""English, harmless: a contraction is written in full, or the other way round."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited, in_case_of
from pfsm.perturbation.english.clauses import is_question
from pfsm.perturbation.kind import NONE, english
from pfsm.perturbation.lists import words
from pfsm.perturbation.text import Parse, Text, Token

_FULL = {"wo": "will", "ca": "can", "sha": "shall"}
_NOT = words("contraction-not")
_CLITICS = {"'re": "are", "'ve": "have", "'ll": "will", "'m": "am"}
_SHORT = {"are": "'re", "have": "'ve", "will": "'ll", "am": "'m", "is": "'s"}
_PRONOUNS = frozenset(["i", "you", "we", "they", "he", "she", "it"])


def _change(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    found = [edit for token in parse.tokens for edit in (*_with_not(parse, token), *_clitic(parse, token))]
    return edited(text.line, [dice.choice(found)]) if found else None


def _with_not(parse: Parse, token: Token) -> list[Edit]:
    """``do not`` and ``don't``; in questions the two stand in different places."""
    before = parse.previous(token)
    if before is None or before.upos not in {"AUX", "VERB"} or is_question(parse, token):
        return []
    if token.lower == "n't" and before.lower != "ai":
        full = _FULL.get(before.lower, before.lower)
        return [
            Edit(before.start, token.end, f"{in_case_of(full, before.form)}{'' if full == 'can' else ' '}not")
        ]
    if token.lower == "not" and before.end < token.start and before.upos == "AUX":
        if before.lower in _NOT:
            return [Edit(before.start, token.end, f"{before.form}n't")]
        if before.lower == "will":
            return [Edit(before.start, token.end, in_case_of("won't", before.form))]
    return []


def _clitic(parse: Parse, token: Token) -> list[Edit]:
    before, after = parse.previous(token), parse.next(token)
    if before is None or after is None or before.lower not in _PRONOUNS or token.upos != "AUX":
        return []
    if token.lower in _CLITICS and token.start == before.end:
        return [Edit(token.start, token.end, f" {_CLITICS[token.lower]}")]
    agrees = (
        token.lower == "will"
        or {"am": "i", "is": before.lower}.get(token.lower, "we they you").find(before.lower) >= 0
    )
    agrees = agrees or (token.lower == "have" and before.lower == "i")
    follows = after.upos in {"VERB", "ADJ", "DET", "ADV", "NOUN"} and after.lower != "not"
    if (
        token.lower in _SHORT
        and agrees
        and follows
        and before.label.startswith("nsubj")
        and token.start == before.end + 1
    ):
        return [Edit(before.end, token.end, _SHORT[token.lower])]
    return []


KIND = english("contraction", NONE, "a contraction is written in full or the other way round", _change)
