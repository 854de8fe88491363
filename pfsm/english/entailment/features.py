"""The features ``rte.…`` by name, and their values for pairs of lines."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.analysers import DEFAULT_PARSER
from pfsm.analysis.service import analyse_lines, analyser_label
from pfsm.english.entailment import coverage, facts, polarity
from pfsm.english.entailment.sides import Pair, Side, align, side_of
from pfsm.lexicons.relations import RelationTable, load_relations
from pfsm.metrics.inputs import check_pairs, score_distinct
from pfsm.metrics.metric_group import MetricGroup
from pfsm.version import __version__

Float = NDArray[np.float64]
Feature = Callable[[Pair], float]
RELATIONS = "wordnet-relations-3.0"

# In both directions, with the suffix _r (of the reference) and _h (of the hypothesis).
_SHARES: Mapping[str, Feature] = {
    "content": coverage.content,
    "nouns": coverage.nouns,
    "verbs": coverage.verbs,
    "modifiers": coverage.modifiers,
    "relations": coverage.relations,
    "attachments": coverage.attachments,
    "arguments": coverage.arguments,
    "roots": coverage.roots,
    "numbers": facts.number_share,
    "dates": facts.date_share,
    "names": facts.name_share,
}
# What the reference has and the hypothesis lacks, and the other way round.
_LOSSES: Mapping[str, Feature] = {
    "negation": polarity.negation_lost,
    "modality": polarity.modality_lost,
    "quantifier": polarity.quantifier_lost,
}
_CLASHES: Mapping[str, Feature] = {
    "root_match": coverage.root_match,
    "head_mismatch": coverage.head_mismatch,
    "polarity_clash": polarity.polarity_clash,
    "modality_clash": polarity.modality_clash,
    "tense_clash": polarity.tense_clash,
    "quantifier_clash": polarity.quantifier_clash,
    "number_clash": facts.number_clash,
    "date_clash": facts.date_clash,
    "name_clash": facts.name_clash,
}
_MEANINGS: Mapping[str, Callable[[Pair, RelationTable], float]] = {
    "antonyms": polarity.antonyms,
    "more_general": polarity.more_general,
}
FEATURES = (
    *(f"rte.{name}_{side}" for name in _SHARES for side in ("r", "h")),
    *(f"rte.{name}_{what}" for name in _LOSSES for what in ("lost", "added")),
    *(f"rte.{name}" for name in (*_CLASHES, *_MEANINGS)),
    "rte.more_specific",
)


def pair_values(pair: Pair, table: RelationTable) -> list[float]:
    """The values of all features of a pair, in the order of `FEATURES`."""
    both = (pair, pair.swapped)
    return [
        *(feature(side) for feature in _SHARES.values() for side in both),
        *(feature(side) for feature in _LOSSES.values() for side in both),
        *(feature(pair) for feature in _CLASHES.values()),
        *(feature(pair, table) for feature in _MEANINGS.values()),
        polarity.more_general(pair.swapped, table),
    ]


def entailment_values(_: str, hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
    """All features of pairs by name, float64 [n_pairs] each; each distinct pair once.

    Raises:
        PfsmError: If the parser or a table cannot be loaded.
        ValueError: If the lists differ in length, or one of them is a single string.
    """
    check_pairs(hypotheses, references)
    values = score_distinct(_distinct, hypotheses, references)
    return dict(zip(FEATURES, values.T, strict=True))


def _distinct(hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    engine = _engine()
    lines = list(dict.fromkeys([*references, *hypotheses]))
    sides = dict(zip(lines, map(side_of, analyse_lines(lines, DEFAULT_PARSER)), strict=True))
    rows = [
        engine.values(sides[reference], sides[hypothesis])
        for hypothesis, reference in zip(hypotheses, references, strict=True)
    ]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(FEATURES))


class _Engine:
    def __init__(self) -> None:
        self.table = load_relations(RELATIONS)
        self.senses = lru_cache(maxsize=100_000)(self.table.synonyms.synsets)

    def values(self, reference: Side, hypothesis: Side) -> list[float]:
        return pair_values(align(reference, hypothesis, self.senses), self.table)


_engine = lru_cache(maxsize=1)(_Engine)


def entailment_label(name: str) -> str:
    """A feature as a signature gives it: with the parser, the tables and our version of the definitions.

    Raises:
        PfsmError: If the parser or a table cannot be loaded.
    """
    table = _engine().table
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
        values=entailment_values,
        label=entailment_label,
        counts=frozenset(name for name in FEATURES if not name.endswith(("_r", "_h", "_match"))),
        about={"rte": "a feature of textual entailment"},
    ),
)
