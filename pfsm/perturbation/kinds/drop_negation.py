"""English: a negation is dropped."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited, in_case_of, without
from pfsm.perturbation.english.clauses import is_question
from pfsm.perturbation.kind import CRITICAL, english
from pfsm.perturbation.lists import words
from pfsm.perturbation.text import Parse, Text, Token

_NOT_SO = words("drop-negation-not-so")
_OPPOSITE = {"nobody": "somebody", "nothing": "something", "nowhere": "somewhere", "without": "with"}
_IDIOMS = words("drop-negation-idioms")
_CONTRACTED = {"wo": "will", "ca": "can", "sha": "shall"}


def _change(text: Text, dice: Dice) -> str | None:
    parse, line = text.parse, text.line
    found = [token for token in parse.tokens if _is_droppable(parse, token)]
    if not found:
        return None
    token = dice.choice(found)
    if token.lower in {"not", "never"}:
        return without(line, token.start, token.end)
    if token.lower in {"n't", "nt"}:
        before = parse.tokens[token.at - 1]
        full = _CONTRACTED.get(before.lower)
        edits = [Edit(token.start, token.end, "")]
        if full:
            edits.append(Edit(before.start, before.end, in_case_of(full, before.form)))
        return edited(line, edits)
    new = "some" if token.lower == "no" else _OPPOSITE[token.lower]
    return edited(line, [Edit(token.start, token.end, in_case_of(new, token.form))])


def _is_droppable(parse: Parse, token: Token) -> bool:
    after, before, head = parse.next(token), parse.previous(token), parse.head(token)
    if after is None or head is None or is_question(parse, token):
        return False
    if token.lower in {"not", "never"}:
        # "Or not", "if not", "not only", "not until", "not the first but": what is left would be odd or mean the same.
        return (
            token.label == "advmod"
            and head.upos in {"VERB", "AUX", "ADJ", "NOUN", "PROPN"}
            and not parse.is_first(token)
            and after.lower not in _NOT_SO
            and after.upos != "PUNCT"
            and before is not None
            and before.lower not in {"or", "if", "why", "but", ",", "and", "-"}
            and not any(one.lower == "but" for one in parse.tokens[token.at : token.at + 12])
            and (head.at > token.at or head.upos in {"VERB", "AUX"})
        )
    if token.lower in {"n't", "nt"}:
        return after.lower not in {"only", "just", "until"} and after.upos not in {"PUNCT", "PRON"}
    if token.lower == "no":
        return (
            token.label == "det"
            and head.at > token.at
            and after.xpos in {"NN", "NNS", "JJ"}
            and after.lower not in _IDIOMS
            and (before is None or before.lower not in {"in", "by", "or", "almost", "to", "little", "of"})
        )
    if token.lower == "without":
        return head.at > token.at and head.upos == "NOUN" and (before is None or before.lower != "not")
    return token.lower in _OPPOSITE and not parse.children(head, "det:predet")


KIND = english("drop-negation", CRITICAL, "a negation is dropped", _change)
