"""NIST by its definition, with dictionaries, in the manner of the program ``mteval``."""

import math
from collections import Counter
from collections.abc import Sequence

Words = Sequence[str]
BETA = math.log(0.5) / math.log(1.5) ** 2


def ngrams(words: Words, order: int) -> Counter[tuple[str, ...]]:
    """The n-grams of a line with their counts."""
    return Counter(tuple(words[k : k + order]) for k in range(len(words) - order + 1))


class Information:
    """What n-grams are worth, counted over lines; an n-gram that they lack counts once."""

    def __init__(self, lines: Sequence[Words]) -> None:
        self.n_words = sum(map(len, lines))
        self.counts: Counter[tuple[str, ...]] = Counter()
        for line in lines:
            for order in range(1, 6):
                self.counts.update(ngrams(line, order))

    def __getitem__(self, gram: tuple[str, ...]) -> float:
        before = self.n_words if len(gram) == 1 else self.counts[gram[:-1]]
        return math.log2(max(before, 1) / max(self.counts[gram], 1))


def totals(
    hypothesis: Words, references: Sequence[Words], information: Information
) -> tuple[list[float], list[int], float, int]:
    """By order the information in common and the n-grams of the hypothesis; mean length of references, own length."""
    worth, sizes = [], []
    for order in range(1, 6):
        most: Counter[tuple[str, ...]] = Counter()
        for reference in references:
            most |= ngrams(reference, order)
        shared = ngrams(hypothesis, order) & most
        worth.append(sum(count * information[gram] for gram, count in shared.items()))
        sizes.append(max(0, len(hypothesis) - order + 1))
    return worth, sizes, sum(map(len, references)) / len(references), len(hypothesis)


def score(parts: Sequence[tuple[list[float], list[int], float, int]]) -> float:
    """NIST of the sums over segments."""
    worth = [sum(part[0][k] for part in parts) for k in range(5)]
    sizes = [sum(part[1][k] for part in parts) for k in range(5)]
    r, h = sum(part[2] for part in parts), sum(part[3] for part in parts)
    if not h or not r:
        return 0.0
    information = sum(w / n for w, n in zip(worth, sizes, strict=True) if n)
    return information * math.exp(BETA * math.log(min(h / r, 1.0)) ** 2)
