"""English, harmless: an adjunct of time or place moves from one end of a sentence to the other."""

from collections.abc import Sequence

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import capitalised
from pfsm.perturbation.english.clauses import lowered, text_of
from pfsm.perturbation.english.inflection import verb_lemma
from pfsm.perturbation.kind import NONE, english
from pfsm.perturbation.lists import words
from pfsm.perturbation.text import Parse, Text, Token

_TIMES = words("reorder-adjunct-times")
# "Planned for May": the phrase belongs to the verb.
_PLANNED = words("reorder-adjunct-planned")
_LONGEST = 7


def _change(text: Text, dice: Dice) -> str | None:  # noqa: ARG001 - there is one way
    parse, line = text.parse, text.line.rstrip()
    if not line.endswith(".") or len(parse.starts) != 1 or set('"“”«»„') & set(line) or len(parse.tokens) < 6:
        return None
    root = next((token for token in parse.tokens if token.label == "root"), None)
    if root is None or root.upos not in {"VERB", "NOUN", "ADJ"}:
        return None
    if parse.children(root, "conj", "ccomp", "advcl", "parataxis", "xcomp", "dislocated", "csubj"):
        return None
    return _to_the_end(parse, root, line) or _to_the_front(parse, root, line)


def _is_time(phrase: list[Token]) -> bool:
    return any(
        one.lower in _TIMES or (one.form.isdigit() and len(one.form) == 4) for one in phrase
    ) and not any(one.label.startswith("acl") for one in phrase)


def _has_own_time(parse: Parse, rest: Sequence[Token]) -> bool:
    """Whether a participle or a noun of cause stands among words, to which a phrase of time would then belong."""
    return any(
        (one.xpos in {"VBN", "VBG"} and not parse.children(one, "aux"))
        or one.label.split(":")[0] in {"acl", "advcl"}
        or one.lower in {"result", "because", "due", "after", "before", "since", "until"}
        for one in rest
    )


def _adjuncts(parse: Parse, root: Token) -> list[list[Token]]:
    phrases = [parse.phrase(one) for one in parse.children(root, "obl", "advmod")]
    return [
        phrase
        for phrase in phrases
        if phrase
        and len(phrase) <= _LONGEST
        and _is_time(phrase)
        # "Only in May" at the front turns verb and subject round.
        and not any(one.lower in {"only", "just", "even", "until", "not"} for one in phrase)
        and not any(one.upos == "CCONJ" for one in phrase)
    ]


def _to_the_end(parse: Parse, root: Token, line: str) -> str | None:
    for phrase in _adjuncts(parse, root):
        after = parse.next(phrase[-1])
        if phrase[0].at == 0 and after is not None and after.form == ",":
            rest = capitalised(line[after.end : -1].strip())
            # Behind a long sentence it would belong to its last clause, behind a participle to that.
            if "," in rest or len(rest.split()) > 15 or _has_own_time(parse, parse.tokens[after.at :]):
                return None
            return f"{rest} {lowered(parse, line, phrase)}."
    return None


def _to_the_front(parse: Parse, root: Token, line: str) -> str | None:
    last = parse.tokens[-1].at - 1
    for phrase in _adjuncts(parse, root):
        if phrase[-1].at == last and phrase[0].at > root.at and phrase[0].at > 3:
            rest = line[: phrase[0].start].strip()
            if (
                rest.endswith(",")
                or "," in rest[: root.start]
                or (phrase[0].lower == "for" and verb_lemma(root.lower) in _PLANNED)
                or _is_time([parse.tokens[phrase[0].at - 1]])
                or any(
                    one.lower in {"until", "till"} for one in parse.tokens[phrase[0].at - 4 : phrase[0].at]
                )
                or parse.tokens[phrase[0].at - 1].lower in {"only", "just", "even", "least", "most", "than"}
                or parse.tokens[0].upos in {"CCONJ", "SCONJ", "ADP", "ADV", "INTJ"}
            ):
                return None
            first = [token for token in parse.tokens if token.start < phrase[0].start]
            return f"{capitalised(text_of(line, phrase))}, {lowered(parse, rest, first)}."
    return None


KIND = english("reorder-adjunct", NONE, "an adjunct of time moves to the other end", _change)
