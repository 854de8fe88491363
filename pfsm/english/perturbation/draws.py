"""What is drawn: numbers by `Dice`, other texts of the same file by `Pool`.

Draws depend on a seed, a kind and a text, and on nothing else: no other row, thread or Python version. The texts of a
pool stand on a ring in the order of their hashes. A text takes from those that follow it, so a row added to the file
changes the pairs of the row before it on the ring and of no other.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import TypeVar

Item = TypeVar("Item")


class Dice:
    """Draws for one text and one kind: the digits of a hash of all three, extended by a counter.

    Args:
        seed: The user's seed.
        kind: Name of the kind.
        text: The text to be changed.
    """

    def __init__(self, seed: int, kind: str, text: str) -> None:
        self._key = blake2b(
            f"{seed}\0{kind}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16
        ).digest()
        self._count = 0

    @property
    def rank(self) -> bytes:
        """A value by which texts are sorted at random; it takes no draw."""
        return self._key

    def below(self, limit: int) -> int:
        """A whole number from 0, less than ``limit``."""
        self._count += 1
        drawn = blake2b(self._count.to_bytes(8, "little"), key=self._key, digest_size=8).digest()
        return int.from_bytes(drawn, "little") % limit

    def between(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        return low + self.below(high - low + 1)

    def choice(self, items: Sequence[Item]) -> Item:
        """One of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """All items in a random order (Fisher-Yates)."""
        result = list(items)
        for place in range(len(result) - 1, 0, -1):
            other = self.below(place + 1)
            result[place], result[other] = result[other], result[place]
        return result


class Pool:
    """Texts on a ring.

    Args:
        texts: The texts; their order and repetitions make no difference.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        ring = sorted((_place(text), text) for text in set(texts) if text.strip())
        self._places = [place for place, _ in ring]
        self._texts = [text for _, text in ring]

    def after(self, text: str, most: int = 20) -> Iterator[str]:
        """The texts that follow one on the ring, at most so many, without itself."""
        start = bisect_right(self._places, _place(text))
        for step in range(min(most, len(self._texts))):
            found = self._texts[(start + step) % len(self._texts)]
            if found != text:
                yield found


def _place(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
