"""Runs tests of a copy of the checkout in a child of a process that has loaded everything but our own modules."""

import importlib
import math
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

# What tests import and is not ours; loading it takes longer than most of them.
LIBRARIES = (
    "numpy", "scipy.stats", "numba", "hypothesis", "torch", "yaml", "sacrebleu", "onnxruntime", "pyarrow.parquet",
    "distributed",
)  # fmt: skip
ROOTS = (".", "kernels", "training")
# Seconds of the clock that one test may take, on a machine that does much else.
PATIENCE = 400
SHARED = 4.0
NO_TESTS, HANGS = 5, (-signal.SIGALRM, -signal.SIGXCPU)
NO_TIME = "there is no time for more tests"
MOST_MEMORY = 16 << 30


@dataclass(frozen=True)
class Effort:
    """Seconds of processor time.

    Attributes:
        whole: After these, or `SHARED` times as many of the clock, no further test begins.
        one: A test that takes so many hangs.
    """

    whole: float = 40.0
    one: float = 60.0


@dataclass(frozen=True)
class Compiled:
    """Compiled kernels, for a child whose kernels are in a folder of another name.

    Attributes:
        place: A folder of such folders.
        name: Which of them; None: the one that has the name of the child's.
        changed: Files whose kernels are others now, directly or through what they import.
    """

    place: Path
    name: str | None = None
    changed: frozenset[str] = frozenset()

    def adopt(self) -> None:
        """Copies those that are unchanged."""
        from pfsm_kernels.cache import FOLDER  # noqa: PLC0415 - the child's, not ours

        changed = {(Path(file).parent.name, Path(file).stem) for file in self.changed}
        for path in (self.place / (self.name or FOLDER.name)).glob("*/*.nb?"):
            target = FOLDER / path.parent.name / path.name
            if (path.parent.name, path.name.partition(".")[0]) not in changed and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, target)


class Watch:
    """A plug-in of pytest that notes which test runs, and ends the process where one hangs.

    Args:
        log: Where the name of the test goes.
        effort: What there is time for.
    """

    def __init__(self, log: Path, effort: Effort) -> None:
        self._log = log
        self._effort = effort
        self._begin = time.monotonic()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Sets the clocks, which end the process."""
        self._log.write_text(item.nodeid, encoding="utf-8")
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + self._effort.one), hard))
        signal.alarm(PATIENCE)
        try:
            return (yield)
        finally:
            signal.alarm(0)
            elapsed = time.monotonic() - self._begin
            if max(time.process_time(), elapsed / SHARED) > self._effort.whole:
                item.session.shouldstop = NO_TIME


def load_libraries() -> None:
    """Loads them into this process."""
    os.environ.update({"OMP_NUM_THREADS": "1", "PFSM_NO_NOTICE": "1"})
    for name in LIBRARIES:
        with suppress(ImportError):
            importlib.import_module(name)


def run(copy: Path, log: Path, tests: Sequence[str], effort: Effort, compiled: Compiled) -> int:
    """Pytest's exit status after the first test that fails, one of `HANGS` if one hangs.

    Args:
        copy: The copy of the checkout.
        log: Where the name of the last test goes; what pytest says goes beside it.
        tests: Files, or names of tests.
        effort: What there is time for.
        compiled: Kernels that need not be compiled again.
    """
    sys.stdout.flush()
    log.write_text(" ".join(tests), encoding="utf-8")
    process = os.fork()
    if process == 0:
        status = 70
        try:
            status = _child(copy, log, tests, effort, compiled)
        except BaseException:
            with suppress(BaseException):
                traceback.print_exc()
                sys.stderr.flush()
        os._exit(status)
    _, code = os.waitpid(process, 0)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)  # what it has left behind
    status = os.waitstatus_to_exitcode(code)
    said = log.with_suffix(".out").read_text(encoding="utf-8", errors="replace")
    return 0 if status == int(pytest.ExitCode.INTERRUPTED) and NO_TIME in said else status


def _child(copy: Path, log: Path, tests: Sequence[str], effort: Effort, compiled: Compiled) -> int:
    os.setsid()
    os.chdir(copy)
    sys.modules["__main__"] = ModuleType("__main__")  # processes that tests spawn would import this program
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, resource.RLIM_INFINITY))
    roots = [str((copy / root).resolve()) for root in ROOTS]
    sys.path[:0] = roots
    os.environ["PYTHONPATH"] = os.pathsep.join(roots)
    nowhere = os.open(log.with_suffix(".out"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    for number in (1, 2):
        os.dup2(nowhere, number)
    with suppress(Exception):  # a fault may be in what finds their folder
        compiled.adopt()
    # The warning is of hypothesis, which is loaded already and needs no rewriting.
    options = ["-x", "-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    return int(pytest.main([*options, *tests], [Watch(log, effort)]))
