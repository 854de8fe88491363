"""What says the same number, amount or date, written otherwise.

``S_num``: numbers of equal value: ``1,000``, ``1000`` and ``one thousand``.

``S_quantity``: English amounts and dates: ``$5 million`` and ``five million dollars``. What counts as the same is in
`pfsm.facts.quantities`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pfsm.arrays import Int32
from pfsm.facts.contrasts import RUN, SAYS, remembered, token_kind
from pfsm.facts.quantities import READERS, Quantity, quantities
from pfsm.matchers.protocol import EncodedPairs, MatcherKind, Offers, read_options
from pfsm.runtime.typed import one_of
from pfsm.text.numbers import Number, digit_numbers
from pfsm.text.vocabulary import EncodedLines, Vocabulary

DIGITS = "none"
KNOWN = {"words": one_of(*READERS, DIGITS)}


@dataclass(frozen=True)
class NumberMatcher:
    """Offers pairs of numbers of equal value, of up to ``max_block`` tokens on either side.

    Attributes:
        max_block: Largest number of tokens of a number.
        words: Language whose words for numbers are read, ``none`` for digits only.
    """

    max_block: int
    words: str

    name = "num"
    state = "S_num"
    resources = ()

    def offers(self, pairs: EncodedPairs) -> Offers:
        """Pairs of numbers of equal value, but for those that are written with the same words."""
        ours, theirs = (
            self._numbers(side, pairs.vocabulary) for side in (pairs.references, pairs.hypotheses)
        )
        rows = [
            (pair, one.start, one.length, other.start, other.length)
            for pair in sorted(ours.keys() & theirs.keys())
            for one, mine in ours[pair]
            for other, yours in theirs[pair]
            if one.value == other.value and mine != yours
        ]
        return Offers(np.array(rows, dtype=np.int32).reshape(-1, 5))

    def _numbers(
        self, lines: EncodedLines, vocabulary: Vocabulary
    ) -> dict[int, list[tuple[Number, list[int]]]]:
        """The numbers of each line that may have any, with their words."""
        may_begin, words = vocabulary.column(self._may_begin), vocabulary.word_ids
        line_of = np.repeat(np.arange(lines.offsets.size - 1), np.diff(lines.offsets))
        found = {}
        for line in np.unique(line_of[may_begin[lines.ids] > 0]).tolist():
            ids = lines.ids[lines.offsets[line] : lines.offsets[line + 1]]
            numbers = _reader(self.words)([vocabulary.types[token] for token in ids.tolist()])
            found[line] = [
                (number, words[ids[number.start : number.start + number.length]].tolist())
                for number in numbers
                if number.length <= self.max_block
            ]
        return found

    def _may_begin(self, tokens: Sequence[str]) -> list[int]:
        """1 for tokens that are numbers by themselves, and for ``one``."""
        return [int(token.lower() == "one" or bool(_reader(self.words)([token]))) for token in tokens]


def _reader(words: str) -> Callable[[Sequence[str]], list[Number]]:
    return digit_numbers if words == DIGITS else READERS[words]


MATCHER = MatcherKind(
    "S_num",
    lambda max_block, options: NumberMatcher(max_block, options["words"]),
    lambda options, where: read_options(options, KNOWN, where),
    label="a number written otherwise",
)


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
        kinds = pairs.vocabulary.column(_token_kinds)
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
        self, lines: EncodedLines, vocabulary: Vocabulary, kinds: Int32
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


def _token_kinds(tokens: Sequence[str]) -> list[int]:
    """What tokens can be part of, as `pfsm.facts.contrasts` has it; no token ends a run."""
    return list(map(token_kind, tokens))


QUANTITY = MatcherKind(
    "S_quantity", lambda max_block, _: QuantityMatcher(max_block), label="a quantity in another unit"
)
