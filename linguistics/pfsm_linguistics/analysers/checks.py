"""The check of analysers of other packages: ``pfsm plugins check NAME``."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pfsm.conformance.checks import Subject, Trial, depends_on_nothing_else, hold, signable
from pfsm.conformance.kinds import elsewhere
from pfsm_linguistics.analysers.cache import packed, unpacked
from pfsm_linguistics.analysers.registry import get_analyser
from pfsm_linguistics.analysis.sentence import Analysis
from pfsm_linguistics.analysis.wanted import Wanted

WANTED = Wanted(marginals=True, constituents=True)
# Networks work in single precision, and add in another order where other lines stand beside.
OF_NETWORKS = 1e-4


def check_analyser(trial: Trial, subject: Subject) -> None:
    """Check that analyses fit their lines, come back from the cache, and depend on nothing but the line."""
    name, lines = subject.name, [*subject.lines, "\u00a0"]

    def analyse(some: Sequence[str]) -> list[Analysis]:
        return get_analyser(name).analyse(some, WANTED)

    with trial("its label is one that a signature can hold, and stays the same"):
        label = get_analyser(name).label
        hold(signable(label), f"{label!r} has spaces or bars in it")
        hold(get_analyser(name).label == label, "one made anew has another label")
    with trial("an analysis has the words of its line; tags and trees fit them") as result:
        found = analyse(lines)
        given = {
            "dependency trees": any(one.trees for one in found),
            "probabilities": any(one.marginals for one in found),
            "constituents": any(one.constituents for one in found),
        }
        result.note = f"it gives {', '.join(what for what, there in given.items() if there) or 'words alone'}"
    with trial("blank lines have no words"):
        hold(analyse([]) == [], "no lines have analyses")
        for one in analyse(["", " "]):
            hold(not one.tokens, f"a blank line has the words {one.tokens}")
    with trial("analyses come back unchanged through the cache"):
        for one in analyse(lines):
            hold(packed(unpacked(packed(one))) == packed(one), "they do not")
    with trial("the analysis of a line depends on nothing but the line"):
        depends_on_nothing_else(analyse, lines, _alike)
    elsewhere(trial, "analyses", _analyses, name, lines)


def _alike(one: Analysis, other: Analysis) -> bool:
    """Whether two analyses are the same but for the rounding of probabilities."""
    if _without_probabilities(one) != _without_probabilities(other):
        return False
    ours, theirs = ([tree.log_probability for tree in side.trees] for side in (one, other))
    if not np.allclose(ours, theirs, rtol=0.0, atol=OF_NETWORKS, equal_nan=True):
        return False
    if one.marginals is None or other.marginals is None:
        return one.marginals is other.marginals
    here, there = (marginals.arcs(len(one.tokens)) for marginals in (one.marginals, other.marginals))
    return np.allclose(here, there, rtol=0.0, atol=OF_NETWORKS)


def _without_probabilities(analysis: Analysis) -> bytes:
    trees = tuple(replace(tree, log_probability=0.0) for tree in analysis.trees)
    return packed(replace(analysis, trees=trees, marginals=None))


def _analyses(name: str, lines: Sequence[str]) -> list[bytes]:
    return [packed(one) for one in get_analyser(name).analyse(lines, WANTED)]
