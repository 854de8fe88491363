"""A structure in the making: clauses and referents so far, the words still to do, boxes that clauses open, tenses."""

from dataclasses import dataclass, field
from typing import NamedTuple

from pfsm_linguistics.analysis.clauses import NEGATION, REF, Clause
from pfsm_linguistics.discourse import words as known
from pfsm_linguistics.discourse.grammar import NOUNS, Grammar, date_of


@dataclass
class Draft:
    """What the rules know of a line, and what they have written.

    Attributes:
        grammar: The line with its tree.
        clauses: The clauses so far.
        referents: The referent of each word that has one.
        introduced: Referents that a box has.
        agenda: Words to do, each with its box; the last one is next.
        done: Words that need no more work.
        moments: The time of each tense.
        persons: The referents of the speaker and the hearer.
        mentioned: Kind and referent of names and pronouns, in the order of their mention.
        boxes: The box of a quantified phrase and of an if-clause, which stand outside the box of the event.
        boxed: Clauses that stand in a box of their own; they are no argument of the predicate that they hang on.
    """

    grammar: Grammar
    clauses: list[Clause] = field(default_factory=list)
    referents: dict[int, str] = field(default_factory=dict)
    introduced: set[str] = field(default_factory=set)
    agenda: list[tuple[int, str]] = field(default_factory=list)
    done: set[int] = field(default_factory=set)
    moments: dict[str, str] = field(default_factory=dict)
    persons: dict[str, str] = field(default_factory=dict)
    mentioned: list[tuple[str, str]] = field(default_factory=list)
    boxes: dict[int, str] = field(default_factory=dict)
    boxed: set[int] = field(default_factory=set)
    _counts: dict[str, int] = field(default_factory=dict)

    def new(self, letter: str) -> str:
        """A new variable."""
        self._counts[letter] = self._counts.get(letter, 0) + 1
        return f"{letter}{self._counts[letter]}"

    def add(self, box: str, operator: str, *arguments: str, words: tuple[int, ...] = ()) -> None:
        """Adds a clause."""
        if operator == REF:
            self.introduced.add(arguments[0])
        self.clauses.append(Clause(box, operator, arguments, tuple(sorted(words))))

    def within(self, box: str, operator: str, word: int) -> str:
        """Opens a box under an operator, which comes from this word."""
        inner = self.new("b")
        self.add(box, operator, inner, words=(word,))
        return inner

    def concept(self, box: str, symbol: str, sense: str, referent: str, words: tuple[int, ...]) -> None:
        """Introduces a referent with a concept."""
        self.add(box, REF, referent, words=words)
        self.add(box, symbol, f'"{sense}.01"', referent, words=words)

    def later(self, word: int, box: str) -> str:
        """The referent of a word that is to be worked off in this box."""
        noun = self.grammar.antecedent(word)
        if noun is not None:
            self.referents[word] = self.referent(noun)
            self.done.add(word)
        if word not in self.done:
            self.agenda.append((word, box))
        return self.referent(word)

    def referent(self, word: int) -> str:
        """The referent of a word; a pronoun may share it with a word before it."""
        if word not in self.referents:
            self.referents[word] = self._found(word) or self.new(self._letter(word))
        return self.referents[word]

    def _found(self, word: int) -> str | None:
        """The referent of a pronoun, if it is known already."""
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
        """The first letter of a new referent's name, which says of what kind it is."""
        category = self.grammar.category(word)
        if (self.grammar.first(word, "cop") is not None and category in NOUNS) or self.grammar.asks(word):
            return "x"
        if category in {"VERB", "AUX"}:
            return "e"
        if date_of(self.grammar, word) is not None:
            return "t"
        return "s" if category in {"ADJ", "ADV"} else "x"


_POSSIBILITY, _NECESSITY = "POSSIBILITY", "NECESSITY"


class Scope(NamedTuple):
    """The boxes of a predicate's clause.

    Attributes:
        clause: Inside the if-clauses before the predicate; coordinated clauses with a subject of their own stand there.
        phrases: Inside the quantified phrases too; clauses that share them, but not the negation, stand there.
        event: The innermost box, where the event stands.
    """

    clause: str
    phrases: str
    event: str


def scope_of(draft: Draft, word: int, box: str) -> Scope:
    """Opens the boxes of a predicate's clause.

    From the outside: if-clauses before it, universal and negative phrases, if-clauses after it, perhaps, negation,
    modals.
    """
    grammar = draft.grammar
    clauses = grammar.having(word, "advcl")
    clause = _within_conditionals(draft, [child for child in clauses if child < word], box)
    phrases = clause
    for child in grammar.having(word, "nsubj", "obj", "iobj", "obl"):
        phrases = _within_quantifier(draft, child, phrases)
    inner = _within_conditionals(draft, [child for child in clauses if child > word], phrases)
    return Scope(clause, phrases, _within_operators(draft, word, inner))


def _within_operators(draft: Draft, word: int, box: str) -> str:
    """Opens boxes for perhaps, for negations and for modals, in this order."""
    grammar = draft.grammar
    maybe = grammar.among(word, known.POSSIBLY, "advmod")
    marks = [] if maybe is None else [(_POSSIBILITY, maybe)]
    adverbs = grammar.having(word, "advmod")
    marks += [(NEGATION, child) for child in adverbs if grammar.words[child] in known.NEGATIONS]
    draft.done.update(child for _, child in marks)
    for child in grammar.having(word, "aux"):
        if grammar.lemmas[child] in known.POSSIBLE | known.NECESSARY:
            is_possible = grammar.lemmas[child] in known.POSSIBLE
            marks.append((_POSSIBILITY if is_possible else _NECESSITY, child))
    for operator, child in marks:
        box = draft.within(box, operator, child)
    return box


def _within_quantifier(draft: Draft, child: int, box: str) -> str:
    grammar = draft.grammar
    text = grammar.words[child]
    every = child if text in known.EVERY else grammar.among(child, known.EVERY_DETERMINERS, "det")
    none = child if text in known.NOBODY else grammar.among(child, known.NO_DETERMINERS, "det")
    mark = every if none is None else none
    if mark is None:
        return box
    restrictor = draft.within(box, NEGATION, mark)
    draft.boxes[child] = restrictor
    return draft.within(restrictor, NEGATION, mark) if none is None else restrictor


def _within_conditionals(draft: Draft, clauses: list[int], box: str) -> str:
    """Opens two boxes for each if-clause: one for the clause itself, and one in it for what follows from it."""
    grammar = draft.grammar
    for child in clauses:
        mark = grammar.among(child, known.CONDITIONAL, "mark", "advmod")
        if mark is not None:
            draft.boxes[child] = draft.within(box, NEGATION, mark)
            box = draft.within(draft.boxes[child], NEGATION, mark)
    return box


_PAST, _PRESENT, _FUTURE = "past", "present", "future"


def add_time(draft: Draft, word: int, event: str, box: str, outer: str) -> None:
    """Adds the time of a finite clause without a modal; clauses of one tense share it.

    Args:
        draft: What is written to.
        word: The predicate.
        event: Its event.
        box: The event's box.
        outer: The box that the clause stands in; it introduces the moment.
    """
    tense, mark = tense_of(draft.grammar, word)
    if not tense:
        return
    if tense not in draft.moments:
        moment = draft.moments[tense] = draft.new("t")
        draft.concept(outer, "time", "n", moment, (mark,))
        order = ('"now"', moment) if tense == _FUTURE else (moment, '"now"')
        draft.add(outer, "EQU" if tense == _PRESENT else "TPR", *order, words=(mark,))
    draft.add(box, "Time", event, draft.moments[tense], words=(mark,))


def tense_of(grammar: Grammar, word: int) -> tuple[str, int]:
    """Tense of a predicate and the word that has it; an empty tense for what is not finite, and for modals."""
    helpers = grammar.having(word, "aux", "cop")
    for child in helpers:
        if grammar.words[child] in known.FUTURE:
            return _FUTURE, child
    if any(grammar.tag(child) == "MD" or grammar.words[child] == "to" for child in helpers):
        return "", word
    if grammar.among(word, {"to"}, "mark") is not None:
        return "", word
    for child in [*helpers, word]:
        tag = grammar.tag(child)
        if tag == "VBD":
            return _PAST, child
        if tag in {"VBZ", "VBP"}:
            perfect = grammar.labels[child] == "aux" and grammar.lemmas[child] in {"have", "'s"}
            return _PAST if perfect and grammar.tag(word) == "VBN" else _PRESENT, child
    return "", word
