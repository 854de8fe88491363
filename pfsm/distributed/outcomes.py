"""What a task on a worker brings back: a result, or a fault in one line that the caller can act on."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from pfsm.errors import PfsmError

Result = TypeVar("Result")

# Storage beyond the network fails now and then; what is wrong with the data itself fails every time.
ATTEMPTS = 3
PAUSE = 0.5


@dataclass(frozen=True)
class Fault:
    """Why a task has no result.

    Attributes:
        message: One line.
        everywhere: Whether all other tasks would fail alike: a worker lacks a model's resource, or its version differs.
    """

    message: str
    everywhere: bool = False


class WorkerFaultError(PfsmError):
    """A worker is not fit for the job: going on elsewhere would hide it."""


def attempt(work: Callable[[], Result], name: str) -> tuple[Result | Fault, int]:
    """The outcome of some work on the file ``name``, and how often it had to be tried again.

    A system's error is tried again; a `PfsmError` is final.
    """
    for retries in range(ATTEMPTS):
        try:
            return work(), retries
        except PfsmError as error:
            return Fault(str(error), isinstance(error, WorkerFaultError)), retries
        except OSError as error:
            fault = Fault(f"{name}: cannot be read or written ({error.strerror or error})")
        time.sleep(PAUSE * (retries + 1))
    return fault, retries
