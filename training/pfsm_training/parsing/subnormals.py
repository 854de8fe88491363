"""Numbers too small to be normal, counted as zero while a network is trained."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def without_subnormals() -> Iterator[None]:
    """Counts subnormal numbers of this thread as zero, as long as the block lasts.

    Adam's moments of rare words become subnormal numbers, on which the processor is a hundred times slower. What comes
    after the block computes with them again: scores depend on them.
    """
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)
