"""Dependency features: no blocks of their own, but how far the syntax of two substituted words agrees.

Link features are those of Wang and Manning (2012), section 3.3. They hold where two neighbouring words are substituted
one after the other and stand in the same relation (subject, object or predicate) in the same direction on both sides:
relations of one class, or with ``links: label``, as the paper has it, those of one label.
Features of single substitutions go beyond the paper: both words have the same relation to their heads (``dep:class``),
their heads are the same word (``dep:head``), or both (``dep:both``). With ``marginals`` the value of a feature is the
probability that it holds, with the two sides taken as independent; else it is 1 where it holds of the likeliest trees.

The parser gets the lines themselves; its words are aligned with our tokens by characters
(`pfsm_linguistics.matchers.analysed_lines.relations`).
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.matchers.protocol import NO_BLOCKS, Annotations, EncodedPairs, MatcherKind, Offers, read_options
from pfsm.runtime.typed import Option, Options, flag, text
from pfsm.text.vocabulary import EncodedLines
from pfsm_linguistics.analysers.registry import DEFAULT_PARSER, pinned
from pfsm_linguistics.analysers.service import analyse_lines, analyser_label
from pfsm_linguistics.analysis.wanted import Wanted
from pfsm_linguistics.matchers.analysed_lines import (
    CLASS_OF_LABEL,
    LINK_CLASSES,
    Relation,
    Relations,
    read_pairs,
    relations,
)

BY_LABEL = "label"
KNOWN = {
    "parser": text(DEFAULT_PARSER, "the name of a parser"),
    "marginals": flag(False),
    "links": Option(True, lambda value: isinstance(value, bool) or value == BY_LABEL, "true, false or label"),
    "arcs": flag(True),
}
ARC_NAMES = ("dep:class", "dep:head", "dep:both")
LINK_NAMES = tuple(f"link:{name}" for name in LINK_CLASSES)
# Products of small probabilities say nothing and would fill the lattice.
_SMALLEST_VALUE = 1e-4


class DependencyFeatures:
    """Syntax of 1:1 substitutions.

    Args:
        parser: Name of the analyser, as `pfsm_linguistics.analysers.registry.get_analyser` takes it.
        marginals: Whether values are probabilities.
        links: Whether to give link features; `BY_LABEL`: of relations with the same label, not of the same class.
        arcs: Whether to give features of single substitutions.

    Raises:
        PfsmError: If the parser cannot be loaded.
    """

    name = "dep"
    state = ""

    def __init__(self, parser: str, *, marginals: bool, links: bool | str, arcs: bool) -> None:
        self._parser = parser
        self._marginals = marginals
        self._links, self._arcs = links, arcs
        self.resources = (analyser_label(parser),)

    def offers(self, pairs: EncodedPairs) -> Offers:  # noqa: ARG002 - a matcher's method
        """No blocks."""
        return NO_BLOCKS

    def annotate(self, pairs: EncodedPairs, blocks: NDArray[np.int32]) -> Annotations:
        """As `pfsm.matchers.protocol.Annotator.annotate`."""
        references, hypotheses = read_pairs(
            pairs,
            lambda lines: analyse_lines(lines, self._parser, Wanted(marginals=self._marginals)),
            lambda tokens, analysis: relations(tokens, analysis, marginals=self._marginals),
        )
        words = pairs.vocabulary.word_ids
        single = np.flatnonzero((blocks[:, 2] == 1) & (blocks[:, 4] == 1)).tolist()
        places = {tuple(blocks[row, [0, 1, 3]].tolist()) for row in single}
        arcs: list[tuple[int, int, float]] = []
        links: list[tuple[int, int, float]] = []
        for row in single:
            pair, i, _, j, _ = blocks[row].tolist()
            left, right = references[pair], hypotheses[pair]
            if self._arcs:
                sides = _line_words(pairs.references, pair, words), _line_words(pairs.hypotheses, pair, words)
                arcs += [(row, *entry) for entry in _arc_values(left[i], right[j], *sides)]
            if self._links and (pair, i - 1, j - 1) in places:
                links += [(row, *entry) for entry in self._link_values(left, i, right, j)]
        return Annotations(ARC_NAMES if self._arcs else (), arcs, LINK_NAMES if self._links else (), links)

    def _link_values(self, left: Relations, i: int, right: Relations, j: int) -> Iterator[tuple[int, float]]:
        """Number and value of the features of a substitution after its neighbour."""
        sums = dict.fromkeys(LINK_CLASSES, 0.0)
        # The later word hangs on the earlier one, or the earlier one on the later.
        for left_pair, right_pair in (((i, i - 1), (j, j - 1)), ((i - 1, i), (j - 1, j))):
            for one in _between(left, *left_pair):
                name = CLASS_OF_LABEL[one.label]
                for other in _between(right, *right_pair):
                    if one.label == other.label or (
                        self._links != BY_LABEL and name == CLASS_OF_LABEL[other.label]
                    ):
                        sums[name] += one.probability * other.probability
        return ((number, value) for number, value in enumerate(sums.values()) if value >= _SMALLEST_VALUE)


def _line_words(lines: EncodedLines, pair: int, words: NDArray[np.int32]) -> NDArray[np.int32]:
    return words[lines.ids[lines.offsets[pair] : lines.offsets[pair + 1]]]


def _arc_values(
    left: Sequence[Relation],
    right: Sequence[Relation],
    left_words: NDArray[np.int32],
    right_words: NDArray[np.int32],
) -> Iterator[tuple[int, float]]:
    """Number and value of the features of a substitution."""
    sums = [0.0, 0.0, 0.0]
    for one in left:
        for other in right:
            value = one.probability * other.probability
            same_class = one.label == other.label
            same_head = _same_word(one.head, other.head, left_words, right_words)
            sums[0] += value * same_class
            sums[1] += value * same_head
            sums[2] += value * (same_class and same_head)
    return ((number, value) for number, value in enumerate(sums) if value >= _SMALLEST_VALUE)


def _same_word(one: int, other: int, left_words: NDArray[np.int32], right_words: NDArray[np.int32]) -> bool:
    """Whether two heads are the same word, or both the root."""
    if not (one and other):
        return one == other
    return bool(left_words[one - 1] == right_words[other - 1])


def _between(line: Relations, dependent: int, head: int) -> list[Relation]:
    """How a word may hang on another, as far as features tell."""
    return [one for one in line[dependent] if one.head == head + 1 and one.label in CLASS_OF_LABEL]


def check_options(options: Options, where: str) -> dict[str, Any]:
    """``parser``, ``marginals``, ``links``, ``arcs`` with their defaults.

    Raises:
        PfsmError: If there is another option, or a value that cannot be.
    """
    chosen = read_options(options, KNOWN, where)
    if not (chosen["links"] or chosen["arcs"]):
        raise PfsmError(
            f"{where}: links and arcs are both false, which leaves no feature; take the matcher out"
        )
    return chosen


def learn_options(options: Options, pairs: EncodedPairs) -> dict[str, Any]:  # noqa: ARG001 - one signature for all
    """The parser with its checksum, if it neither ships nor is a plug-in."""
    return {**options, "parser": pinned(options["parser"])}


MATCHER = MatcherKind(
    "",
    lambda _, options: DependencyFeatures(**options),
    check_options,
    learn_options,
    lambda _: False,
    labels={
        "dep:class": "same relation to the head",
        "dep:head": "same head",
        "dep:both": "same head and relation",
    },
)
