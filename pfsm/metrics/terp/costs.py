"""Kinds of edits and what they cost.

The features of TERp (Kahn, Snover and Ostendorf 2009, section 6.1): set T, one cost for each of matches, insertions,
deletions, substitutions, shifts, synonyms and stems; set P, four for paraphrases: with e the edits between the two
phrases and p the probability of the pair, a paraphrase costs

    paraphrase + e (paraphrase_log log10 p + paraphrase_probability p + paraphrase_edits)

(Snover et al. 2009). An insertion is a word that the hypothesis lacks, a deletion one that it has too many.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError

Float = NDArray[np.float64]

T = ("match", "insertion", "deletion", "substitution", "shift", "synonym", "stem")
P = ("paraphrase", "paraphrase_log", "paraphrase_probability", "paraphrase_edits")
KINDS = (*T, *P)
LARGEST_COST = 1000.0
_ZERO = dict.fromkeys(KINDS, 0.0)
# ``tuned``: on WMT15's direct assessments by `pfsm tune`, rounded so that either table has the same. ``ter``: TER's,
# and what a word is worth that is not the same but nearly.
TUNED, TER = "tuned", "ter"
COSTS: Mapping[str, Mapping[str, float]] = {
    TUNED: {
        **_ZERO,
        "insertion": 1.4,
        "deletion": 0.3,
        "substitution": 1.3,
        "shift": 1.0,
        "synonym": 0.2,
        "paraphrase": 0.2,
    },
    TER: {
        **_ZERO,
        **dict.fromkeys(("insertion", "deletion", "substitution", "shift"), 1.0),
        **dict.fromkeys(("synonym", "stem", "paraphrase"), 0.3),
    },
}


def check_costs(name: str, basis: object, given: Mapping[str, Any]) -> dict[str, float]:
    """All costs, those of ``tuned`` or ``ter`` where none is given.

    Raises:
        PfsmError: If one is no number from -1000 to 1000, or there is no such basis.
    """
    if not isinstance(basis, str) or basis not in COSTS:
        raise PfsmError(f"metric {name}: costs is {basis!r}, it must be one of {', '.join(COSTS)}")
    for kind, cost in given.items():
        if type(cost) not in {int, float} or not abs(cost) <= LARGEST_COST:
            raise PfsmError(f"metric {name}: {kind} is {cost!r}, it must be a number from -1000 to 1000")
    return {**COSTS[basis], **{kind: float(cost) for kind, cost in given.items()}}


def cost_vector(costs: Mapping[str, float]) -> Float:
    """The costs in the order of `KINDS`, float64 [11]."""
    return np.array([costs[kind] for kind in KINDS])
