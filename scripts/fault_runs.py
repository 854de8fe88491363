"""Ends commands in the middle, fills the disk, takes memory away; the same command then has to end as if nothing was.

    python scripts/fault_runs.py                         # every named point of every command, every fault
    python scripts/fault_runs.py train --kills 500       # and so many kills at random moments
    python scripts/fault_runs.py score --kills 20 --seed 1 --no-points
    python scripts/fault_runs.py train --kills 500 --minutes 30   # as many as there is time for

A named point is a call that changes files: opening for writing, fsync, rename, removal, a new folder, a database. The
first and the last of each name are tried. A random moment is an event of Python's audit hooks (files read and written,
imports, sockets, processes), so the same seed gives the same moments. After each fault

* no output is there in part, nothing is a traceback, and the exit status is 0 or 2 where the process lived on,
* the same command then ends with 0 and the same bytes as without a fault,
* and no temporary file, checkpoint or journal is left.

The exit status is 1 if any of this does not hold; each case that fails is a line. Needs Linux or macOS.
"""

import argparse
import errno
import math
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, replace
from mmap import mmap
from pathlib import Path
from typing import Any
from unittest.mock import patch

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]
from fault_jobs import Command, commands  # noqa: E402 - beside this file, wherever it is started from

os.environ["OMP_NUM_THREADS"] = "1"
_RANDOM = re.compile(r"[0-9a-f]{8,}")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_EVENTS = ("os.rename", "os.remove", "os.mkdir", "sqlite3.connect")
TABLES = "tables"
# Files there need no disk, which takes most of the time where fsync is slow.
_MEMORY = Path("/dev/shm")
Act = Callable[[str, str], None]
# Keeps a process from memory that it has and does not use.
_FILLED: list[bytes] = []


@dataclass(frozen=True)
class Outcome:
    """How a process ended: its status, negative for a signal, and what it wrote."""

    status: int
    out: bytes
    err: str
    points: tuple[str, ...]
    events: int


def _nothing(_name: str, _path: str) -> None:
    """Lets nothing happen."""


class Forks:
    """Makes the workers of an experiment from this process, which has loaded everything; a new one would take seconds.

    Otherwise they are as `multiprocessing.get_context("spawn")` makes them: no worker holds the ends of pipes that
    belong to the process that it was made by.
    """

    def __init__(self) -> None:
        self.context = multiprocessing.get_context("fork")
        self.ours: list[Any] = []

    def Pipe(self) -> tuple[Any, Any]:  # noqa: N802 - its name there
        """Two ends of a pipe."""
        ours, theirs = self.context.Pipe()
        self.ours.append(ours)
        return ours, theirs

    def Process(self, target: Callable[..., None], args: tuple[object, ...], daemon: bool) -> Any:  # noqa: N802
        """A process that is to start."""

        def run(*arguments: object) -> None:
            for end in self.ours:
                end.close()
            target(*arguments)

        return self.context.Process(target=run, args=args, daemon=daemon)


def draw_nothing() -> None:
    """Experiments write pictures without drawing them, which takes four fifths of their time and changes no file."""
    from pfsm_experiments.report import plots  # noqa: PLC0415 - after the environment is set

    content = '<svg width="9pt" height="9pt"/>'
    for name, picture in (("_svg", content), ("_png", content.encode()), ("_pdf", content.encode())):
        setattr(plots, name, lambda _figure, picture=picture: picture)


def fork_workers() -> None:
    """Makes workers of experiments from the process that has loaded what they need."""
    from pfsm_experiments import workers  # noqa: PLC0415 - after the environment is set

    patch.object(workers, "get_context", lambda _way: Forks()).start()


def write_manifests_at_once() -> None:
    """A manifest follows each partition, not some seconds later, so that the points are the same in each run."""
    from pfsm.distributed import manifest  # noqa: PLC0415 - after the environment is set

    manifest.INTERVAL, manifest.SHARE = 0.0, math.inf


@contextmanager
def tasks_in_this_process() -> Iterator[None]:
    """Lets an experiment compute its cells here, so that this process loads what they need."""
    from pfsm_experiments import run  # noqa: PLC0415 - after the environment is set
    from pfsm_experiments.task import run_task  # noqa: PLC0415

    with patch.object(run, "run_tasks", lambda tasks, _jobs: ((task, run_task(task)) for task in tasks)):
        yield


class Watch:
    """Names the points and counts the events of this process, and lets something happen at one of them."""

    def __init__(self, folder: Path, act: Act) -> None:
        self.folder = str(folder)
        self.act = act
        self.points: list[str] = []
        self.events = 0
        self.process = os.getpid()
        self._sync = os.fsync

    def start(self) -> None:
        """Begins to watch; it cannot be ended."""
        os.fsync = self._fsync
        sys.addaudithook(self._hook)

    def _fsync(self, fd: Any) -> None:
        self._point("fsync", "")
        self._sync(fd)

    def _hook(self, event: str, arguments: tuple[object, ...]) -> None:
        if os.getpid() != self.process:  # a worker
            return
        self.events += 1
        self.act("", "")
        if event == "open":
            path, _, flags = arguments
            if isinstance(path, str | os.PathLike) and isinstance(flags, int) and flags & _WRITING:
                self._point("open", os.fspath(path))
        elif event in _EVENTS and isinstance(arguments[0], str | os.PathLike):
            self._point(event, os.fspath(arguments[0]))

    def _point(self, event: str, path: str | bytes) -> None:
        whole = str(Path(os.fsdecode(path)).absolute()) if path else ""
        if path and not whole.startswith(self.folder):
            return
        name = f"{event} {_RANDOM.sub('*', whole.removeprefix(self.folder).lstrip('/'))}".strip()
        self.points.append(name)
        self.act(name, whole)


class Theatre:
    """Runs a command again and again in the same folder, in children of this process, which has loaded everything."""

    def __init__(self, command: Command, folder: Path) -> None:
        self.command = command
        self.inputs = folder / "inputs"
        self.folder = folder / "stage"
        self.reports = folder / "reports"
        self.inputs.mkdir()
        self.reports.mkdir()
        command.inputs(self.inputs, 10)
        self._load(folder / "warm")
        self.clear()

    def _load(self, folder: Path) -> None:
        """Loads modules and kernels into this process, which children start with, by a run on other inputs."""
        from pfsm.cli import main  # noqa: PLC0415 - after the environment is set

        folder.mkdir()
        is_experiment = self.command.arguments[0] == "experiment"
        if is_experiment:
            draw_nothing()
            fork_workers()
        elif "--table" in self.command.arguments:
            write_manifests_at_once()
        self.command.inputs(folder, 20)
        here = Path.cwd()
        os.chdir(folder)
        os.environ["PFSM_RESOURCES"] = str(folder / TABLES)
        try:
            with (
                Path(os.devnull).open("w", encoding="utf-8") as nowhere,
                redirect_stdout(nowhere),
                redirect_stderr(nowhere),
                tasks_in_this_process() if is_experiment else nullcontext(),
            ):
                main(self.command.arguments)
        finally:
            os.chdir(here)

    def clear(self) -> None:
        """The folder as it is before the first run; input files stay the same ones, which manifests tell apart."""
        if not self.folder.exists():
            shutil.copytree(self.inputs, self.folder)
        for path in self.folder.iterdir():
            if not (self.inputs / path.name).exists():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        (self.folder / TABLES).mkdir()

    def run(
        self, act: Act | None = None, limits: Callable[[], None] | None = None, *, closed: bool = False
    ) -> Outcome:
        """One run to its end."""
        return self.wait(self.start(act, limits, closed=closed))

    def start(
        self, act: Act | None = None, limits: Callable[[], None] | None = None, *, closed: bool = False
    ) -> int:
        """Starts a run; returns the number of its process."""
        sys.stdout.flush()
        sys.stderr.flush()
        process = os.fork()
        if process:
            return process
        status = 70
        with suppress(BaseException):
            status = self._child(act, limits, closed)
        os._exit(status)

    def wait(self, process: int) -> Outcome:
        """How a process ended."""
        _, code = os.waitpid(process, 0)
        points: tuple[str, ...] = ()
        events = 0
        report = self.reports / f"{process}.points"
        if report.exists():
            first, *names = report.read_text(encoding="utf-8").splitlines()
            events, points = int(first), tuple(names)
        out, err = (self.reports / f"{process}.{name}" for name in ("out", "err"))
        found = Outcome(
            os.waitstatus_to_exitcode(code),
            out.read_bytes() if out.exists() else b"",
            err.read_text(encoding="utf-8", errors="replace") if err.exists() else "",
            points,
            events,
        )
        for path in (report, out, err):
            path.unlink(missing_ok=True)
        return found

    def _child(self, act: Act | None, limits: Callable[[], None] | None, closed: bool) -> int:
        from pfsm.cli import main  # noqa: PLC0415 - loaded by now

        me = self.reports / str(os.getpid())
        os.chdir(self.folder)
        os.environ["PFSM_RESOURCES"] = str(self.folder / TABLES)
        for number, name in ((1, ".out"), (2, ".err")):
            if number == 1 and closed:
                reader, descriptor = os.pipe()
                os.close(reader)
            else:
                descriptor = os.open(f"{me}{name}", os.O_WRONLY | os.O_CREAT, 0o644)
            os.dup2(descriptor, number)
        # Anew: what this process wrote to may have been a file, which a pipe is not.
        sys.stdout, sys.stderr = (
            os.fdopen(number, "w", 1, encoding="utf-8", closefd=False) for number in (1, 2)
        )
        watch = Watch(self.folder, act or _nothing)
        if limits is not None:
            limits()
        watch.start()
        try:
            status = main(self.command.arguments)
            sys.stdout.flush()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        except BaseException:
            with suppress(BaseException):
                traceback.print_exc()
            status = 1
        watch.act = _nothing
        for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_AS):
            resource.setrlimit(limit, (resource.getrlimit(limit)[1],) * 2)
        with suppress(BaseException):
            sys.stdout.flush()
        lines = [str(watch.events), *watch.points]
        Path(f"{me}.points").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return status

    def outputs(self) -> dict[str, bytes]:
        """What the command has made, without caches."""
        return {name: path.read_bytes() for name, path in self._made() if path.suffix != ".sqlite"}

    def leftovers(self) -> list[str]:
        """What no run should leave."""
        return [
            name
            for name, _ in self._made()
            if Path(name).name.startswith(".pfsm-")
            or name.endswith((".tmp", ".checkpoint", "-journal", "-wal"))
        ]

    def _made(self) -> Iterator[tuple[str, Path]]:
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder).as_posix()
            if path.is_file() and not (self.inputs / name).exists():
                yield name, path


class Trial:
    """A command, what it makes without faults, and what went wrong with faults."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.theatre = Theatre(commands()[name], folder)
        self.theatre.run()  # compiles kernels, where they are not in the cache
        self.theatre.clear()
        self.clean = self.theatre.run()
        if self.clean.status:
            raise RuntimeError(f"{name}: ended with {self.clean.status} without a fault\n{self.clean.err}")
        self.expected = self.theatre.outputs()
        self.tried: Counter[str] = Counter()
        self.struck: Counter[str] = Counter()
        self.wrong: list[str] = []

    def case(
        self,
        fault: str,
        what: str,
        act: Act | None = None,
        limits: Callable[[], None] | None = None,
        *,
        closed: bool = False,
        prepare: Callable[[Path], None] | None = None,
    ) -> None:
        """One fault, and the same command after it."""
        self.theatre.clear()
        if prepare is not None:
            prepare(self.theatre.folder)
        ended = self.theatre.run(act, limits, closed=closed)
        self.tried[fault] += 1
        self.struck[fault] += ended.status != 0
        where = f"{self.name}: {fault}, {what}"
        whole = self._whole()
        if whole:
            self.wrong.append(f"{where}: {whole} is there in part")
        if "Traceback" in ended.err or ended.status not in {0, 2, -signal.SIGKILL}:
            self.wrong.append(f"{where}: status {ended.status}: {ended.err.strip()[-300:]}")
        if (
            ended.status == 0
            and not closed
            and (self.theatre.outputs(), ended.out) != (self.expected, self.clean.out)
        ):
            self.wrong.append(f"{where}: says that it has ended well, but its results are others")
        again = self.theatre.run()
        self._check_end(where, again)

    def twice(self) -> None:
        """Two processes with the same command in the same folder at the same time."""
        self.theatre.clear()
        both = [self.theatre.start(), self.theatre.start()]
        ended = [self.theatre.wait(process) for process in both]
        self.tried["two at once"] += 1
        for one in ended:
            if one.status not in {0, 2} or "Traceback" in one.err:
                self.wrong.append(f"{self.name}: two at once: status {one.status}: {one.err.strip()[-300:]}")
        self._check_end(f"{self.name}: two at once", self.theatre.run())

    def _whole(self) -> str:
        """The first output that is there, but not whole; manifests and checkpoints are replaced as work goes on."""
        for name, content in self.theatre.outputs().items():
            if name in self.expected and content != self.expected[name] and "_manifest" not in name:
                return name
        return ""

    def _check_end(self, where: str, again: Outcome) -> None:
        if again.status or "Traceback" in again.err:
            self.wrong.append(f"{where}: then status {again.status}: {again.err.strip()[-300:]}")
        elif self.theatre.outputs() != self.expected:
            found = self.theatre.outputs()
            names = sorted(
                name for name in {*found, *self.expected} if found.get(name) != self.expected.get(name)
            )
            self.wrong.append(f"{where}: then other bytes in {', '.join(names)}")
        elif again.out != self.clean.out:
            self.wrong.append(f"{where}: then another output: {again.out[-200:]!r}")
        if left := self.theatre.leftovers():
            self.wrong.append(f"{where}: leaves {', '.join(left)}")


def killed(chosen: int) -> Act:
    """Ends the process at an event."""
    count = 0

    def act(name: str, _path: str) -> None:
        nonlocal count
        count += not name
        if count == chosen:
            os.kill(os.getpid(), signal.SIGKILL)

    return act


def from_point(chosen: int, fault: Callable[[str, str], None]) -> Act:
    """Lets something happen at a point and at all that follow it."""
    count = 0

    def act(name: str, path: str) -> None:
        nonlocal count
        count += bool(name)
        if name and count > chosen:
            fault(name, path)

    return act


def end(_name: str, _path: str) -> None:
    """Ends the process."""
    os.kill(os.getpid(), signal.SIGKILL)


def full(name: str, path: str) -> None:
    """A full disk: nothing can be made, everything can be removed."""
    if not name.startswith("os.remove"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path or None)


def read_only(name: str, path: str) -> None:
    """A folder that nobody may change; what is open stays open."""
    if name != "fsync":
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)


def largest_file(size: int) -> Callable[[], None]:
    """The system refuses files that are larger, in the middle of writing them."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def memory(more: int) -> Callable[[], None]:
    """So many bytes more than the process uses: what it has and does not use is filled."""

    def limit() -> None:
        reserve = mmap(-1, max(more, 1))
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        size = pages * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size, resource.RLIM_INFINITY))
        for block in (1 << 20, 1 << 16, 1 << 12):
            with suppress(MemoryError):
                while True:
                    _FILLED.append(bytes(block))
        reserve.close()

    return limit


Prepare = Callable[[Theatre], list[Path]]
Kept = dict[Path, list[tuple[object, ...]]]


def try_limits(trial: Trial) -> None:
    """Limits on files and on memory, a broken pipe, and two at once."""
    for size in (1000, 4096, 20000):  # standard error is such a file, too: what it says has to fit
        trial.case("largest file", f"{size} bytes", limits=largest_file(size))
    if sys.platform == "linux":
        for more in (0, 64, 256, 1024, 4096, 16384):
            trial.case("no memory", f"{more} KB more", limits=memory(more << 10))
    trial.case("broken pipe", "standard output", closed=True)
    trial.twice()


def try_points(trial: Trial, deadline: float) -> None:
    """Every fault at the first and the last point of each name; what there is time for."""
    points = trial.clean.points
    ends = {name: number for number, name in enumerate(points)}
    starts = {name: number for number, name in reversed(list(enumerate(points)))}
    numbers = sorted({*starts.values(), *ends.values()})
    for what, fault in (("killed at a point", end), ("full disk", full), ("read-only folder", read_only)):
        for number in numbers:
            if time.monotonic() > deadline:
                print(f"{trial.name}: {what}: no time for points from {number} on", file=sys.stderr)
                break
            trial.case(what, f"{number} {points[number]}", from_point(number, fault))


def try_damaged_caches(trial: Trial) -> None:
    """Caches that are no caches: overwritten, empty, cut off."""
    for what, content in (("overwritten", b"not a database" * 500), ("empty", b""), ("cut off", b"")):
        trial.theatre.clear()
        trial.theatre.run()
        filled = trial.theatre.folder.with_name("filled")
        shutil.rmtree(filled, ignore_errors=True)
        shutil.copytree(trial.theatre.folder / TABLES, filled)

        def prepare(folder: Path, filled: Path = filled, what: str = what, content: bytes = content) -> None:
            shutil.rmtree(folder / TABLES)
            shutil.copytree(filled, folder / TABLES)
            for path in (folder / TABLES).rglob("*.sqlite"):
                half = path.read_bytes()[: path.stat().st_size // 2]
                path.write_bytes(half if what == "cut off" else content)

        trial.case("damaged cache", what, prepare=prepare)


def try_other_versions(trial: Trial) -> None:
    """Good caches of other versions, whose analyses are others and would change the scores; they have to stay."""
    for what, prepare in (("other analyses", other_analyses), ("other tables", other_tables)):
        kept: dict[Path, list[tuple[object, ...]]] = {}

        def fill(_folder: Path, prepare: Prepare = prepare, kept: Kept = kept) -> None:
            kept.update({path: rows_of(path) for path in prepare(trial.theatre)})

        trial.case("cache of another version", what, prepare=fill)
        if not kept or any(rows_of(path) != rows for path, rows in kept.items()):
            trial.wrong.append(f"{trial.name}: cache of another version, {what}: it has not stayed")


def other_analyses(theatre: Theatre) -> list[Path]:
    """Another version fills its cache: it takes each word for the root of a sentence."""
    from pfsm.analysis import cache  # noqa: PLC0415 - loaded by now

    def turned(analysis: Any) -> Any:
        trees = [replace(tree, heads=(0,) * len(tree.heads)) for tree in analysis.trees]
        return replace(analysis, trees=tuple(trees), marginals=None)

    written = cache._written  # noqa: SLF001 - what another version has otherwise
    with (
        patch.object(cache, "code_version", lambda: "another"),
        patch.object(cache, "_written", lambda analysis: written(turned(analysis))),
    ):
        theatre.run()
    return list((theatre.folder / TABLES).rglob("*.sqlite"))


def other_tables(theatre: Theatre) -> list[Path]:
    """A good database in the place of ours, with other columns."""
    theatre.run()
    found = list((theatre.folder / TABLES).rglob("*.sqlite"))
    for path in found:
        with closing(sqlite3.connect(path)) as base, base:
            base.execute("ALTER TABLE analyses RENAME COLUMN value TO packed")
            base.execute("ALTER TABLE analyses ADD COLUMN form INTEGER")
    return found


def rows_of(path: Path) -> list[tuple[object, ...]]:
    """All analyses of a cache; none if it is gone."""
    if not path.exists():
        return []
    with closing(sqlite3.connect(path)) as base:
        return base.execute("SELECT * FROM analyses ORDER BY key").fetchall()


def try_kills(trial: Trial, number: int, seed: int, deadline: float) -> None:
    """Kills at random moments, as many as there is time for."""
    rng = random.Random(f"{trial.name} {seed}")
    for _ in range(number):
        if time.monotonic() > deadline:
            return
        moment = rng.randrange(1, trial.clean.events + 1)
        trial.case("killed at random", f"event {moment}", killed(moment))


def main() -> None:
    """Tries, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("commands", nargs="*", help=f"of {', '.join(commands())} (default: all)")
    parser.add_argument("--kills", type=int, default=0, metavar="N", help="random kills of each command")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--minutes", type=float, metavar="N", help="begin nothing more of a command after so long"
    )
    parser.add_argument("--no-points", action="store_true", help="random kills alone")
    options = parser.parse_args()
    wrong: list[str] = []
    print("| command | fault | tried | ended with it | wrong |\n|---|---|--:|--:|--:|")
    for name in options.commands or commands():
        with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as folder:
            deadline = math.inf if options.minutes is None else time.monotonic() + 60.0 * options.minutes
            trial = Trial(name, Path(folder))
            if not options.no_points:
                try_limits(trial)
                try_points(trial, deadline)
                if name == "cache":
                    try_damaged_caches(trial)
                    try_other_versions(trial)
            try_kills(trial, options.kills, options.seed, deadline)
        for fault, tried in trial.tried.items():
            faults = sum(line.startswith(f"{name}: {fault}") for line in trial.wrong)
            print(f"| {name} | {fault} | {tried} | {trial.struck[fault]} | {faults} |", flush=True)
        wrong += trial.wrong
    for line in wrong:
        print(f"fault_runs.py: {line}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
