"""English: a word that says how many or how often says something else."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited, in_case_of
from pfsm.perturbation.kind import CRITICAL, english
from pfsm.perturbation.text import Parse, Text, Token

_WORDS = {
    "all": "some", "every": "some", "many": "few", "few": "many", "most": "few", "several": "all",
    "always": "sometimes",
    "often": "rarely", "usually": "rarely", "everyone": "someone", "everything": "something", "everybody": "somebody",
    "majority": "minority", "minority": "majority", "frequently": "rarely", "rarely": "often", "sometimes": "always",
    "mostly": "hardly", "some": "all",
}  # fmt: skip
_PAIRS = {("more", "than"): "less than", ("less", "than"): "more than", ("at", "least"): "at most",
          ("at", "most"): "at least", ("fewer", "than"): "more than"}  # fmt: skip


def _change(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    found = [
        Edit(token.start, token.end, in_case_of(_WORDS[token.lower], token.form))
        for token in parse.tokens
        if token.lower in _WORDS and _is_quantifier(parse, token)
    ]
    for token in parse.tokens[:-1]:
        after = parse.tokens[token.at + 1]
        new = _PAIRS.get((token.lower, after.lower))
        follows = parse.next(after)
        if new and follows is not None and (follows.upos == "NUM" or follows.lower in {"half", "a", "one"}):
            found.append(Edit(token.start, after.end, in_case_of(new, token.form)))
    return edited(text.line, [dice.choice(found)]) if found else None


def _is_quantifier(parse: Parse, token: Token) -> bool:
    head, before, after = parse.head(token), parse.previous(token), parse.next(token)
    if head is None or after is None or token.form.isupper():
        return False
    if before is not None and before.lower in {
        "a",
        "at",
        "as",
        "so",
        "how",
        "not",
        "the",
        "of",
        "after",
        "in",
        "too",
    }:
        return token.lower in {"majority", "minority"}
    if after.lower in {"other", "about", "over", "right", "along", "but", "year"}:
        return False
    if token.lower in {"all", "some", "most", "several", "many", "few"}:
        counted = (
            token.label in {"det", "amod", "det:predet"}
            and head.at > token.at
            and head.xpos in {"NNS", "NNPS"}
        )
        numbers = any(one.upos == "NUM" for one in parse.tokens[token.at + 1 : token.at + 3])
        return (counted or after.lower == "of") and not numbers
    if token.lower == "every":
        return (
            head.at > token.at
            and head.xpos == "NN"
            and head.lower not in {"day", "week", "month", "time", "night"}
        )
    return True


KIND = english("quantifier", CRITICAL, "a word for how many or how often is another one", _change)
