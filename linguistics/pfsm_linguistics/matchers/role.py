"""Agreement of semantic roles: no blocks of its own, but whether two substituted words have the same role.

The role of a word is the label of the shortest argument that the word is in, with the lemma of the predicate; a
predicate's own role is V. On a 1:1 substitution hold ``role:same`` (both words have the same label), ``role:verb`` (and
their predicates the same lemma), ``role:other`` (their labels differ) and ``role:one`` (one of them has no role). So
"dogs" against "dogs" is ``role:same`` in "dogs chase cats" and "dogs hate cats", ``role:verb`` where both chase, and
``role:other`` where cats chase dogs.

With ``expected`` the value of a feature is the probability that it holds, with the two sides taken as independent: a
possible argument is the shortest one of a word if it is an argument and no shorter one is. Else it is 1 where the
feature holds of the labeller's decisions.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.matchers.protocol import NO_BLOCKS, Annotations, EncodedPairs, MatcherKind, Offers, read_options
from pfsm.runtime.typed import flag, text
from pfsm_linguistics.analysers.registry import DEFAULT_PARSER
from pfsm_linguistics.analysers.service import analyse_lines, analyser_label
from pfsm_linguistics.analysis.alignment import align
from pfsm_linguistics.analysis.roles import Frame
from pfsm_linguistics.analysis.sentence import Analysis
from pfsm_linguistics.analysis.wanted import Wanted
from pfsm_linguistics.matchers.analysed_lines import read_pairs
from pfsm_linguistics.matchers.dependency import learn_options

KNOWN = {"parser": text(DEFAULT_PARSER, "the name of a parser"), "expected": flag(False)}
NAMES = ("role:same", "role:verb", "role:other", "role:one")
PREDICATE = "V"
# Products of small probabilities say nothing and would fill the lattice.
_SMALLEST_VALUE = 1e-4
_WANTED = Wanted(roles=True)

Role = tuple[str, str]
"""A label and the lemma of its predicate."""
WordRoles = Mapping[Role, float]
"""The possible roles of a word with their probabilities, which sum to at most 1; the rest is that it has none."""
LineRoles = tuple[WordRoles, ...] | None
"""The roles of each of our tokens; None where nothing is known of the line."""


class RoleFeatures:
    """Semantic roles of 1:1 substitutions.

    Args:
        parser: Name of the analyser, as `pfsm_linguistics.analysers.registry.get_analyser` takes it.
        expected: Whether values are probabilities.

    Raises:
        PfsmError: If the parser cannot be loaded.
    """

    name = "role"
    state = ""

    def __init__(self, parser: str, *, expected: bool) -> None:
        self._parser = parser
        self._expected = expected
        self.resources = (analyser_label(parser, _WANTED),)

    def offers(self, pairs: EncodedPairs) -> Offers:  # noqa: ARG002 - a matcher's method
        """No blocks."""
        return NO_BLOCKS

    def annotate(self, pairs: EncodedPairs, blocks: NDArray[np.int32]) -> Annotations:
        """As `pfsm.matchers.protocol.Annotator.annotate`; nothing where the analysis of a line failed."""
        references, hypotheses = read_pairs(
            pairs,
            lambda lines: analyse_lines(lines, self._parser, _WANTED),
            lambda tokens, analysis: roles_of_tokens(tokens, analysis, expected=self._expected),
        )
        arcs: list[tuple[int, int, float]] = []
        for row in np.flatnonzero((blocks[:, 2] == 1) & (blocks[:, 4] == 1)).tolist():
            pair, i, _, j, _ = blocks[row].tolist()
            left, right = references[pair], hypotheses[pair]
            if left is not None and right is not None:
                values = enumerate(agreement(left[i], right[j]))
                arcs += [(row, number, value) for number, value in values if value >= _SMALLEST_VALUE]
        return Annotations(NAMES, arcs)


def agreement(left: WordRoles, right: WordRoles) -> tuple[float, float, float, float]:
    """The probabilities of `NAMES` for two words."""
    verb = sum(value * right.get(role, 0.0) for role, value in left.items())
    ours, theirs = _labels(left), _labels(right)
    same = sum(value * theirs.get(label, 0.0) for label, value in ours.items())
    one, other = sum(ours.values()), sum(theirs.values())
    return same, verb, max(0.0, one * other - same), one + other - 2.0 * one * other


def _labels(roles: WordRoles) -> dict[str, float]:
    found: dict[str, float] = {}
    for (label, _), value in roles.items():
        found[label] = found.get(label, 0.0) + value
    return found


def roles_of_tokens(tokens: Sequence[str], analysis: Analysis, *, expected: bool) -> LineRoles:
    """The roles of our tokens; None if the analysis failed or belongs to another text.

    A token that holds several of the analyser's words has the roles of the first of them; tokens that are parts of one
    word all have that word's.

    Args:
        tokens: Our tokens.
        analysis: The analysis of the same text.
        expected: Whether to take all possible arguments with their probabilities.

    Raises:
        PfsmError: If the analyser gives no roles.
    """
    if analysis.is_failed:
        return None
    if analysis.frames is None and analysis.tokens:
        raise PfsmError(
            "matcher role: the parser gives no semantic roles; choose another, or give a file of roles, "
            "as in parser: file:roles.conllu"
        )
    alignment = align(tokens, analysis.tokens)
    if alignment is None:
        return None
    words = _roles_of_words(len(analysis.tokens), analysis.frames or (), expected=expected)
    return tuple(words[word] if word >= 0 else {} for word in alignment.first.tolist())


def _roles_of_words(n_words: int, frames: Sequence[Frame], *, expected: bool) -> list[WordRoles]:
    """The roles of each word: predicates are V, of arguments the shortest counts."""
    held: list[list[tuple[int, int, Role, float]]] = [[] for _ in range(n_words)]
    for frame in frames if expected else [one for one in frames if one.is_likely]:
        share = frame.probability if expected else 1.0
        held[frame.predicate].append((0, frame.predicate, (PREDICATE, frame.lemma), share))
        for argument in frame.possible if expected else frame.arguments:
            own = argument.words
            probability = share * argument.probability if expected else 1.0
            for word in own:
                held[word].append((len(own), frame.predicate, (argument.label, frame.lemma), probability))
    return [_innermost(one) for one in held]


def _innermost(held: Sequence[tuple[int, int, Role, float]]) -> WordRoles:
    """The probability that each role is that of the shortest argument, as if arguments were independent."""
    left = 1.0
    found: dict[Role, float] = {}
    for _, _, role, probability in sorted(held):
        found[role] = found.get(role, 0.0) + left * probability
        left *= 1.0 - probability
    return {role: value for role, value in found.items() if value > 0}


MATCHER = MatcherKind(
    "",
    lambda _, options: RoleFeatures(**options),
    lambda options, where: read_options(options, KNOWN, where),
    learn_options,
    lambda _: False,
    labels={
        "role:same": "same role",
        "role:verb": "same role of the same verb",
        "role:other": "another role",
        "role:one": "a role on one side only",
    },
)
