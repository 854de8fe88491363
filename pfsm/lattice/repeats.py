"""Words that a line says twice in a row, alone or in a phrase: ``the the``, ``in the house in the house``."""

import numpy as np
from numpy.typing import NDArray

from pfsm.text.vocabulary import EncodedLines, Vocabulary

LONGEST = 8
"""Most tokens of a phrase that is said twice."""

Bool = NDArray[np.bool_]


def repeated_words(lines: EncodedLines, vocabulary: Vocabulary) -> Bool:
    """Which tokens are words of a run of up to `LONGEST` tokens that stands twice in a row, bool [n_tokens].

    Words are compared as the vocabulary compares them. The words of both runs count: which of them an edit sequence
    matches and which it inserts makes no difference then. Punctuation within such a run does not count.
    """
    words = vocabulary.word_ids[lines.ids]
    is_word = ~vocabulary.is_punctuation[lines.ids]
    line = np.repeat(np.arange(len(lines)), np.diff(lines.offsets))
    found = np.zeros(words.size, dtype=np.bool_)
    for size in range(1, min(LONGEST, words.size // 2) + 1):
        agrees = (words[size:] == words[:-size]) & (line[size:] == line[:-size])
        if agrees.any():
            found |= _twice(agrees, size, words.size)
    return found & is_word


def _twice(agrees: Bool, size: int, count: int) -> Bool:
    """The tokens of all runs of a size that stand twice in a row, by where a token agrees with that ``size`` later."""
    sums = np.concatenate([[0], np.cumsum(agrees)])
    first = np.flatnonzero(sums[size:] - sums[:-size] == size)
    marks = np.zeros(count + 1, dtype=np.int64)
    np.add.at(marks, first, 1)
    np.add.at(marks, first + 2 * size, -1)
    return np.cumsum(marks[:-1]) > 0
