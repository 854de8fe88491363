"""The selection of a paraphrase table's entries, and the form of their words."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from pfsm.lexicons.paraphrase_formats import Entry
from pfsm.lexicons.paraphrases import Phrase

LONGEST = 2
SMALLEST_PROBABILITY = 0.01
# Entries between two reports.
STEP = 1_000_000


@dataclass
class Pruner:
    """Collects the entries worth keeping.

    Words are lower-cased. An entry is left out if a side has more than ``longest`` words or a word without a letter or
    digit, if both sides are the same words, or if its probability is 0 or below ``smallest``. Probabilities above 1,
    which some tables have, count as 1. If an entry occurs twice, the larger probability counts.

    Attributes:
        longest: Largest number of words on a side.
        smallest: Smallest probability.
        pairs: The entries that were kept.
        read: Number of entries read.
    """

    longest: int = LONGEST
    smallest: float = SMALLEST_PROBABILITY
    pairs: dict[tuple[Phrase, Phrase], float] = field(default_factory=dict)
    read: int = 0

    def add(self, entries: Iterable[Entry], progress: Callable[[int, int], None] | None = None) -> None:
        """Reads entries; from time to time ``progress`` gets the numbers of entries read and kept."""
        for phrase, paraphrase, probability in entries:
            self.read += 1
            if progress is not None and not self.read % STEP:
                progress(self.read, len(self.pairs))
            if probability >= self.smallest and probability > 0.0:
                self._keep(tuple(phrase.lower().split()), tuple(paraphrase.lower().split()), probability)

    def _keep(self, phrase: Phrase, paraphrase: Phrase, probability: float) -> None:
        if max(len(phrase), len(paraphrase)) > self.longest or phrase == paraphrase:
            return
        if not all(map(_is_worded, (phrase, paraphrase))):
            return
        pair = (phrase, paraphrase)
        self.pairs[pair] = max(self.pairs.get(pair, 0.0), min(probability, 1.0))


def _is_worded(phrase: Phrase) -> bool:
    return bool(phrase) and all(any(map(str.isalnum, word)) for word in phrase)
