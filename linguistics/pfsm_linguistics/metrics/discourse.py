"""Metrics over discourse representation structures: named, and conditions typed, as in Giménez and Màrquez (2009, 2.1).

==========  =================================================  ============================
type        clauses                                            parts
==========  =================================================  ============================
``pred``    a concept of a referent                            the referent
``rel``     a role of two referents                            the referents
``named``   a name                                             the referent
``timex``   a day, month, year or hour of a moment             the moment
``card``    a quantity                                         the referent
``eq``      equality of referents, or with the speaker         the referents
``not``     a negated box                                      the box
``imp``     a negated box, in it one negated by the same word  restriction, consequence
``or``      alternative boxes                                  the boxes, or the second
``whq``     a referent that is asked for                       the referent, its box
``prop``    the content of an event                            the event, the box
==========  =================================================  ============================

The words of a condition are those that its symbol and its referents come from; those of a complex condition (the last
five) are all words of its boxes, with the boxes in them and those that they presuppose. Tense is not a condition.

Names are in lower case: ``dr-or-*`` is the average over all types of conditions, ``dr-or-pred`` counts one;
``dr-orp-…`` has tags for words.

DR-STM compares structures as trees. Nodes are boxes (``drs``), conditions (``type:symbol``) and referents, without
their names but with their kind (``x``, ``e``, ``s``, ``t``). What a condition holds carries its place: ``1:e``,
``2:x``. Conditions stand in a box in the order of the text; presupposed boxes are merged into the box that
presupposes them. The score is the mean clipped share of the pieces of the hypothesis's trees, over the sizes 1 to
``depth``. A size that the hypothesis has no piece of counts 0, so only trees that deep reach 1.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pfsm.arrays import Float
from pfsm.errors import PfsmError
from pfsm.metrics.inputs import quotient
from pfsm.metrics.metric_group import MetricGroup
from pfsm.metrics.names import read_options
from pfsm.runtime.typed import Options, one_of, whole
from pfsm_linguistics.analysis.clauses import NEGATION, PRESUPPOSITION, Clause, is_constant
from pfsm_linguistics.analysis.constituents import Constituent
from pfsm_linguistics.analysis.sentence import Analysis
from pfsm_linguistics.analysis.wanted import Wanted
from pfsm_linguistics.discourse.building import structure_of
from pfsm_linguistics.metrics.analysed import OF_HYPOTHESIS, SHARED, AnalysedMetric
from pfsm_linguistics.metrics.families import typed_family
from pfsm_linguistics.metrics.syntax.fragments import DEPTH, MOST_LEVELS, chains, fragment_counts, subtrees
from pfsm_linguistics.metrics.syntax.overlap import layer_metric, read_typed
from pfsm_linguistics.metrics.syntax.trees import (
    PARSER,
    Element,
    Layer,
    Trees,
    constituent_trees,
    has_tags,
    words_of,
)

SIMPLE = ("pred", "rel", "named", "timex", "card", "eq")
COMPLEX = ("or", "imp", "not", "whq", "prop")
TYPES = SIMPLE + COMPLEX
# Positions count only where the two boxes differ in what they do.
POSITIONED = frozenset({"imp", "whq"})
MODAL = "box"
_DATES = frozenset(
    [
        "DayOfWeek",
        "DayOfMonth",
        "MonthOfYear",
        "YearOfCentury",
        "Decade",
        "Century",
        "ClockTime",
        "YearOfDecade",
    ]
)
_OR = frozenset({"DIS", "DISJUNCTION", "ALTERNATION"})
_NAME, _QUANTITY, _EQUAL, _TIME, _ASKED = "Name", "Quantity", "EQU", "Time", '"?"'
_CONTENT = "ATTRIBUTION"
_NOW = '"now"'
_PLACED = frozenset({"TPR", _TIME})


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition.

    Attributes:
        kind: One of `TYPES`; for other operators over boxes, such as POSSIBILITY, `MODAL`.
        symbol: What it says, such as dog, A0 or a name.
        box: The box that it stands in.
        parts: Its referents and boxes, in order.
        words: The words of each position, counted from 0 through the line; one position but for imp and whq.
        first: The first word of the clause, for the order of conditions.
    """

    kind: str
    symbol: str
    box: str
    parts: tuple[str, ...]
    words: tuple[frozenset[int], ...]
    first: int


@lru_cache(maxsize=1024)
def conditions_of(analysis: Analysis) -> tuple[Condition, ...]:
    """The conditions of a line, in the order of the text; none where it has no structure."""
    return tuple(_Reader(structure_of(analysis).clauses).conditions())


class _Reader:
    """Reads conditions off the clauses of a line."""

    def __init__(self, clauses: tuple[Clause, ...]) -> None:
        self._clauses = clauses
        self._in_box: dict[str, list[Clause]] = {}
        self._inside: dict[str, list[str]] = {}
        self._words: dict[str, set[int]] = {}
        self._dated = {one.arguments[0] for one in clauses if one.operator in _DATES}
        # What places a moment: before now, at now, or as the time of an event.
        mentioned = {
            name
            for one in clauses
            if one.operator in _PLACED or (one.operator == _EQUAL and _NOW in one.arguments)
            for name in one.arguments
        }
        moments = {
            one.arguments[1]
            for one in clauses
            if one.is_concept and one.operator == "time" and one.arguments[1].startswith("t")
        }
        self._tense = (moments & mentioned) - self._dated
        self._negations: dict[str, list[Clause]] = {}
        for one in clauses:
            self._in_box.setdefault(one.box, []).append(one)
            if one.operator == NEGATION and one.box_arguments:
                self._negations.setdefault(one.box, []).append(one)
            if one.operator == PRESUPPOSITION:
                self._inside.setdefault(one.arguments[0], []).append(one.box)
            else:
                self._inside.setdefault(one.box, []).extend(one.box_arguments)
            if one.is_concept or one.operator == _NAME:
                self._words.setdefault(one.arguments[1 if one.is_concept else 0], set()).update(one.words)
        self._consequences = self._implications()
        self._consequent = set(self._consequences.values())

    def conditions(self) -> list[Condition]:
        """All of them."""
        return [condition for one in self._clauses if (condition := self._condition(one)) is not None]

    def _implications(self) -> dict[Clause, Clause]:
        """From the first negation of each implication to its second; none is in two implications."""
        negations = [one for several in self._negations.values() for one in several]
        inner = {one.box_arguments[0] for one in negations}
        # The outer ones first, so that of negations that follow each other every other one is the first of two.
        waiting = [one for one in negations if one.box in inner] + [
            one for one in negations if one.box not in inner
        ]
        found: dict[Clause, Clause] = {}
        known: set[Clause] = set()
        taken: set[Clause] = set()
        while waiting:
            one = waiting.pop()
            if one in known:
                continue
            known.add(one)
            second = None if one in taken else self._second_of(one)
            if second is not None and second not in known:
                found[one] = second
                taken.add(second)
            waiting += self._negations.get(one.box_arguments[0], ())
        return found

    def _second_of(self, one: Clause) -> Clause | None:
        """The negation of the consequence: it has the same words, such as every or if; the only one without words."""
        inner = self._negations.get(one.box_arguments[0], [])
        same = [other for other in inner if other.words == one.words]
        if len(same) != 1 or (not one.words and len(inner) > 1):
            return None
        return same[0]

    def _condition(self, one: Clause) -> Condition | None:
        """The condition that a clause is; none for referents, tense and presuppositions."""
        if one.is_reference or one.operator == PRESUPPOSITION:
            return None
        if one.box_arguments:
            return self._complex(one)
        kind = self._simple_kind(one)
        if kind == "whq":
            asked = one.arguments[0]
            rest = self._all_words(one.box, set(self._words.get(asked, ())))
            return self._made(kind, "", one, (asked,), frozenset(self._words.get(asked, ())), rest)
        if not kind:
            return None
        referents = tuple(name for name in one.arguments if not is_constant(name))
        constants = "=".join(name.strip('"') for name in one.arguments if is_constant(name))
        symbol = {"pred": one.operator, "rel": one.operator, "timex": f"{one.operator}={constants}"}.get(
            kind, constants
        )
        words = set(one.words).union(*(self._words.get(name, ()) for name in referents))
        return self._made(kind, symbol, one, referents, frozenset(words))

    def _simple_kind(self, one: Clause) -> str:
        """Type of a condition without boxes; empty for tense."""
        arguments = one.arguments
        if one.is_concept:
            return "" if one.operator == "time" and arguments[1] in self._tense else "pred"
        if one.operator == _NAME:
            return "whq" if arguments[1] == _ASKED else "named"
        if one.operator in _DATES:
            return "timex"
        if one.operator == _QUANTITY and is_constant(arguments[-1]):
            return "card"
        if one.operator == _EQUAL:
            return "" if arguments[-1] == _NOW else "eq"
        if len(arguments) < 2 or any(name in self._tense or name == _NOW for name in arguments):
            return ""
        return "" if one.operator == _TIME and arguments[1] not in self._dated else "rel"

    def _complex(self, one: Clause) -> Condition | None:
        """The condition of a clause over boxes; none for what another condition has in it."""
        boxes = one.box_arguments
        if one.operator == NEGATION:
            if one in self._consequent:
                return None
            second = self._consequences.get(one)
            if second is not None:
                consequence = second.box_arguments[0]
                outer = self._all_words(boxes[0], set(), without=consequence)
                return self._made(
                    "imp", "", one, (boxes[0], consequence), outer, self._all_words(consequence, set())
                )
            return self._made("not", "", one, boxes, self._all_words(boxes[0], set()))
        if one.operator in _OR:
            sides = boxes if len(boxes) > 1 else (one.box, boxes[0])
            words = frozenset().union(*(self._all_words(box, set()) for box in sides))
            return self._made("or", "", one, sides if len(boxes) > 1 else boxes, words)
        if one.operator == _CONTENT:
            return None
        if one.is_role:
            return self._made("prop", one.operator, one, one.arguments, self._all_words(boxes[0], set()))
        return self._made(MODAL, one.operator, one, boxes, frozenset())

    def _made(
        self, kind: str, symbol: str, one: Clause, parts: tuple[str, ...], *words: frozenset[int]
    ) -> Condition:
        return Condition(kind, symbol, one.box, parts, words, one.words[0] if one.words else -1)

    def _all_words(self, box: str, leave: set[int], without: str = "") -> frozenset[int]:
        """All words of a box, with the boxes in it and those that it presupposes."""
        waiting, known = [box], {box, without}
        found: set[int] = set()
        while waiting:
            for one in self._in_box.get(waiting[-1], ()):
                if one.operator != PRESUPPOSITION and without not in one.box_arguments[:1]:
                    found.update(one.words)
            for inner in self._inside.get(waiting.pop(), ()):
                if inner not in known:
                    known.add(inner)
                    waiting.append(inner)
        return frozenset(found - leave)


_BOX = "drs"


def discourse_trees(analysis: Analysis) -> list[Constituent]:
    """One tree for each box that stands in no other."""
    conditions = conditions_of(analysis)
    merged = _merged(analysis)
    in_box: dict[str, list[Condition]] = {}
    for one in sorted(conditions, key=lambda each: each.first):
        in_box.setdefault(merged.get(one.box, one.box), []).append(one)
    # Boxes in the order in which they are reached; each is made once, the inner ones first.
    boxes = dict.fromkeys(merged.get(one.box, one.box) for one in conditions)
    inside = {merged.get(part, part) for one in conditions for part in one.parts}
    roots = [box for box in boxes if box not in inside] or list(boxes)[:1]
    reached = dict.fromkeys(roots)
    waiting = list(roots)
    holder: dict[str, Condition] = {}
    while waiting:
        for one in in_box.get(waiting.pop(), ()):
            for part in one.parts:
                inner = merged.get(part, part)
                if inner in in_box and inner not in reached:
                    reached[inner] = None
                    holder[inner] = one
                    waiting.append(inner)
    made: dict[str, Constituent] = {}
    for box in reversed(list(reached)):
        made[box] = _box(in_box.get(box, []), made, merged, holder)
    return [made[box] for box in roots]


def _box(
    conditions: list[Condition],
    made: dict[str, Constituent],
    merged: dict[str, str],
    holder: dict[str, Condition],
) -> Constituent:
    children = []
    for one in conditions:
        parts = []
        for place, part in enumerate(one.parts, 1):
            inner = merged.get(part, part)
            if holder.get(inner) is one and inner in made:
                parts.append(Constituent(f"{place}:{_BOX}", 0, 0, made[inner].children))
            else:
                parts.append(Constituent(f"{place}:{_BOX if part.startswith('b') else part[:1]}", 0, 0, ()))
        children.append(Constituent(_label(one), 0, 0, tuple(parts)))
    return Constituent(_BOX, 0, 0, tuple(children))


def _label(condition: Condition) -> str:
    symbol = condition.symbol.lower().replace("(", "[").replace(")", "]").replace(" ", "_")
    return f"{condition.kind}:{symbol}"


def _merged(analysis: Analysis) -> dict[str, str]:
    """From every presupposed box to the box that it is merged into in the end."""
    into = {
        one.box: one.arguments[0]
        for one in structure_of(analysis).clauses
        if one.operator == PRESUPPOSITION and one.arguments[0] != one.box
    }
    found: dict[str, str] = {}
    for box, first in into.items():
        way, last = {box}, first
        while last in into and last not in way:
            way.add(last)
            last = into[last]
        found[box] = last
    return found


TREE = "dr-stm"
SUBTREES, PATHS = "subtrees", "paths"
_WANTED = Wanted(roles=True)
_DESCRIPTIONS: Mapping[str, str] = {
    "dr-or": "words of discourse conditions of the same type",
    "dr-orp": "parts of speech in discourse conditions of the same type",
}


def _has_structure(analysis: Analysis) -> bool:
    """Whether a line has a structure with a condition; refuses a parser that gives something else than a tree."""
    if not analysis.tokens or analysis.is_failed:
        return False
    if analysis.drs is None and not analysis.trees:
        raise PfsmError(
            "the parser gives no dependency trees, which this metric needs for discourse structures; choose another, "
            "or give a file of clauses, as in parser=file:lines.clf"
        )
    return bool(conditions_of(analysis))


def _elements(analysis: Analysis, names: Sequence[str]) -> Iterable[Element]:
    """The (type, item) elements of all conditions; of imp and whq with their position."""
    return [
        (one.kind, (place, names[word]) if one.kind in POSITIONED else names[word])
        for one in conditions_of(analysis)
        if one.kind in TYPES
        for place, words in enumerate(one.words, 1)
        for word in sorted(words)
    ]


# A line without a structure, an empty one too, has no analysis, so the score of two of them is 0.
LAYERS: Mapping[str, Layer] = {
    "dr-or": Layer(lambda line: _elements(line, words_of(line)), _has_structure, _WANTED, 0.0),
    "dr-orp": Layer(
        lambda line: _elements(line, line.xpos or line.upos),
        lambda line: _has_structure(line) and has_tags(line),
        _WANTED,
        0.0,
    ),
}


def _condition_metric(name: str, options: Options) -> AnalysedMetric:
    """``dr-or-*``, ``dr-orp-pred`` and so on. Several references: the best one counts."""
    typed = read_typed(name, options, _check_type)
    words = typed.stem == "dr-or"
    entries = {"layer": "drs-words" if words else "drs-tags", "type": typed.entries["type"]}
    return layer_metric(typed, LAYERS[typed.stem], entries | ({"case": "lc"} if words else {}))


def _check_type(name: str, _: str, only: str) -> None:
    if only not in TYPES:
        raise PfsmError(f"metric {name}: {only!r} is not a type of condition; known are {', '.join(TYPES)}")


def _tree_metric(name: str, options: Options) -> AnalysedMetric:
    """DR-STM. Several references: the best one counts."""
    chosen = read_options(
        name, options, PARSER | {"depth": whole(DEPTH, MOST_LEVELS), "pieces": one_of(SUBTREES, PATHS)}
    )
    depth: int = chosen["depth"]
    fragments = chains if chosen["pieces"] == PATHS else subtrees

    def read(analyses: Sequence[Analysis]) -> Trees:
        return constituent_trees([discourse_trees(one) if _has_structure(one) else () for one in analyses])

    def compute(hypotheses: Sequence[Analysis], references: Sequence[Analysis]) -> Float:
        counts = fragment_counts(fragments, read, hypotheses, [(one,) for one in references], depth)
        shares = quotient(counts[..., SHARED], counts[..., OF_HYPOTHESIS])
        return np.asarray(shares.sum(axis=1, keepdims=True) / depth)

    entries = {"depth": str(depth), "pieces": chosen["pieces"]}
    return AnalysedMetric(name, entries, chosen["parser"], _WANTED, compute, _has_structure)


GROUPS: tuple[MetricGroup, ...] = (
    typed_family(_DESCRIPTIONS, "mean over types", _condition_metric),
    MetricGroup({TREE: "pieces of discourse structures as trees in common, up to a depth"}, _tree_metric),
)
