"""``S_quantity``: amounts and dates that say the same, written otherwise: ``$5 million`` and ``five million dollars``.

What counts as the same is in `pfsm.english.quantities`. Numbers without a unit are for the matcher ``num``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.english.facts import RUN, SAYS, remembered, token_kind
from pfsm.english.quantities import Quantity, quantities
from pfsm.matchers.protocol import BuiltIn, EncodedPairs, Offers
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
        kinds = pairs.vocabulary.column(_kinds)
        ours = self._quantities(pairs.references, pairs.vocabulary, kinds)
        theirs = self._quantities(pairs.hypotheses, pairs.vocabulary, kinds)
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
        self, lines: EncodedLines, vocabulary: Vocabulary, kinds: NDArray[np.int32]
    ) -> dict[int, list[Quantity]]:
        of_tokens = kinds[lines.ids].astype(np.uint8)
        line_of = np.repeat(np.arange(len(lines)), np.diff(lines.offsets))
        found: dict[int, list[Quantity]] = {}
        for line in np.unique(line_of[of_tokens == SAYS]).tolist():
            first, stop = lines.offsets[line : line + 2].tolist()
            said = []
            for run in RUN.finditer(of_tokens[first:stop].tobytes()):
                ids = lines.ids[first + run.start() : first + run.end()].tolist()
                places = _read(tuple([vocabulary.types[token] for token in ids]))
                said += [one._replace(start=one.start + run.start()) for one in places]
            found[line] = [one for one in said if one.length <= self.max_block]
        return found


_read = remembered(quantities)


def _kinds(tokens: Sequence[str]) -> list[int]:
    """What tokens can be part of, as `pfsm.english.facts` has it; no token ends a run."""
    return list(map(token_kind, tokens))


MATCHER = BuiltIn("S_quantity", lambda max_block, _: QuantityMatcher(max_block))
