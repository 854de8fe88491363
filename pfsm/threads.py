"""How many threads to use when nobody says."""

import os


def default_threads() -> int:
    """Number of processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
