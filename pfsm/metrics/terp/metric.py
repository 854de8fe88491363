"""TERp (Snover et al. 2009): edits of each kind over the words of the reference, times what they cost.

    score = -100 sum over kinds of cost * edits / words of the reference

With an empty reference the words of the hypothesis take the place of the reference's.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics.parted import PartedMetric
from pfsm.metrics.terp.costs import KINDS, cost_vector
from pfsm.metrics.terp.matching import Matches, finder
from pfsm.metrics.terp.options import NO_EDITS, check_options

Float = NDArray[np.float64]
PAIRS_PER_BATCH = 4096
# Sets T and P, then B: words of the hypothesis beyond the reference's number, and of the reference beyond its.
PARTS = (*KINDS, "longer", "shorter")


class TerpMetric(PartedMetric):
    """TERp in percent; higher is better, 0 is best. Its parts are `PARTS`.

    Args:
        name: ``terp``: with METEOR's paraphrases, which the extra ``pfsm[paraphrases]`` brings. ``terp-base``: with
            what ships with pfsm.
        options: As `check_options` takes them.

    Raises:
        PfsmError: If an option is unknown or has no such value; at the first use, if a table is not there.
    """

    def __init__(self, name: str, options: Mapping[str, Any]) -> None:
        self.name = name
        self.options = check_options(name, options)
        others = ",".join(f"{key}={value}" for key, value in options.items() if key not in (*KINDS, "costs"))
        self._bare = f"{name}({others})" if others else name

    @property
    def name_without_costs(self) -> str:
        """The metric with those of its options in parentheses that are no costs, as far as they are given."""
        return self._bare

    def _entries(self) -> Mapping[str, str]:
        resources = self.options.resources
        return {
            "sign": "negative",
            "case": "lc",
            "tok": resources.tokeniser,
            "edits": "+".join(resources.edits) or NO_EDITS,
            **finder(resources).labels,
            "costs": "/".join(f"{self.options.costs[kind]:g}" for kind in KINDS),
        }

    def find(self, hypotheses: Sequence[str], references: Sequence[str]) -> Matches:
        """What joins the words of pairs, to be aligned by various costs.

        Raises:
            PfsmError: If a table is not there.
        """
        found = finder(self.options.resources)
        with found.lock:
            return found.find(hypotheses, references)

    def _rows(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        costs = cost_vector(self.options.costs)
        rows = [np.empty((0, 1 + len(PARTS)))]
        for first in range(0, len(hypotheses), PAIRS_PER_BATCH):
            batch = slice(first, first + PAIRS_PER_BATCH)
            matches = self.find(hypotheses[batch], references[batch])
            counts = matches.count(costs)
            # Edits are added up before they are divided, as TER has it; + 0.0: no -0.0.
            scores = -100.0 * (counts @ costs / normaliser(matches)) + 0.0
            rows.append(np.column_stack([scores, features(matches, counts)]))
        return np.concatenate(rows)


def normaliser(matches: Matches) -> Float:
    """Words of the references, where there are none those of the hypotheses, and at least 1: float64 [n_pairs]."""
    ours, theirs = matches.lengths.T
    return np.asarray(np.maximum(np.where(ours > 0, ours, theirs), 1.0))


def features(matches: Matches, counts: Float) -> Float:
    """The features `PARTS` of aligned pairs, float64 [n_pairs, n_parts].

    Args:
        matches: The pairs.
        counts: As `Matches.count` gives them.
    """
    ours, theirs = matches.lengths.T
    beyond = np.maximum(np.column_stack([theirs - ours, ours - theirs]), 0.0)
    return np.asarray(np.column_stack([counts, beyond]) / normaliser(matches)[:, np.newaxis])
