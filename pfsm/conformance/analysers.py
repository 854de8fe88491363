"""Checks of analysers."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from pfsm.analysis.analysers import get_analyser
from pfsm.analysis.json_form import from_json, to_json
from pfsm.analysis.sentence import Analysis
from pfsm.analysis.wanted import Wanted
from pfsm.analysis.watched import Analyser
from pfsm.conformance.checks import Check, Subject, hold, through_json
from pfsm.conformance.processes import in_another_process

WANTED = Wanted(marginals=True, constituents=True)
# Networks work in single precision, and add in another order where other lines stand beside.
ROUNDING = 1e-4


def checks(subject: Subject) -> Iterator[Check]:
    """The checks of an analyser."""
    trial = _Trial(subject)
    yield Check("its label is one that a signature can hold, and stays the same", trial.has_label)
    yield Check("an analysis has the words of its line; tags and trees fit them", trial.analyses)
    yield Check("blank lines have no words", trial.takes_blank_lines)
    yield Check("analyses come back unchanged through the cache", trial.keeps)
    yield Check("the analysis of a line depends on nothing but the line", trial.is_independent)
    yield Check("another process gives the same analyses", trial.repeats_elsewhere)


class _Trial:
    def __init__(self, subject: Subject) -> None:
        self._name = subject.name
        self._lines = [*subject.lines, "\u00a0"]

    @cached_property
    def _analyser(self) -> Analyser:
        return get_analyser(self._name)

    def has_label(self) -> None:
        label = self._analyser.label
        hold(label.isprintable() and not set(" |") & set(label), f"{label!r} has spaces or bars in it")
        hold(get_analyser(self._name).label == label, "one made anew has another label")

    def analyses(self) -> str:
        found = self._analyser.analyse(self._lines, WANTED)
        given = {
            "dependency trees": any(one.trees for one in found),
            "probabilities": any(one.marginals for one in found),
            "constituents": any(one.constituents for one in found),
        }
        return "it gives " + (", ".join(what for what, there in given.items() if there) or "words alone")

    def takes_blank_lines(self) -> None:
        hold(self._analyser.analyse([], WANTED) == [], "no lines have analyses")
        for one in self._analyser.analyse(["", " "], WANTED):
            hold(not one.tokens, f"a blank line has the words {one.tokens}")

    def keeps(self) -> None:
        for one in self._analyser.analyse(self._lines, WANTED):
            values = to_json(one)
            hold(to_json(from_json(through_json(values))) == values, "they do not")

    def is_independent(self) -> None:
        together = self._analyser.analyse(self._lines, WANTED)
        alone = [self._analyser.analyse([line], WANTED)[0] for line in self._lines]
        reverse = self._analyser.analyse(self._lines[::-1], WANTED)[::-1]
        for line, one, *others in zip(self._lines, together, alone, reverse, strict=True):
            for other in others:
                hold(_alike(one, other), f"that of {line!r} changes with the other lines")

    def repeats_elsewhere(self) -> None:
        there = in_another_process(_analyses, self._name, self._lines)
        hold(there == _analyses(self._name, self._lines), "analyses differ there")


def _alike(one: Analysis, other: Analysis) -> bool:
    """Whether two analyses are the same but for the rounding of probabilities."""
    if _without_probabilities(one) != _without_probabilities(other):
        return False
    ours, theirs = ([tree.log_probability for tree in side.trees] for side in (one, other))
    if not np.allclose(ours, theirs, rtol=0.0, atol=ROUNDING, equal_nan=True):
        return False
    if one.marginals is None or other.marginals is None:
        return one.marginals is other.marginals
    here, there = (marginals.arcs(len(one.tokens)) for marginals in (one.marginals, other.marginals))
    return np.allclose(here, there, rtol=0.0, atol=ROUNDING)


def _without_probabilities(analysis: Analysis) -> dict[str, Any]:
    trees = tuple(replace(tree, log_probability=0.0) for tree in analysis.trees)
    return to_json(replace(analysis, trees=trees, marginals=None))


def _analyses(name: str, lines: Sequence[str]) -> list[dict[str, Any]]:
    return _plain(get_analyser(name).analyse(lines, WANTED))


def _plain(analyses: Sequence[Analysis]) -> list[dict[str, Any]]:
    return [to_json(one) for one in analyses]
