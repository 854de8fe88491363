"""English: parts of a clause change places."""

from collections.abc import Sequence

from pfsm.facts.lists import is_common_noun
from pfsm.perturbation.edits import Edit, capitalised, changed
from pfsm.perturbation.kind import CRITICAL, NONE
from pfsm.perturbation.text import Dice, Parse, Text, Token
from pfsm_linguistics.lists import words
from pfsm_linguistics.perturbation.clauses import (
    COLLECTIVE,
    Clause,
    clauses,
    is_plural,
    is_whole,
    lowered,
    text_of,
)
from pfsm_linguistics.perturbation.forms import participle, third, verb_lemma
from pfsm_linguistics.perturbation.parsing import english

# Verbs that say the same both ways.
_SYMMETRIC = words("role-swap-symmetric")
_OBJECTS = {"i": "me", "he": "him", "she": "her", "we": "us", "they": "them"}
_SUBJECTS = {form: name for name, form in _OBJECTS.items()}


@english("role-swap", CRITICAL, "subject and object change places")
def _role_swap(text: Text, dice: Dice) -> str | None:
    found = [edits for clause in clauses(text.parse) if (edits := _swapped(text, clause)) is not None]
    return changed(text.line, dice, found)


def _swapped(text: Text, clause: Clause) -> list[Edit] | None:
    parse, line = text.parse, text.line
    verb, subject = clause.verb, clause.subject
    thing = parse.child(verb, "obj")
    if thing is None or thing.at < verb.at or verb.upos != "VERB" or verb_lemma(verb.lower) in _SYMMETRIC:
        return None
    left, right = parse.phrase(subject), parse.phrase(thing)
    if not left or not right or not _may_swap(parse, subject, left) or not _may_swap(parse, thing, right):
        return None
    whole = (
        is_whole(line, left) and is_whole(line, right) and not any(one.form == "'" for one in left + right)
    )
    ends = (left[-1].end, right[-1].end, left[0].start - 1, right[0].start - 1)
    # A name such as "A.B" or "X-Y" is several tokens.
    cut = any(line[end : end + 1] in {".", "-"} and line[end + 1 : end + 2].isalnum() for end in ends)
    if cut or not whole or clause.finite.form[0] in "'’":
        return None
    first = _as(_SUBJECTS, right, lowered(parse, line, right))
    second = _as(_OBJECTS, left, lowered(parse, line, left))
    if parse.is_first(left[0]):
        first = capitalised(first)
    edits = [Edit(left[0].start, left[-1].end, first), Edit(right[0].start, right[-1].end, second)]
    agreed = _agreed(parse, clause, thing)
    return None if agreed is None else edits + agreed


def _as(forms: dict[str, str], phrase: list[Token], text: str) -> str:
    if len(phrase) == 1 and phrase[0].lower in forms:
        new = forms[phrase[0].lower]
        return "I" if new == "i" else new
    return text


def _may_swap(parse: Parse, head: Token, phrase: list[Token]) -> bool:
    barred = {"who", "which", "that", "what", "it", "this", "there", "those", "these", "you", "one", "each"}
    return (
        len(phrase) <= (5 if parse.children(head, "conj") else 8)
        and head.upos in {"NOUN", "PROPN", "PRON"}
        and phrase[0].upos not in {"CCONJ", "ADV", "PUNCT", "ADP"}
        and head.lower not in barred
        and not head.lower.endswith(("self", "selves"))
        and not any(
            one.xpos in {"WDT", "WP", "WRB"} or one.label in {"acl:relcl", "parataxis"} for one in phrase
        )
    )


def _agreed(parse: Parse, clause: Clause, thing: Token) -> list[Edit] | None:
    """The verb put into the number of its new subject; None where that is not certain."""
    finite = clause.finite
    if finite.xpos not in {"VBZ", "VBP"} and finite.lower not in {"was", "were"}:
        return []
    plural = True if parse.children(thing, "conj") else is_plural(parse, thing)
    if plural is None or finite.form[0] in "'’":
        return None
    base = verb_lemma(finite.lower)
    forms = (third(base), base) if base != "be" else ("is", "are")
    if finite.lower in {"was", "were"}:
        forms = ("was", "were")
    return [Edit(finite.start, finite.end, forms[plural])]


_VERBS = words("passive-verbs")
_TIMES = words("reorder-adjunct-times")
_LONGEST = 9


@english("passive", NONE, "an active clause is made passive")
def _passive(text: Text, dice: Dice) -> str | None:
    """English, harmless: an active sentence is made passive.

    Only clauses of one pattern are changed: a subject with which a sentence or clause begins, a listed verb,
    its object, and then the end or a short phrase with a preposition. What else a clause may have can belong to
    the wrong word afterwards. The agent goes to the end: what follows the object stays behind it.
    """
    line = text.line
    found = [
        (clause, thing) for clause in clauses(text.parse) if (thing := _object(text, clause)) is not None
    ]
    if not found:
        return None
    clause, thing = dice.choice(found)
    parse = text.parse
    left, right = parse.phrase(clause.subject), parse.phrase(thing)
    be = _be(clause, plural=bool(_is_plural(parse, thing)))
    new, agent = lowered(parse, line, right), lowered(parse, line, left)
    if parse.is_first(left[0]):
        new = capitalised(new)
    rest = _rest(parse, right[-1].at + 1) or []
    adjunct = f" {text_of(line, rest)}" if rest else ""
    passive = f"{new} {be} {participle(verb_lemma(clause.verb.lower))}{adjunct} by {agent}"
    return line[: left[0].start] + passive + line[(rest or right)[-1].end :]


def _be(clause: Clause, *, plural: bool) -> str:
    if clause.auxiliaries and clause.finite.xpos == "MD":
        return f"{clause.finite.lower} be"
    forms = ("was", "were") if clause.verb.xpos == "VBD" else ("is", "are")
    if clause.auxiliaries:
        forms = ("had been",) * 2 if clause.finite.lower == "had" else ("has been", "have been")
    return forms[plural]


def _is_simple(clause: Clause) -> bool:
    """Whether the verb stands alone, or behind one modal verb or form of ``have``."""
    if not clause.auxiliaries:
        return clause.verb.xpos in {"VBD", "VBZ", "VBP"}
    finite, verb = clause.finite, clause.verb
    perfect = finite.lower in {"has", "have", "had"} and verb.xpos == "VBN"
    modal = finite.xpos == "MD" and verb.xpos == "VB" and finite.form[0].isalpha()
    return len(clause.auxiliaries) == 1 and finite.at + 1 == verb.at and (perfect or modal)


def _object(text: Text, clause: Clause) -> Token | None:
    parse, verb = text.parse, clause.verb
    thing = parse.child(verb, "obj")
    if (
        thing is None
        or verb.label not in {"root", "ccomp", *_CLAUSES}
        or verb_lemma(verb.lower) not in _VERBS
        or not _is_simple(clause)
        or any(not _may_depend(parse, verb, one) for one in parse.children(verb))
    ):
        return None
    left, right = parse.phrase(clause.subject), parse.phrase(thing)
    if not left or not right or left[-1].at + 1 != clause.finite.at or right[0].at != verb.at + 1:
        return None
    fits = (
        _is_plain(parse, clause.subject, left)
        and _is_plain(parse, thing, right)
        and _opens(parse, left[0])
        and _rest(parse, right[-1].at + 1) is not None
        and thing.lower not in _TIMES
        # A bare noun, as in "caught fire", is half of its verb.
        and (thing.xpos != "NN" or parse.children(thing, "det", "nmod:poss"))
        and not parse.children(thing, "conj")
        and _is_plural(parse, thing) is not None
    )
    return thing if fits else None


_DEPENDENTS = frozenset(["nsubj", "obj", "aux", "obl", "punct", "mark", "cc"])
_CLAUSES = frozenset(["conj", "advcl", "parataxis"])


def _may_depend(parse: Parse, verb: Token, one: Token) -> bool:
    """Whether a dependent stays sound: another clause needs a subject of its own."""
    label = one.label.split(":")[0]
    if label in _CLAUSES:
        return one.upos in {"VERB", "ADJ", "NOUN"} and parse.child(one, "nsubj") is not None
    return label in _DEPENDENTS and (label != "cc" or one.at < verb.at)


def _opens(parse: Parse, token: Token) -> bool:
    """Whether a sentence begins with a word, or with a phrase of time and the word."""
    start = max(one for one in parse.starts if one <= token.at)
    # A sentence that begins within a line without a mark was split in the wrong place.
    if start and parse.tokens[start - 1].upos != "PUNCT":
        return False
    before = parse.tokens[start : token.at]
    if not before or (len(before) == 1 and before[0].upos == "PUNCT"):
        return True
    if before[-1].label in {"mark", "cc"}:
        return True
    opening = before[0].lower in {"on", "in", "last", "yesterday", "today", "later", "earlier"}
    phrase = before[:-1]
    is_short = len(phrase) <= 5 and all(one.upos != "PUNCT" for one in phrase)
    return opening and before[-1].form == "," and is_short and _names_time(phrase)


def _rest(parse: Parse, at: int) -> list[Token] | None:
    """A phrase with a preposition, or nothing, between a place and the end of the clause; None for anything else."""
    rest = []
    for token in parse.tokens[at:]:
        if token.at in parse.starts or token.upos == "PUNCT" or token.label in {"cc", "mark"}:
            break
        rest.append(token)
    if not _closes(parse, at + len(rest)):
        return None
    if rest and (
        len(rest) > _LONGEST
        or rest[0].lower not in _OPENERS
        or any(
            one.upos in {"PUNCT", "VERB", "AUX", "SCONJ", "CCONJ"} or one.xpos in {"PRP$", "PRP", "WDT", "WP"}
            for one in rest
        )
    ):
        return None
    return rest


def _closes(parse: Parse, at: int) -> bool:
    """Whether the clause is over at a place: what stands in brackets or behind a pronoun may belong to the object."""
    after = parse.tokens[at : at + 2]
    if not after or at in parse.starts or after[0].upos != "PUNCT":
        return True
    if after[0].form not in _ENDS:
        return False
    if len(after) == 1 or after[0].form != "," or after[1].at in parse.starts:
        return True
    second = after[1]
    clause = second.label in {"cc", "mark"} or second.upos in {"PUNCT", "PRON"}
    return clause and second.lower != "as" and second.xpos not in {"WDT", "WP", "WRB"}


_ENDS = frozenset([",", ".", "!", ";", '"', "”", "»"])
# Words that open a phrase which may stay between the participle and the agent.
_OPENERS = frozenset(
    ["after", "at", "before", "during", "in", "on", "to", "from", "last", "yesterday", "today"]
)


def _is_plural(parse: Parse, thing: Token) -> bool | None:
    counted = thing.xpos == "NNS" and thing.lower not in COLLECTIVE and parse.children(thing, "nummod")
    return True if counted else is_plural(parse, thing)


def _names_time(phrase: Sequence[Token]) -> bool:
    return any(one.lower in _TIMES or (one.form.isdigit() and len(one.form) == 4) for one in phrase)


def _is_plain(parse: Parse, head: Token, phrase: list[Token]) -> bool:
    first, after = phrase[0], parse.next(head)
    # "Shot a man dead": what follows a noun belongs to it for certain only with a preposition.
    if after is not None and after in phrase and after.upos not in {"ADP", "PROPN", "PART", "CCONJ"}:
        return False
    # Without an article a noun of small letters is a plural, and a capital is that of a name.
    bare = first == head and head.xpos == "NN" and not is_common_noun(head.lower)
    capital = (
        first.upos == "PROPN" and first == head and parse.is_first(first) and is_common_noun(first.lower)
    )
    return (
        len(phrase) <= _LONGEST
        and head.upos in {"NOUN", "PROPN"}
        and first.upos in {"DET", "ADJ", "NOUN", "PROPN", "NUM"}
        and not bare
        and not capital
        and not any(
            one.xpos in {"PRP$", "WDT", "WP", "WRB", "PRP"}
            or one.upos in {"PUNCT", "VERB", "AUX", "SCONJ"}
            or one.label.split(":")[0] in {"acl", "appos", "parataxis", "list", "dep"}
            or one.lower in {"latter", "former", "each", "other", "like"}
            for one in phrase
        )
    )


# "Planned for May": the phrase belongs to the verb.
_PLANNED = words("reorder-adjunct-planned")


@english("reorder-adjunct", NONE, "an adjunct of time moves to the other end")
def _reorder_adjunct(text: Text, _: Dice) -> str | None:
    parse, line = text.parse, text.line.rstrip()
    if not line.endswith(".") or len(parse.starts) != 1 or set('"“”«»„') & set(line) or len(parse.tokens) < 6:
        return None
    root = next((token for token in parse.tokens if token.label == "root"), None)
    if root is None or root.upos not in {"VERB", "NOUN", "ADJ"}:
        return None
    if parse.children(root, "conj", "ccomp", "advcl", "parataxis", "xcomp", "dislocated", "csubj"):
        return None
    return _to_the_end(parse, root, line) or _to_the_front(parse, root, line)


def _has_time(phrase: list[Token]) -> bool:
    return _names_time(phrase) and not any(one.label.startswith("acl") for one in phrase)


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
        and len(phrase) <= 7
        and _has_time(phrase)
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
                or _has_time([parse.tokens[phrase[0].at - 1]])
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
