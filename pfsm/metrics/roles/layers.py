"""Layers of semantic roles (SR of Giménez and Màrquez 2009, appendix A).

==========  =============================  ==================================
layer       type                           items
==========  =============================  ==================================
``or``      role, such as A0 or AM-TMP     the words of such arguments
``mr``      role                           the arguments, each a word sequence
``orv``     role                           (predicate's lemma, word)
``mrv``     role                           (predicate's lemma, argument)
``labels``  one for all                    roles, without words
``verbs``   one for all                    (predicate's lemma, role)
==========  =============================  ==================================

Words and lemmas are in lower case. A word in two arguments with the same role, of two predicates, counts twice. Every
layer is there in a line that has an argument; a line without arguments, an empty one too, has no analysis.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from pfsm.analysis.roles import Argument, Frame
from pfsm.analysis.sentence import Analysis
from pfsm.analysis.wanted import Wanted
from pfsm.errors import PfsmError
from pfsm.metrics.syntax.layers import Element, Layer, words_of_line

ROLES = Wanted(roles=True)
_ALL = ""
# Elements of one argument: of its frame, itself and the words of the line.
OfArgument = Callable[[Frame, Argument, list[str]], list[Element]]


@dataclass(frozen=True)
class RoleLayer:
    """One kind of elements of arguments.

    Attributes:
        of_argument: The (type, item) elements of one argument.
        has_types: Whether types are roles, or one type holds everything.
    """

    of_argument: OfArgument
    has_types: bool = True

    @property
    def layer(self) -> Layer:
        """The layer over the arguments of likely predicates."""
        return Layer(lambda analysis: [one for one, _ in self.elements(analysis)], has_arguments, ROLES, 0.0)

    def elements(self, analysis: Analysis, *, expected: bool = False) -> Iterator[tuple[Element, float]]:
        """Elements of a line with the probability of their argument.

        Args:
            analysis: The line.
            expected: Whether to take all possible arguments; otherwise those that the analysis decides for.
        """
        words = words_of_line(analysis)
        for frame in analysis.frames or ():
            for argument in frame.possible if expected else _decided(frame):
                for element in self.of_argument(frame, argument, words):
                    yield element, argument.probability


def has_arguments(analysis: Analysis) -> bool:
    """Whether a line has a predicate with an argument.

    Raises:
        PfsmError: If the parser gives trees but no roles.
    """
    _check_known(analysis)
    return any(_decided(frame) for frame in analysis.frames or ())


def _decided(frame: Frame) -> tuple[Argument, ...]:
    """The arguments of a predicate; a word that is less likely one than not has none."""
    return frame.arguments if frame.is_likely else ()


def may_have_arguments(analysis: Analysis) -> bool:
    """Whether a line has a predicate that may have an argument.

    Raises:
        PfsmError: If the parser gives trees but no roles.
    """
    _check_known(analysis)
    return any(frame.possible for frame in analysis.frames or ())


def _check_known(analysis: Analysis) -> None:
    if analysis.frames is None and analysis.tokens and not analysis.is_failed:
        raise PfsmError(
            "the parser gives no semantic roles, which this metric needs; choose another, or give a file of roles, "
            "as in parser=file:roles.conllu"
        )


def _words(_: Frame, argument: Argument, words: list[str]) -> list[Element]:
    return [(argument.label, words[word]) for word in argument.words]


def _whole(_: Frame, argument: Argument, words: list[str]) -> list[Element]:
    return [(argument.label, tuple(words[word] for word in argument.words))]


def _with_verb(of_argument: OfArgument) -> OfArgument:
    def elements(frame: Frame, argument: Argument, words: list[str]) -> list[Element]:
        return [(label, (frame.lemma, item)) for label, item in of_argument(frame, argument, words)]

    return elements


def _label(_: Frame, argument: Argument, words: list[str]) -> list[Element]:  # noqa: ARG001
    return [(_ALL, argument.label)]


LAYERS: Mapping[str, RoleLayer] = {
    "or": RoleLayer(_words),
    "mr": RoleLayer(_whole),
    "orv": RoleLayer(_with_verb(_words)),
    "mrv": RoleLayer(_with_verb(_whole)),
    "labels": RoleLayer(_label, has_types=False),
    "verbs": RoleLayer(_with_verb(_label), has_types=False),
}
