"""Which dependencies HWCM, DSTM and DTKM compare: the parser's own, or those of head rules over constituents.

``ud``: the parser's, Universal Dependencies for the one that ships; where it gives constituents alone, dependencies by
the rules of `pfsm.analysis.heads`. ``collins``: by the rules of `pfsm.analysis.collins` over constituent trees, as Liu
and Gildea (2005, section 2.1) have them.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.collins import collins_analysis
from pfsm.analysis.sentence import Analysis
from pfsm.analysis.wanted import Wanted
from pfsm.metrics.syntax.dependency_lines import has_symbols, lacking

Float = NDArray[np.float64]
Compute = Callable[[Sequence[Analysis], Sequence[Analysis]], Float]
ComputeTogether = Callable[[Sequence[Analysis], Sequence[Sequence[Analysis]]], Float]
AS_PARSED, COLLINS = "ud", "collins"


def wanted_for(heads: str) -> Wanted:
    """What to ask of the analyses."""
    return Wanted(constituents=heads == COLLINS)


def with_heads(analysis: Analysis, heads: str) -> Analysis:
    """The analysis with the dependency tree that is asked for.

    Raises:
        PfsmError: If it has words, but not what the dependencies come from.
    """
    if heads == AS_PARSED:
        return analysis
    if analysis.tokens and not analysis.constituents:
        raise lacking(analysis, "constituents, which heads=collins needs,")
    return collins_analysis(analysis)


def over_heads(compute: Compute, heads: str) -> Compute:
    """The same function of analyses with the dependencies that are asked for."""
    if heads == AS_PARSED:
        return compute
    return lambda ours, theirs: compute(
        [with_heads(one, heads) for one in ours], [with_heads(one, heads) for one in theirs]
    )


def all_over_heads(compute: ComputeTogether, heads: str) -> ComputeTogether:
    """As `over_heads`, of a function of hypotheses and all references of each."""
    if heads == AS_PARSED:
        return compute
    return lambda ours, theirs: compute(
        [with_heads(one, heads) for one in ours],
        [[with_heads(one, heads) for one in several] for several in theirs],
    )


def has_heads(analysis: Analysis, kind: str, heads: str) -> bool:
    """Whether there are a tree to take dependencies from and, where they are asked for, tags."""
    return has_symbols(analysis, kind) and (heads == AS_PARSED or bool(analysis.constituents))
