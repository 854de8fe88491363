"""Discourse representation structures from dependency trees and semantic roles, by rules.

Every predicate becomes an event or a state, every noun phrase a referent; definite phrases, names and pronouns stand in
presupposed boxes of their own (no projection: beside the box that they are used in). Negation, modals, universal
quantifiers (not … not), conditionals, coordinated clauses and the contents of attitudes open boxes. Roles have
PropBank's labels: those of the labeller where the analysis has them, else by the syntactic function and the voice. A
pronoun stands for the nearest referent before it that agrees, else for a new one.

Words are worked off from an agenda, not by recursion, so that no tree is too deep.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from pfsm.analysis.clauses import NEGATION, PRESUPPOSITION, REF, Clause, Drs
from pfsm.analysis.discourse import words as known
from pfsm.analysis.discourse.grammar import Grammar
from pfsm.analysis.sentence import Analysis

_SUBJECTS = ("nsubj", "csubj")
_LOOSE = frozenset({"parataxis", "list", "discourse", "vocative", "dislocated", "acl"})
_NOUNS = frozenset({"NOUN", "PROPN", "PRON", "NUM", "SYM", "X", "DET"})
_TIME_ROLE, _PLACE_ROLE = "AM-TMP", "AM-LOC"
_SENSES = {"VERB": "v", "AUX": "v", "ADJ": "a", "ADV": "r"}
_PLACES = frozenset(
    {"in", "at", "on", "under", "near", "behind", "above", "below", "inside", "outside", "beside"}
)


def structure_of(analysis: Analysis) -> Drs:
    """The structure of a line: the one that is given, else the one that the rules build.

    A line without a dependency tree, or without a word that adds a condition, has no clause.
    """
    if analysis.drs is not None:
        return analysis.drs
    if not analysis.trees:
        return Drs(())
    return _Builder(Grammar(analysis)).build()


@dataclass
class _Builder:
    """The clauses so far, and what is still to do."""

    grammar: Grammar
    clauses: list[Clause] = field(default_factory=list)
    referents: dict[int, str] = field(default_factory=dict)
    agenda: list[tuple[int, str]] = field(default_factory=list)
    done: set[int] = field(default_factory=set)
    times: dict[tuple[str, str], str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    persons: dict[str, str] = field(default_factory=dict)
    mentioned: list[tuple[str, str]] = field(default_factory=list)
    # Where a subject that every box of its clause can see was put.
    boxes: dict[int, str] = field(default_factory=dict)

    def build(self) -> Drs:
        """All sentences, one after the other."""
        main = before = ""
        for start, end in self.grammar.analysis.bounds:
            for root in (word for word in range(start, end) if self.grammar.heads[word] < 0):
                main = self.new("b")
                if before:
                    self.add(before, "CONTINUATION", main)
                size = len(self.clauses)
                self._work(root, main)
                before = main if len(self.clauses) > size else before
        return self._ordered()

    def _work(self, root: int, box: str) -> None:
        self.agenda.append((root, box))
        while self.agenda:
            word, where = self.agenda.pop()
            if word in self.done:
                continue
            self.done.add(word)
            if self.is_predicate(word):
                Clauses(self).predicate(word, where)
            else:
                Phrases(self).phrase(word, where)

    def _ordered(self) -> Drs:
        """The clauses in the order of the words, variables numbered in the order of their use."""
        ordered = sorted(dict.fromkeys(self.clauses), key=lambda one: one.words[:1] or (-1,))
        names: dict[str, str] = {}
        counts: dict[str, int] = {}
        for one in ordered:
            for name in (one.box, *(value for value in one.arguments if not value.startswith('"'))):
                if name not in names:
                    counts[name[0]] = counts.get(name[0], 0) + 1
                    names[name] = f"{name[0]}{counts[name[0]]}"
        return Drs(tuple(ordered)).renamed(names.__getitem__, 0)

    def new(self, letter: str) -> str:
        """A new variable."""
        self.counts[letter] = self.counts.get(letter, 0) + 1
        return f"{letter}{self.counts[letter]}"

    def add(self, box: str, operator: str, *arguments: str, words: tuple[int, ...] = ()) -> None:
        """Adds a clause."""
        self.clauses.append(Clause(box, operator, arguments, tuple(sorted(words))))

    def concept(self, box: str, symbol: str, sense: str, referent: str, words: tuple[int, ...]) -> None:
        """Introduces a referent with a concept."""
        self.add(box, REF, referent, words=words)
        self.add(box, symbol, f'"{sense}.01"', referent, words=words)

    def later(self, word: int, box: str) -> str:
        """The referent of a word that is to be worked off in this box."""
        if word not in self.done:
            self.agenda.append((word, box))
        return self.referent(word)

    def referent(self, word: int) -> str:
        """The referent of a word; a pronoun may share it with a word before it."""
        if word not in self.referents:
            self.referents[word] = self._found(word) or self.new(self._letter(word))
        return self.referents[word]

    def _found(self, word: int) -> str | None:
        """The referent of a pronoun that is known already."""
        grammar = self.grammar
        text = grammar.words[word]
        if grammar.category(word) not in {"PRON", "DET"}:
            return None
        if text in known.KNOWN_PERSONS:
            return self.persons.get(known.KNOWN_PERSONS[text])
        if text in known.ANAPHORS:
            kind = known.OTHER_PERSONS[text]
            return next((name for own, name in reversed(self.mentioned) if own == kind), None)
        return None

    def _letter(self, word: int) -> str:
        category = self.grammar.category(word)
        if self.has_copula(word) and category in _NOUNS:
            return "x"
        if category in {"ADJ", "ADV"}:
            return "s"
        if category in {"VERB", "AUX"}:
            return "e"
        return "t" if self.grammar.words[word] in known.DAYS | known.MONTHS else "x"

    def has_copula(self, word: int) -> bool:
        """Whether it is a predicate with a form of be."""
        return self.grammar.first(word, "cop") is not None

    def is_predicate(self, word: int) -> bool:
        """Whether a word is worked off as a clause."""
        grammar = self.grammar
        return grammar.category(word) in {"VERB", "AUX"} or grammar.first(word, "cop", *_SUBJECTS) is not None

    def symbol(self, word: int) -> str:
        """The name of a word's concept: its lemma, with its particle or the rest of a fixed expression."""
        grammar = self.grammar
        parts = [grammar.lemmas[word]]
        parts += [
            grammar.words[child] for child in grammar.children[word] if grammar.whole[child] == "compound:prt"
        ]
        return "_".join(part.replace('"', "'") for part in parts)


@dataclass(frozen=True)
class Phrases:
    """Rules of noun phrases, and of adjectives and adverbs."""

    builder: _Builder

    def phrase(self, word: int, box: str) -> None:
        """A word that is no predicate, in the box that it is used in."""
        grammar, builder = self.builder.grammar, self.builder
        category = grammar.category(word)
        if (
            category in {"PUNCT", "CCONJ", "SCONJ", "ADP", "PART", "INTJ", "AUX"}
            and not grammar.children[word]
        ):
            return
        if category in {"ADJ", "ADV"}:
            referent = builder.referent(word)
            builder.concept(box, builder.symbol(word), _SENSES[category], referent, (word,))
            self.degrees(word, box)
            Clauses(builder).conjuncts(word, box)
            return
        self._noun(word, box)

    def _noun(self, word: int, box: str) -> None:
        builder, grammar = self.builder, self.builder.grammar
        own = builder.referent(word)
        inner = self._head(word, box, own)
        for child in grammar.children[word]:
            self._modifier(child, inner, own)

    def _head(self, word: int, box: str, own: str) -> str:
        """What the head of the phrase says; the box that the phrase stands in."""
        builder, grammar = self.builder, self.builder.grammar
        text = grammar.words[word]
        is_pronoun = grammar.category(word) in {"PRON", "DET", "NUM"}
        if is_pronoun and text in known.KNOWN_PERSONS:
            self.person(word, box, known.KNOWN_PERSONS[text])
            return box
        if is_pronoun and text in known.OTHER_PERSONS and grammar.category(word) != "NUM":
            return self.pronoun(word, box, known.OTHER_PERSONS[text])
        for table in (known.INDEFINITE, known.EVERY, known.NOBODY):
            if is_pronoun and text in table:
                builder.concept(box, table[text], "n", own, (word,))
                return box
        if is_pronoun and text in known.QUESTION:
            builder.concept(box, known.QUESTION[text], "n", own, (word,))
            builder.add(box, "Name", own, '"?"', words=(word,))
            return box
        if own.startswith("t"):
            self._date(word, box, own)
            return box
        if grammar.category(word) == "PROPN":
            return self._named(word, box, own)
        inner = self._presupposed(word, box)
        builder.concept(inner, builder.symbol(word), "n", own, (word,))
        return inner

    def person(self, word: int, box: str, who: str) -> str:
        """The speaker or the hearer, who is introduced once."""
        builder = self.builder
        own = builder.referent(word)
        if builder.persons.setdefault(who, own) == own and not any(
            one.is_reference and one.arguments[0] == own for one in builder.clauses
        ):
            builder.concept(box, "person", "n", own, (word,))
            builder.add(box, "EQU", own, f'"{who}"', words=(word,))
        return own

    def pronoun(self, word: int, box: str, kind: str) -> str:
        """A pronoun of the third person, in a presupposed box of its own unless its referent is known."""
        builder = self.builder
        own = builder.referent(word)
        if any(one.is_reference and one.arguments[0] == own for one in builder.clauses):
            return box
        builder.mentioned.append((kind, own))
        inner = builder.new("b")
        builder.add(inner, PRESUPPOSITION, box, words=(word,))
        builder.concept(inner, kind, "n", own, (word,))
        return inner

    def _named(self, word: int, box: str, own: str) -> str:
        builder, grammar = self.builder, self.builder.grammar
        parts = tuple(grammar.name(word))
        compound = tuple(
            child for child in grammar.having(word, "compound") if grammar.category(child) == "PROPN"
        )
        builder.done.update(compound)
        whole = tuple(sorted((*parts, *compound)))
        name = "~".join(grammar.words[part] for part in whole).replace('"', "'")
        kind = _kind_of_name(grammar, whole)
        builder.mentioned.append((kind, own))
        inner = builder.new("b")
        builder.add(inner, PRESUPPOSITION, box, words=whole)
        builder.concept(inner, kind, "n", own, whole)
        builder.add(inner, "Name", own, f'"{name}"', words=whole)
        return inner

    def _date(self, word: int, box: str, own: str) -> None:
        builder, text = self.builder, self.builder.grammar.words[word]
        builder.concept(box, "time", "n", own, (word,))
        builder.add(
            box, "DayOfWeek" if text in known.DAYS else "MonthOfYear", own, f'"{text}"', words=(word,)
        )

    def _presupposed(self, word: int, box: str) -> str:
        """A box of its own for a definite phrase."""
        builder, grammar = self.builder, self.builder.grammar
        mark = grammar.among(word, known.DEFINITE, "det")
        if mark is None:
            owners = [child for child in grammar.children[word] if grammar.whole[child] == "nmod:poss"]
            mark = owners[0] if owners else None
        if mark is None or (builder.has_copula(word) and grammar.labels[mark] != "det"):
            return box
        inner = builder.new("b")
        builder.add(inner, PRESUPPOSITION, box, words=(mark,))
        return inner

    def _modifier(self, child: int, box: str, own: str) -> None:
        """One dependent of a noun."""
        builder, grammar = self.builder, self.builder.grammar
        label, whole = grammar.labels[child], grammar.whole[child]
        if whole == "nmod:poss":
            builder.add(box, "Of", own, builder.later(child, box), words=(child,))
        elif label == "amod":
            self.property(child, box, own)
        elif label == "nummod":
            builder.done.add(child)
            self._number(child, box, own)
        elif label == "det" and grammar.words[child] in known.MANY - {"some"}:
            builder.add(box, "Quantity", own, '"+"', words=(child,))
        elif label == "compound":
            builder.add(box, "Of", own, builder.later(child, box), words=(child,))
        elif label in {"nmod", "appos"}:
            other = builder.later(child, box)
            mark = tuple(grammar.case(child)[:1]) or (child,)
            builder.add(box, "EQU" if label == "appos" else "Of", own, other, words=mark)
        elif label in _LOOSE | {"advcl", "ccomp", "obl"}:
            builder.later(child, box)

    def _number(self, child: int, box: str, own: str) -> None:
        builder, text = self.builder, self.builder.grammar.words[child]
        if own.startswith("t"):
            builder.add(box, "DayOfMonth", own, f'"{text}"', words=(child,))
            return
        value = known.NUMBERS.get(text, text.replace(",", "").replace('"', "'"))
        builder.add(box, "Quantity", own, f'"{value}"', words=(child,))

    def property(self, child: int, box: str, own: str) -> None:
        """An adjective of a noun."""
        builder, grammar = self.builder, self.builder.grammar
        if grammar.words[child] in known.MANY:
            builder.done.add(child)
            builder.add(box, "Quantity", own, '"+"', words=(child,))
            return
        state = builder.later(child, box)
        builder.add(box, "AttributeOf", state, own, words=(child,))

    def degrees(self, word: int, box: str, *, only_adverbs: bool = False) -> None:
        """Adverbs of an adjective or adverb, and the phrases that hang on it."""
        builder, grammar = self.builder, self.builder.grammar
        for child in grammar.having(word, "advmod"):
            if grammar.words[child] not in known.NEGATIONS | known.POSSIBLY and child not in builder.done:
                builder.add(box, "Degree", builder.referent(word), builder.later(child, box), words=(child,))
        for child in () if only_adverbs else grammar.having(word, "obl", "nmod"):
            mark = tuple(grammar.case(child)[:1]) or (child,)
            builder.add(box, "Theme", builder.referent(word), builder.later(child, box), words=mark)


def _kind_of_name(grammar: Grammar, words: tuple[int, ...]) -> str:
    first, last = grammar.words[words[0]], grammar.words[words[-1]]
    if first in known.MALE_NAMES or first in {"mr", "mr."}:
        return "male"
    if first in known.FEMALE_NAMES or first in {"mrs", "mrs.", "ms", "ms.", "miss"}:
        return "female"
    if last in known.COUNTRIES:
        return "country"
    return "city" if last in known.CITIES else "person"


@dataclass(frozen=True)
class Clauses:
    """Rules of predicates: boxes, events, arguments, other clauses."""

    builder: _Builder

    def predicate(self, word: int, box: str) -> None:
        """A clause with its predicate, from the box that it stands in."""
        builder, grammar = self.builder, self.builder.grammar
        outer = box
        inner = self._opened(word, box)
        event = self._event(word, inner, outer)
        arguments = list(self._arguments(word))
        # The agenda is worked off from its end: arguments come before what is beside them, in the order of the text.
        for child in reversed(grammar.children[word]):
            self._beside(child, word, inner, event)
        for child, role in reversed(arguments):
            where = outer if self._is_outside(child) else inner
            marks = tuple(grammar.case(child)[:1]) or (word,)
            target = self._target(child, builder.boxes.get(child, where))
            if child in builder.boxes:
                where = inner
            builder.add(inner, role, event, target, words=marks)
        if self._is_imperative(word):
            who = builder.persons.get("hearer") or builder.new("x")
            if "hearer" not in builder.persons:
                builder.persons["hearer"] = who
                builder.concept(outer, "person", "n", who, (word,))
                builder.add(outer, "EQU", who, '"hearer"', words=(word,))
            builder.add(inner, "A0", event, who, words=(word,))

    def _target(self, child: int, box: str) -> str:
        """The referent of an argument: of a coordination the group's."""
        builder, grammar = self.builder, self.builder.grammar
        others = grammar.having(child, "conj")
        if not others or builder.is_predicate(child) or grammar.category(child) not in _NOUNS:
            return builder.later(child, box)
        return self.group(child, others, box)

    def group(self, child: int, others: list[int], box: str) -> str:
        """The referent of coordinated phrases; with "or", each of them stands in a box of its own."""
        builder, grammar = self.builder, self.builder.grammar
        mark = next((k for other in others for k in grammar.having(other, "cc")), grammar.first(child, "cc"))
        members = [child, *others]
        group = builder.new("x")
        if mark is not None and grammar.words[mark] in {"or", "nor"}:
            boxes = [builder.new("b") for _ in members]
            for left, right in pairwise(boxes):
                builder.add(box, "DIS", left, right, words=(mark,))
            builder.add(box, REF, group, words=(mark,))
            for member, own in zip(members, boxes, strict=True):
                builder.add(own, "EQU", group, builder.later(member, own), words=(mark,))
            return group
        words = () if mark is None else (mark,)
        builder.concept(box, "entity", "n", group, words)
        for member in members:
            builder.add(box, "Sub", group, builder.later(member, box), words=words)
        return group

    def _opened(self, word: int, box: str) -> str:
        """The innermost box of a clause: within quantifiers, negation and modals."""
        builder, grammar = self.builder, self.builder.grammar
        for child in grammar.having(word, "nsubj", "obj"):
            box = self._quantified(child, box)
        for child in grammar.having(word, "advcl"):
            mark = grammar.among(child, known.CONDITIONAL, "mark", "advmod")
            if mark is not None:
                builder.boxes[child] = self._within(box, NEGATION, mark)
                box = self._within(builder.boxes[child], NEGATION, mark)
        maybe = grammar.among(word, known.POSSIBLY, "advmod")
        if maybe is not None:
            builder.done.add(maybe)
            box = self._within(box, "POSSIBILITY", maybe)
        for child in grammar.children[word]:
            text = grammar.words[child]
            if text in known.NEGATIONS and grammar.labels[child] == "advmod":
                builder.done.add(child)
                box = self._within(box, NEGATION, child)
        for child in grammar.having(word, "aux"):
            text = grammar.lemmas[child]
            if text in known.POSSIBLE:
                box = self._within(box, "POSSIBILITY", child)
            elif text in known.NECESSARY:
                box = self._within(box, "NECESSITY", child)
        return box

    def _within(self, box: str, operator: str, word: int) -> str:
        inner = self.builder.new("b")
        self.builder.add(box, operator, inner, words=(word,))
        return inner

    def _quantified(self, child: int, box: str) -> str:
        """Opens the boxes of a universal or negative phrase; the box within them."""
        builder, grammar = self.builder, self.builder.grammar
        text = grammar.words[child]
        every = child if text in known.EVERY else grammar.among(child, known.EVERY_DETERMINERS, "det")
        none = child if text in known.NOBODY else grammar.among(child, known.NO_DETERMINERS, "det")
        if every is None and none is None:
            return box
        mark = every if none is None else none
        assert mark is not None
        restrictor = self._within(box, NEGATION, mark)
        builder.boxes[child] = restrictor
        return self._within(restrictor, NEGATION, mark) if none is None else restrictor

    def _is_outside(self, child: int) -> bool:
        """Whether an argument stands outside the clause's negation and modals: subjects, and persons known."""
        grammar = self.builder.grammar
        return grammar.labels[child] in _SUBJECTS and not self.builder.is_predicate(child)

    def _event(self, word: int, box: str, outer: str) -> str:
        builder, grammar = self.builder, self.builder.grammar
        category = grammar.category(word)
        if category in {"ADJ", "ADV"} and not grammar.case(word):
            event = builder.referent(word)
            builder.concept(box, builder.symbol(word), "a", event, (word,))
            Phrases(builder).degrees(word, box, only_adverbs=True)
            self.time(word, event, box, outer)
            return event
        if category in {"VERB", "AUX"}:
            event = builder.referent(word)
            builder.concept(box, builder.symbol(word), "v", event, (word,))
            self.time(word, event, box, outer)
            return event
        return self._being(word, box, outer)

    def _being(self, word: int, box: str, outer: str) -> str:
        """A noun as a predicate: an event of being, whose second argument it is."""
        builder, grammar = self.builder, self.builder.grammar
        copula = grammar.first(word, "cop")
        event = builder.new("e")
        builder.concept(box, "be", "v", event, (word if copula is None else copula,))
        self.time(word, event, box, outer)
        case = grammar.case(word)
        role = (_PLACE_ROLE if grammar.words[case[0]] in _PLACES else "A2") if case else "A2"
        Phrases(builder)._noun(word, box)  # noqa: SLF001 - the same word, as a phrase
        builder.add(box, role, event, builder.referent(word), words=tuple(case[:1]) or (word,))
        return event

    def time(self, word: int, event: str, box: str, outer: str) -> None:
        """The time of a finite clause without a modal; clauses of one tense share it."""
        builder = self.builder
        tense, mark = self._tense(word)
        if not tense:
            return
        key = (tense, "")
        if key not in builder.times:
            moment = builder.times[key] = builder.new("t")
            builder.concept(outer, "time", "n", moment, (mark,))
            if tense == "future":
                builder.add(outer, "TPR", '"now"', moment, words=(mark,))
            else:
                builder.add(outer, "TPR" if tense == "past" else "EQU", moment, '"now"', words=(mark,))
        builder.add(box, "Time", event, builder.times[key], words=(mark,))

    def _tense(self, word: int) -> tuple[str, int]:
        """Tense and the word that has it; nothing for what is not finite."""
        grammar = self.builder.grammar
        helpers = grammar.having(word, "aux", "cop")
        for child in helpers:
            if grammar.words[child] in known.FUTURE:
                return "future", child
        if any(grammar.tag(child) == "MD" or grammar.words[child] == "to" for child in helpers):
            return "", word
        if grammar.first(word, "mark") is not None and grammar.among(word, {"to"}, "mark") is not None:
            return "", word
        for child in [*helpers, word]:
            tag = grammar.tag(child)
            if tag == "VBD":
                return "past", child
            if tag in {"VBZ", "VBP"}:
                perfect = grammar.labels[child] == "aux" and grammar.lemmas[child] in {"have", "'s"}
                return "past" if perfect and grammar.tag(word) == "VBN" else "present", child
        return "", word

    def _is_imperative(self, word: int) -> bool:
        grammar = self.builder.grammar
        return (
            grammar.tag(word) == "VB"
            and grammar.heads[word] < 0
            and grammar.first(word, "mark", *_SUBJECTS) is None
        )

    def _arguments(self, word: int) -> Iterator[tuple[int, str]]:
        """Dependents that are arguments, with their roles: those of the labeller, else by function and voice."""
        builder, grammar = self.builder, self.builder.grammar
        passive = grammar.is_passive(word)
        given = self._given_roles(word)
        is_state = grammar.category(word) in {"ADJ", "ADV"}
        if (grammar.labels[word] == "acl") and grammar.heads[word] >= 0:
            relative = self._relative(word)
            if relative is None:
                yield from self._of_noun(word, given, passive=passive)
        for child in grammar.children[word]:
            if child in builder.done and child not in builder.referents:
                continue
            role = given.get(child) or self._function(child, passive=passive)
            if not role:
                continue
            if is_state and grammar.labels[child] in _SUBJECTS:
                role = "AttributeOf"
            yield child, role

    def _of_noun(self, word: int, given: dict[int, str], *, passive: bool) -> Iterator[tuple[int, str]]:
        """The noun that a clause is attached to, as the argument that the clause lacks."""
        grammar = self.builder.grammar
        noun = grammar.heads[word]
        if grammar.whole[word] != "acl:relcl":
            if grammar.among(word, {"to"}, "mark") is None:
                yield noun, given.get(noun, "A1" if passive else "A0")
            return
        lacking = "A0" if grammar.first(word, *_SUBJECTS) is None else "A1"
        yield noun, given.get(noun, "A1" if passive and lacking == "A0" else lacking)

    def _relative(self, word: int) -> int | None:
        """The relative pronoun of a clause, whose referent is the noun's."""
        builder, grammar = self.builder, self.builder.grammar
        for child in grammar.children[word]:
            relative = grammar.tag(child) in {"WDT", "WP"} or grammar.words[child] in {
                "that",
                "which",
                "who",
                "whom",
            }
            if relative and grammar.labels[child] in {*_SUBJECTS, "obj", "obl"}:
                builder.referents[child] = builder.referent(grammar.heads[word])
                builder.done.add(child)
                return child
        return None

    def _given_roles(self, word: int) -> dict[int, str]:
        """Roles of the labeller by the head word of the argument."""
        frame = self.builder.grammar.frame(word)
        if frame is None:
            return {}
        heads = self.builder.grammar.heads
        found: dict[int, str] = {}
        for argument in frame.arguments:
            inside = set(argument.words)
            found |= {one: argument.label for one in argument.words if heads[one] not in inside}
        return found

    def _function(self, child: int, *, passive: bool) -> str:
        """Role by syntactic function and voice; empty for what is no argument."""
        builder, grammar = self.builder, self.builder.grammar
        label, whole = grammar.labels[child], grammar.whole[child]
        if label in _SUBJECTS:
            return "A1" if passive else "A0"
        if label in {"obj", "xcomp"}:
            return (
                "A2"
                if label == "xcomp" and builder.grammar.first(grammar.heads[child], "obj") is not None
                else "A1"
            )
        if label == "iobj":
            return "A2"
        if label == "expl":
            return ""
        if label == "obl":
            case = [grammar.words[k] for k in grammar.case(child)]
            if passive and ("by" in case or whole == "obl:agent"):
                return "A0"
            if grammar.words[child] in known.TIMES or whole == "obl:tmod":
                return _TIME_ROLE
            return _PLACE_ROLE if case and case[0] in _PLACES else "A2"
        if (
            label == "advmod"
            and child not in builder.done
            and grammar.category(grammar.heads[child]) != "ADJ"
        ):
            return self._adverb(child)
        return ""

    def _adverb(self, child: int) -> str:
        grammar = self.builder.grammar
        text = grammar.words[child]
        if text in known.FOCUS | known.NEGATIONS | known.POSSIBLY:
            return ""
        if text in known.TIMES:
            return _TIME_ROLE
        return "AM-MNR"

    def _beside(self, child: int, word: int, box: str, event: str) -> None:
        """A dependent that is no argument: other clauses, coordination."""
        builder, grammar = self.builder, self.builder.grammar
        label = grammar.labels[child]
        if label == "ccomp":
            inner = builder.new("b")
            builder.add(box, "ATTRIBUTION", inner, words=(word,))
            builder.add(box, "Proposition", event, inner, words=(word,))
            builder.later(child, inner)
        elif label == "advcl":
            self._adverbial(child, box)
        elif label == "conj":
            self._coordinated(child, word, box)
        elif label in _LOOSE and grammar.category(child) not in {"INTJ", "PUNCT", "PART"}:
            inner = builder.new("b")
            builder.add(box, "CONTINUATION", inner, words=(child,))
            builder.later(child, inner)

    def _adverbial(self, child: int, box: str) -> None:
        builder, grammar = self.builder, self.builder.grammar
        mark = grammar.first(child, "mark", "advmod")
        text = "" if mark is None else grammar.words[mark]
        words = (child,) if mark is None else (mark,)
        if child in builder.boxes:
            builder.later(child, builder.boxes[child])
            return
        inner = builder.new("b")
        if text in known.CAUSAL:
            builder.add(box, "EXPLANATION", inner, words=words)
        elif text in known.CONTRASTIVE:
            builder.add(box, "CONTRAST", inner, words=words)
        elif builder.is_predicate(child) and self._tense(child)[0]:
            builder.add(box, "CONTINUATION", inner, words=words)
        else:
            inner = box
        builder.later(child, inner)

    def _coordinated(self, child: int, word: int, box: str) -> None:
        """A coordinated clause; it shares the subject of the first."""
        builder, grammar = self.builder, self.builder.grammar
        if not builder.is_predicate(word) or (
            grammar.category(child) in _NOUNS and not builder.is_predicate(child)
        ):
            builder.later(child, box)
            return
        mark = grammar.first(child, "cc")
        text = "and" if mark is None else grammar.words[mark]
        words = (child,) if mark is None else (mark,)
        inner = builder.new("b")
        if text in {"or", "nor"}:
            builder.add(box, "ALTERNATION", inner, words=words)
        else:
            builder.add(box, "CONTRAST" if text in known.CONTRASTIVE else "CONTINUATION", inner, words=words)
        builder.later(child, inner)
        subject = grammar.first(word, *_SUBJECTS)
        if (
            subject is not None
            and grammar.first(child, *_SUBJECTS) is None
            and grammar.category(child) == "VERB"
        ):
            role = self._given_roles(child).get(subject) or self._function(
                subject, passive=grammar.is_passive(child)
            )
            builder.add(inner, role, builder.referent(child), builder.referent(subject), words=(child,))

    def conjuncts(self, word: int, box: str) -> None:
        """Coordinated adjectives and adverbs, each in the same box."""
        for child in self.builder.grammar.having(word, "conj"):
            self.builder.later(child, box)
