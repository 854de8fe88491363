"""Lengths of pairs as numbers about them, and the metric that compares them."""

from collections.abc import Mapping, Sequence

import numpy as np

from pfsm.arrays import Float
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.inputs import check_pairs
from pfsm.text.characters import composed
from pfsm.text.scripts import spaceless_sizes

CHARACTERS = ("length", "length_difference")
LENGTHS = (*CHARACTERS, "reference_words", "hypothesis_words")


class LengthRatio(SegmentMetric):
    """``min(m, n) / max(m, n)`` of the lengths of reference and hypothesis in characters, spaces not counted.

    Characters, so that it means the same where words have no spaces between them. 1 for two empty sides. Several
    references: the best one of each segment counts.
    """

    name = "length_ratio"

    def entries(self) -> Mapping[str, str]:
        """What is counted."""
        return {"unit": "character", "space": "no"}

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Ratios, float64 [n_pairs], from 0 (one side empty) to 1 (equally long)."""
        check_pairs(hypotheses, references)
        lengths = np.array([spaceless_sizes(list(map(composed, side))) for side in (hypotheses, references)])
        longest = lengths.max(axis=0, initial=0)
        ratios = np.ones(longest.size)
        np.divide(lengths.min(axis=0), longest, out=ratios, where=longest > 0)
        return ratios


def length_parts(name: str, hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
    """The lengths that a feature is one of, by name, float64 [n_pairs] each; words are counted where asked for.

    ``log(1 + r)`` and ``log((1 + h) / (1 + r))``, r and h in characters, then the words of the reference and of the
    hypothesis between spaces.
    """
    sides = (references, hypotheses)
    ours, theirs = (np.log1p(np.fromiter(map(len, side), np.float64, len(side))) for side in sides)
    found = [ours, theirs - ours]
    if name not in CHARACTERS:
        found += [np.array([len(line.split()) for line in side], dtype=np.float64) for side in sides]
    return dict(zip(LENGTHS, found, strict=False))
