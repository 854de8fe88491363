"""What a matcher of another package is written with."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

from pfsm.matchers.protocol import Annotations, EncodedPairs, Offers, no_options, nothing_to_learn
from pfsm.runtime.options import Options

__all__ = ["Annotations", "EncodedPairs", "MatcherPlugin", "Offers", "Options"]


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
    """

    name: ClassVar[str] = ""
    state: ClassVar[str] = ""

    def __init_subclass__(cls, **further: Any) -> None:
        super().__init_subclass__(**further)
        if cls.name and "state" not in cls.__dict__:
            cls.state = f"S_{cls.name}"

    def __init__(self, max_block: int, options: Options) -> None:
        self.max_block = max_block
        self.options = dict(options)

    @classmethod
    def build(cls, max_block: int, options: Options) -> Self:
        """Makes the matcher."""
        return cls(max_block, options)

    @classmethod
    def check(cls, options: Options, where: str) -> dict[str, Any]:
        """All options with their defaults, from those that the settings give; takes none unless overridden.

        Args:
            options: As they stand in the YAML file or the model file.
            where: What to call them in errors.

        Returns:
            What JSON can hold. Checking it again gives the same.

        Raises:
            PfsmError: If an option is unknown or not what it must be: ``f"{where}: unknown option {key!r}"``.
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

    @property
    def resources(self) -> tuple[str, ...]:
        """Files and tables that the matcher knows from, as ``NAME@CHECKSUM`` for signatures; none by default."""
        return ()

    @abstractmethod
    def offers(self, pairs: EncodedPairs) -> Offers:
        """The blocks that may match, with numbers on them; see `pfsm.matchers.protocol.Offers` for the shapes."""
