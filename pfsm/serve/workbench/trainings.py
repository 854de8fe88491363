"""Trainings that the page starts: each is ``pfsm train`` in a process of its own, so that it can be ended.

The server chooses all its arguments and all its files, in a folder of its own. A client gives the table, the name, the
language, and the name of a shipped model to start from.
"""

import asyncio
import contextlib
import os
import secrets
import shutil
import signal
import sys
import tempfile
from collections import deque
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pfsm.errors import PfsmError
from pfsm.installation import install_command
from pfsm.io.array_checks import is_text
from pfsm.model.file import load_model
from pfsm.serve.limits import MEGABYTE, Limits, RequestError, invalid
from pfsm.serve.model_pool import LoadedModel, ModelPool, check_name
from pfsm.serve.requests import Asked, check_lines, shown
from pfsm.text.languages import language_code

_PROCESSES = Path("/proc")
# Seconds between two looks at the memory of a training.
PAUSE = 0.25
MODEL, REPORT, TABLE = "model.json", "report.html", "data.tsv"
RUNNING, DONE, FAILED, CANCELLED = "running", "done", "failed", "cancelled"
# Of lines that are kept for the page; of trainings; seconds until a process that was asked to end is ended.
MOST_LINES, MOST_TRAININGS, GRACE = 300, 20, 5.0
_LONGEST_LINE = 1000


class TrainingRequest(Asked, frozen=True):
    """What is to be trained on.

    Attributes:
        name: Of the model.
        table: The judgments, as TSV.
        language: Name or code of the language; empty: that of the default.
        init: Shipped model to start from; empty: none.
    """

    name: str
    table: str
    language: str = ""
    init: str = ""

    def check(self, limits: Limits) -> None:  # noqa: ARG002 - as of any request
        """As of any request."""
        check_name(self.name)
        if not self.table.strip():
            raise invalid("/table", "a table with columns reference, hypothesis and score is needed, as TSV")
        if not is_text(self.table):
            raise invalid("/table", "half of a surrogate pair, which is not text")
        if self.language:
            check_lines(self.language, 200, "/language")
            try:
                language_code(self.language)
            except PfsmError as error:
                raise invalid("/language", str(error)) from None


@dataclass(eq=False)
class Training:
    """One training.

    Attributes:
        id: By which the page asks for it; nobody can guess it.
        name: Of its model.
        folder: Where its files are.
        state: `RUNNING`, `DONE`, `FAILED` or `CANCELLED`.
        lines: What it has said.
    """

    id: str
    name: str
    folder: Path
    state: str = RUNNING
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_LINES))
    process: asyncio.subprocess.Process | None = None
    task: "asyncio.Task[None] | None" = None

    def document(self) -> dict[str, Any]:
        """What the page shows."""
        return {"id": self.id, "name": self.name, "state": self.state, "lines": list(self.lines)}


class Trainings:
    """All trainings of a server; one runs at a time.

    Args:
        models: Where their models go.
        limits: Bounds of the service.
    """

    def __init__(self, models: ModelPool, limits: Limits) -> None:
        self._models, self._limits = models, limits
        self._all: dict[str, Training] = {}

    def find(self, number: str) -> Training:
        """A training.

        Raises:
            RequestError: If there is none.
        """
        training = self._all.get(number)
        if training is None:
            raise RequestError(404, "there is no such training")
        return training

    async def start(self, asked: TrainingRequest) -> Training:
        """Begins a training.

        Raises:
            RequestError: If there is such a model already, none to start from, a training runs, or PyTorch is missing.
        """
        if any(loaded.name == asked.name for loaded in self._models):
            raise invalid("/name", f"there is a model {shown(asked.name)} already; give another name")
        if asked.init and self._models.find(asked.init).origin != "shipped":
            raise invalid("/init", "a shipped model is needed here")
        if find_spec("torch") is None:
            raise RequestError(409, f"training needs PyTorch on the server; {install_command(['train'])}")
        if any(training.state == RUNNING for training in self._all.values()):
            raise RequestError(409, "a training is running already; wait for it, or cancel it")
        for old in list(self._all.values())[: -MOST_TRAININGS + 1]:
            shutil.rmtree(old.folder, ignore_errors=True)
            del self._all[old.id]
        folder = Path(tempfile.mkdtemp(prefix="pfsm-serve-"))
        training = Training(secrets.token_urlsafe(16), asked.name, folder)
        self._all[training.id] = training
        (folder / TABLE).write_text(asked.table, encoding="utf-8", newline="")
        command = [
            *(sys.executable, "-m", "pfsm", "train", TABLE, "--output", MODEL, "--report", REPORT),
            *("--name", asked.name, "--verbose"),
            *(("--language", language_code(asked.language)) if asked.language else ()),
            *(("--init", asked.init) if asked.init else ()),
        ]
        environment = {key: value for key, value in os.environ.items() if key != "PFSM_SERVE_TOKEN"}
        training.process = await asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            env={**environment, "PFSM_NO_NOTICE": "1"},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
            limit=1 << 20,
        )
        training.task = asyncio.create_task(self._watch(training, training.process))
        return training

    async def _watch(self, training: Training, process: asyncio.subprocess.Process) -> None:
        """Reads what the process says until it ends, or is ended because it needs too much."""
        bound = asyncio.create_task(self._bound_memory(training, process))
        try:
            async with asyncio.timeout(self._limits.training):
                await _gather(process, training.lines)
                status = await process.wait()
        except TimeoutError:
            training.lines.append(
                f"ended after {self._limits.training:g} seconds; give a smaller table, or start the server with a "
                "larger --training-timeout"
            )
            await _end(process)
            status = -1
        finally:
            bound.cancel()
        if training.state == CANCELLED:
            return
        if status != 0:
            training.state = FAILED
            return
        try:
            model = await asyncio.to_thread(load_model, training.folder / MODEL)
        except PfsmError as error:
            training.lines.append(str(error).replace(str(training.folder), ""))
            training.state = FAILED
            return
        self._models.add(LoadedModel(training.name, model, "trained"))
        training.state = DONE

    async def _bound_memory(self, training: Training, process: asyncio.subprocess.Process) -> None:
        most = self._limits.memory
        while await asyncio.to_thread(resident, process.pid) <= most:
            await asyncio.sleep(PAUSE)
        training.lines.append(
            f"ended: it needs more than {most // MEGABYTE} MB of memory; give a smaller table, or start the server "
            "with a larger --training-memory"
        )
        await _end(process)

    async def cancel(self, training: Training) -> None:
        """Ends a training that runs."""
        if training.state == RUNNING and training.process is not None:
            training.state = CANCELLED
            await _end(training.process)

    async def close(self) -> None:
        """Ends what runs, and removes all files."""
        for training in self._all.values():
            await self.cancel(training)
            if training.task is not None:
                with contextlib.suppress(asyncio.CancelledError):
                    await training.task
            shutil.rmtree(training.folder, ignore_errors=True)


async def _gather(process: asyncio.subprocess.Process, lines: deque[str]) -> None:
    assert process.stdout is not None
    while True:
        try:
            line = await process.stdout.readline()
        except ValueError:  # longer than the buffer
            continue
        if not line:
            return
        text = line.decode("utf-8", "replace").rstrip()
        if text:
            lines.append(text[:_LONGEST_LINE])


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ends a process and those that it has started: gently, then at once."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE):
                await process.wait()
                return


def resident(session: int) -> int:
    """Bytes of memory that the processes of a session hold; 0 where there is no ``/proc`` that tells."""
    pages = 0
    for folder in _PROCESSES.glob("[0-9]*"):
        try:
            # After the name, which may hold anything, in parentheses: state, parent, group, session.
            fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
            if int(fields[3]) == session:
                pages += int((folder / "statm").read_bytes().split()[1])
        except (OSError, IndexError, ValueError):  # it has just ended
            continue
    return pages * int(os.sysconf("SC_PAGE_SIZE")) if pages else 0
