"""Where many words at once stand in a long list, and what they may be inflected forms of."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

NOWHERE = -1


class WordList:
    """The places of words in a list; the last one of a word that is listed twice.

    Made from the text of the list: a Python string for each of a hundred thousand words, and a dictionary of them, take
    longer than the start of a program should.

    Args:
        text: The words, a line feed between two; none where it is empty.
        rules: Endings and what replaces them, for `forms`.
    """

    def __init__(self, text: str, rules: Sequence[tuple[str, str]] = ()) -> None:
        from pfsm_kernels.strings.word_list import slots_of  # noqa: PLC0415 - brings numba

        self._codes = code_points(f"{text}\n" if text else "")
        self._words = np.concatenate([[0], np.flatnonzero(self._codes == ord("\n")) + 1])
        self._slots = slots_of(self._codes, self._words)
        self._endings = code_points("".join(old + new for old, new in rules))
        starts = accumulate((len(old) + len(new) for old, new in rules), initial=0)
        self._rules = np.array(
            [
                (start, start + len(old), start + len(old) + len(new))
                for start, (old, new) in zip(starts, rules, strict=False)
            ],
            dtype=np.int64,
        ).reshape(-1, 3)

    def __len__(self) -> int:
        """Number of words, each time that it is listed."""
        return self._words.size - 1

    def places(self, words: Sequence[str]) -> Int32:
        """The places of words, int32 [n]; `NOWHERE` for those that are not in the list."""
        return self._found(words, self._rules[:0])[:, 0]

    def forms(self, words: Sequence[str]) -> Int32:
        """The places of words, and of what each rule makes of them, int32 [n, 1 + n_rules].

        `NOWHERE` for what is not in the list, and for rules whose ending a word does not have.
        """
        return self._found(words, self._rules)

    def _found(self, words: Sequence[str], rules: Int64) -> Int32:
        from pfsm_kernels.strings.word_list import find_words  # noqa: PLC0415 - brings numba

        offsets = np.zeros(len(words) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, words), np.int64, len(words)), out=offsets[1:])
        text = code_points("".join(words))
        return find_words(self._codes, self._words, self._slots, text, offsets, self._endings, rules)


def code_points(text: str) -> Int32:
    """The characters of a text as numbers, int32 [n]."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<i4")
    return points.astype(np.int32, copy=False)
