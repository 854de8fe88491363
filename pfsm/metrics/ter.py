"""What TER counts (Snover et al. 2006): the edits of each kind that turn the hypothesis into the reference.

Words are inserted (the hypothesis lacks them), deleted (it has too many) or substituted, and blocks of words are
shifted. Shifts and edit distance are those of sacrebleu's search, which tells only the sum of all edits; so its loop
over shifts is repeated here.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics.distinct import score_distinct
from pfsm.metrics.pairs import check_pairs

Float = NDArray[np.float64]
KINDS = ("insertions", "deletions", "substitutions", "shifts")
TER_PARTS = (*(f"ter.{kind}" for kind in KINDS), *(f"ter.{kind}_count" for kind in KINDS))


class Edits(NamedTuple):
    """How many edits of each kind."""

    insertions: int
    deletions: int
    substitutions: int
    shifts: int


def count_edits(hypothesis: Sequence[str], reference: Sequence[str]) -> Edits:
    """The edits that TER finds between two lists of words; their sum is TER's numerator."""
    from sacrebleu.metrics.lib_ter import (  # noqa: PLC0415 - takes a tenth of a second
        _MAX_SHIFT_CANDIDATES,
        BeamEditDistance,
        _shift,
    )

    words, target = list(hypothesis), list(reference)
    if not target:
        return Edits(0, len(words), 0, 0)
    distance = BeamEditDistance(target)
    shifts = tried = 0
    while True:
        gain, shifted, tried = _shift(words, target, distance, tried)
        if tried >= _MAX_SHIFT_CANDIDATES or gain <= 0:
            break
        shifts += 1
        words = shifted
    _, trace = distance(words)
    return Edits(trace.count("i"), trace.count("d"), trace.count("s"), shifts)


def ter_parts(hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    """Edits of the four kinds over the words of the reference, then their plain numbers: float64 [n_pairs, 8].

    With an empty reference the deletions are 1 if there is something to delete, as TER is.

    Raises:
        ValueError: If the lists differ in length, or one of them is a single string.
    """
    check_pairs(hypotheses, references)
    return score_distinct(_distinct, hypotheses, references)


def _distinct(hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer  # noqa: PLC0415

    tokenise = TercomTokenizer()
    rows = np.zeros((len(hypotheses), len(TER_PARTS)))
    for row, hypothesis, reference in zip(rows, hypotheses, references, strict=True):
        words, target = (tokenise(line.rstrip()).split() for line in (hypothesis, reference))
        edits = count_edits(words, target)
        row[4:] = edits
        row[:4] = np.array(edits) / (len(target) or max(len(words), 1))
    return rows
