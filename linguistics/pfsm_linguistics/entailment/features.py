"""The features ``rte.…``: what of one line's words, relations and facts the other has, and what stands against it.

Each function looks at the pair in one direction: what of the reference is in the hypothesis. The other direction is
that of `Pair.swapped`.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache, lru_cache

import numpy as np

from pfsm.arrays import Float
from pfsm.lexicons.relations import RelationTable, load_relations
from pfsm.metrics.inputs import score_composed
from pfsm.metrics.metric_group import MetricGroup
from pfsm.version import __version__
from pfsm_linguistics.analysers.registry import DEFAULT_PARSER
from pfsm_linguistics.analysers.service import analyse_lines, analyser_label
from pfsm_linguistics.entailment.sides import ROOT, Pair, Senses, Side, align, share, side_of
from pfsm_linguistics.lists import by_word

Feature = Callable[[Pair], float]
RELATIONS = "wordnet-relations-3.0"
# Between a word's synset and one above it.
STEPS = 3
# Of two spellings of a name, by `difflib`; shorter names must be the same.
ALIKE = 0.8
SHORTEST = 4
# Whoever is acted on is so in the passive too.
_ARGUMENTS = {
    "nsubj": "subject", "csubj": "subject", "obl:agent": "subject", "nsubj:pass": "object", "obj": "object",
    "iobj": "object",
}  # fmt: skip


def _aligned(places: Callable[[Side], Sequence[int]]) -> Feature:
    """Share of some words of the reference that are aligned."""

    def feature(pair: Pair) -> float:
        wanted = places(pair.reference)
        return share(sum(place in pair.aligned for place in wanted), len(wanted))

    return feature


def _tagged(*tags: str) -> Feature:
    """Share of the content words with these tags that are aligned."""
    return _aligned(lambda side: [place for place in side.content if side.tags[place] in tags])


def _kept(kind: Callable[[Side, int], str | None]) -> Feature:
    """Share of the relations between words, of some kinds, that hold between the words aligned with them."""

    def holds(pair: Pair, place: int) -> bool:
        other, head = pair.aligned.get(place), pair.aligned.get(pair.reference.heads[place])
        if other is None or head is None:
            return False
        same_kind = kind(pair.reference, place) == kind(pair.hypothesis, other)
        return same_kind and pair.hypothesis.heads[other] == head

    def feature(pair: Pair) -> float:
        side = pair.reference
        wanted = [
            place
            for place, head in enumerate(side.heads)
            if head != ROOT and side.is_word(place) and side.is_word(head) and kind(side, place) is not None
        ]
        return share(sum(holds(pair, place) for place in wanted), len(wanted))

    return feature


def _root_match(pair: Pair) -> float:
    """Whether some root is aligned with a root; so are two lines without any."""
    ours, theirs = pair.reference.roots, pair.hypothesis.roots
    return float(any(pair.aligned.get(place) in theirs for place in ours) or not (ours or theirs))


def _head_mismatch(pair: Pair) -> float:
    """Share of aligned content words with aligned heads that hang, in the hypothesis, from another word than that."""
    aligned, heads = pair.aligned, pair.reference.heads
    judged = [place for place in pair.reference.content if place in aligned and heads[place] in aligned]
    wrong = sum(pair.hypothesis.heads[aligned[place]] != aligned[heads[place]] for place in judged)
    return wrong / max(1, len(judged))


def _share(size: Callable[[Side], int], alone: Callable[[Pair], int]) -> Feature:
    """Share of the facts of the reference that the other side has as well."""
    return lambda pair: share(size(pair.reference) - alone(pair), size(pair.reference))


def _against(alone: Callable[[Pair], int]) -> Feature:
    """How many facts stand against others: the fewer of those that one side has alone and the other alone."""
    return lambda pair: float(min(alone(pair), alone(pair.swapped)))


def _numbers_alone(pair: Pair) -> int:
    """Numbers whose value the other side lacks, each as often as it has it more."""
    ours, theirs = (
        Counter(round(one, 6) for one in side.numbers) for side in (pair.reference, pair.hypothesis)
    )
    return (ours - theirs).total()


def _dates_alone(pair: Pair) -> int:
    """Dates that agree with none of the other side."""
    theirs = pair.hypothesis.dates
    return sum(not any(one.date.agrees(other.date) for other in theirs) for one in pair.reference.dates)


def _names_alone(pair: Pair) -> int:
    """Words of names that the other side lacks: neither spelled alike, nor within an acronym, nor as one."""
    ours, theirs = pair.reference, pair.hypothesis
    others = [place for run in _names(theirs) for place in run]
    letters = [theirs.forms[at].replace(".", "") for at in others if theirs.forms[at].isupper()]
    acronyms = {form for form in letters if len(form) > 1}
    initials = {_initials(theirs, run) for run in _names(theirs)}
    return sum(
        ours.forms[at].replace(".", "") not in initials
        and not any(_is_same_name(ours.words[at], theirs.words[other]) for other in others)
        for run in _names(ours)
        if len(run) == 1 or _initials(ours, run) not in acronyms
        for at in run
    )


def _names(side: Side) -> list[list[int]]:
    """Runs of the words of names."""
    runs: list[list[int]] = []
    for place, tag in enumerate(side.tags):
        if tag == "PROPN" and side.is_word(place):
            if runs and runs[-1][-1] == place - 1:
                runs[-1].append(place)
            else:
                runs.append([place])
    return runs


def _initials(side: Side, run: Sequence[int]) -> str:
    return "".join(side.forms[at][0] for at in run)


def _is_same_name(one: str, other: str) -> bool:
    """Whether two lower-cased words are the same name, perhaps spelled differently."""
    if one == other or min(len(one), len(other)) < SHORTEST:
        return one == other
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= ALIKE


_NEGATED_WITH = frozenset({"nsubj", "obj", "iobj", "obl"})
_AUXILIARIES = frozenset({"aux", "cop"})
_NOUNS = frozenset({"NOUN", "PROPN", "PRON"})
_MODALS = by_word("entailment-modals")
_HAVE = frozenset({"have", "has", "had", "having", "'ve"})
_FUTURE = frozenset({"will", "shall", "'ll", "wo", "sha"})
_PERFECT = frozenset({"have", "has", "'ve"})
_QUANTIFIERS = by_word("entailment-quantifiers")


def _is_negated(side: Side, place: int) -> bool:
    """Whether an odd number of negations bears on a word: those that depend on it, or are or modify its arguments."""
    negating = side.negations
    count = 0
    for child in side.children[place]:
        argument = side.label(child) in _NEGATED_WITH
        count += child in negating
        count += argument and sum(
            other in negating and side.label(other) == "det" for other in side.children[child]
        )
    return count % 2 == 1


def _modality(side: Side, place: int) -> frozenset[str]:
    """``possible``, ``necessary``, ``hypothetical``: how a predicate is qualified; empty if it is not."""
    found = {
        _MODALS[side.words[child]]
        for child in side.children[place]
        if side.words[child] in _MODALS and side.label(child) in {"aux", "advmod"}
    }
    head = side.heads[place]
    if side.label(place) == "xcomp" and side.words[head] in _HAVE:
        found.add("necessary")  # has to
    return frozenset(found)


def _tense(side: Side, place: int) -> str:
    """``past``, ``present`` or ``future``; empty for a word without one. The perfect is past."""
    auxiliaries = [child for child in side.children[place] if side.label(child) in _AUXILIARIES]
    words = {side.words[child] for child in auxiliaries}
    tags = {side.fine[child] for child in auxiliaries}
    is_going_to = side.label(place) == "xcomp" and side.words[side.heads[place]] == "going"
    if words & _FUTURE or is_going_to:
        return "future"
    if "VBD" in tags or (words & _PERFECT and "VBN" in {*tags, side.fine[place]}):
        return "past"
    if tags & {"VBZ", "VBP"}:
        return "present"
    return {"VBD": "past", "VBZ": "present", "VBP": "present"}.get(
        "" if auxiliaries else side.fine[place], ""
    )


def _quantifier(side: Side, place: int) -> str:
    """How many are meant: ``all``, ``most``, ``many``, ``some``, ``few``, ``none``; empty where nobody says."""
    if side.words[place] in _QUANTIFIERS:
        return _QUANTIFIERS[side.words[place]]
    for child in side.children[place]:
        if side.words[child] in _QUANTIFIERS and side.label(child) in {"det", "amod", "nummod"}:
            return _QUANTIFIERS[side.words[child]]
    head = side.heads[place]
    if side.label(place) == "nmod" and side.words[head] in _QUANTIFIERS:
        return _QUANTIFIERS[side.words[head]]  # most of them
    return ""


def _is_predicate(side: Side, place: int) -> bool:
    """Whether a word says something of another: a verb, or what has a copula or an auxiliary."""
    return side.tags[place] == "VERB" or any(
        side.label(child) in _AUXILIARIES for child in side.children[place]
    )


def _clash(of: Callable[[Side, int], object], *, both: bool = False, nouns: bool = False) -> Feature:
    """Share of the aligned predicates, or nouns, that differ in something; with ``both``, where both sides have it."""

    def differ(ours: object, theirs: object) -> bool:
        return ours != theirs and (not both or bool(ours and theirs))

    def feature(pair: Pair) -> float:
        ours, theirs = pair.reference, pair.hypothesis
        judged = [
            (i, j)
            for i, j in pair.aligned.items()
            if (ours.tags[i] in _NOUNS if nouns else _is_predicate(ours, i) and _is_predicate(theirs, j))
        ]
        return sum(differ(of(ours, i), of(theirs, j)) for i, j in judged) / max(1, len(judged))

    return feature


def _lost(kinds: Mapping[str, str]) -> Feature:
    """Words of the reference, by kind, that the hypothesis has no counterpart of."""

    def counted(side: Side) -> Counter[str]:
        return Counter(kinds[word] for word in side.words if word in kinds)

    return lambda pair: float((counted(pair.reference) - counted(pair.hypothesis)).total())


def _antonyms(pair: Pair, table: RelationTable) -> float:
    """Share of the content words that have an antonym in the other side, neither or both of them negated."""
    ours, theirs = pair.reference, pair.hypothesis
    return _related(
        pair,
        lambda i, j: (
            table.are_antonyms(ours.words[i], theirs.words[j])
            and _is_negated(ours, i) == _is_negated(theirs, j)
        ),
    )


def _more_general(pair: Pair, table: RelationTable) -> float:
    """Share of the content words in whose place the other side has a hypernym, at most `STEPS` above."""
    ours, theirs = pair.reference, pair.hypothesis
    return _related(pair, lambda i, j: table.is_kind_of(ours.words[i], theirs.words[j], STEPS))


def _related(pair: Pair, related: Callable[[int, int], bool]) -> float:
    """Share of the content words that are not aligned and stand in a relation to one that is not either."""
    taken = set(pair.aligned.values())
    free = [place for place in pair.hypothesis.content if place not in taken]
    content = pair.reference.content
    found = sum(i not in pair.aligned and any(related(i, j) for j in free) for i in content)
    return found / max(1, len(content))


# In both directions, with the suffix _r (of the reference) and _h (of the hypothesis).
_SHARES: Mapping[str, Feature] = {
    "content": _aligned(lambda side: side.content),
    "nouns": _tagged("NOUN", "PROPN"),
    "verbs": _tagged("VERB"),
    "modifiers": _tagged("ADJ", "ADV"),
    "relations": _kept(lambda side, place: side.label(place)),
    "attachments": _kept(lambda side, place: "" if side.is_word(place) else None),
    # Subjects and objects alone, by what they are in the active voice.
    "arguments": _kept(
        lambda side, place: _ARGUMENTS.get(side.labels[place], _ARGUMENTS.get(side.label(place)))
    ),
    "roots": _aligned(lambda side: side.roots),
    "numbers": _share(lambda side: len(side.numbers), _numbers_alone),
    "dates": _share(lambda side: len(side.dates), _dates_alone),
    "names": _share(lambda side: sum(map(len, _names(side))), _names_alone),
}
# What the reference has and the hypothesis lacks, and the other way round.
_LOSSES: Mapping[str, Feature] = {
    "negation": lambda pair: float(max(0, len(pair.reference.negations) - len(pair.hypothesis.negations))),
    "modality": _lost(_MODALS),
    "quantifier": _lost(_QUANTIFIERS),
}
_CLASHES: Mapping[str, Feature] = {
    "root_match": _root_match,
    "head_mismatch": _head_mismatch,
    "polarity_clash": _clash(_is_negated),
    "modality_clash": _clash(_modality),
    "tense_clash": _clash(_tense, both=True),
    "quantifier_clash": _clash(_quantifier, both=True, nouns=True),
    "number_clash": _against(_numbers_alone),
    "date_clash": _against(_dates_alone),
    "name_clash": _against(_names_alone),
}
FEATURES = (
    *(f"rte.{name}_{side}" for name in _SHARES for side in ("r", "h")),
    *(f"rte.{name}_{what}" for name in _LOSSES for what in ("lost", "added")),
    *(f"rte.{name}" for name in (*_CLASHES, "antonyms", "more_general", "more_specific")),
)


def pair_values(pair: Pair, table: RelationTable) -> list[float]:
    """The values of all features of a pair, in the order of `FEATURES`."""
    both = (pair, pair.swapped)
    return [
        *(feature(side) for feature in (*_SHARES.values(), *_LOSSES.values()) for side in both),
        *(feature(pair) for feature in _CLASHES.values()),
        _antonyms(pair, table),
        *(_more_general(side, table) for side in both),
    ]


def _values(_: str, hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
    """All features of pairs by name, float64 [n_pairs] each; each distinct pair once."""
    values = score_composed(_distinct, hypotheses, references)
    return dict(zip(FEATURES, values.T, strict=True))


def _distinct(hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    table, senses = _tables()
    lines = list(dict.fromkeys([*references, *hypotheses]))
    sides = dict(zip(lines, map(side_of, analyse_lines(lines, DEFAULT_PARSER)), strict=True))
    rows = [
        pair_values(align(sides[reference], sides[hypothesis], senses), table)
        for hypothesis, reference in zip(hypotheses, references, strict=True)
    ]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(FEATURES))


@cache
def _tables() -> tuple[RelationTable, Senses]:
    table = load_relations(RELATIONS)
    return table, lru_cache(maxsize=100_000)(table.synonyms.synsets)


def _label(name: str) -> str:
    """A feature as a signature gives it: with the parser, the tables and our version of the definitions."""
    table, _ = _tables()
    entries = {
        "parser": analyser_label(DEFAULT_PARSER),
        "synonyms": table.synonyms.label,
        "relations": table.label,
        "pfsm": __version__,
    }
    return f"{name}({','.join(f'{key}:{value}' for key, value in entries.items())})"


GROUPS = (
    MetricGroup(
        parts={"rte": FEATURES},
        values=_values,
        label=_label,
        counts=frozenset(name for name in FEATURES if not name.endswith(("_r", "_h", "_match"))),
        about={"rte": "a feature of textual entailment"},
    ),
)
