"""A structure in the making: the clauses and referents so far, and the words still to do."""

from dataclasses import dataclass, field

from pfsm.analysis.clauses import REF, Clause
from pfsm.analysis.discourse import words as known
from pfsm.analysis.discourse.dates import date_of
from pfsm.analysis.discourse.grammar import NOUNS, Grammar


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
        if (self.grammar.has_copula(word) and category in NOUNS) or self.grammar.asks(word):
            return "x"
        if category not in {"VERB", "AUX"} and date_of(self.grammar, word) is not None:
            return "t"
        if category in {"ADJ", "ADV"}:
            return "s"
        if category in {"VERB", "AUX"}:
            return "e"
        return "x"
