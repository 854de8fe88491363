"""English: a modal verb is another one."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited, in_case_of
from pfsm.perturbation.english.clauses import is_question
from pfsm.perturbation.kind import MAJOR, english
from pfsm.perturbation.text import Text

_OTHER = {
    "must": ["may", "can"], "may": ["must", "will"], "might": ["must", "will"], "can": ["must", "should"],
    "could": ["must", "should"], "should": ["might", "could"], "shall": ["may"], "will": ["might", "should"],
}  # fmt: skip


def _change(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    found = [
        token
        for token in parse.tokens
        if token.xpos == "MD"
        and token.lower in _OTHER
        and (after := parse.next(token)) is not None
        and after.start > token.end
        and not is_question(parse, token)
    ]
    if not found:
        return None
    token = dice.choice(found)
    return edited(
        text.line, [Edit(token.start, token.end, in_case_of(dice.choice(_OTHER[token.lower]), token.form))]
    )


KIND = english("modality", MAJOR, "a modal verb is another one", _change)
