"""Points lost against a perfect match: why a score is lower than that of the reference itself.

Both scores are sums of contributions of edits, entropy and features. A word of the reference loses as many points as
its edits contribute more in the perfect match; a word that only the hypothesis has, as many as its insertion costs.
What is left is the difference in jumps, entropy and features. So the losses add up to the difference of the two scores.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.lattice.names import JUMP
from pfsm.model.explain.explanation import Explanation, Lost

# Losses below this part of all losses, in absolute value, are folded.
SMALL = 0.05
MOST_SHOWN = 12

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Parts:
    """Points by word of the reference, by added word of the hypothesis, and of jumps."""

    reference: Float
    hypothesis: Float
    jumps: float


def points_lost(explanation: Explanation, perfect: Explanation) -> tuple[Lost, ...]:
    """The losses, largest first.

    Args:
        explanation: Of the pair.
        perfect: Of the pair of its reference with itself.
    """
    ours, best = _parts(explanation), _parts(perfect)
    words = best.reference + best.hypothesis - ours.reference
    found = [_of_word(explanation, i, points) for i, points in enumerate(words.tolist())]
    for j, points in enumerate(ours.hypothesis.tolist()):
        state = next((edit.state for edit in explanation.edits if edit.hypothesis == (j, j + 1)), "")
        if points:
            found.append(Lost(state, (), (explanation.hypothesis[j],), -points))
    found.append(Lost(JUMP, (), (), best.jumps - ours.jumps))
    found.append(Lost("entropy", (), (), perfect.entropy - explanation.entropy))
    found.extend(
        Lost(one.name, (), (), other.points - one.points)
        for one, other in zip(explanation.features, perfect.features, strict=True)
    )
    return tuple(sorted((one for one in found if one.points), key=lambda one: -one.points))


def folded(lost: Sequence[Lost]) -> tuple[list[Lost], float, int]:
    """What is worth showing, the sum of the rest, and their number."""
    least = SMALL * sum(abs(one.points) for one in lost)
    large = sorted((one for one in lost if abs(one.points) >= least), key=lambda one: -abs(one.points))
    shown = set(map(id, large[:MOST_SHOWN]))
    rest = [one.points for one in lost if id(one) not in shown]
    return [one for one in lost if id(one) in shown], sum(rest), len(rest)


def _of_word(explanation: Explanation, place: int, points: float) -> Lost:
    """The loss of a word of the reference, with the edit that the best sequence makes of it."""
    for edit in explanation.edits:
        if edit.reference[0] <= place < edit.reference[1]:
            words = explanation.hypothesis[slice(*edit.hypothesis)]
            return Lost(edit.state, (explanation.reference[place],), words, points)
    return Lost("", (explanation.reference[place],), (), points)


def _parts(explanation: Explanation) -> _Parts:
    reference = np.zeros(len(explanation.reference))
    hypothesis = np.zeros(len(explanation.hypothesis))
    jumps = 0.0
    for part in explanation.contributions:
        if part.reference[0] < part.reference[1]:
            reference[slice(*part.reference)] += part.points / (part.reference[1] - part.reference[0])
        elif part.hypothesis[0] < part.hypothesis[1]:
            hypothesis[slice(*part.hypothesis)] += part.points / (part.hypothesis[1] - part.hypothesis[0])
        else:
            jumps += part.points
    return _Parts(reference, hypothesis, jumps)
