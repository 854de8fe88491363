"""English: a pronoun stands for another person."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited, in_case_of
from pfsm.perturbation.kind import CRITICAL, english
from pfsm.perturbation.text import Parse, Text, Token

# Those that take the same verb form, so that only the person changes.
_OTHER = {
    "we": ["they", "you"], "they": ["we", "you"], "i": ["they", "we"], "us": ["them", "you"], "them": ["us", "you"],
    "me": ["him", "them"], "him": ["me", "them"], "our": ["their", "your"], "their": ["our", "your"],
    "my": ["his", "their"], "your": ["their", "my"], "his": ["my", "our"], "its": ["my", "our"],
    "ourselves": ["themselves"], "themselves": ["ourselves"], "myself": ["himself"], "himself": ["myself"],
}  # fmt: skip


def _change(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    found = [
        token
        for token in parse.tokens
        if token.upos == "PRON"
        and token.lower in _OTHER
        and not _is_initial(parse, token)
        and token.label in {"nsubj", "nsubj:pass", "obj", "iobj", "obl", "nmod", "nmod:poss"}
        and not (
            token.lower == "i"
            and (after := parse.next(token)) is not None
            and after.lower in {"am", "'m", "was"}
        )
    ]
    if not found:
        return None
    token = dice.choice(found)
    new = dice.choice(_OTHER[token.lower])
    opens = parse.is_first(token) or (token.form.isupper() and token.form != "I")
    return edited(text.line, [Edit(token.start, token.end, in_case_of(new, token.form) if opens else new)])


def _is_initial(parse: Parse, token: Token) -> bool:
    """Whether ``I`` is the first letter of a name or a Roman number, as in "I. Newton" and "Chapter I"."""
    before, after = parse.previous(token), parse.next(token)
    initial = after is not None and after.form[:1] == "." and after.start == token.end
    number = before is not None and before.upos == "PROPN"
    return token.form == "I" and (initial or number)


KIND = english("pronoun", CRITICAL, "a pronoun stands for another person", _change)
