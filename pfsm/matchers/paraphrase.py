"""``S_para``: phrases that a table lists as paraphrases, including one-to-many and many-to-many blocks.

Section 3.2 of Wang and Manning (2012). Features are soft bins of the base-10 logarithm of the probability.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float, Int32
from pfsm.errors import PfsmError
from pfsm.lexicons import registry
from pfsm.lexicons.paraphrases import KIND, ParaphraseTable
from pfsm.matchers.bins import AUTO, BINS, as_knots, known_knots, quantile_knots, ramped
from pfsm.matchers.protocol import EncodedPairs, MatcherKind, Offers, read_options
from pfsm.runtime.typed import Options, anything, number, one_of

DEFAULT_TABLE = "learned-en"
DIRECTIONS = ("both", "forward", "backward")
KNOWN = {
    "table": anything(DEFAULT_TABLE),
    "direction": one_of(*DIRECTIONS),
    "minimum_probability": number(0.0, 0.0, 1.0),
    "bins": BINS._replace(default=AUTO),
}
# Knots are learned from blocks of up to this size, whatever the model's largest block.
QUANTILE_BLOCK = 2
# Blocks of two lines, at most; each takes a hundred bytes.
MOST_LINKS = 2_000_000
REPEATED = "words are repeated so often that two lines have more than {:,} matches; break the text into lines"


class ParaphraseMatcher:
    """Offers blocks of up to ``max_block`` tokens on either side that a table links.

    Forward: the table lists the hypothesis's phrase as a paraphrase of the reference's phrase. Backward: the other way
    round. Both: either direction. If both directions or several tables have the pair, the largest probability counts.

    Args:
        tables: ``NAME`` or ``NAME@CHECKSUM`` of each table.
        max_block: Largest number of tokens on either side.
        direction: ``forward``, ``backward`` or ``both``.
        minimum_probability: Pairs with a lower probability are not offered.
        knots: Knots of the soft bins of the logarithm; with fewer than two there are no bins.

    Raises:
        PfsmError: If one of the tables is not installed.
    """

    name = "para"
    state = "S_para"

    def __init__(
        self,
        tables: Sequence[str],
        max_block: int = 2,
        direction: str = "both",
        minimum_probability: float = 0.0,
        knots: Sequence[float] = (),
    ) -> None:
        self._tables = [ParaphraseTable(registry.load(table, KIND)) for table in tables]
        self._max_block = max_block
        self._directions = DIRECTIONS[1:] if direction == "both" else (direction,)
        self._smallest = np.float32(minimum_probability)
        self._knots = tuple(knots)

    @cached_property
    def resources(self) -> tuple[str, ...]:
        """The tables of paraphrases."""
        return tuple(table.label for table in self._tables)

    def offers(self, pairs: EncodedPairs) -> Offers:
        """Blocks that a table links, with soft bins of their probability."""
        return ramped(self.name, *self.links(pairs), self._knots)

    def found(self, pairs: EncodedPairs) -> list[tuple[Int32, NDArray[np.float32]]]:
        """Blocks and their probabilities, by table and direction."""
        return [
            _links(table, pairs, direction, self._max_block)
            for table in self._tables
            for direction in self._directions
        ]

    def links(self, pairs: EncodedPairs) -> tuple[Int32, Float]:
        """Blocks, int32 [n_blocks, 5], and the logarithm to base 10 of their probability, float64 [n_blocks]."""
        from pfsm_kernels.lattice.lattices import each_once  # noqa: PLC0415 - brings numba

        found = self.found(pairs)
        blocks = np.concatenate([rows for rows, _ in found])
        values = np.concatenate([value for _, value in found])
        kept = values >= self._smallest
        blocks, values = blocks[kept], values[kept]
        if len(found) > 1:
            blocks, values = each_once(blocks, values)
        return blocks, np.log10(values.astype(np.float64))


def _links(
    table: ParaphraseTable, pairs: EncodedPairs, direction: str, max_block: int
) -> tuple[Int32, NDArray[np.float32]]:
    """Blocks, int32 [n_blocks, 5], and their probabilities by a table, in one direction."""
    from pfsm_kernels.strings.sharing import find_phrases, linked_phrases  # noqa: PLC0415 - brings numba

    sides = (
        (pairs.references, pairs.hypotheses)
        if direction == "forward"
        else (pairs.hypotheses, pairs.references)
    )
    words = pairs.vocabulary.column(table.words)
    given, wanted = (
        find_phrases(words[lines.ids], lines.offsets, table.child_offsets, table.child_words, kept, max_block)
        for lines, kept in zip(sides, (table.is_source, table.is_target), strict=True)
    )
    rows, places = linked_phrases(*given, *wanted, table.target_offsets, table.targets, MOST_LINKS)
    if np.bincount(rows[:, 0]).max(initial=0) > MOST_LINKS:
        raise PfsmError(f"{table.label}: {REPEATED.format(MOST_LINKS)}")
    if direction != "forward":
        rows = np.ascontiguousarray(rows[:, [0, 3, 4, 1, 2]])
    return rows, table.probabilities[places]


def build(max_block: int, options: Options) -> ParaphraseMatcher:
    """The matcher from checked options."""
    tables = options["table"] if isinstance(options["table"], list) else [options["table"]]
    plain = options["direction"], options["minimum_probability"]
    return ParaphraseMatcher(tables, max_block, *plain, known_knots(options))


def check_options(options: Options, where: str) -> dict[str, Any]:
    """All options with their defaults.

    Raises:
        PfsmError: If an option is unknown or its value is not allowed.
    """
    chosen = read_options(options, KNOWN, where)
    return {
        **chosen,
        "table": _tables(chosen["table"], where),
        "minimum_probability": float(chosen["minimum_probability"]),
        "bins": as_knots(chosen["bins"]),
    }


def _tables(value: object, where: str) -> str | list[str]:
    if not isinstance(value, list | tuple):
        return registry.check_reference(value, f"{where}: table")
    tables = [registry.check_reference(table, f"{where}: table") for table in value]
    if not tables or len({table.partition("@")[0] for table in tables}) < len(tables):
        raise PfsmError(f"{where}: table is {value!r}, it must name at least one table, and each once")
    return tables


def learn_options(options: Options, pairs: EncodedPairs) -> dict[str, Any]:
    """Tables with their checksums; knots of ``bins: auto`` at quantiles of the probabilities found in the pairs.

    Raises:
        PfsmError: If a table is not installed.
    """
    table = options["table"]
    pinned = (
        [registry.pinned(name, KIND) for name in table]
        if isinstance(table, list)
        else registry.pinned(table, KIND)
    )
    result = {**options, "table": pinned}
    if options["bins"] == AUTO:
        _, values = build(QUANTILE_BLOCK, result).links(pairs)
        result["bins"] = quantile_knots(values)
    return result


MATCHER = MatcherKind("S_para", build, check_options, learn_options, label="a paraphrase")
