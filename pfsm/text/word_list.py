"""Where many words at once stand in a long list, and what they may be inflected forms of.

Where words stand in a long list, without a dictionary where few are looked up.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
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


class WordPlaces:
    """The places of words in a list; the last one of a word that is listed twice.

    A dictionary of a long list takes longer than the start of a program should, so the first look-ups search a list in
    order by halves.

    Args:
        words: The list.
        searches: Look-ups before there is a dictionary.
    """

    def __init__(self, words: list[str], searches: int = 1000) -> None:
        self._words = words
        self._searches = searches if sorted(words) == words else 0
        self._places: dict[str, int] = {}

    def get(self, word: str) -> int:
        """The place of a word; `NOWHERE` if it is not in the list."""
        if self._places:
            return self._places.get(word, NOWHERE)
        if not self._searches:
            self._places = {known: place for place, known in enumerate(self._words)}
            return self._places.get(word, NOWHERE)
        self._searches -= 1
        after = bisect_right(self._words, word)
        return after - 1 if after and self._words[after - 1] == word else NOWHERE

    def items(self) -> Iterable[tuple[str, int]]:
        """All words with their places, in the order of the list."""
        return zip(self._words, range(len(self._words)), strict=True)

    def __len__(self) -> int:
        """Number of different words."""
        return len(set(self._words))
