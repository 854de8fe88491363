"""English: parts of a clause are dropped; pronouns, prepositions and articles."""

import re

from pfsm.perturbation.edits import (
    Edit,
    changed,
    drawn,
    dropped,
    put,
    replaced,
    with_article,
    without,
)
from pfsm.perturbation.kind import CRITICAL, MAJOR, MINOR
from pfsm.perturbation.text import Dice, Parse, Text, Token
from pfsm_linguistics.lists import table, words
from pfsm_linguistics.perturbation.clauses import clauses, has_end_mark, is_whole
from pfsm_linguistics.perturbation.parsing import english


@english("drop-subject", CRITICAL, "a subject is dropped")
def _drop_subject(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    found = [
        phrase
        for clause in clauses(parse)
        # After "and" the subject of the clause before would do.
        if not parse.children(clause.verb, "cc")
        and (phrase := parse.phrase(clause.subject))
        and len(phrase) <= 6
        and phrase[-1].end < clause.finite.start
        and is_whole(text.line, phrase)
        and parse.tokens[phrase[-1].at + 1].upos != "PUNCT"
        and not (phrase[0].at and parse.tokens[phrase[0].at - 1].form.endswith("."))
    ]
    return dropped(text.line, dice, found)


@english("drop-verb", CRITICAL, "a verb is dropped")
def _drop_verb(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    verbs = [
        [clause.verb]
        for clause in clauses(parse)
        if clause.verb.upos == "VERB"
        and clause.verb.at
        and (after := parse.next(clause.verb)) is not None
        and not (after.start == clause.verb.end and after.upos != "PUNCT")
        and after.lower != "-"
    ]
    return dropped(text.line, dice, verbs)


@english("drop-noun", CRITICAL, "a noun is dropped")
def _drop_noun(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    nouns = [
        [token]
        for token in parse.tokens
        if token.upos == "NOUN"
        and token.label in {"nsubj", "nsubj:pass", "obj", "obl", "nmod"}
        and token.at
        and (after := parse.next(token)) is not None
        and not (after.start == token.end and after.upos != "PUNCT")
        and after.form != "-"
        and parse.tokens[token.at - 1].form != "-"
        and not parse.children(token, "conj")
    ]
    return dropped(text.line, dice, nouns)


# Words that say little: nothing is lost with them.
_EMPTY = words("drop-adjective-empty")


@english("drop-adjective", MAJOR, "an adjective is dropped")
def _drop_adjective(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    adjectives = [
        token
        for token in parse.tokens
        if token.xpos in {"JJ", "JJR", "JJS"}
        and token.label == "amod"
        and token.lower not in _EMPTY
        and token.head > token.at
        and (after := parse.next(token)) is not None
        and text.line[token.end] == " "
        and after.upos != "PUNCT"
        and not parse.children(token, "conj", "cc", "advmod", "obl")
        and parse.tokens[token.at - 1].form not in {"-", ","}
        and not _is_said_again(parse, token)
    ]
    if not adjectives:
        return None
    adjective = dice.choice(adjectives)
    line = without(text.line, adjective.start, adjective.end)
    return with_article(line, min(adjective.start, len(line)))


_NEW, _SAID_BY_VERBS = words("drop-adjective-new"), words("drop-adjective-said-by-verbs")
_SAYS_LITTLE = frozenset(table("drop-adjective-says-little"))


def _is_said_again(parse: Parse, token: Token) -> bool:
    """Whether other words say the same: "new upcoming", "new cases were registered", "a female nurse and her"."""
    around = {one.lower for one in parse.tokens if one is not token}
    if token.lower in {"male", "female"}:
        return bool(around & {"he", "she", "his", "her", "him", "man", "woman", "girl", "boy"})
    after = parse.next(token)
    # There is one new coronavirus, and every downpour is heavy.
    if (token.lower, "" if after is None else after.lower) in _SAYS_LITTLE:
        return True
    near = {one.lower for one in parse.tokens[max(0, token.at - 3) : token.at + 4] if one is not token}
    return token.lower in _NEW and bool(near & _NEW or around & _SAID_BY_VERBS)


# What they open says little: "of course", "in fact", "at all".
_SET = words("drop-prepositional-phrase-set")


def prepositional_phrases(parse: Parse, line: str) -> list[list[Token]]:
    """Adjuncts and attributes that begin with a preposition, as words that stand together."""
    found = []
    for token in parse.tokens:
        case = parse.child(token, "case")
        if (
            token.label not in {"obl", "nmod"}
            or case is None
            or token.lower in _SET
            or not case.form.isalpha()
        ):
            continue
        phrase = parse.phrase(token)
        if phrase and phrase[0] == case and 2 <= len(phrase) <= 8 and is_whole(line, phrase):
            found.append(phrase)
    return found


@english("drop-prepositional-phrase", CRITICAL, "a phrase with a preposition is dropped")
def _drop_prepositional_phrase(text: Text, dice: Dice) -> str | None:
    phrases = prepositional_phrases(text.parse, text.line)
    return dropped(text.line, dice, phrases)


# "At school", "in office": many nouns do without "the" after a preposition or as masses.
_BARE = words("article-bare")
_TITLES = words("article-titles")
_MASS = re.compile(r"(?:ing|ness|ity|ism|ship|ance|ence|age|hood|tion|sion|ment)$")


@english("article", MINOR, "an article is dropped")
def _article(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    # Plurals, names and nouns of mass do without one.
    found = [
        [token]
        for token in parse.tokens
        if token.lower in {"the", "a", "an"}
        and token.label == "det"
        and (head := parse.head(token)) is not None
        and head.xpos == "NN"
        and head.at > token.at
        and all(
            one.xpos in {"NN", "JJ", "JJS", "VBN", "VBG", "RB"}
            for one in parse.tokens[token.at + 1 : head.at]
        )
        and (not token.at or parse.tokens[token.at - 1].lower not in {"as", "and", ":"})
        and text.line[token.end : token.end + 1] == " "
        and text.line[max(0, token.start - 1) : token.start] in {"", " "}
        # Headlines drop articles.
        and has_end_mark(parse, token)
        and _needs_one(parse, token, head)
    ]
    return dropped(text.line, dice, found)


def _needs_one(parse: Parse, token: Token, head: Token) -> bool:
    """Whether the noun phrase would be no English without its article."""
    after = parse.next(head)
    # Titles before a name do without one: "the advocate Smith".
    if after is not None and (after.upos == "PROPN" or (after.form[:1].isupper() and after.upos != "PUNCT")):
        return False
    # "The serial “Chicks”" is one, "the commander-in-chief" another.
    if after is not None and after.form[:1] in {'"', "“", "«", "'", "‘", "-"}:
        return False
    before = parse.tokens[max(0, token.at - 2) : token.at]
    # "Some kind of a breakfast"; the heading "Viewpoint: …".
    if [one.lower for one in before[-1:]] == ["of"] and before[0].lower in {"kind", "sort", "type"}:
        return False
    if parse.is_first(token) and any(one.form == ":" for one in parse.tokens[token.at : token.at + 12]):
        return False
    if token.lower != "the":
        return head.lower not in {"lot", "bit", "few", "couple", "percent", "total"}
    return (
        (after is None or after.lower not in {"of", "in", "that", "to", "for", "who", "which"})
        and head.lower not in _BARE
        and not (head.lower in _TITLES and head.label == "nsubj")
        and not _MASS.search(head.lower)
        and not any(
            one.lower in {"first", "last", "next", "same", "most", "only"}
            for one in parse.tokens[token.at + 1 : head.at]
        )
    )


# For each, prepositions that are right in hardly any place of it and mean something else.
_OTHER_PREPOSITION = {old: others for old, *others in table("preposition-others")}


@english("preposition", MAJOR, "a preposition is another one")
def _preposition(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    found = [
        [put(token, new) for new in _OTHER_PREPOSITION[token.lower]]
        for token in parse.tokens
        if token.label == "case"
        and token.xpos in {"IN", "TO"}
        and token.lower in _OTHER_PREPOSITION
        and not parse.children(token, "fixed")
        and parse.tokens[token.at - 1].form != "-"
        and text.line[token.end : token.end + 1] == " "
    ]
    return changed(text.line, dice, drawn(dice, found))


# Those that take the same verb form, so that only the person changes.
_OTHER_PRONOUN = {old: others for old, *others in table("pronoun-others")}


@english("pronoun", CRITICAL, "a pronoun stands for another person")
def _pronoun(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    found = [
        [
            # A pronoun's capital, if it has one, may be that of its place.
            put(token, new)
            if parse.is_first(token) or (token.form.isupper() and token.form != "I")
            else Edit(token.start, token.end, new)
            for new in others
        ]
        for token in parse.tokens
        if token.upos == "PRON"
        and (others := _OTHER_PRONOUN.get(token.lower))
        and not _is_initial(parse, token)
        and token.label in {"nsubj", "nsubj:pass", "obj", "iobj", "obl", "nmod", "nmod:poss"}
        and not (
            token.lower == "i"
            and (after := parse.next(token)) is not None
            and after.lower in {"am", "'m", "was"}
        )
    ]
    return changed(text.line, dice, drawn(dice, found))


def _is_initial(parse: Parse, token: Token) -> bool:
    """Whether ``I`` is the first letter of a name or a Roman number, as in "I. Newton" and "Chapter I"."""
    before, after = parse.previous(token), parse.next(token)
    initial = after is not None and after.form[:1] == "." and after.start == token.end
    number = before is not None and before.upos == "PROPN"
    return token.form == "I" and (initial or number)


_OTHER_GENDER = {a: b for pair in table("gender-pairs") for a, b in (pair, pair[::-1])} | {
    "him": "her",
    "his": "her",
    "hers": "his",
}


@english("gender", CRITICAL, "a word is of the other gender")
def _gender(text: Text, dice: Dice) -> str | None:
    found = [(token, new) for token in text.parse.tokens if (new := _other_gender(token))]
    return replaced(text.line, dice, found)


def _other_gender(token: Token) -> str | None:
    if token.lower == "her":
        return "his" if token.xpos == "PRP$" else "him"
    # "His" that stands alone has the form "hers".
    stands_alone = token.lower == "his" and token.xpos != "PRP$"
    may_be = token.upos in {"PRON", "NOUN"} or token.lower.rstrip(".") in {"mr", "mrs"}
    return _OTHER_GENDER.get(token.lower) if may_be and not stands_alone else None
