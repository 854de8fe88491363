"""Where words stand in a long list, without a dictionary where few are looked up."""

from bisect import bisect_right
from collections.abc import Iterable

NOWHERE = -1


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
        """Number of words, each time that it is listed."""
        return len(self._words)
