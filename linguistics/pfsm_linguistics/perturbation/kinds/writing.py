"""English: contractions and spellings."""

import re
from functools import cache

from pfsm.perturbation.edits import Edit, changed, in_case_of
from pfsm.perturbation.kind import NONE, kind
from pfsm.perturbation.text import Dice, Parse, Text, Token
from pfsm_linguistics.lists import rows, words
from pfsm_linguistics.perturbation.clauses import is_question
from pfsm_linguistics.perturbation.parsing import english

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
