"""Discourse representation structures (DRSs) as clauses, in the form of the Parallel Meaning Bank.

Each clause is in a box and has one of these forms (van Noord et al. 2018, "Evaluating scoped meaning
representations"):

* ``b1 REF x1``: the box introduces a referent;
* ``b1 dog "n.01" x1``: a concept, with its sense;
* ``b1 A0 e1 x1``, ``b1 Name x1 "tom"``: a role, between referents or with a constant;
* ``b1 EQU t1 "now"``: a comparison, in capitals;
* ``b1 NEGATION b2``, ``b1 Proposition e1 b2``: an operator, a relation of boxes, or a box as content of an event.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

REF, NEGATION, PRESUPPOSITION = "REF", "NEGATION", "PRESUPPOSITION"
_NUMBERED = re.compile(r"([a-z])([0-9]+)")
_BOX = re.compile(r"b[0-9]+")
_ROLE = re.compile(r"(?:[RC]-)?A(?:[0-9A]|M(-[A-Z]+)?)")


def is_box(argument: str) -> bool:
    """Whether an argument is a box."""
    return _BOX.fullmatch(argument) is not None


def in_capitals(operator: str) -> bool:
    """Whether it is a comparison or an operator over boxes, in ASCII's capitals; PropBank's roles A0 to AM are none."""
    return operator.isascii() and operator.isupper() and not _ROLE.fullmatch(operator)


def is_constant(argument: str) -> bool:
    """Whether an argument is a constant in quotes rather than a variable."""
    return argument.startswith('"')


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause.

    Attributes:
        box: The box that it stands in.
        operator: What it says, such as REF, NEGATION, dog or A0.
        arguments: One or two variables, or constants in quotes.
        words: The words that it comes from, counted from 0 through the line, in rising order.
    """

    box: str
    operator: str
    arguments: tuple[str, ...]
    words: tuple[int, ...] = ()

    @property
    def is_reference(self) -> bool:
        """Whether it introduces a referent."""
        return self.operator == REF

    @property
    def is_concept(self) -> bool:
        """Whether it is a concept of one referent, with a sense."""
        return (
            len(self.arguments) == 2
            and is_constant(self.arguments[0])
            and not is_constant(self.arguments[1])
            and not (self.operator.isascii() and self.operator.isupper())
        )

    @property
    def is_role(self) -> bool:
        """Whether it is a role of two arguments; comparisons, in capitals, are none, PropBank's A0 to A5 are."""
        return len(self.arguments) == 2 and not self.is_concept and not in_capitals(self.operator)

    @property
    def box_arguments(self) -> tuple[str, ...]:
        """The boxes among its arguments."""
        return tuple(one for one in self.arguments if is_box(one))


@dataclass(frozen=True, slots=True)
class Drs:
    """The discourse representation structure of a line.

    Attributes:
        clauses: Its clauses.
    """

    clauses: tuple[Clause, ...]

    @property
    def boxes(self) -> list[str]:
        """The boxes, in the order in which they first occur."""
        named = [box for one in self.clauses for box in (one.box, *one.box_arguments)]
        return list(dict.fromkeys(named))

    def renamed(self, rename: Callable[[str], str], by: int) -> "Drs":
        """The same with other names of variables, and words shifted by so many.

        Args:
            rename: From a variable to its new name.
            by: What is added to the numbers of words.
        """
        return Drs(
            tuple(
                Clause(
                    rename(one.box),
                    one.operator,
                    tuple(value if is_constant(value) else rename(value) for value in one.arguments),
                    tuple(word + by for word in one.words),
                )
                for one in self.clauses
            )
        )


def joined_structures(parts: Sequence[tuple[Drs, int]]) -> Drs:
    """One structure from those of sentences, none of which shares a variable with another.

    Args:
        parts: Structures, each with the number of its sentence's first word in the line.
    """
    clauses: list[Clause] = []
    for part, first in parts:
        names = (name for one in clauses for name in (one.box, *one.arguments))
        offset = max((int(match[2]) for match in map(_NUMBERED.fullmatch, names) if match), default=0)
        clauses += part.renamed(partial(_shifted, by=offset), first).clauses
    return Drs(tuple(clauses))


def _shifted(name: str, by: int) -> str:
    match = _NUMBERED.fullmatch(name)
    return f"{match[1]}{int(match[2]) + by}" if match else f"{name}+{by}" if by else name
