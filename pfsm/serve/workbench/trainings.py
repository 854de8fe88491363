"""Trainings that the page starts: each is ``pfsm train`` in a process of its own, so that it can be ended.

The server chooses all its arguments and all its files, in a folder of its own. A client gives the table, the name, the
language, and the name of a model that ships to start from.
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
from pfsm.model.file import load_model
from pfsm.serve.fields import Fields, shown
from pfsm.serve.limits import MEGABYTE, Limits
from pfsm.serve.problems import RequestError, invalid
from pfsm.serve.shelf import NAME, Book, Shelf
from pfsm.serve.workbench.memory import until_above
from pfsm.text.languages import language_code
from pfsm_installation import install_command

MODEL, REPORT, TABLE = "model.json", "report.html", "data.tsv"
RUNNING, DONE, FAILED, CANCELLED = "running", "done", "failed", "cancelled"
# Of lines that are kept for the page; of trainings; seconds until a process that was asked to end is ended.
MOST_LINES, MOST_TRAININGS, GRACE = 300, 20, 5.0
_LONGEST_LINE = 1000


@dataclass(frozen=True)
class TrainingRequest:
    """What is to be trained on.

    Attributes:
        name: Of the model.
        table: The judgments, as TSV.
        language: Code of the language; empty: that of the default.
        init: A model that ships to start from; empty: none.
    """

    name: str
    table: str
    language: str = ""
    init: str = ""


def training_request(value: object, shelf: Shelf) -> TrainingRequest:
    """The request in a body.

    Raises:
        RequestError: If a field is not what it must be.
    """
    fields = Fields(value, ("name", "table", "language", "init"))
    name = fields.text("name", longest=64)
    if NAME.fullmatch(name) is None:
        raise invalid("/name", "letters, digits, '.', '_' and '-' are needed, the first a letter or a digit")
    if any(book.name == name for book in shelf):
        raise invalid("/name", f"there is a model {shown(name)} already; give another name")
    table = fields.value("table")
    if not isinstance(table, str) or not table.strip():
        raise invalid("/table", "a table with columns reference, hypothesis and score is needed, as TSV")
    try:
        table.encode("utf-8")
    except UnicodeEncodeError:
        raise invalid("/table", "half of a surrogate pair, which is no text") from None
    language, init = fields.text("language", ""), fields.text("init", "")
    if language:
        try:
            language = language_code(language)
        except PfsmError as error:
            raise invalid("/language", str(error)) from None
    if init and shelf.find(init).origin != "shipped":
        raise invalid("/init", "a model that ships is needed here")
    return TrainingRequest(name, table, language, init)


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
        shelf: Where their models go.
        limits: Bounds of the service.
    """

    def __init__(self, shelf: Shelf, limits: Limits) -> None:
        self._shelf, self._limits = shelf, limits
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
            RequestError: If one runs already, or the extra is missing.
        """
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
            *(("--language", asked.language) if asked.language else ()),
            *(("--init", asked.init) if asked.init else ()),
        ]
        training.process = await asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            env=_environment(),
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
        self._shelf.add(Book(training.name, model, "trained"))
        training.state = DONE

    async def _bound_memory(self, training: Training, process: asyncio.subprocess.Process) -> None:
        most = self._limits.memory
        await until_above(process.pid, most)
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


def _environment() -> dict[str, str]:
    """The server's own, without what is secret."""
    return {key: value for key, value in os.environ.items() if key != "PFSM_SERVE_TOKEN"} | {
        "PFSM_NO_NOTICE": "1"
    }


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
