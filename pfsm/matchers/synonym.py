"""``S_syn``: words that share a synset (section 3.1 of Wang and Manning, 2012)."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from pfsm.lexicons import registry
from pfsm.lexicons.synonyms import KIND, shared_table
from pfsm.matchers.protocol import EncodedPairs, MatcherKind, Offers, read_options
from pfsm.matchers.type_lists import TypeLists
from pfsm.runtime.options import Options, anything

DEFAULT_TABLE = "wordnet-3.0"


class SynonymMatcher:
    """Offers pairs of single words that share a synset, in any part of speech and inflection.

    Args:
        table: ``NAME`` or ``NAME@CHECKSUM`` of the table of synonyms.

    Raises:
        PfsmError: If there is no such table.
    """

    name = "syn"
    state = "S_syn"

    def __init__(self, table: str) -> None:
        self._table = shared_table(registry.load(table, KIND))
        self._synsets = TypeLists(self._synsets_of)

    @cached_property
    def resources(self) -> tuple[str, ...]:
        """The table of synonyms."""
        return (self._table.label,)

    def offers(self, pairs: EncodedPairs) -> Offers:
        """Pairs of words that share a synset, including a word with itself if it has a synset."""
        return Offers(self._synsets.sharing(pairs, self._table.size))

    def _synsets_of(self, token: str) -> Sequence[int]:
        """None of punctuation, which has a state of its own."""
        return self._table.synsets(token) if token.isalnum() or any(map(str.isalnum, token)) else ()


def check_options(options: Options, where: str) -> dict[str, Any]:
    """``table``, by default WordNet 3.0.

    Raises:
        PfsmError: If there is another option, or the name of the table is malformed.
    """
    chosen = read_options(options, {"table": anything(DEFAULT_TABLE)}, where)
    return {"table": registry.check_reference(chosen["table"], f"{where}: table")}


def learn_options(options: Options, pairs: EncodedPairs) -> dict[str, Any]:  # noqa: ARG001 - one signature for all
    """The table with its checksum, because a model needs the table that it was trained with.

    Raises:
        PfsmError: If there is no such table.
    """
    return {**options, "table": registry.pinned(options["table"], KIND)}


MATCHER = MatcherKind(
    "S_syn",
    lambda _, options: SynonymMatcher(options["table"]),
    check_options,
    learn_options,
    label="a synonym",
)
