"""Work on a Dask cluster, with few tasks in the scheduler's hands at any time, whatever their number."""

import asyncio
import concurrent.futures
import logging
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar

import dask
import distributed.client
from distributed import Client, LocalCluster, as_completed
from distributed.scheduler import KilledWorker

from pfsm.errors import PfsmError
from pfsm.registry import Registered, registered, restore
from pfsm.runtime.process import without_interrupts

Item = TypeVar("Item")
Result = TypeVar("Result")

LOCAL = "local:"
# Enough that no core waits for the next task, few enough that the scheduler's memory does not grow with their number.
TASKS_PER_CORE = 3
LEAST_TASKS = 8
PATIENCE = "30s"
CONFIGURATION = {
    "distributed.comm.timeouts.connect": PATIENCE,
    # Of our own clusters: the work of a worker that says nothing for so long is given to another.
    "distributed.scheduler.worker-ttl": "60s",
}
# Seconds that work waits for a cluster without workers: a worker that is started again takes some of them.
WITHOUT_WORKERS = 25.0
# Seconds between two looks at the number of workers, while no result comes.
LOOK = 2.0
# What a client says that was closed because its scheduler went away; older versions say it as a RuntimeError.
CLOSED: type[Exception] = getattr(distributed.client, "ClosedClientError", RuntimeError)
NO_WORKERS = (
    "the scheduler at {address} has had no workers for {seconds:.0f} seconds; start some with `dask worker` and run "
    "the same command again, what is finished is not lost"
)
LOST = "the scheduler at {address} is gone; start it and run the same command again, what is finished is not lost"


class Cluster:
    """A pool of Dask workers.

    Args:
        client: Connected to the scheduler.
        address: What messages call the scheduler.
    """

    def __init__(self, client: Client, address: str) -> None:
        self.client = client
        self.address = address
        self._lost = 0
        self._seen = 0.0

    @property
    def cores(self) -> int:
        """Threads of all workers."""
        with self.explained():
            return sum(self.client.nthreads().values())

    @property
    def retries(self) -> int:
        """As `Pool.retries`: tasks of ours that were with workers when these went away."""
        with self.explained():
            events = self.client.get_events("all") or ()
        # By their times: the log forgets its oldest entries, so their number says nothing.
        for when, event in events:
            if when > self._seen and event.get("action") == "remove-worker":
                self._lost += len({*event.get("processing-tasks", ()), *event.get("lost-computed-tasks", ())})
        self._seen = max((when for when, _ in events), default=self._seen)
        return self._lost

    def run(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """As `Pool.run`."""
        waiting = iter(items)
        with self.explained():
            window = max(LEAST_TASKS, TASKS_PER_CORE * self.cores)
            first = [self.submit(work, item) for item in islice(waiting, window)]
            running = as_completed(first, raise_errors=False)
            for future in self._finished(running):
                result = self.result(future)
                future.release()
                yield result
                for item in islice(waiting, 1):
                    running.add(self.submit(work, item))

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """A future whose result stays on its worker as long as the future is held; made again if that worker dies."""
        with self.explained():
            known = registered()
            if known.entries:
                return self.client.submit(_with_plugins, known, work, *arguments, pure=False)
            return self.client.submit(work, *arguments, pure=False)

    def results(self, futures: Sequence[Any]) -> list[Any]:
        """The results of futures, in their order."""
        with self.explained():
            # A result is "lost" when its worker went away before we had it: another worker makes it again, we wait.
            for future in self._finished(as_completed(futures, raise_errors=False)):
                if future.status == "cancelled":
                    raise PfsmError(LOST.format(address=self.address))
                if future.status == "error":  # known before the others are waited for
                    raise _translated(future.exception())
            gathering = self.client.gather(list(futures), asynchronous=True)
            brought = asyncio.run_coroutine_threadsafe(gathering, self.client.loop.asyncio_loop)
            self._wait(brought.done)
            try:
                return list(brought.result())
            except Exception as error:
                raise _translated(error) from None

    def result(self, future: Any) -> Any:
        """A future's result, waited for if need be."""
        return self.results([future])[0]

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turns the loss of the scheduler into one line."""
        try:
            yield
        except (OSError, TimeoutError, asyncio.CancelledError, concurrent.futures.CancelledError) as error:
            if isinstance(error, OSError) and error.filename is not None:
                raise
            raise PfsmError(LOST.format(address=self.address)) from None
        except (CLOSED, RuntimeError) as error:
            if "client" not in str(error).lower():
                raise
            raise PfsmError(LOST.format(address=self.address)) from None

    def _finished(self, running: Any) -> Iterator[Any]:
        """The futures of Dask's `as_completed` as they finish; more may be added meanwhile."""
        while not running.is_empty():
            self._wait(running.has_ready)
            yield next(running)

    def _wait(self, is_ready: Callable[[], bool]) -> None:
        """Waits for what workers make, as long as there are workers."""
        with_workers = looked = time.monotonic()
        pause = 0.0
        while not is_ready():
            pause = min(0.05, pause + 0.001)
            time.sleep(pause)
            now = time.monotonic()
            if now - looked < LOOK:
                continue
            looked = now
            if self.client.nthreads():
                with_workers = now
            elif now - with_workers > WITHOUT_WORKERS:
                raise PfsmError(NO_WORKERS.format(address=self.address, seconds=now - with_workers))


def _with_plugins(known: Registered, work: Callable[..., Result], *arguments: Any) -> Result:
    """Does the work on a worker that knows what scripts have registered here."""
    restore(known)
    return work(*arguments)


def _translated(error: BaseException) -> BaseException:
    if isinstance(error, KilledWorker):
        return PfsmError(
            f"a task ended its worker {error.allowed_failures + 1} times, perhaps for want of memory; give workers "
            "more memory, or make partitions smaller (--partition-size)"
        )
    if isinstance(error, ModuleNotFoundError):
        return PfsmError(
            f"a worker has no module {error.name!r}; install the same pfsm, with its extra distributed, on every worker"
        )
    return error


@contextmanager
def open_cluster(address: str) -> Iterator[Cluster]:
    """Connects to a scheduler, or starts a cluster of processes on this machine (``local:N``) for as long as needed."""
    # What Dask logs about lost workers is in our summary; what it logs about a lost scheduler in our error.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with dask.config.set(CONFIGURATION), warnings.catch_warnings():
        # A slow disk, or a block of text of some megabytes: nothing that the user could change.
        warnings.filterwarnings("ignore", "Creating scratch directories|Sending large graph", UserWarning)
        if address.startswith(LOCAL):
            with _local(address) as cluster, Client(cluster, timeout=PATIENCE) as client:
                yield Cluster(client, address)
            return
        try:
            client = Client(address, timeout=PATIENCE)
        except (OSError, ValueError, TimeoutError, ImportError) as error:
            raise PfsmError(
                f"no Dask scheduler at {address!r} ({_first_line(error)}); give its address, such as tcp://HOST:8786"
            ) from None
        with client:
            if not client.nthreads():
                raise PfsmError(f"the scheduler at {address} has no workers; start some with `dask worker`")
            yield Cluster(client, address)


def _local(address: str) -> LocalCluster:
    number = address.removeprefix(LOCAL)
    if not number.isascii() or not number.isdigit() or not 1 <= int(number) <= 1024:
        raise PfsmError(f"--scheduler {address}: local: is followed by a number of processes from 1")
    with without_interrupts():
        try:
            return LocalCluster(
                n_workers=int(number),
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",  # any free port: another cluster may have the usual one
                silence_logs=logging.CRITICAL,
            )
        except (RuntimeError, OSError, TimeoutError) as error:
            raise PfsmError(
                f"--scheduler {address}: worker processes cannot start here ({_first_line(error)}); give fewer, or "
                "leave --scheduler out"
            ) from None


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0].strip() or type(error).__name__
