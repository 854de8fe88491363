"""What a matcher is, and how it is made: it looks at encoded sentence pairs and offers blocks, with features or not."""

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Int32, Int64
from pfsm.runtime.typed import Option, Options, chosen_options
from pfsm.text.vocabulary import EncodedLines, Vocabulary


@dataclass(frozen=True, eq=False)
class EncodedPairs:
    """References and hypotheses as token ids of one vocabulary; pair k is line k of both.

    The text of the lines is ``references.lines`` and ``hypotheses.lines``.
    """

    vocabulary: Vocabulary
    references: EncodedLines
    hypotheses: EncodedLines

    def part(self, first: int, stop: int) -> "EncodedPairs":
        """The pairs from ``first`` to before ``stop``."""
        sides = (side.part(first, stop) for side in (self.references, self.hypotheses))
        return EncodedPairs(self.vocabulary, *sides)

    def first_tokens(self, blocks: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Types of the first tokens of blocks, of the reference and of the hypothesis, int32 [n_blocks] each."""
        sides = (self.references, 1), (self.hypotheses, 3)
        one, other = (side.ids[side.offsets[blocks[:, 0]] + blocks[:, column]] for side, column in sides)
        return one, other

    def __len__(self) -> int:
        """Number of sentence pairs."""
        return int(self.references.offsets.size) - 1


@dataclass(frozen=True, eq=False)
class Offers:
    """Blocks that a matcher accepts, and named numbers on them, sparse.

    Attributes:
        blocks: int32 [n_offers, 5], rows (pair, i, p, j, q): p tokens of the reference from i, q tokens of the
            hypothesis from j, p and q at least 1. In any order, without repetition.
        names: Names of the features, each beginning with the matcher's name and a colon, such as ``para:0``.
        offer: int64 [n_entries], the offer that entry k is on.
        feature: int32 [n_entries], which of the names.
        value: float64 [n_entries].
    """

    blocks: NDArray[np.int32]
    names: tuple[str, ...] = ()
    offer: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    feature: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    value: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True, eq=False)
class Annotations:
    """Sparse named numbers on blocks, from any matcher.

    Attributes:
        arc_names: Names of the features that count whenever a block is taken.
        arcs: Rows (block, number of the name, value).
        link_names: Names of the features that count when a 1:1 block directly continues another.
        links: Rows (block, number of the name, value), the block the later of the two.
    """

    arc_names: tuple[str, ...] = ()
    arcs: Sequence[tuple[int, int, float]] = ()
    link_names: tuple[str, ...] = ()
    links: Sequence[tuple[int, int, float]] = ()


class Matcher(Protocol):
    """One kind of knowledge, which becomes one substitution state of the machine."""

    @property
    def name(self) -> str:
        """Name in ``settings.matchers``."""

    @property
    def state(self) -> str:
        """Name of the substitution state, such as ``S_word``; empty where it offers no blocks."""

    @property
    def resources(self) -> tuple[str, ...]:
        """What it knows from, as ``NAME@CHECKSUM`` for the signature; nothing for matchers that need nothing."""

    def offers(self, pairs: EncodedPairs) -> Offers:
        """Blocks this matcher accepts, with their features."""


@runtime_checkable
class Annotator(Protocol):
    """A matcher that says something about the blocks that others offer."""

    def annotate(self, pairs: EncodedPairs, blocks: NDArray[np.int32]) -> Annotations:
        """Features of the blocks of a batch.

        Args:
            pairs: The sentence pairs.
            blocks: int32 [n_blocks, 5], rows (pair, i, p, j, q), sorted by pair, i and j.
        """


NO_BLOCKS = Offers(np.zeros((0, 5), dtype=np.int32))


def read_options(options: Options, known: Mapping[str, Option], where: str) -> dict[str, Any]:
    """All options with their defaults.

    Raises:
        PfsmError: If there is another option, or a value that cannot be.
    """
    listing = f"known {'are' if len(known) > 1 else 'is'} {', '.join(known)}"
    return chosen_options(where, options, known, lambda _: listing)


def no_options(options: Options, where: str) -> dict[str, Any]:
    """Options of a matcher that takes none.

    Raises:
        PfsmError: If there are any.
    """
    return chosen_options(where, options, {}, lambda _: "this matcher takes no options")


def nothing_to_learn(options: Options, pairs: EncodedPairs) -> dict[str, Any]:  # noqa: ARG001 - one signature for all
    """Options of a matcher that learns none from training text."""
    return dict(options)


@dataclass(frozen=True)
class MatcherKind:
    """Makes matchers of one kind.

    Attributes:
        state: Name of the substitution state; empty where it offers no blocks.
        build: From the largest block and checked options to the matcher.
        check: From options as written, and what to call them in errors, to all options with their defaults.
        learn: Fills in options that are to be learned (such as ``bins: auto``) from training pairs.
        can_run_in_child_process: From checked options to whether the matcher needs nothing but text and tables: no
            network, parser, program or connection, which would not outlive a fork.
        label: A match in plain words, such as ``a synonym``, for explanations.
        labels: Features in plain words, by name, such as ``role:same``.
    """

    state: str
    build: Callable[[int, Options], Matcher]
    check: Callable[[Options, str], dict[str, Any]] = no_options
    learn: Callable[[Options, EncodedPairs], dict[str, Any]] = nothing_to_learn
    can_run_in_child_process: Callable[[Options], bool] = lambda _: True
    label: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)


Number = TypeVar("Number", np.int32, np.int64)


class TypeLists:
    """A list of numbers for every type of a vocabulary.

    Types are only ever added to a vocabulary, so the lists of earlier types stay valid. For another vocabulary the
    lists start afresh.

    Args:
        numbers_of: Gives the numbers of a token type in its own case.
    """

    def __init__(self, numbers_of: Callable[[str], Sequence[int]]) -> None:
        self._numbers_of = numbers_of
        self._vocabulary: weakref.ref[Vocabulary] | None = None
        self._offsets: Int64 = np.zeros(1, dtype=np.int64)
        self._numbers: Int32 = np.zeros(0, dtype=np.int32)
        self._size = 0

    def of(self, vocabulary: Vocabulary) -> tuple[Int64, Int32]:
        """The lists of all types: the start of each list, int64 [n_types + 1], and the numbers, int32."""
        if self._vocabulary is None or self._vocabulary() is not vocabulary:
            self._vocabulary = weakref.ref(vocabulary)
            self._size = 0
        new = vocabulary.types[self._size :]
        if new:
            self._extend(list(map(self._numbers_of, new)))
        return self._offsets[: self._size + 1], self._numbers[: self._offsets[self._size]]

    def sharing(self, pairs: EncodedPairs, count: int) -> Int32:
        """Pairs of tokens whose lists have a number in common, int32 [n_rows, 5], rows (pair, i, 1, j, 1).

        Args:
            pairs: The sentence pairs.
            count: Upper limit of the numbers, exclusive.
        """
        from pfsm_kernels.strings.sharing import tokens_sharing_keys  # noqa: PLC0415 - brings numba

        ours, theirs = pairs.references, pairs.hypotheses
        offsets, numbers = self.of(pairs.vocabulary)
        return tokens_sharing_keys(
            ours.ids, ours.offsets, theirs.ids, theirs.offsets, offsets, numbers, count
        )

    def _extend(self, lists: Sequence[Sequence[int]]) -> None:
        size, start = self._size + len(lists), int(self._offsets[self._size])
        ends = start + np.cumsum(list(map(len, lists)))
        self._offsets = _with_room(self._offsets, size + 1)
        self._numbers = _with_room(self._numbers, int(ends[-1]))
        self._offsets[self._size + 1 : size + 1] = ends
        self._numbers[start : ends[-1]] = list(chain.from_iterable(lists))
        self._size = size


def _with_room(array: NDArray[Number], size: int) -> NDArray[Number]:
    """The array, or a copy with twice the needed length if it has too few."""
    if size <= len(array):
        return array
    grown = np.zeros(2 * size, dtype=array.dtype)
    grown[: len(array)] = array
    return grown
