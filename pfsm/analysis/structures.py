"""Discourse representation structures of lines: those that are given, else those that rules build from trees."""

from collections.abc import Callable

from pfsm.analysis.clauses import Drs
from pfsm.analysis.sentence import Analysis
from pfsm.registry import Table

LANGUAGE = "en"
BUILDERS: Table[Callable[[Analysis], Drs]] = Table(
    "language of discourse structures",
    {LANGUAGE: "pfsm.english.discourse.building:built_structure"},
    lambda _, builder: builder,
)
"""By language: what builds the structure of a line that has a dependency tree."""


def structure_of(analysis: Analysis) -> Drs:
    """The structure of a line: the one that is given, else the one that the rules build.

    A line without a dependency tree, or without a word that adds a condition, has no clause.
    """
    if analysis.drs is not None:
        return analysis.drs
    return BUILDERS[LANGUAGE](analysis) if analysis.trees else Drs(())
