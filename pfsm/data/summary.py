"""What is in a file of judgments: counts, the distribution of scores, and what looks wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BINS = 10


@dataclass(frozen=True)
class Finding:
    """How many rows a check has found."""

    rows: int
    first_line: int | None
    """The line of the first of them."""


@dataclass(frozen=True)
class Scores:
    """The distribution of scores."""

    mean: float
    sd: float
    """With n - 1 in the denominator; 0 for a single score."""
    quantiles: tuple[float, float, float, float, float]
    """Minimum, lower quartile, median, upper quartile, maximum."""
    edges: tuple[float, ...]
    """Of the bins of the histogram, equally wide from minimum to maximum; the last bin has both its edges."""
    counts: tuple[int, ...]
    """In each bin."""


@dataclass(frozen=True)
class Fingerprints:
    """64-bit fingerprints of the distinct texts of a file, in normal form (`normal_form`)."""

    references: frozenset[int]
    sources: frozenset[int]
    translations: frozenset[int]
    """Each with its reference."""
    segments: frozenset[int]
    """Of test set, language pair and segment id."""


@dataclass(frozen=True)
class Summary:
    """What a file of judgments holds."""

    preferences: bool
    rows: int
    columns: tuple[str, ...]
    language_pairs: Mapping[str, int]
    """Rows by language pair, as far as known (``cs-en``, ``cs``)."""
    test_sets: Mapping[str, int]
    documents: int
    segments: int
    """Distinct segment ids of a test set and language pair; without any, distinct references."""
    systems: Mapping[str, int]
    """Rows by system; of a preference, both."""
    raters: Mapping[str, int]
    references: Mapping[int, int]
    """Rows by number of references."""
    scores: Scores | None
    """None for preferences."""
    votes: float
    """Of all preferences together."""
    findings: Mapping[str, Finding]
    """By what was looked for; only what could be looked for in a file of these columns."""
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
    """A bar for each count, the longest `width` signs long; a count above 0 has at least one sign."""
    most = max(counts, default=0)
    return ["#" * (max(1, round(width * count / most)) if count else 0) for count in counts]
