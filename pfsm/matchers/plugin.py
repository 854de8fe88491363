"""What a matcher of another package is written with, what it must have, and the check of what it says.

A kernel takes blocks as they are, so what a plug-in offers is checked on every batch before it becomes arcs.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.matchers.protocol import (
    Annotations,
    Annotator,
    EncodedPairs,
    Matcher,
    MatcherKind,
    Offers,
    no_options,
    nothing_to_learn,
)
from pfsm.runtime.typed import Options

__all__ = ["Annotations", "EncodedPairs", "MatcherPlugin", "Offers", "Options"]

LINKS = "link:"


class MatcherPlugin(ABC):
    """Base class of a matcher in another package or a script; the class itself is what is registered.

    A class with the attribute ``name`` and the method `offers` is a whole matcher::

        @pfsm.register.matcher("same-length")
        class SameLength(MatcherPlugin):
            name = "same-length"

            def offers(self, pairs: EncodedPairs) -> Offers: ...

    One that says something about the blocks of other matchers sets ``state`` to ``""`` and has the method ``annotate``
    of `pfsm.matchers.protocol.Annotator`; `offers` then returns no blocks.

    Args:
        max_block: Largest number of tokens of a block on either side, from the settings.
        options: What `check` returned, with what `learn` filled in.

    Attributes:
        name: Name in ``settings.matchers``; the one that it is registered under.
        state: Name of the substitution state: ``S_`` and the name, which is the default, or ``""``.
        label: A match in plain words, such as ``a term of the glossary``, for explanations.
        labels: Features in plain words, by name.
    """

    name: ClassVar[str] = ""
    state: ClassVar[str] = ""
    label: ClassVar[str] = ""
    labels: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls, **further: Any) -> None:
        super().__init_subclass__(**further)
        if cls.name and "state" not in cls.__dict__:
            cls.state = f"S_{cls.name}"

    def __init__(self, max_block: int, options: Options) -> None:
        self.max_block = max_block
        self.options = dict(options)

    @classmethod
    def check(cls, options: Options, where: str) -> dict[str, Any]:
        """All options with their defaults, from those that the settings give; takes none unless overridden.

        Args:
            options: As they stand in the YAML file or the model file.
            where: What to call them in errors.

        Returns:
            What JSON can hold. Checking it again gives the same.

        Raises:
            PfsmError: If an option is unknown or invalid: ``f"{where}: unknown option {key!r}"``.
        """
        return no_options(options, where)

    @classmethod
    def learn(cls, options: Options, pairs: EncodedPairs) -> dict[str, Any]:
        """Fills in, before training, options that depend on the training text or on files; changes nothing by default.

        Called where there are options at all.

        Args:
            options: What `check` returned.
            pairs: The training pairs, without their scores.
        """
        return nothing_to_learn(options, pairs)

    @classmethod
    def can_run_in_child_process(cls, options: Options) -> bool:  # noqa: ARG003 - for those that override it
        """Return whether the matcher needs nothing but text and tables in memory, so that forked processes may score.

        False unless overridden: connections, threads and programs do not outlive a fork.
        """
        return False

    @property
    def resources(self) -> tuple[str, ...]:
        """Files and tables that the matcher knows from, as ``NAME@CHECKSUM`` for signatures; none by default."""
        return ()

    @abstractmethod
    def offers(self, pairs: EncodedPairs) -> Offers:
        """The blocks that may match, with numbers on them; see `pfsm.matchers.protocol.Offers` for the shapes."""


def checked_kind(name: str, value: Any) -> MatcherKind:
    """A plug-in as the registry holds it: a factory of matchers whose output is validated.

    Args:
        name: What it is registered under.
        value: A class derived from `MatcherPlugin`.

    Raises:
        PfsmError: If it is none, lacks something, or its state has another name than its matcher.
    """
    if not (isinstance(value, type) and issubclass(value, MatcherPlugin)):
        raise PfsmError("must be a class derived from pfsm.matchers.plugin.MatcherPlugin")
    if missing := sorted(value.__abstractmethods__):
        raise PfsmError(f"does not define {', '.join(f'{method}()' for method in missing)}")
    if value.name != name:
        raise PfsmError(f"calls itself {value.name!r}; its name must be {name!r}, as it is registered")
    if value.state not in {f"S_{name}", ""}:
        raise PfsmError(
            f"its state is {value.state!r}, it must be 'S_{name}', or '' for one that offers no blocks"
        )
    kind = ValidatingAnnotator if hasattr(value, "annotate") else ValidatingMatcher
    return MatcherKind(
        value.state,
        lambda max_block, options: kind(value(max_block, options), max_block),
        value.check,
        value.learn,
        value.can_run_in_child_process,
        value.label,
        value.labels,
    )


class ValidatingMatcher:
    """A matcher whose offers are checked before kernels see them."""

    def __init__(self, matcher: Matcher, max_block: int) -> None:
        self._matcher, self._max_block = matcher, max_block
        self.name, self.state = matcher.name, matcher.state

    @property
    def resources(self) -> tuple[str, ...]:
        """What it knows from."""
        return tuple(self._matcher.resources)

    def offers(self, pairs: EncodedPairs) -> Offers:
        """Its blocks, if they are what `Offers` says they are."""
        offers = self._matcher.offers(pairs)
        with _named(self.name):
            check_offers(offers, pairs, self.name, self._max_block)
        return offers


class ValidatingAnnotator(ValidatingMatcher):
    """An annotator whose annotations are checked too."""

    def annotate(self, pairs: EncodedPairs, blocks: NDArray[np.int32]) -> Annotations:
        """What it says about blocks, if that is what `Annotations` says it is."""
        assert isinstance(self._matcher, Annotator)
        found = self._matcher.annotate(pairs, blocks)
        with _named(self.name):
            _check_names(found.arc_names, f"{self.name}:")
            _check_names(found.link_names, LINKS)
            for names, rows in ((found.arc_names, found.arcs), (found.link_names, found.links)):
                _check_entries(np.array(rows, dtype=np.float64).reshape(-1, 3).T, len(names), len(blocks))
        return found


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Faults begin with the name of the matcher."""
    try:
        yield
    except PfsmError as error:
        raise PfsmError(f"matcher {name!r}: {error}") from None


def check_offers(offers: Offers, pairs: EncodedPairs, name: str, max_block: int) -> None:
    """Refuses offers that are not what `Offers` says they are.

    Raises:
        PfsmError: If a block lies outside its pair, is too large or offered twice, or a feature is misnamed or not
            finite.
    """
    blocks = offers.blocks
    if blocks.ndim != 2 or blocks.shape[1] != 5 or blocks.dtype != np.int32:
        raise PfsmError(
            f"offers blocks of shape {blocks.shape} and type {blocks.dtype}, int32 [n_offers, 5] is needed"
        )
    _check_places(blocks, pairs, max_block)
    if len(np.unique(blocks, axis=0)) < len(blocks):
        raise PfsmError("offers a block twice")
    _check_names(offers.names, f"{name}:")
    if not offers.offer.shape == offers.feature.shape == offers.value.shape == (offers.offer.size,):
        raise PfsmError("offer, feature and value of its features differ in length")
    for what in ("offer", "feature"):
        if getattr(offers, what).dtype.kind != "i":
            raise PfsmError(f"{what} of its features holds no whole numbers")
    _check_entries((offers.offer, offers.feature, offers.value), len(offers.names), len(blocks))


def _check_places(blocks: NDArray[np.int32], pairs: EncodedPairs, max_block: int) -> None:
    pair, i, p, j, q = blocks.astype(np.int64).T
    if ((pair < 0) | (pair >= len(pairs))).any():
        raise PfsmError(f"offers a block of a pair that is not there; the batch has {len(pairs)}")
    lengths = (np.diff(side.offsets)[pair] for side in (pairs.references, pairs.hypotheses))
    for first, size, length, side in zip((i, j), (p, q), lengths, ("reference", "hypothesis"), strict=True):
        if ((first < 0) | (size < 1) | (first + size > length)).any():
            raise PfsmError(f"offers a block outside its {side}")
        if (size > max_block).any():
            raise PfsmError(f"offers a block of {size.max()} tokens of the {side}; max_block is {max_block}")


def _check_names(names: tuple[str, ...], beginning: str) -> None:
    for name in names:
        if (
            not isinstance(name, str)
            or not name.startswith(beginning)
            or not name.isprintable()
            or ">" in name
        ):
            raise PfsmError(
                f"names a feature {name!r}; names must begin with {beginning!r}, without > in them"
            )
    if len(set(names)) < len(names):
        raise PfsmError("names a feature twice")


def _check_entries(entries: Any, n_names: int, n_blocks: int) -> None:
    block, name, value = entries
    if ((block < 0) | (block >= n_blocks)).any():
        raise PfsmError("puts a feature on a block that is not there")
    if ((name < 0) | (name >= n_names)).any():
        raise PfsmError("puts a feature on a block that has no name")
    if not np.isfinite(value).all():
        raise PfsmError("a feature of a block is not a finite number")
