"""Which judgments and preferences are of one segment, and resamples of segments."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pfsm.data import Judgments, Preferences
from pfsm.evaluation.bootstrap import default_seed
from pfsm_training.fit.crossval import segment_names

Rows = NDArray[np.int64]


def segments_of(judgments: Judgments | None, preferences: Preferences | None) -> Rows:
    """Number of the segment of each judgment, then of each preference, int64 [n_items].

    As in cross-validation: rows with the same ``segment_id`` or the same reference are of one segment. Where there are
    scores and preferences it is always the reference.
    """
    parts = [part for part in (judgments, preferences) if part is not None]
    keys: list[str] = []
    for part in parts:
        keys += segment_names(part) if len(parts) == 1 else part.references
    number = {key: at for at, key in enumerate(sorted(set(keys)))}
    return np.array([number[key] for key in keys], dtype=np.int64)


def resamples(segments: Rows, count: int) -> Iterator[Rows]:
    """Items of as many segments, drawn with replacement, ascending; an item stands as often as its segment is drawn.

    Args:
        segments: int64 [n_items].
        count: Number of resamples; the seed is that of PFSM_SEED.

    Raises:
        PfsmError: If PFSM_SEED is no seed.
    """
    random = np.random.default_rng(default_seed())
    n_segments = int(segments.max()) + 1
    for _ in range(count):
        times = np.bincount(random.integers(n_segments, size=n_segments), minlength=n_segments)
        yield np.repeat(np.arange(segments.size, dtype=np.int64), times[segments])
