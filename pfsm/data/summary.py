"""A summary of a file of judgments: counts, the distribution of scores, and what looks wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BINS = 10


@dataclass(frozen=True)
class Finding:
    """The number of rows that a check found."""

    rows: int
    first_line: int | None
    """The line of the first of them."""


@dataclass(frozen=True)
class Scores:
    """The distribution of scores."""

    mean: float
    sd: float
    """Standard deviation with n - 1 in the denominator; 0 for a single score."""
    quantiles: tuple[float, float, float, float, float]
    """Minimum, lower quartile, median, upper quartile, maximum."""
    edges: tuple[float, ...]
    """Edges of the histogram's bins, equally wide from minimum to maximum; the last bin includes both its edges."""
    counts: tuple[int, ...]
    """Scores in each bin."""


@dataclass(frozen=True)
class Fingerprints:
    """64-bit fingerprints of the distinct texts of a file, in normal form (`normal_form`)."""

    references: frozenset[int]
    sources: frozenset[int]
    translations: frozenset[int]
    """Translations, each together with its reference."""
    segments: frozenset[int]
    """Segment ids with their test set and language pair."""


@dataclass(frozen=True)
class Summary:
    """What a file of judgments contains."""

    preferences: bool
    rows: int
    columns: tuple[str, ...]
    language_pairs: Mapping[str, int]
    """Rows by language pair, or by the part of it that is known (``cs-en``, ``cs``)."""
    test_sets: Mapping[str, int]
    documents: int
    segments: int
    """Distinct segment ids, each with its test set and language pair; distinct references if there are no ids."""
    systems: Mapping[str, int]
    """Rows by system; a preference counts for both its systems."""
    raters: Mapping[str, int]
    references: Mapping[int, int]
    """Rows by number of references."""
    scores: Scores | None
    """None for preferences."""
    votes: float
    """Votes of all preferences together."""
    findings: Mapping[str, Finding]
    """Results by check; only the checks that are possible with the columns of this file."""
    fingerprints: Fingerprints


@dataclass(frozen=True)
class Shared:
    """How many distinct texts two files share, and how many each has."""

    both: int
    first: int
    second: int


def shared(first: Fingerprints, second: Fingerprints) -> dict[str, Shared]:
    """What two files share: references, sources, translations with their reference, and segment ids."""
    return {
        name: Shared(len(ours & theirs), len(ours), len(theirs))
        for name in ("references", "sources", "translations", "segments")
        for ours, theirs in [(getattr(first, name), getattr(second, name))]
    }


def distribution(scores: NDArray[np.float64], bins: int = BINS) -> Scores:
    """Mean, quartiles and histogram of scores.

    Args:
        scores: float64 [n], n at least 1.
        bins: of the histogram.
    """
    low, high = float(scores.min()), float(scores.max())
    edges = np.linspace(low, high, bins + 1) if high > low else np.array([low, high])
    counts, _ = np.histogram(scores, edges) if high > low else (np.array([scores.size]), None)
    quantiles = [float(value) for value in np.quantile(scores, [0.0, 0.25, 0.5, 0.75, 1.0])]
    return Scores(
        float(scores.mean()),
        float(scores.std(ddof=1)) if scores.size > 1 else 0.0,
        (quantiles[0], quantiles[1], quantiles[2], quantiles[3], quantiles[4]),
        tuple(float(edge) for edge in edges),
        tuple(int(count) for count in counts),
    )


def bars(counts: Sequence[int], width: int) -> list[str]:
    """A bar for each count, the longest `width` characters long; a count above 0 has at least one character."""
    most = max(counts, default=0)
    return ["#" * (max(1, round(width * count / most)) if count else 0) for count in counts]
