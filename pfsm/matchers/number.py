"""``S_num``: numbers of equal value that are written otherwise: ``1,000``, ``1000`` and ``one thousand``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pfsm.facts.numbers import READERS
from pfsm.matchers.protocol import EncodedPairs, MatcherKind, Offers, read_options
from pfsm.runtime.options import one_of
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
