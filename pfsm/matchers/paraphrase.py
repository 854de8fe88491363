"""``S_para``: phrases that a table lists as paraphrases, including one-to-many and many-to-many blocks.

Section 3.2 of Wang and Manning (2012). Features are soft bins of the base-10 logarithm of the probability.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.lexicons import registry
from pfsm.lexicons.paraphrases import KIND, ParaphraseTable
from pfsm.matchers.bins import AUTO, check_knots, quantile_knots, ramped
from pfsm.matchers.protocol import BuiltIn, EncodedPairs, Offers
from pfsm.runtime.yaml_keys import elsewhere
from pfsm.text.vocabulary import EncodedLines

DEFAULT_TABLE = "learned-en"
DIRECTIONS = ("both", "forward", "backward")
DEFAULTS: dict[str, Any] = {
    "table": DEFAULT_TABLE,
    "direction": "both",
    "minimum_probability": 0.0,
    "bins": AUTO,
}
# Knots are learned from blocks of up to this size, whatever the model's largest block.
QUANTILE_BLOCK = 2
Options = Mapping[str, Any]
Int32 = NDArray[np.int32]
Float = NDArray[np.float64]
Float32 = NDArray[np.float32]


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
        self._finders = [_Finder(ParaphraseTable(registry.load(table, KIND)), max_block) for table in tables]
        self._directions = DIRECTIONS[1:] if direction == "both" else (direction,)
        self._smallest = np.float32(minimum_probability)
        self._knots = tuple(knots)

    @cached_property
    def resources(self) -> tuple[str, ...]:
        """The tables of paraphrases."""
        return tuple(finder.table.label for finder in self._finders)

    def offers(self, pairs: EncodedPairs) -> Offers:
        """Blocks that a table links, with soft bins of their probability."""
        return ramped(self.name, *self.links(pairs), self._knots)

    def links(self, pairs: EncodedPairs) -> tuple[Int32, Float]:
        """Blocks, int32 [n_blocks, 5], and the logarithm to base 10 of their probability, float64 [n_blocks]."""
        from pfsm_kernels.lattice.arcs import each_once  # noqa: PLC0415 - brings numba

        found = [finder.links(pairs, direction) for finder in self._finders for direction in self._directions]
        blocks = np.concatenate([rows for rows, _ in found])
        values = np.concatenate([value for _, value in found])
        kept = values >= self._smallest
        blocks, values = blocks[kept], values[kept]
        if len(found) > 1:
            blocks, values = each_once(blocks, values, len(pairs))
        return blocks, np.log10(values.astype(np.float64))


class _Finder:
    """Finds the phrases of one table in sentences."""

    def __init__(self, table: ParaphraseTable, max_block: int) -> None:
        self.table = table
        self._max_block = max_block

    def links(self, pairs: EncodedPairs, direction: str) -> tuple[Int32, Float32]:
        """Blocks and their probabilities by this table, in one direction."""
        from pfsm_kernels.strings.sharing import linked_phrases  # noqa: PLC0415 - brings numba

        words = pairs.vocabulary.column(self.table.words)
        sides = (pairs.references, pairs.hypotheses)
        given, wanted = sides if direction == "forward" else sides[::-1]
        table = self.table
        rows, places = linked_phrases(
            *self._phrases(words, given, table.is_source),
            *self._phrases(words, wanted, table.is_target),
            table.target_offsets,
            table.targets,
        )
        if direction != "forward":
            rows = np.ascontiguousarray(rows[:, [0, 3, 4, 1, 2]])
        return rows, table.probabilities[places]

    def _phrases(
        self, words: Int32, lines: EncodedLines, wanted: NDArray[np.bool_]
    ) -> tuple[Int32, NDArray[np.int64]]:
        from pfsm_kernels.strings.sharing import find_phrases  # noqa: PLC0415 - brings numba

        table = self.table
        return find_phrases(
            words[lines.ids], lines.offsets, table.child_offsets, table.child_words, wanted, self._max_block
        )


def build(max_block: int, options: Options) -> ParaphraseMatcher:
    """The matcher from checked options; bins that are still to be learned are left out."""
    tables = options["table"] if isinstance(options["table"], list) else [options["table"]]
    knots = () if options["bins"] == AUTO else options["bins"]
    return ParaphraseMatcher(tables, max_block, options["direction"], options["minimum_probability"], knots)


def check_options(options: Options, where: str) -> dict[str, Any]:
    """All options with their defaults.

    Raises:
        PfsmError: If an option is unknown or its value is not allowed.
    """
    for key in options:
        if key not in DEFAULTS:
            belongs = elsewhere(key, DEFAULTS) or f"known are {', '.join(DEFAULTS)}"
            raise PfsmError(f"{where}: unknown option {key!r}; {belongs}")
    values = {**DEFAULTS, **options}
    if values["direction"] not in DIRECTIONS:
        raise PfsmError(
            f"{where}: direction is {values['direction']!r}, it must be one of {', '.join(DIRECTIONS)}"
        )
    smallest = values["minimum_probability"]
    if isinstance(smallest, bool) or not isinstance(smallest, int | float) or not 0 <= smallest <= 1:
        raise PfsmError(f"{where}: minimum_probability is {smallest!r}, it must be a number from 0 to 1")
    return {
        "table": _tables(values["table"], where),
        "direction": values["direction"],
        "minimum_probability": float(smallest),
        "bins": check_knots(values["bins"], where),
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


MATCHER = BuiltIn("S_para", build, check_options, learn_options)
