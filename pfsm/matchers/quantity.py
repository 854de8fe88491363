"""``S_quantity``: amounts and dates that say the same, written otherwise: ``$5 million`` and ``five million dollars``.

What counts as the same is in `pfsm.text.quantities`. Numbers without a unit are for the matcher ``num``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.matchers.kind import BuiltIn
from pfsm.matchers.protocol import EncodedPairs, Offers
from pfsm.text.quantities import Quantity, may_say, quantities
from pfsm.text.vocabulary import EncodedLines, Vocabulary


@dataclass(frozen=True)
class QuantityMatcher:
    """Offers pairs of places that say the same of an amount or a date, of up to ``max_block`` tokens on either side.

    Attributes:
        max_block: Largest number of tokens of an amount or a date.
    """

    max_block: int

    name = "quantity"
    state = "S_quantity"
    resources = ()

    def offers(self, pairs: EncodedPairs) -> Offers:
        """Pairs of places with equal meaning, but for those that are written with the same words."""
        says = pairs.vocabulary.column(_may_say)
        ours = self._quantities(pairs.references, pairs.vocabulary, says)
        theirs = self._quantities(pairs.hypotheses, pairs.vocabulary, says)
        words = pairs.vocabulary.word_ids
        rows = set()
        for pair in ours.keys() & theirs.keys():
            first, other_first = pairs.references.offsets[pair], pairs.hypotheses.offsets[pair]
            for one in ours[pair]:
                mine = words[pairs.references.ids[first + one.start : first + one.start + one.length]]
                for other in theirs[pair]:
                    if one.meaning != other.meaning:
                        continue
                    at = other_first + other.start
                    if not np.array_equal(mine, words[pairs.hypotheses.ids[at : at + other.length]]):
                        rows.add((pair, one.start, one.length, other.start, other.length))
        return Offers(np.array(sorted(rows), dtype=np.int32).reshape(-1, 5))

    def _quantities(
        self, lines: EncodedLines, vocabulary: Vocabulary, says: NDArray[np.int32]
    ) -> dict[int, list[Quantity]]:
        """The quantities of each line that has any."""
        line_of = np.repeat(np.arange(len(lines)), np.diff(lines.offsets))
        found = {}
        for line in np.unique(line_of[says[lines.ids] > 0]).tolist():
            ids = lines.ids[lines.offsets[line] : lines.offsets[line + 1]].tolist()
            said = quantities([vocabulary.types[token] for token in ids])
            found[line] = [one for one in said if one.length <= self.max_block]
        return found


def _may_say(tokens: Sequence[str]) -> list[int]:
    return [int(may_say(token)) for token in tokens]


MATCHER = BuiltIn("S_quantity", lambda max_block, _: QuantityMatcher(max_block))
