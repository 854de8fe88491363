"""What chrF and TER count, and error rates: edits over words of the references.

chrF (Popović 2015) and chrF++ (Popović 2017) of many pairs at once, the same numbers as sacrebleu's.

With P and R the shares of the n-grams of hypothesis and reference that the other has, averaged over the orders that
both have: ``100 (1 + beta^2) P R / (beta^2 P + R)``, beta = 2. Orders are characters 1 to 6, spaces left out, and for
chrF++ words 1 and 2, where a sign at the end of a word, or else at its beginning, is a word of its own.

TER (Snover et al. 2006) counts the edits of each kind that turn the hypothesis into the reference. Words are inserted
(the hypothesis lacks them), deleted (it has too many) or substituted, and blocks of words are shifted. Words are
sacrebleu's; the search is that of `pfsm_kernels.strings.edit_rate`, whose numbers are sacrebleu's.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics.inputs import check_pairs, flat_pairs, score_distinct
from pfsm.text.scripts import spaceless

Float = NDArray[np.float64]


def rates_of_totals(totals: Float) -> Float:
    """Edits over words in percent; lower is better.

    Args:
        totals: float64 [..., 2], sums of edits and of words of the references.

    Returns:
        float64 [...]; without words 100 where there are edits, else 0.
    """
    edits, words = totals[..., 0], totals[..., 1]
    rates = np.divide(edits, words, out=np.array(edits > 0, dtype=np.float64), where=words > 0)
    return np.asarray(100.0 * rates)


def fewest_edits(
    count: Callable[[Sequence[str], Sequence[str]], Float],
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
) -> Float:
    """Edits to the closest reference, and the mean length of all references (Snover et al. 2006, section 2).

    Args:
        count: From hypotheses and references to edits and words of the reference, float64 [n_pairs, 2].
        hypotheses: One translation a segment.
        references: For each of them its references, one at least.

    Returns:
        float64 [n_segments, 2].
    """
    if not hypotheses:
        return np.zeros((0, 2))
    repeated, flat, starts = flat_pairs(hypotheses, references)
    edits, words = count(repeated, flat).T
    counts = np.diff([*starts, len(flat)])
    return np.column_stack([np.minimum.reduceat(edits, starts), np.add.reduceat(words, starts) / counts])


Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

BETA = 2
_SIGNS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def ngram_counts(
    hypotheses: Sequence[str], references: Sequence[str], *, words: bool, lowercase: bool
) -> Int64:
    """By order the n-grams of hypothesis and reference and those shared, int64 [n_pairs, n_orders, 3].

    Args:
        hypotheses: Translations.
        references: As many.
        words: Whether words are counted after the characters, as chrF++ does.
        lowercase: Whether case is ignored.
    """
    from pfsm_kernels.strings.ngrams import character_ngrams, word_ngrams  # noqa: PLC0415 - brings numba

    ours, theirs = (
        [line.lower() for line in side] if lowercase else side for side in (references, hypotheses)
    )
    counts = character_ngrams(*_code_points(ours), *_code_points(theirs))
    if words:
        numbers: dict[str, int] = {}
        left, right = (_word_ids(side, numbers) for side in (ours, theirs))
        counts = np.concatenate([counts, word_ngrams(*left, *right)], axis=1)
    return counts


def f_scores(counts: Int64 | Float) -> Float:
    """From n-grams of hypothesis and reference and those shared, [n_pairs, n_orders, 3], to scores, 0 to 100."""
    of_hypothesis, of_reference, shared = (counts[:, :, k].astype(np.float64) for k in range(3))
    asked = (of_hypothesis > 0) & (of_reference > 0)
    orders = np.maximum(asked.sum(axis=1), 1)
    # Added order by order, as sacrebleu does.
    precision, recall = np.zeros(len(counts)), np.zeros(len(counts))
    for order in range(counts.shape[1]):
        here = asked[:, order]
        precision[here] += shared[here, order] / of_hypothesis[here, order]
        recall[here] += shared[here, order] / of_reference[here, order]
    precision, recall = precision / orders, recall / orders
    factor = BETA**2
    scores = np.zeros(len(counts))
    found = precision + recall > 0
    p, r = precision[found], recall[found]
    scores[found] = 100 * ((1 + factor) * p * r / (factor * p + r))
    return scores


def _offsets(sizes: Iterable[int]) -> Int64:
    return np.cumsum([0, *sizes], dtype=np.int64)


def _code_points(lines: Sequence[str]) -> tuple[Int32, Int64]:
    text, sizes = spaceless(lines)
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<i4")
    return points.astype(np.int32, copy=False), _offsets(sizes)


def _word_ids(lines: Sequence[str], numbers: dict[str, int]) -> tuple[Int32, Int64]:
    cut = [_words(line) for line in lines]
    ids = [numbers.setdefault(word, len(numbers)) for words in cut for word in words]
    return np.array(ids, dtype=np.int32), _offsets(map(len, cut))


def _words(line: str) -> list[str]:
    words = []
    for word in line.split():
        if len(word) == 1:
            words.append(word)
        elif word[-1] in _SIGNS:
            words += [word[:-1], word[-1]]
        elif word[0] in _SIGNS:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


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
