"""Other texts of the same file, from which a kind takes foreign words.

The texts stand on a ring in the order of their hashes. A text takes from those that follow it, so a row added to the
file changes the pairs of the row before it on the ring and of no other.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from hashlib import blake2b


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
