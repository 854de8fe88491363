"""English: content words are replaced by others, by the shipped WordNet and word lists."""

from functools import cache

from pfsm.facts.lists import TAGS, is_lemma, lemma, wordnet
from pfsm.perturbation.edits import drawn, replaced
from pfsm.perturbation.kind import CRITICAL, MINOR, NONE
from pfsm.perturbation.text import Dice, Parse, Text, Token
from pfsm_linguistics.lists import rows, words
from pfsm_linguistics.perturbation.forms import inflected_like, verb_lemma
from pfsm_linguistics.perturbation.parsing import english

# Words whose antonyms in WordNet are of a rare sense, or that are little more than grammar.
_EXCLUDED_ANTONYM = words("antonym-excluded")
_MOST_SENSES = 9


@english("antonym", CRITICAL, "a word is replaced by its antonym")
def _antonym(text: Text, dice: Dice) -> str | None:
    free = (token for token in text.parse.tokens if _is_free(text, token))
    found = [[(token, new) for new in several] for token in free if (several := _antonyms(token))]
    return replaced(text.line, dice, drawn(dice, found))


def _is_sale(text: Text, token: Token) -> bool:
    """Whether something is bought or sold without a buyer and a seller: both words say the same."""
    parse = text.parse
    if token.upos != "VERB" or verb_lemma(token.lower) not in {"buy", "sell", "purchase"}:
        return False
    before = {one.lower for one in parse.tokens[max(0, token.at - 6) : token.at]}
    seller = any(one.label == "nsubj" for one in parse.children(token))
    return not seller or bool(before & {"where", "that", "which"})


def _is_free(text: Text, token: Token) -> bool:
    """Whether a word is not a part of a compound or of a name."""
    around = text.line[token.start - 1 : token.start] + text.line[token.end : token.end + 1]
    return (
        "-" not in around
        and not _is_sale(text, token)
        and (token.form.islower() or text.parse.is_first(token))
    )


def _antonyms(token: Token) -> list[str]:
    tag = TAGS.get(token.upos)
    within = token.label in {"aux", "cop", "fixed", "compound:prt", "compound", "flat"}
    if tag is None or within or len(token.form) < 3 or not token.form.isalpha():
        return []
    base = _base(token.lower, tag)
    if (
        not _EXCLUDED_ANTONYM.isdisjoint((base, token.lower))
        # A word of many senses has antonyms that fit few of its places.
        or len(wordnet().synonyms.senses(base, tag)) > _MOST_SENSES
        # The ending of a participle would be put on a form that has it.
        or (tag == "a" and token.xpos not in {"JJ", "RB"})
    ):
        return []
    opposites = filter(str.isalpha, wordnet().antonyms(base, tag))
    made = (inflected_like(one, token.form, token.xpos) for one in opposites)
    return [form for form in made if form is not None and _is_usual(form, tag, token.lower)]


def _base(form: str, tag: str) -> str:
    return verb_lemma(form) if tag == "v" else lemma(form, tag)


def _is_usual(form: str, tag: str, old: str) -> bool:
    # "Noncurrent" is not a word of news, "fearlessnesses" none at all.
    if form == old or form in _EXCLUDED_ANTONYM or form.startswith("non") or form.endswith("nesses"):
        return False
    # "Indecision" and "uncross" are hardly said; adjectives such as "unusual" are.
    if tag in "nv" and form.endswith(old[-5:]):
        return False
    return (_base(form, tag) if tag in "nv" else form) not in _EXCLUDED_ANTONYM


_STEPS = 4
# Words whose nearest general noun says the same, or is one of another sense.
_EXCLUDED_HYPERNYM = words("hypernym-excluded")


@english("hypernym", MINOR, "a noun is replaced by a more general one")
def _hypernym(text: Text, dice: Dice) -> str | None:
    line, own = text.line, {token.lower for token in text.parse.tokens}
    found = [
        (token, new)
        for token in text.parse.tokens
        if "-" not in line[max(0, token.start - 1) : token.end + 1]
        for new in _general(token)
        if new not in own and new.removesuffix("s") not in own
    ]
    return replaced(text.line, dice, found)


def _general(token: Token) -> list[str]:
    """The nearest general noun above a noun of a single sense."""
    is_plain = token.form.isalpha() and token.form.islower() and len(token.form) >= 4
    if not is_plain or token.xpos not in {"NN", "NNS"}:
        return []
    table, base = wordnet(), lemma(token.lower, "n")
    own = table.synonyms.senses(base, "n")
    # A word that may be an adjective or a verb may be one here, whatever its tag.
    tags = {tag for form in (token.lower, base) for tag, _ in table.synonyms.lemmas(form)}
    if (
        tags != {"n"}
        # "Fields" and "sessions" are entries too: names, or words of another sense.
        or (token.xpos == "NNS" and base == token.lower)
        or base in _EXCLUDED_HYPERNYM
        or base.endswith("man")
        or len(own) != 1
        or base in general_nouns()
    ):
        return []
    level = {own[0]}
    for _ in range(_STEPS):
        level = {parent for number in level for parent in table.parents(number)}
        names = {word for number in level for word in table.synonyms.words(number)}
        above = sorted(word for word in names & general_nouns() if word not in base)
        if above:
            new = inflected_like(above[0], token.form, token.xpos)
            return [] if new is None else [new]
    return []


@cache
def general_nouns() -> frozenset[str]:
    """Nouns that name a sort of things and hardly mean anything else."""
    return frozenset(word for row in rows("general-nouns") for word in row)


@cache
def _synonyms() -> dict[tuple[str, str], list[str]]:
    """One way only: the second word of a row is the more general one."""
    found: dict[tuple[str, str], list[str]] = {}
    for tag, word, other in rows("synonyms"):
        found.setdefault((tag, word), []).append(other)
    return found


@english("synonym", NONE, "a word is replaced by a synonym")
def _synonym(text: Text, dice: Dice) -> str | None:
    own = {one for token in text.parse.tokens for one in (token.lower, lemma(token.lower, "n"))}
    found = [
        (token, new)
        for token in text.parse.tokens
        for new in _other_synonym(text.parse, token)
        if own.isdisjoint({new, lemma(new, "n")})
    ]
    return replaced(text.line, dice, found)


def _other_synonym(parse: Parse, token: Token) -> list[str]:
    tag = TAGS.get(token.upos)
    around = (parse.previous(token), parse.next(token))
    if (
        tag is None
        or any(one is not None and one.form == "-" for one in around)
        or token.label in {"compound", "fixed", "flat"}
        or parse.children(token, "compound:prt", "fixed")
        or (not token.form.islower() and not parse.is_first(token))
    ):
        return []
    base = _base(token.lower, tag)
    is_inflected = tag in {"a", "r"} and base != token.lower  # "stronger"
    if is_inflected or not _fits(parse, token, base):
        return []
    forms = (inflected_like(one, token.form, token.xpos) for one in _synonyms().get((tag, base), ()))
    return [form for form in forms if form is not None]


# Words that must follow, words that may not stand in front, and numerals that must follow.
_FOLLOWED = {
    "difficult": {"to"}, "concentrate": {"on", "upon"}, "pleased": {"to", "that", "with"}, "glad": {"to", "that"},
}  # fmt: skip
_BEFORE_NUMBERS = frozenset(["about", "almost", "nearly", "roughly", "approximately"])
_COMPARING = frozenset(["more", "most", "less", "least", "not", "as", "so", "how", "too"])
_OPENING = frozenset(["additionally", "moreover"])
_NOT_OPENING = frozenset(["probably", "primarily", "chiefly", "mostly", "certainly", "definitely"])
_WITH_OBJECT = frozenset(["demonstrate", "end", "terminate", "aid", "postpone", "halt"])
_BEFORE_NOUNS = frozenset(["whole", "entire", "additional", "numerous", "principal"])


def _fits(parse: Parse, token: Token, base: str) -> bool:
    """Whether the word stands where its synonym may stand."""
    before, after = parse.previous(token), parse.next(token)
    follows = "" if after is None else after.lower
    precedes = "" if before is None else before.lower
    if follows not in _FOLLOWED.get(base, {follows}) or (base in _OPENING) > parse.is_first(token):
        return False
    if token.upos == "VERB":
        # A participle that is an adjective, or a finite form that was tagged as one.
        bare = token.xpos == "VBN" and not parse.children(token, "aux")
        lone = base in _WITH_OBJECT and not parse.children(token, "obj", "nsubj:pass", "ccomp")
        return not bare and not lone and token.label != "amod" and follows != "for"
    if token.upos == "NOUN":
        return not parse.children(token, "compound") and precedes != "by"
    if base in _BEFORE_NUMBERS:
        return after is not None and after.upos == "NUM" and precedes not in {"not", "very", "all", "how"}
    if base in _BEFORE_NOUNS and token.label != "amod":
        return False
    if base == "whole" and (before is None or (before.upos != "DET" and before.xpos != "PRP$")):
        return False
    if token.upos == "ADJ":
        return (
            precedes not in _COMPARING
            and not precedes.endswith("ly")
            and not (base == "ill" and token.label == "amod")
        )
    return precedes not in _COMPARING - {"more", "most", "as"} and not (
        base in _NOT_OPENING and parse.is_first(token)
    )


_NOUNS = (("ant", "ance"), ("ent", "ence"), ("ful", "fulness"), ("al", "ality"), ("able", "ability"),
          ("ous", "ousness"),
          ("ive", "iveness"), ("ic", "icity"), ("", "ness"), ("e", "ity"), ("", "ity"), ("y", "iness"))  # fmt: skip
_ADVERB_KEEPS = words("part-of-speech-adverb-keeps")


@english("part-of-speech", MINOR, "a word stands in another part of speech")
def _part_of_speech(text: Text, dice: Dice) -> str | None:
    found = [
        (token, new) for token in text.parse.tokens if (new := _other_part_of_speech(text, token)) is not None
    ]
    return replaced(text.line, dice, found)


def _other_part_of_speech(text: Text, token: Token) -> str | None:
    form, after = token.lower, text.parse.next(token)
    if not form.isalpha() or len(form) < 4:
        return None
    if token.xpos == "RB" and token.label == "advmod" and form.endswith("ly") and form not in _ADVERB_KEEPS:
        return None if after is None or after.upos == "ADP" else _adjective(form)
    fits = token.xpos == "JJ" and token.label in {"amod", "root", "xcomp"}
    if not fits or text.line[token.end : token.end + 1] != " ":
        return None
    # A noun before an adjective and a noun would be an adverb's place.
    if after is not None and (after.upos == "ADJ" or after.xpos in {"VBN", "VBG"}):
        return None
    return _adverb(form) or _noun(form)


def _adverb(form: str) -> str | None:
    endings = (("y", f"{form[:-1]}ily"), ("le", f"{form[:-1]}y"), ("ic", f"{form}ally"), ("", f"{form}ly"))
    made = next(made for ending, made in endings if form.endswith(ending))
    return made if is_lemma(made, "r") and not is_lemma(made, "a") else None


def _noun(form: str) -> str | None:
    for ending, new in _NOUNS:
        made = form[: len(form) - len(ending)] + new
        if form.endswith(ending) and is_lemma(made, "n"):
            return made
    return None


def _adjective(form: str) -> str | None:
    options = (
        form[:-2],
        f"{form[:-3]}y" if form.endswith("ily") else "",
        f"{form[:-1]}e",
        form[:-4] if form.endswith("ally") else "",
    )
    return next((one for one in options if one and is_lemma(one, "a") and not is_lemma(one, "r")), None)
