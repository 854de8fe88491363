"""A sentence's tree as the rules of discourse structures ask for it; dates, hours and numbers that words stand for."""

import re
from collections.abc import Collection, Sequence
from fractions import Fraction

from pfsm.facts.tables import MONTHS, WEEKDAYS
from pfsm_linguistics.analysis.lemmas import lemma_of
from pfsm_linguistics.analysis.roles import Frame
from pfsm_linguistics.analysis.sentence import Analysis
from pfsm_linguistics.discourse import words as known

_CATEGORIES = (
    ("NNP", "PROPN"), ("NN", "NOUN"), ("VB", "VERB"), ("MD", "AUX"), ("JJ", "ADJ"), ("RB", "ADV"), ("WRB", "ADV"),
    ("PRP", "PRON"), ("WP", "PRON"), ("EX", "PRON"), ("CD", "NUM"), ("DT", "DET"), ("PDT", "DET"), ("WDT", "DET"),
    ("IN", "ADP"), ("TO", "PART"), ("RP", "ADP"), ("CC", "CCONJ"), ("UH", "INTJ"),
)  # fmt: skip
SUBJECTS = ("nsubj", "csubj")
# Relations of clauses and phrases that hang on a word loosely.
LOOSE = frozenset({"parataxis", "list", "discourse", "vocative", "dislocated", "acl"})
# Relations from a relative word up to the verb of its clause.
_INSIDE_CLAUSE = frozenset({"nsubj", "obj", "iobj", "obl", "nmod", "det", "advmod"})
NOUNS = frozenset({"NOUN", "PROPN", "PRON", "NUM", "SYM", "X", "DET"})


class Grammar:
    """A line with its dependency tree; words are counted from 0.

    Attributes:
        analysis: The line; it has a tree.
        words: In lower case.
        lemmas: In lower case.
        labels: Relation of each word to its head, without subtype.
        whole: The same with subtype.
        heads: Head of each word; -1 for a root.
        children: Dependents of each word, in the order of the text.
    """

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        tree, tokens = analysis.trees[0], analysis.tokens
        tags = analysis.xpos or analysis.upos or ("",) * len(tokens)
        self.words = [token.lower() for token in tokens]
        self.lemmas = [lemma_of(token, tag) for token, tag in zip(tokens, tags, strict=True)]
        self.whole = tree.labels
        self.labels = [label.partition(":")[0] for label in tree.labels]
        self.heads = [head - 1 for head in tree.heads]
        self.children: list[list[int]] = [[] for _ in tokens]
        for word, head in enumerate(self.heads):
            if head >= 0:
                self.children[head].append(word)
        self._frames = {frame.predicate: frame for frame in analysis.frames or ()}

    def frame(self, word: int) -> Frame | None:
        """The word's frame, where roles are known."""
        return self._frames.get(word)

    def category(self, word: int) -> str:
        """Universal part of speech; by Penn's tag where only that is known."""
        if self.analysis.upos:
            return self.analysis.upos[word]
        tag = self.tag(word)
        return next((category for start, category in _CATEGORIES if tag.startswith(start)), "X")

    def tag(self, word: int) -> str:
        """Penn tag; empty where unknown."""
        return self.analysis.xpos[word] if self.analysis.xpos else ""

    def having(self, word: int, *labels: str) -> list[int]:
        """Its dependents with one of these relations, subtypes aside."""
        return [child for child in self.children[word] if self.labels[child] in labels]

    def first(self, word: int, *labels: str) -> int | None:
        """The first of them."""
        return next(iter(self.having(word, *labels)), None)

    def among(self, word: int, words: Collection[str], *labels: str) -> int | None:
        """The first dependent, with one of these relations if any is given, that is one of these words."""
        children = self.having(word, *labels) if labels else self.children[word]
        return next((child for child in children if self.words[child] in words), None)

    def is_passive(self, word: int) -> bool:
        """Whether a predicate is in the passive voice."""
        below = {self.whole[child] for child in self.children[word]}
        passive = {"nsubj:pass", "csubj:pass", "aux:pass", "nsubjpass", "auxpass"}
        return bool(below & passive) or (self.labels[word] == "acl" and self.tag(word) == "VBN")

    def is_predicate(self, word: int) -> bool:
        """Whether a word is worked off as a clause."""
        return self.category(word) in {"VERB", "AUX"} or self.first(word, "cop", *SUBJECTS) is not None

    def is_state(self, word: int) -> bool:
        """Whether a predicate is a state, as adjectives are; what asks is none."""
        return (
            self.category(word) in {"ADJ", "ADV"}
            and not self.case(word)
            and self.words[word] not in known.QUESTION
        )

    def antecedent(self, word: int) -> int | None:
        """The noun that a relative word stands for."""
        if self.words[word] not in known.DEEP_RELATIVE:
            return None
        above = word
        while self.labels[above] in _INSIDE_CLAUSE and self.heads[above] >= 0:
            above = self.heads[above]
        return self.heads[above] if self.labels[above] == "acl" and self.heads[above] >= 0 else None

    def asks(self, word: int) -> bool:
        """Whether it is a question word, neither a relative one nor a conjunction of time."""
        if self.words[word] not in known.QUESTION or self.antecedent(word) is not None:
            return False
        head = self.heads[word]
        is_adverb = self.words[word] in known.ASKED_ROLES and self.labels[word] in {"advmod", "mark"}
        return not (is_adverb and head >= 0 and self.labels[head] in {"advcl", "acl"})

    def symbol(self, word: int) -> str:
        """The name of a word's concept: its lemma, with its particles."""
        particles = [
            self.words[child] for child in self.children[word] if self.whole[child] == "compound:prt"
        ]
        return "_".join(part.replace('"', "'") for part in (self.lemmas[word], *particles))

    def case(self, word: int) -> list[int]:
        """Its prepositions."""
        return self.having(word, "case")

    def name(self, word: int) -> Sequence[int]:
        """The words of a name or a fixed expression, in the order of the text."""
        return sorted([word, *self.having(word, "flat", "fixed", "goeswith")])


_YEAR = re.compile(r"1\d{3}|20\d{2}")
_DECADE = re.compile(r"(?:1\d{3}|20\d{2})s")
_DAY = re.compile(r"(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?")
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
# So long that a number is read at once; longer ones stay as they are written.
_NUMBER = re.compile(r"\d{1,18}(?:\.\d{1,9})?")
_PARTS_OF_NUMBERS = ("compound", "nummod", "flat")
_HOURS = {"noon": "12:00", "midday": "12:00", "midnight": "00:00"}
_BEFORE_YEARS = frozenset(
    {"in", "since", "until", "till", "by", "before", "after", "from", "during", "around"}
)


def date_of(grammar: Grammar, word: int) -> tuple[str, str] | None:
    """What a word says of a date, as operator and value; None for other words.

    Years are four digits after a preposition of time or beside another date; days are numbers beside a month.
    """
    text = grammar.words[word]
    if text in WEEKDAYS:
        return "DayOfWeek", text
    if text in MONTHS:
        return "MonthOfYear", f"{MONTHS.index(text) + 1:02d}"
    if text in _HOURS:
        return "ClockTime", _HOURS[text]
    clock = _clock(grammar, word)
    if clock:
        return "ClockTime", clock
    if _DECADE.fullmatch(text):
        return "Decade", text
    return _by_place(grammar, word)


def _clock(grammar: Grammar, word: int) -> str:
    """An hour with its minutes, by 24 hours; empty for other words."""
    half = grammar.among(word, known.HALVES_OF_DAY)
    if grammar.words[word] == "o'clock":
        hours = grammar.having(word, "nummod", "compound")
        text = number_of(grammar, hours[0]) if hours else ""
    else:
        text = known.NUMBERS.get(grammar.words[word], grammar.words[word])
    if ":" not in text and (half is not None or grammar.words[word] == "o'clock"):
        text = f"{text}:00"
    match = _CLOCK.fullmatch(text)
    if match is None:
        return ""
    hour = int(match[1])
    if half is not None and hour <= 12 and grammar.words[half] != "o'clock":
        hour = hour % 12 + known.HALVES_OF_DAY[grammar.words[half]]
    return f"{hour:02d}:{match[2]}"


def _by_place(grammar: Grammar, word: int) -> tuple[str, str] | None:
    text = grammar.words[word]
    beside = [grammar.words[one] for one in (*grammar.children[word], grammar.heads[word]) if one >= 0]
    dated = any(one in WEEKDAYS or one in MONTHS for one in beside)
    if _YEAR.fullmatch(text):
        prepositions = {grammar.words[one] for one in grammar.case(word)}
        is_alone = grammar.labels[word] in {"obl", "nmod"} and prepositions & _BEFORE_YEARS
        is_near = grammar.heads[word] >= 0 and _day_of_month(grammar, grammar.heads[word])
        return ("YearOfCentury", text) if is_alone or dated or is_near else None
    day = _day_of_month(grammar, word)
    return ("DayOfMonth", day) if day else None


def _day_of_month(grammar: Grammar, word: int) -> str:
    """The number of a day with the name of a month above or below it; empty for other words."""
    match = _DAY.fullmatch(grammar.words[word])
    beside = [one for one in (*grammar.children[word], grammar.heads[word]) if one >= 0]
    is_near = any(
        grammar.words[one] in MONTHS and grammar.category(one) in {"PROPN", "NOUN"} for one in beside
    )
    return f"{int(match[1]):02d}" if match and is_near else ""


def number_of(grammar: Grammar, word: int) -> str:
    """The value of a numeral with the numerals that depend on it: of "5 million" 5000000.

    What cannot be read stays as it is written.
    """
    parts = [one for one in grammar.having(word, *_PARTS_OF_NUMBERS) if grammar.category(one) == "NUM"]
    texts = [grammar.words[one].replace(",", "") for one in sorted((word, *parts))]
    values = [known.NUMBERS.get(text, text) for text in texts]
    if len(values) == 1:
        return values[0].replace('"', "'")
    if not all(_NUMBER.fullmatch(value) for value in values):
        return "~".join(values).replace('"', "'")
    return _written(_joined([Fraction(value) for value in values]))


def _joined(values: list[Fraction]) -> Fraction:
    """Numerals one after the other as one number: 2, 100 and 5 as 205."""
    total = current = Fraction(0)
    for value in values:
        if value == 100:
            current = (current or 1) * value
        elif value in {10**3, 10**6, 10**9}:
            total, current = total + (current or 1) * value, Fraction(0)
        else:
            current += value
    return total + current


def _written(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    digits = f"{value.numerator * 10**9 // value.denominator:010d}"
    return f"{digits[:-9]}.{digits[-9:]}".rstrip("0")
