"""Points lost against a perfect match: why a score is lower than that of the reference itself.

Both scores are sums of contributions of edits, entropy and features. A word of the reference loses as many points as
its edits contribute more in the perfect match; a word that only the hypothesis has, as many as its insertion costs.
What is left is the difference in jumps, entropy and features. So the losses add up to the difference of the two scores.
"""

from collections.abc import Sequence

from pfsm.lattice.names import JUMP
from pfsm.model.explain.building import PerfectMatch
from pfsm.model.explain.contributions import as_arrays, points_by_word
from pfsm.model.explain.explanation import Edit, Explanation, Lost

# Losses below this part of all losses, in absolute value, are folded.
SMALL = 0.05
MOST_SHOWN = 12
LESS_SURE = "matches less sure"


def points_lost(explanation: Explanation, perfect: PerfectMatch) -> tuple[Lost, ...]:
    """The losses, largest first.

    Args:
        explanation: Of the pair.
        perfect: Its reference with itself.
    """
    parts = as_arrays(explanation.contributions)
    lengths = len(explanation.reference), len(explanation.hypothesis)
    ours, added, jumps = points_by_word(parts.ranges, parts.points, lengths)
    of_reference, of_hypothesis = _edits_by_word(explanation)
    found = [
        Lost(
            *_state_and_words(explanation, of_reference.get(place), (word,)),
            best - points,
        )
        for place, (word, points, best) in enumerate(
            zip(explanation.reference, ours.tolist(), perfect.words, strict=True)
        )
    ]
    found += [
        Lost(of_hypothesis.get(place, ""), (), (word,), -points)
        for place, (word, points) in enumerate(zip(explanation.hypothesis, added.tolist(), strict=True))
    ]
    found.append(Lost(JUMP, (), (), perfect.jumps - jumps))
    found.append(Lost("entropy", (), (), perfect.entropy - explanation.entropy))
    found += [
        Lost(one.name, (), (), other.points - one.points)
        for one, other in zip(explanation.features, perfect.features, strict=True)
    ]
    return tuple(sorted((one for one in found if one.points), key=_by_points))


def folded(lost: Sequence[Lost]) -> tuple[list[Lost], float, int]:
    """What is worth showing, the sum of the rest, and their number.

    Words that are matched with themselves are not what is wrong with a translation. They lose points because the model
    is less sure of such matches than in a perfect one; together they are one loss, `LESS_SURE`.
    """
    same = [one.points for one in lost if _is_same(one)]
    if same:
        others = [one for one in lost if not _is_same(one)]
        lost = sorted([*others, Lost(LESS_SURE, (), (), sum(same))], key=_by_points)
    least = SMALL * sum(abs(one.points) for one in lost)
    large = sorted(
        (one for one in lost if abs(one.points) >= least), key=lambda one: -round(abs(one.points), 9)
    )
    shown = set(map(id, large[:MOST_SHOWN]))
    rest = [one.points for one in lost if id(one) not in shown]
    return [one for one in lost if id(one) in shown], sum(rest), len(rest)


def _by_points(lost: Lost) -> float:
    """Largest first; equal ones, whatever rounding did to them, in the order of the words."""
    return -round(lost.points, 9)


def _is_same(lost: Lost) -> bool:
    """Whether it is of words that are matched with themselves."""
    sides = [" ".join(words).casefold() for words in (lost.reference, lost.hypothesis)]
    return bool(lost.reference) and sides[0] == sides[1]


def _edits_by_word(explanation: Explanation) -> tuple[dict[int, Edit], dict[int, str]]:
    """The edit of the best sequence at each word of the reference, and its state at each single added word."""
    of_reference: dict[int, Edit] = {}
    of_hypothesis: dict[int, str] = {}
    for edit in explanation.edits:
        of_reference |= dict.fromkeys(range(*edit.reference), edit)
        if edit.reference[0] == edit.reference[1]:
            of_hypothesis |= dict.fromkeys(range(*edit.hypothesis), edit.state)
    return of_reference, of_hypothesis


def _state_and_words(
    explanation: Explanation, edit: Edit | None, word: tuple[str, ...]
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    if edit is None:
        return "", word, ()
    return edit.state, word, explanation.hypothesis[slice(*edit.hypothesis)]
