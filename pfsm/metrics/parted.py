"""Metrics that say what their scores are made of, and how any metric of ours signs."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics.distinct import score_distinct
from pfsm.metrics.protocol import NREFS, check_pairs
from pfsm.version import __version__

Float = NDArray[np.float64]


def segment_signature(entries: Mapping[str, str]) -> str:
    """``nrefs:1|level:segment|key:value|…|version:X``, for a metric that scores pairs.

    Args:
        entries: What changes scores, in the order in which it is to stand.
    """
    own = "".join(f"{key}:{value}|" for key, value in entries.items())
    return f"{NREFS}|level:segment|{own}version:{__version__}"


class PartedMetric(ABC):
    """A metric whose scores come with the parts that they are made of."""

    name: str

    @abstractmethod
    def _entries(self) -> Mapping[str, str]:
        """What changes scores, for the signature."""

    @abstractmethod
    def _rows(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores and parts of pairs, float64 [n_pairs, 1 + n_parts]; the row of a pair depends on the pair alone."""

    @property
    def signature(self) -> str:
        """What changes scores, and our version.

        Raises:
            PfsmError: If something that is needed is not installed.
        """
        return segment_signature(self._entries())

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs].

        Raises:
            PfsmError: If something that is needed is not installed.
            ValueError: If the lists differ in length, or one of them is a single string.
        """
        return np.ascontiguousarray(self.parts(hypotheses, references)[:, 0])

    def parts(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs and what they are made of, float64 [n_pairs, 1 + n_parts]; each distinct pair once.

        Raises:
            PfsmError: If something that is needed is not installed.
            ValueError: If the lists differ in length, or one of them is a single string.
        """
        check_pairs(hypotheses, references)
        return score_distinct(self._rows, hypotheses, references)
