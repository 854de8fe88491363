"""Memory that a training uses. It is read from ``/proc``; where there is none, nothing is known."""

import asyncio
import os
from pathlib import Path

_PROCESSES = Path("/proc")
# Seconds between two looks.
PAUSE = 0.25


def resident(session: int) -> int:
    """Bytes of memory that the processes of a session hold; 0 where the system does not tell."""
    pages = 0
    for folder in _PROCESSES.glob("[0-9]*"):
        try:
            # After the name, which may hold anything, in parentheses: state, parent, group, session.
            fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
            if int(fields[3]) == session:
                pages += int((folder / "statm").read_bytes().split()[1])
        except (OSError, IndexError, ValueError):  # it has just ended
            continue
    return pages * _page_size() if pages else 0


async def until_above(session: int, most: int) -> None:
    """Returns when the processes of a session hold more than ``most`` bytes; it may never."""
    while await asyncio.to_thread(resident, session) <= most:
        await asyncio.sleep(PAUSE)


def _page_size() -> int:
    return int(os.sysconf("SC_PAGE_SIZE"))
