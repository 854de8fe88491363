"""Rules of noun phrases, and of adjectives and adverbs."""

from itertools import pairwise

from pfsm_linguistics.analysis.clauses import PRESUPPOSITION, REF
from pfsm_linguistics.discourse import words as known
from pfsm_linguistics.discourse.draft import Draft
from pfsm_linguistics.discourse.grammar import LOOSE, NOUNS, Grammar, date_of, number_of

_SENSES = {"ADJ": "a", "ADV": "r"}
# Without dependents these say nothing.
_FUNCTION_WORDS = frozenset({"PUNCT", "CCONJ", "SCONJ", "ADP", "PART", "INTJ", "AUX"})
_PARTS_OF_DATES = frozenset({"nummod", "nmod", "compound", "flat", "appos", "advmod"})
_PRONOUNS = frozenset({"PRON", "DET", "NUM"})


def phrase(draft: Draft, word: int, box: str) -> None:
    """A word that is not a predicate, in the box that it is used in."""
    grammar = draft.grammar
    category = grammar.category(word)
    if category in _FUNCTION_WORDS and not grammar.children[word]:
        return
    if category not in _SENSES or grammar.asks(word) or draft.referent(word).startswith("t"):
        noun(draft, word, box)
        return
    draft.concept(box, grammar.symbol(word), _SENSES[category], draft.referent(word), (word,))
    degrees(draft, word, box)
    for child in grammar.having(word, "conj"):
        draft.later(child, box)


def noun(draft: Draft, word: int, box: str) -> None:
    """A noun, name, pronoun or number with what depends on it."""
    grammar = draft.grammar
    own = draft.referent(word)
    inner = _head(draft, word, box, own)
    for child in grammar.children[word]:
        _modifier(draft, child, inner, own)


def _head(draft: Draft, word: int, box: str, own: str) -> str:
    """What the head of the phrase says; the box that the phrase stands in."""
    grammar = draft.grammar
    text = grammar.words[word]
    if grammar.asks(word):
        draft.concept(box, known.QUESTION[text], "n", own, (word,))
        draft.add(box, "Name", own, '"?"', words=(word,))
        return box
    if own.startswith("t"):
        _date(draft, word, box, own)
        return box
    if grammar.category(word) in _PRONOUNS:
        if text in known.KNOWN_PERSONS:
            # The speaker or the hearer, who is introduced once.
            who = known.KNOWN_PERSONS[text]
            if draft.persons.setdefault(who, own) == own and own not in draft.introduced:
                draft.concept(box, "person", "n", own, (word,))
                draft.add(box, "EQU", own, f'"{who}"', words=(word,))
            return box
        if text in known.OTHER_PERSONS and grammar.category(word) != "NUM":
            return _third_person(draft, word, box, known.OTHER_PERSONS[text])
        concept = (known.INDEFINITE | known.EVERY | known.NOBODY).get(text)
        if concept:
            draft.concept(box, concept, "n", own, (word,))
            return box
    if grammar.category(word) == "PROPN":
        return _named(draft, word, box, own)
    inner = _box_of_phrase(draft, word, box)
    draft.concept(inner, grammar.symbol(word), "n", own, (word,))
    return inner


def _third_person(draft: Draft, word: int, box: str, kind: str) -> str:
    """A pronoun of the third person, in a presupposed box of its own unless its referent is known."""
    own = draft.referent(word)
    if own in draft.introduced:
        return box
    draft.mentioned.append((kind, own))
    inner = _presupposed_box(draft, box, (word,))
    draft.concept(inner, kind, "n", own, (word,))
    return inner


def _presupposed_box(draft: Draft, box: str, words: tuple[int, ...]) -> str:
    inner = draft.new("b")
    draft.add(inner, PRESUPPOSITION, box, words=words)
    return inner


def _named(draft: Draft, word: int, box: str, own: str) -> str:
    """A name, in a presupposed box of its own."""
    grammar = draft.grammar
    compound = [child for child in grammar.having(word, "compound") if grammar.category(child) == "PROPN"]
    draft.done.update(compound)
    whole = tuple(sorted((*grammar.name(word), *compound)))
    name = "~".join(grammar.words[part] for part in whole).replace('"', "'")
    kind = _kind_of_name(grammar, whole)
    draft.mentioned.append((kind, own))
    inner = _presupposed_box(draft, box, whole)
    draft.concept(inner, kind, "n", own, whole)
    draft.add(inner, "Name", own, f'"{name}"', words=whole)
    return inner


def _date(draft: Draft, word: int, box: str, own: str) -> None:
    """A day, month, year or hour; several words of one date share its referent."""
    found = date_of(draft.grammar, word)
    if own not in draft.introduced and found is not None:
        draft.concept(box, "time", "n", own, (word,))
    if found is not None:
        draft.add(box, found[0], own, f'"{found[1]}"', words=(word,))


def _box_of_phrase(draft: Draft, word: int, box: str) -> str:
    """The box of a common noun: a presupposed one of its own where the phrase is definite."""
    grammar = draft.grammar
    mark = grammar.among(word, known.DEFINITE, "det")
    if mark is None:
        owners = [child for child in grammar.children[word] if grammar.whole[child] == "nmod:poss"]
        mark = owners[0] if owners else None
    if mark is None or (grammar.first(word, "cop") is not None and grammar.labels[mark] != "det"):
        return box
    return _presupposed_box(draft, box, (mark,))


def _modifier(draft: Draft, child: int, box: str, own: str) -> None:
    grammar = draft.grammar
    label, whole = grammar.labels[child], grammar.whole[child]
    if _is_of_date(draft, child, own):
        draft.referents[child] = own
        draft.later(child, box)
    elif whole == "nmod:poss":
        draft.add(box, "Of", own, draft.later(child, box), words=(child,))
    elif label == "amod":
        _property(draft, child, box, own)
    elif label == "nummod":
        draft.done.add(child)
        if grammar.words[grammar.heads[child]] != "o'clock":
            number = number_of(grammar, child)
            draft.add(box, "Quantity", own, f'"{number}"', words=(child,))
    elif label == "det":
        _determiner(draft, child, box, own)
    elif label == "compound":
        draft.add(box, "Of", own, draft.later(child, box), words=(child,))
    elif label in {"nmod", "appos"}:
        other = draft.later(child, box)
        mark = tuple(grammar.case(child)[:1]) or (child,)
        draft.add(box, "EQU" if label == "appos" else "Of", own, other, words=mark)
    elif label in LOOSE | {"advcl", "ccomp", "obl"}:
        draft.later(child, box)


def _is_of_date(draft: Draft, child: int, own: str) -> bool:
    """Whether a dependent belongs to the date of its head: the year, the month, "p.m."."""
    grammar = draft.grammar
    if not own.startswith("t") or grammar.labels[child] not in _PARTS_OF_DATES or child in draft.referents:
        return False
    return grammar.words[child] in known.HALVES_OF_DAY or date_of(grammar, child) is not None


def _determiner(draft: Draft, child: int, box: str, own: str) -> None:
    grammar = draft.grammar
    if grammar.words[child] == "whose":
        draft.add(box, "Of", own, draft.later(child, box), words=(child,))
    elif grammar.asks(child):
        draft.add(box, "Name", own, '"?"', words=(child,))
    elif grammar.words[child] in known.MANY - {"some"}:
        _amount(draft, child, box, own)


def _amount(draft: Draft, child: int, box: str, own: str) -> None:
    """A word such as many, which has no value; after "how" it asks for it."""
    draft.done.add(child)
    if child == 0 or draft.grammar.words[child - 1] != "how":
        draft.add(box, "Quantity", own, '"+"', words=(child,))
        return
    draft.done.add(child - 1)
    asked = draft.new("x")
    draft.concept(box, "quantity", "n", asked, (child,))
    draft.add(box, "Quantity", own, asked, words=(child,))
    draft.add(box, "Name", asked, '"?"', words=(child - 1,))


def _property(draft: Draft, child: int, box: str, own: str) -> None:
    grammar = draft.grammar
    if grammar.words[child] in known.MANY:
        _amount(draft, child, box, own)
        return
    state = draft.later(child, box)
    draft.add(box, "AttributeOf", state, own, words=(child,))


def degrees(draft: Draft, word: int, box: str, *, only_adverbs: bool = False) -> None:
    """Adverbs of an adjective or adverb, and the phrases that hang on it."""
    grammar = draft.grammar
    for child in grammar.having(word, "advmod"):
        if grammar.words[child] not in known.NEGATIONS | known.POSSIBLY and child not in draft.done:
            draft.add(box, "Degree", draft.referent(word), draft.later(child, box), words=(child,))
    for child in () if only_adverbs else grammar.having(word, "obl", "nmod"):
        mark = tuple(grammar.case(child)[:1]) or (child,)
        draft.add(box, "Theme", draft.referent(word), draft.later(child, box), words=mark)


def argument(draft: Draft, child: int, box: str) -> str:
    """The referent of an argument that is to be worked off in this box; of a coordination the group's."""
    grammar = draft.grammar
    others = grammar.having(child, "conj")
    if not others or grammar.is_predicate(child) or grammar.category(child) not in NOUNS:
        return draft.later(child, box)
    return _group(draft, child, others, box)


def _group(draft: Draft, child: int, others: list[int], box: str) -> str:
    """The group of coordinated phrases; with "or", each of them stands in a box of its own."""
    grammar = draft.grammar
    mark = next((k for other in others for k in grammar.having(other, "cc")), grammar.first(child, "cc"))
    members = [child, *others]
    group = draft.new("x")
    if mark is not None and grammar.words[mark] in known.ALTERNATIVE:
        boxes = [draft.new("b") for _ in members]
        for left, right in pairwise(boxes):
            draft.add(box, "DIS", left, right, words=(mark,))
        draft.add(box, REF, group, words=(mark,))
        for member, own in zip(members, boxes, strict=True):
            draft.add(own, "EQU", group, draft.later(member, own), words=(mark,))
        return group
    words = () if mark is None else (mark,)
    draft.concept(box, "entity", "n", group, words)
    for member in members:
        draft.add(box, "Sub", group, draft.later(member, box), words=words)
    return group


def _kind_of_name(grammar: Grammar, words: tuple[int, ...]) -> str:
    """The concept of who has a name: a man, a woman, a country, a city; a person where unknown."""
    first, last = grammar.words[words[0]], grammar.words[words[-1]]
    if first in known.MALE_NAMES or first in {"mr", "mr."}:
        return "male"
    if first in known.FEMALE_NAMES or first in {"mrs", "mrs.", "ms", "ms.", "miss"}:
        return "female"
    if last in known.COUNTRIES:
        return "country"
    return "city" if last in known.CITIES else "person"
