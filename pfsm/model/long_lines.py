"""Long lines, which models of the relative form score by their sentences.

A pair has parts, sentences of both sides that say the same (`pfsm.text.parts`), which are scored one by one. With u_k
the words of both sides of the k-th part and s_k its score, the pair has

    s = (1 - t) s_whole + t sum_k u_k s_k / sum_k u_k,        t = (u / 2 - a) / (b - a), from 0 to 1,

where u are the words of the pair and a and b are `SENTENCES`, or `STRETCHES` where no side has two sentences. So no
word more or less moves a score by much. A part that the reference does not have is counted from its own perfect match.
Explanations and alignments of the parts are joined to those of the lines.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pfsm.model.file import PERFECT
from pfsm.text.parts import LONG, LONG_OF_SENTENCES, MOST_WORDS, parts
from pfsm.text.scripts import n_words
from pfsm.text.sentences import split

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]
Lengths = tuple[int, int]

# Words of a side, in the mean over both: up to the first a pair is scored whole, from the second on in parts.
SENTENCES = (float(LONG_OF_SENTENCES), float(LONG))
STRETCHES = (float(MOST_WORDS), 1.5 * MOST_WORDS)
# Of weights.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class LongLines:
    """Pairs as what is scored of them: each whole, in parts, or both.

    Attributes:
        hypotheses: One side of what is scored.
        references: The other.
        owner: int64 [n_scored], ascending, which pair each is of.
        weights: float64 [n_scored], of each pair they add up to 1.
        whole: bool [n_scored], what is a pair as it stands.
    """

    hypotheses: list[str]
    references: list[str]
    owner: Int64
    weights: Float
    whole: NDArray[np.bool_]

    def repeated(self, columns: Mapping[str, Float]) -> dict[str, Float]:
        """Columns of the pairs for what is scored of them."""
        return {name: values[self.owner] for name, values in columns.items()}

    @cached_property
    def _explained(self) -> Int64:
        """What is explained: the parts, and pairs that have none."""
        alone = np.bincount(self.owner)[self.owner] == 1
        return np.flatnonzero(~self.whole | alone)

    @property
    def parts(self) -> tuple[list[str], list[str]]:
        """The hypotheses and references of the parts, and of pairs that have none."""
        rows = self._explained.tolist()
        return [self.hypotheses[row] for row in rows], [self.references[row] for row in rows]

    def of_parts(self, columns: Mapping[str, Float]) -> dict[str, Float]:
        """Columns of the pairs for `parts`."""
        return {name: values[self.owner[self._explained]] for name, values in columns.items()}

    @property
    def owners_of_parts(self) -> tuple[Int64, Float]:
        """Of `parts`, the pair and the weight of each."""
        return self.owner[self._explained], self.weights[self._explained]

    def scores(self, scored: Float) -> Float:
        """The scores of the pairs, float64 [n_pairs], counted from a perfect one, which stays exact."""
        return np.asarray(PERFECT - np.bincount(self.owner, self.weights * (PERFECT - scored)))


def long_lines(hypotheses: Sequence[str], references: Sequence[str], language: str) -> LongLines | None:
    """What is scored of pairs; None if all of them are scored whole.

    Args:
        hypotheses: One side of the pairs.
        references: The other.
        language: Code of their language.
    """
    found = {
        place: several
        for place, (hypothesis, reference) in enumerate(zip(hypotheses, references, strict=True))
        # So many words have more characters.
        if len(hypothesis) + len(reference) > 2 * LONG_OF_SENTENCES
        and (several := _parts(reference, hypothesis, language))
    }
    if not found:
        return None
    scored: list[tuple[str, str, int, float, bool]] = []
    for place, (hypothesis, reference) in enumerate(zip(hypotheses, references, strict=True)):
        several = found.get(place, [])
        rest = 1.0 - sum(weight for *_, weight in several)
        if not several or rest > ROUNDING:
            scored.append((hypothesis, reference, place, rest, True))
        scored += [(one, other, place, weight, False) for other, one, weight in several]
    sides = list(zip(*scored, strict=True))
    return LongLines(list(sides[0]), list(sides[1]), *map(np.array, sides[2:]))


def _parts(reference: str, hypothesis: str, language: str) -> list[tuple[str, str, float]]:
    """The parts of a pair with their weights; none if it is scored whole."""
    size = 0.5 * (n_words(reference) + n_words(hypothesis))
    if size <= SENTENCES[0]:
        return []
    several = [
        (reference[r0:r1].strip(), hypothesis[h0:h1].strip())
        for r0, r1, h0, h1 in parts(reference, hypothesis, language)
    ]
    low, high = (
        SENTENCES if any(len(split(side, language)) > 1 for side in (reference, hypothesis)) else STRETCHES
    )
    if len(several) < 2 or size <= low:
        return []
    words = [n_words(one) + n_words(other) for one, other in several]
    total = sum(words) / min((size - low) / (high - low), 1.0)
    return [(*pair, own / total) for pair, own in zip(several, words, strict=True) if own]
