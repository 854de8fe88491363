"""English: an article is dropped."""

import re

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import without
from pfsm.perturbation.english.clauses import has_end_mark
from pfsm.perturbation.kind import MINOR, english
from pfsm.perturbation.lists import words
from pfsm.perturbation.text import Parse, Text, Token

# "At school", "in office": many nouns do without "the" after a preposition or as masses.
_BARE = words("article-bare")
_TITLES = frozenset(
    [
        "premier",
        "president",
        "minister",
        "chairman",
        "captain",
        "director",
        "chancellor",
        "governor",
        "leader",
        "mayor",
        "king",
        "queen",
        "pope",
        "coach",
        "manager",
        "spokesman",
        "spokesperson",
        "secretary",
    ]
)
_MASS = re.compile(r"(?:ing|ness|ity|ism|ship|ance|ence|age|hood|tion|sion|ment)$")


def _change(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    # Plurals, names and nouns of mass do without one.
    found = [
        token
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
    if not found:
        return None
    token = dice.choice(found)
    return without(text.line, token.start, token.end)


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
            for one in _between(parse, token, head)
        )
    )


def _between(parse: Parse, token: Token, head: Token) -> tuple[Token, ...]:
    return parse.tokens[token.at + 1 : head.at]


KIND = english("article", MINOR, "an article is dropped", _change)
