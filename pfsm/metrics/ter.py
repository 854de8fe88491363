"""What TER counts (Snover et al. 2006): the edits of each kind that turn the hypothesis into the reference.

Words are inserted (the hypothesis lacks them), deleted (it has too many) or substituted, and blocks of words are
shifted. Words are sacrebleu's; the search is that of `pfsm_kernels.strings.edit_rate`, whose numbers are sacrebleu's.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics.distinct import score_distinct
from pfsm.metrics.pairs import check_pairs

Float = NDArray[np.float64]
KINDS = ("insertions", "deletions", "substitutions", "shifts")
TER_PARTS = (*(f"ter.{kind}" for kind in KINDS), *(f"ter.{kind}_count" for kind in KINDS))
# Places of the four kinds in what the kernel counts.
_COLUMNS = (1, 2, 3, 4)


def count_edits(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> Float:
    """The edits of each of `KINDS` that TER finds between lists of words, float64 [n_pairs, 4].

    The sum of a row is TER's numerator.
    """
    from pfsm_kernels.strings.edit_rate import KINDS as COUNTED  # noqa: PLC0415 - brings numba
    from pfsm_kernels.strings.edit_rate import count_edits as count  # noqa: PLC0415

    ids: dict[str, int] = {}
    sides = [_numbered(lines, ids) for lines in (references, hypotheses)]
    nothing = np.zeros(len(hypotheses) + 1, dtype=np.int64)
    links, phrases = (np.zeros((0, columns), dtype=np.int32) for columns in (3, 4))
    costs = np.ones(COUNTED)
    costs[0] = 0.0
    counts, _ = count(*sides[0], *sides[1], links, nothing, phrases, nothing, np.zeros(0), costs)
    return counts[:, _COLUMNS]


def _numbered(
    lines: Sequence[Sequence[str]], ids: dict[str, int]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Words of all lines as numbers, equal where words are, and where each line begins."""
    words = np.array([ids.setdefault(word, len(ids)) for line in lines for word in line], dtype=np.int32)
    return words, np.cumsum([0, *map(len, lines)], dtype=np.int64)


def edits_and_words(
    hypotheses: Sequence[str], references: Sequence[str], options: Mapping[str, Any] | None = None
) -> tuple[Float, NDArray[np.int64]]:
    """Edits by kind, float64 [n_pairs, 4], and words of hypotheses and references, int64 [n_pairs, 2].

    Args:
        hypotheses: Translations.
        references: As many references.
        options: Arguments of sacrebleu's tokeniser for TER.
    """
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer  # noqa: PLC0415 - takes a tenth of a second

    tokenise = TercomTokenizer(**(options or {}))
    split = {line: tokenise(line.rstrip()).split() for line in {*hypotheses, *references}}
    ours, theirs = ([split[line] for line in lines] for lines in (hypotheses, references))
    lengths = np.array(
        [[len(one), len(other)] for one, other in zip(ours, theirs, strict=True)], dtype=np.int64
    )
    return count_edits(ours, theirs), lengths.reshape(len(ours), 2)


def ter_parts(hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    """Edits of the four kinds over the words of the reference, then their plain numbers: float64 [n_pairs, 8].

    With an empty reference the deletions are 1 if there is something to delete, as TER is.

    Raises:
        ValueError: If the lists differ in length, or one of them is a single string.
    """
    check_pairs(hypotheses, references)
    return score_distinct(_parts, hypotheses, references)


def _parts(hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    edits, words = edits_and_words(hypotheses, references)
    ours, theirs = words.T
    return np.hstack([edits / np.where(theirs > 0, theirs, np.maximum(ours, 1))[:, np.newaxis], edits])
