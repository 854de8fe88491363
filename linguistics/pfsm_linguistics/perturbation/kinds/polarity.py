"""English: negation, quantifiers, modal verbs, and statements that become questions."""

from pfsm.perturbation.edits import (
    Edit,
    capitalised,
    changed,
    drawn,
    edited,
    in_case_of,
    put,
    without,
)
from pfsm.perturbation.kind import CRITICAL, MAJOR
from pfsm.perturbation.text import Dice, Parse, Text, Token
from pfsm_linguistics.lists import by_word, table, words
from pfsm_linguistics.perturbation.clauses import Clause, clauses, is_negated, is_question, lowered
from pfsm_linguistics.perturbation.forms import verb_lemma
from pfsm_linguistics.perturbation.parsing import english

_NOT_SO = words("drop-negation-not-so")
_OPPOSITE = {
    "no": "some",
    "nobody": "somebody",
    "nothing": "something",
    "nowhere": "somewhere",
    "without": "with",
}
_IDIOMS = words("drop-negation-idioms")
_CONTRACTED = {"wo": "will", "ca": "can", "sha": "shall"}


@english("drop-negation", CRITICAL, "a negation is dropped")
def _drop_negation(text: Text, dice: Dice) -> str | None:
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
        return edited(line, [Edit(token.start, token.end, ""), *([put(before, full)] if full else [])])
    return edited(line, [put(token, _OPPOSITE[token.lower])])


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


_DO_NOT = {"VBD": "did not", "VBZ": "does not", "VBP": "do not"}
# Clauses with these mean nearly the same, or nothing, when they are negated.
_POLAR = frozenset(["some", "already", "yet", "any", "too", "either", "also", "still"])


@english("add-negation", CRITICAL, "a clause is negated")
def _add_negation(text: Text, dice: Dice) -> str | None:
    parse, line = text.parse, text.line
    found = [
        clause
        for clause in clauses(parse)
        if not is_negated(parse, clause)
        and not is_question(parse, clause.verb)
        and clause.finite.form[0] not in "'’"
        and not any(one.lower in _POLAR for one in parse.children(clause.verb, "advmod"))
        and not any(
            one.lower in {"whether", "if", "unless", "than"} for one in parse.children(clause.verb, "mark")
        )
        and clause.finite.lower not in {"had", "got", "used", "ought"}
        and clause.verb.lower != "better"
        # A form of `be` or a modal that the parse takes for a full verb.
        and (clause.auxiliaries or (clause.finite.xpos != "MD" and verb_lemma(clause.finite.lower) != "be"))
    ]
    if not found:
        return None
    clause = dice.choice(found)
    finite = clause.finite
    new = "cannot" if finite.lower == "can" else f"{finite.form} not"
    if not clause.auxiliaries:
        new = f"{_DO_NOT[finite.xpos]} {verb_lemma(finite.lower)}"
    return edited(line, [Edit(finite.start, finite.end, new)])


_WORDS = by_word("quantifier-others")
_PAIRS = {("more", "than"): "less than", ("less", "than"): "more than", ("at", "least"): "at most",
          ("at", "most"): "at least", ("fewer", "than"): "more than"}  # fmt: skip


_BEFORE_OTHER_SENSES = words("quantifier-before-other-senses")


@english("quantifier", CRITICAL, "a word for how many or how often is another one")
def _quantifier(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    found = [
        put(token, _WORDS[token.lower])
        for token in parse.tokens
        if token.lower in _WORDS and _is_quantifier(parse, token)
    ]
    for token in parse.tokens[:-1]:
        after = parse.tokens[token.at + 1]
        new = _PAIRS.get((token.lower, after.lower))
        follows = parse.next(after)
        if new and follows is not None and (follows.upos == "NUM" or follows.lower in {"half", "a", "one"}):
            found.append(Edit(token.start, after.end, in_case_of(new, token.form)))
    return changed(text.line, dice, found)


def _is_quantifier(parse: Parse, token: Token) -> bool:
    head, before, after = parse.head(token), parse.previous(token), parse.next(token)
    if head is None or after is None or token.form.isupper():
        return False
    if before is not None and before.lower in _BEFORE_OTHER_SENSES:
        return token.lower in {"majority", "minority"}
    if after.lower in {"other", "about", "over", "right", "along", "but", "year"}:
        return False
    if token.lower in {"all", "some", "most", "several", "many", "few"}:
        counts = token.label in {"det", "amod", "det:predet"} and head.xpos in {"NNS", "NNPS"}
        numbers = any(one.upos == "NUM" for one in parse.tokens[token.at + 1 : token.at + 3])
        return ((counts and head.at > token.at) or after.lower == "of") and not numbers
    times = {"day", "week", "month", "time", "night"}
    follows = head.at > token.at and head.xpos == "NN" and head.lower not in times
    return follows or token.lower != "every"


_OTHER = {old: others for old, *others in table("modality-others")}


@english("modality", MAJOR, "a modal verb is another one")
def _modality(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    found = [
        [put(token, new) for new in _OTHER[token.lower]]
        for token in parse.tokens
        if token.xpos == "MD"
        and token.lower in _OTHER
        and (after := parse.next(token)) is not None
        and after.start > token.end
        and not is_question(parse, token)
    ]
    return changed(text.line, dice, drawn(dice, found))


_DO_ASKED = {"VBD": "did", "VBZ": "does", "VBP": "do"}


@english("question", MAJOR, "a statement becomes a question")
def _question(text: Text, _: Dice) -> str | None:
    line = text.line.rstrip()
    if not line.endswith(".") or len(text.parse.starts) != 1 or '"' in line or "”" in line:
        return None
    for clause in clauses(text.parse):
        if clause.verb.label == "root":
            return _asked(text, clause, line[:-1])
    return None


def _asked(text: Text, clause: Clause, line: str) -> str | None:
    parse, finite = text.parse, clause.finite
    phrase = parse.phrase(clause.subject)
    after = parse.next(finite)
    if (
        not phrase
        or phrase[0].upos in {"ADP", "SCONJ", "ADV", "VERB"}
        or phrase[0].at != 0
        or phrase[-1].at >= finite.at
        or after is None
        or finite.form[0] in "'’"
        or after.lower == "n't"
        or after.start == finite.end
    ):
        return None
    subject = lowered(parse, line, list(parse.tokens[: finite.at]))
    if clause.auxiliaries:
        return f"{capitalised(finite.form)} {subject}{line[finite.end :]}?"
    if finite.xpos not in _DO_ASKED or verb_lemma(finite.lower) == "be":
        return None
    return f"{capitalised(_DO_ASKED[finite.xpos])} {subject} {verb_lemma(finite.lower)}{line[finite.end :]}?"
