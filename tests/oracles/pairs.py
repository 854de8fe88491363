"""Agreement about pairs of translations straight from the definitions: every pair, threshold and order tried."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import combinations, product

from tests.oracles.rank import sign

Counts = tuple[int, int, int, int, int]


def segment_rows(segments: Sequence[Hashable]) -> Iterator[list[int]]:
    """The rows of each segment."""
    for name in dict.fromkeys(segments):
        yield [row for row, segment in enumerate(segments) if segment == name]


def counts(
    human: Sequence[float], metric: Sequence[float], rows: Sequence[int], threshold: float = 0.0
) -> Counts:
    """Concordant, discordant, tied by people alone, by the metric alone, by both."""
    found = [0, 0, 0, 0, 0]
    for i, j in combinations(rows, 2):
        people = sign(human[i] - human[j])
        gap = metric[i] - metric[j]
        machine = 0 if abs(gap) <= threshold else sign(gap)
        if people and machine:
            found[0 if people == machine else 1] += 1
        else:
            found[4 if people == machine else 2 if machine else 3] += 1
    return found[0], found[1], found[2], found[3], found[4]


def accuracy_with_ties(
    human: Sequence[float], metric: Sequence[float], segments: Sequence[Hashable], threshold: float
) -> float:
    """Deutsch et al. (2023), equation 8, averaged over the segments that have pairs."""
    accuracies = []
    for rows in segment_rows(segments):
        if len(rows) > 1:
            concordant, discordant, *ties = counts(human, metric, rows, threshold)
            accuracies.append((concordant + ties[2]) / (concordant + discordant + sum(ties)))
    return sum(accuracies) / len(accuracies) if accuracies else float("nan")


def best_accuracy_with_ties(
    human: Sequence[float], metric: Sequence[float], segments: Sequence[Hashable]
) -> float:
    """The accuracy at the best of all thresholds."""
    gaps = {abs(metric[i] - metric[j]) for i, j in combinations(range(len(metric)), 2)}
    return max(accuracy_with_ties(human, metric, segments, gap) for gap in {0.0, *gaps})


# What a pair adds to numerator and denominator, by what people say (in one direction) and what the metric says.
WMT_TABLES: dict[str, dict[str, tuple[int, int]]] = {
    "wmt12": {"same": (1, 1), "tie": (-1, 1), "opposite": (-1, 1)},
    "wmt13": {"same": (1, 1), "tie": (0, 0), "opposite": (-1, 1)},
    "wmt14": {"same": (1, 1), "tie": (0, 1), "opposite": (-1, 1)},
    "darr": {"same": (1, 1), "tie": (-1, 1), "opposite": (-1, 1)},
}


def wmt_kendall(
    human: Sequence[float], metric: Sequence[float], segments: Sequence[Hashable], variant: str
) -> float:
    """Macháček and Bojar (2014): coefficients summed over pairs; a tie of people is left out."""
    top, bottom = 0, 0
    for rows in segment_rows(segments):
        for i, j in combinations(rows, 2):
            difference = human[i] - human[j]
            if difference == 0.0 or (variant == "darr" and abs(difference) < 25.0):
                continue
            agreement = sign(difference) * sign(metric[i] - metric[j])
            outcome = {1: "same", 0: "tie", -1: "opposite"}[agreement]
            coefficient, counted = WMT_TABLES[variant][outcome]
            top, bottom = top + coefficient, bottom + counted
    return top / bottom if bottom else float("nan")


Judgment = tuple[Hashable, Hashable, int, float]
"""First and second translation, 1, -1 or 0 for the preferred one, votes."""


def agreed(judgments: Sequence[Judgment], score: Callable[[Hashable], float]) -> float:
    """The share of votes that scores of single translations agree with."""
    total = sum(votes for *_, votes in judgments)
    right = sum(
        votes
        for first, second, preferred, votes in judgments
        if sign(score(first) - score(second)) == preferred
    )
    return right / total if total else float("nan")


def every_scoring(judgments: Sequence[Judgment]) -> Iterator[dict[Hashable, int]]:
    """Every way to order the translations, places shared or not."""
    items = sorted({item for first, second, *_ in judgments for item in (first, second)}, key=repr)
    for places in product(range(len(items)), repeat=len(items)):
        yield dict(zip(items, places, strict=True))
