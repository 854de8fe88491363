"""Rules of noun phrases, and of adjectives and adverbs."""

from dataclasses import dataclass
from itertools import pairwise

from pfsm.analysis.clauses import PRESUPPOSITION, REF
from pfsm.english.discourse import words as known
from pfsm.english.discourse.draft import Draft
from pfsm.english.discourse.grammar import LOOSE, NOUNS, Grammar, date_of, number_of

_SENSES = {"ADJ": "a", "ADV": "r"}
# Without dependents these say nothing.
_FUNCTION_WORDS = frozenset({"PUNCT", "CCONJ", "SCONJ", "ADP", "PART", "INTJ", "AUX"})
_PARTS_OF_DATES = frozenset({"nummod", "nmod", "compound", "flat", "appos", "advmod"})
_PRONOUNS = frozenset({"PRON", "DET", "NUM"})


@dataclass(frozen=True)
class Phrases:
    """Writes phrases into a draft."""

    draft: Draft

    def phrase(self, word: int, box: str) -> None:
        """A word that is not a predicate, in the box that it is used in."""
        draft, grammar = self.draft, self.draft.grammar
        category = grammar.category(word)
        if category in _FUNCTION_WORDS and not grammar.children[word]:
            return
        if category not in _SENSES or grammar.asks(word) or draft.referent(word).startswith("t"):
            self.noun(word, box)
            return
        draft.concept(box, grammar.symbol(word), _SENSES[category], draft.referent(word), (word,))
        self.degrees(word, box)
        for child in grammar.having(word, "conj"):
            draft.later(child, box)

    def noun(self, word: int, box: str) -> None:
        """A noun, name, pronoun or number with what depends on it."""
        draft, grammar = self.draft, self.draft.grammar
        own = draft.referent(word)
        inner = self._head(word, box, own)
        for child in grammar.children[word]:
            self._modifier(child, inner, own)

    def _head(self, word: int, box: str, own: str) -> str:
        """What the head of the phrase says; the box that the phrase stands in."""
        draft, grammar = self.draft, self.draft.grammar
        text = grammar.words[word]
        if grammar.asks(word):
            draft.concept(box, known.QUESTION[text], "n", own, (word,))
            draft.add(box, "Name", own, '"?"', words=(word,))
            return box
        if own.startswith("t"):
            self._date(word, box, own)
            return box
        if grammar.category(word) in _PRONOUNS:
            if text in known.KNOWN_PERSONS:
                self._known_person(word, box, known.KNOWN_PERSONS[text])
                return box
            if text in known.OTHER_PERSONS and grammar.category(word) != "NUM":
                return self._third_person(word, box, known.OTHER_PERSONS[text])
            for table in (known.INDEFINITE, known.EVERY, known.NOBODY):
                if text in table:
                    draft.concept(box, table[text], "n", own, (word,))
                    return box
        if grammar.category(word) == "PROPN":
            return self._named(word, box, own)
        inner = self._box_of_phrase(word, box)
        draft.concept(inner, grammar.symbol(word), "n", own, (word,))
        return inner

    def _known_person(self, word: int, box: str, who: str) -> None:
        """The speaker or the hearer, who is introduced once."""
        draft = self.draft
        own = draft.referent(word)
        if draft.persons.setdefault(who, own) == own and own not in draft.introduced:
            draft.concept(box, "person", "n", own, (word,))
            draft.add(box, "EQU", own, f'"{who}"', words=(word,))

    def _third_person(self, word: int, box: str, kind: str) -> str:
        """A pronoun of the third person, in a presupposed box of its own unless its referent is known."""
        draft = self.draft
        own = draft.referent(word)
        if own in draft.introduced:
            return box
        draft.mentioned.append((kind, own))
        inner = self._presupposed_box(box, (word,))
        draft.concept(inner, kind, "n", own, (word,))
        return inner

    def _presupposed_box(self, box: str, words: tuple[int, ...]) -> str:
        inner = self.draft.new("b")
        self.draft.add(inner, PRESUPPOSITION, box, words=words)
        return inner

    def _named(self, word: int, box: str, own: str) -> str:
        """A name, in a presupposed box of its own."""
        draft, grammar = self.draft, self.draft.grammar
        compound = [child for child in grammar.having(word, "compound") if grammar.category(child) == "PROPN"]
        draft.done.update(compound)
        whole = tuple(sorted((*grammar.name(word), *compound)))
        name = "~".join(grammar.words[part] for part in whole).replace('"', "'")
        kind = _kind_of_name(grammar, whole)
        draft.mentioned.append((kind, own))
        inner = self._presupposed_box(box, whole)
        draft.concept(inner, kind, "n", own, whole)
        draft.add(inner, "Name", own, f'"{name}"', words=whole)
        return inner

    def _date(self, word: int, box: str, own: str) -> None:
        """A day, month, year or hour; several words of one date share its referent."""
        draft, found = self.draft, date_of(self.draft.grammar, word)
        if own not in draft.introduced and found is not None:
            draft.concept(box, "time", "n", own, (word,))
        if found is not None:
            draft.add(box, found[0], own, f'"{found[1]}"', words=(word,))

    def _box_of_phrase(self, word: int, box: str) -> str:
        """The box of a common noun: a presupposed one of its own where the phrase is definite."""
        grammar = self.draft.grammar
        mark = grammar.among(word, known.DEFINITE, "det")
        if mark is None:
            owners = [child for child in grammar.children[word] if grammar.whole[child] == "nmod:poss"]
            mark = owners[0] if owners else None
        if mark is None or (grammar.has_copula(word) and grammar.labels[mark] != "det"):
            return box
        return self._presupposed_box(box, (mark,))

    def _modifier(self, child: int, box: str, own: str) -> None:
        draft, grammar = self.draft, self.draft.grammar
        label, whole = grammar.labels[child], grammar.whole[child]
        if self._is_of_date(child, own):
            draft.referents[child] = own
            draft.later(child, box)
        elif whole == "nmod:poss":
            draft.add(box, "Of", own, draft.later(child, box), words=(child,))
        elif label == "amod":
            self._property(child, box, own)
        elif label == "nummod":
            draft.done.add(child)
            if grammar.words[grammar.heads[child]] != "o'clock":
                self._number(child, box, own)
        elif label == "det":
            self._determiner(child, box, own)
        elif label == "compound":
            draft.add(box, "Of", own, draft.later(child, box), words=(child,))
        elif label in {"nmod", "appos"}:
            other = draft.later(child, box)
            mark = tuple(grammar.case(child)[:1]) or (child,)
            draft.add(box, "EQU" if label == "appos" else "Of", own, other, words=mark)
        elif label in LOOSE | {"advcl", "ccomp", "obl"}:
            draft.later(child, box)

    def _is_of_date(self, child: int, own: str) -> bool:
        """Whether a dependent belongs to the date of its head: the year, the month, "p.m."."""
        draft, grammar = self.draft, self.draft.grammar
        if (
            not own.startswith("t")
            or grammar.labels[child] not in _PARTS_OF_DATES
            or child in draft.referents
        ):
            return False
        return grammar.words[child] in known.HALVES_OF_DAY or date_of(grammar, child) is not None

    def _determiner(self, child: int, box: str, own: str) -> None:
        draft, grammar = self.draft, self.draft.grammar
        if grammar.words[child] == "whose":
            draft.add(box, "Of", own, draft.later(child, box), words=(child,))
        elif grammar.asks(child):
            draft.add(box, "Name", own, '"?"', words=(child,))
        elif grammar.words[child] in known.MANY - {"some"}:
            self._amount(child, box, own)

    def _amount(self, child: int, box: str, own: str) -> None:
        """A word such as many, which has no value; after "how" it asks for it."""
        draft = self.draft
        draft.done.add(child)
        if child == 0 or draft.grammar.words[child - 1] != "how":
            draft.add(box, "Quantity", own, '"+"', words=(child,))
            return
        draft.done.add(child - 1)
        asked = draft.new("x")
        draft.concept(box, "quantity", "n", asked, (child,))
        draft.add(box, "Quantity", own, asked, words=(child,))
        draft.add(box, "Name", asked, '"?"', words=(child - 1,))

    def _number(self, child: int, box: str, own: str) -> None:
        self.draft.add(box, "Quantity", own, f'"{number_of(self.draft.grammar, child)}"', words=(child,))

    def _property(self, child: int, box: str, own: str) -> None:
        draft, grammar = self.draft, self.draft.grammar
        if grammar.words[child] in known.MANY:
            self._amount(child, box, own)
            return
        state = draft.later(child, box)
        draft.add(box, "AttributeOf", state, own, words=(child,))

    def degrees(self, word: int, box: str, *, only_adverbs: bool = False) -> None:
        """Adverbs of an adjective or adverb, and the phrases that hang on it."""
        draft, grammar = self.draft, self.draft.grammar
        for child in grammar.having(word, "advmod"):
            if grammar.words[child] not in known.NEGATIONS | known.POSSIBLY and child not in draft.done:
                draft.add(box, "Degree", draft.referent(word), draft.later(child, box), words=(child,))
        for child in () if only_adverbs else grammar.having(word, "obl", "nmod"):
            mark = tuple(grammar.case(child)[:1]) or (child,)
            draft.add(box, "Theme", draft.referent(word), draft.later(child, box), words=mark)

    def argument(self, child: int, box: str) -> str:
        """The referent of an argument that is to be worked off in this box; of a coordination the group's."""
        draft, grammar = self.draft, self.draft.grammar
        others = grammar.having(child, "conj")
        if not others or grammar.is_predicate(child) or grammar.category(child) not in NOUNS:
            return draft.later(child, box)
        return self._group(child, others, box)

    def _group(self, child: int, others: list[int], box: str) -> str:
        """The group of coordinated phrases; with "or", each of them stands in a box of its own."""
        draft, grammar = self.draft, self.draft.grammar
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
