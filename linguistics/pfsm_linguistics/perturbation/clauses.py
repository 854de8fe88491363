"""Verbs of English clauses with their subjects, objects and auxiliaries, and the forms that subjects take."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pfsm.perturbation.text import Parse, Token
from pfsm_linguistics.lists import words

NEGATIONS = words("clauses-negations")
FINITE = ("VBD", "VBZ", "VBP", "MD")
_NATIONAL = re.compile(
    r"^(?:[A-Z]\w*(?:ian|ean|ish|ese|ican|aeli|stani|ani)|French|German|Greek|Dutch|Swiss|Iraqi|Czech|Thai|Arab|Muslim|"
    r"Christian|Jewish|European|Islamic|Catholic|Nazi|Soviet|Western|Kuwaiti|Saudi|Yemeni|Qatari|Bangladeshi)$"
)
_RELATIVE = ("who", "which", "that", "whom", "what", "there", "whoever", "whatever")
# Singular words that British English takes for plural, and words of either number.
COLLECTIVE = words("clauses-collective")


class Clause(NamedTuple):
    """A finite clause.

    Attributes:
        verb: Its verb, or the adjective or noun behind a copula.
        subject: The head of its subject.
        auxiliaries: Auxiliaries and the copula, in their order.
        finite: The finite verb: the first auxiliary, or else the verb.
    """

    verb: Token
    subject: Token
    auxiliaries: tuple[Token, ...]
    finite: Token


def clauses(parse: Parse) -> Iterator[Clause]:
    """The finite clauses whose subject stands in front of the verb and is neither relative nor a clause."""
    for verb in parse.tokens:
        subject = parse.child(verb, "nsubj")
        if subject is None or subject.label == "nsubj:outer" or subject.at > verb.at:
            continue
        auxiliaries = tuple(one for one in parse.children(verb, "aux", "cop") if one.at < verb.at)
        finite = auxiliaries[0] if auxiliaries else verb
        if finite.xpos in FINITE and subject.at < finite.at and subject.lower not in _RELATIVE:
            yield Clause(verb, subject, auxiliaries, finite)


def is_negated(parse: Parse, clause: Clause) -> bool:
    """Whether a word that negates, or an adjective on ``un-``, stands in the clause."""
    if any(one.lower in NEGATIONS for one in parse.subtree(clause.verb)):
        return True
    words = [clause.verb, *parse.children(clause.verb, "amod", "advmod", "obj", "xcomp")]
    return any(
        one.lower.startswith(("un", "im", "in", "ir", "non")) and one.upos in {"ADJ", "VERB", "ADV"}
        for one in words
    )


def is_question(parse: Parse, token: Token) -> bool:
    """Whether a word stands in a sentence that ends with a question mark."""
    for one in parse.tokens[token.at :]:
        if one.form[:1] in {"?", "!", "."} and one.upos == "PUNCT":
            return "?" in one.form
    return False


def is_plural(parse: Parse, subject: Token) -> bool | None:
    """Whether a subject takes a plural verb; None where that is not certain."""
    if (
        subject.xpos in {"CD", "FW", "DT", "WP", "WDT"}
        or subject.upos == "NUM"
        or any(one.lower in COLLECTIVE for one in (subject, *parse.children(subject, "nmod", "compound")))
        or parse.children(subject, "conj", "nummod", "appos", "flat", "list")
    ):
        return None
    if subject.xpos == "PRP":
        pronouns = {"he": False, "she": False, "it": False, "we": True, "they": True, "you": True}
        return pronouns.get(subject.lower)
    return {"NN": False, "NNP": False, "NNS": True, "NNPS": True}.get(subject.xpos)


def has_end_mark(parse: Parse, token: Token) -> bool:
    """Whether the sentence of a word has a mark at its end; headlines have none."""
    end = next((one for one in parse.starts if one > token.at), len(parse.tokens))
    return any(one.form[:1] in {".", "!", "?", "…"} for one in parse.tokens[max(0, end - 3) : end])


def text_of(line: str, tokens: list[Token]) -> str:
    """The characters of the line from the first to the last of some words."""
    return line[tokens[0].start : tokens[-1].end]


def lowered(parse: Parse, line: str, tokens: list[Token]) -> str:
    """As `text_of`, with a small first letter if its capital is only that of the sentence."""
    text, first = text_of(line, tokens), tokens[0]
    keeps = first.upos == "PROPN" or first.lower == "i" or first.form[1:2].isupper()
    if keeps or _NATIONAL.search(first.form) or not parse.is_first(first):
        return text
    return text[:1].lower() + text[1:]


def is_whole(line: str, tokens: list[Token]) -> bool:
    """Whether brackets and quotes that open within some words close within them, and the other way round."""
    text = text_of(line, tokens)
    pairs = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))
    return all(text.count(a) == text.count(b) for a, b in pairs) and text.count('"') % 2 == 0


def be(parse: Parse, clause: Clause, *, past: bool) -> str | None:
    """The form of ``be`` that the subject takes; None where its number is not certain."""
    if clause.subject.lower == "i":
        return "was" if past else "am"
    forms = ("was", "were") if past else ("is", "are")
    number = subject_number(parse, clause)
    return None if number is None else forms[number]


def have(parse: Parse, clause: Clause) -> str | None:
    """The form of ``have`` in the present that the subject takes."""
    if clause.subject.lower == "i":
        return "have"
    number = subject_number(parse, clause)
    return None if number is None else ("have" if number else "has")


def subject_number(parse: Parse, clause: Clause) -> bool | None:
    """Whether the subject is plural: by the verb where it shows it, else by the subject."""
    form = clause.finite.lower
    if form in {"are", "were", "have", "'re", "'ve"} or (
        clause.finite.xpos == "VBP" and form not in {"am", "'m"}
    ):
        return clause.subject.lower != "i" or None
    if clause.finite.xpos == "VBZ" or form == "was":
        return False
    if parse.children(clause.subject, "conj"):
        return True
    return is_plural(parse, clause.subject)
