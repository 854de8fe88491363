"""Work on a Dask cluster: tasks, their results, and one line about what can happen to its processes."""

import concurrent.futures
import logging
import time
import warnings
from asyncio import CancelledError
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import dask
import distributed.client
from distributed import Client, Future, LocalCluster, as_completed, get_worker
from distributed.scheduler import KilledWorker

from pfsm.distributed import WorkerFaultError
from pfsm.errors import PfsmError
from pfsm.registering import Registered, registered, restore
from pfsm.runtime.process import without_interrupts

PATIENCE = "30s"
# Seconds that work waits for a cluster without workers: a worker that is started again takes some of them.
WITHOUT_WORKERS = 25.0
# Seconds between two looks at the number of workers, while no result comes.
LOOK = 2.0
# A client whose scheduler has gone away; older versions raise a RuntimeError.
CLOSED: type[Exception] = getattr(distributed.client, "ClosedClientError", RuntimeError)
GONE = (OSError, CancelledError, concurrent.futures.CancelledError, CLOSED, RuntimeError)
AGAIN = "run the same command again, what is finished is not lost"


@dataclass(frozen=True)
class Cluster:
    """A Dask cluster: a client that is connected to the scheduler, and what messages call that."""

    client: Client
    address: str

    def run(self, work: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """Yield the results of all items as they are ready."""
        futures = self.client.map(partial(_with_plugins, registered(), work), list(items), pure=False)
        return (result for _, result in self._finished(futures))

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future:
        """Return a future whose result stays on its worker; it is made again if that worker dies."""
        return self.client.submit(_with_plugins, registered(), work, *arguments, pure=False)

    def results(self, futures: Sequence[Future]) -> list[Any]:
        """Return the results of futures, in their order."""
        found = {future.key: result for future, result in self._finished(futures)}
        return [found[future.key] for future in futures]

    def _finished(self, futures: Sequence[Future]) -> Iterator[tuple[Future, Any]]:
        """Futures with their results, as they are ready; as long as there are workers."""
        running = as_completed(futures, with_results=True, raise_errors=False)
        while not running.is_empty():
            with_workers = looked = time.monotonic()
            while not running.has_ready():
                time.sleep(0.005)
                if (now := time.monotonic()) - looked < LOOK:
                    continue
                looked, with_workers = now, now if self.client.nthreads() else with_workers
                if now - with_workers > WITHOUT_WORKERS:
                    raise PfsmError(
                        f"the scheduler at {self.address} has had no workers for {now - with_workers:.0f} seconds; "
                        f"start some with `dask worker` and {AGAIN}"
                    )
            future, result = next(running)
            if future.status == "error":
                raise _translated(future.exception())
            if isinstance(result, BaseException):
                raise result
            yield future, result


def _with_plugins(known: Registered, work: Callable[..., Any], *arguments: Any) -> Any:
    """Do the work on a worker that knows what scripts have registered here; its own faults name it."""
    restore(known)
    try:
        return work(*arguments)
    except WorkerFaultError as error:
        raise PfsmError(f"worker {get_worker().address} {error}") from None


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
    """Connect to a scheduler, or start processes on this machine (``local:N``) for as long as needed.

    Raises:
        PfsmError: There is no scheduler, it has no workers, processes cannot be started, or the scheduler dies.
    """
    # What they log about a lost scheduler is in our error.
    for name in ("distributed", "distributed.client", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # Of our own clusters: the work of a worker that says nothing for a minute is given to another.
    options = {"distributed.comm.timeouts.connect": PATIENCE, "distributed.scheduler.worker-ttl": "60s"}
    with dask.config.set(options), warnings.catch_warnings(), ExitStack() as stack:
        # A slow disk, or a block of text of some megabytes: nothing that the user could change.
        warnings.filterwarnings("ignore", "Creating scratch directories|Sending large graph", UserWarning)
        local = stack.enter_context(_local(address)) if address.startswith("local:") else None
        try:
            client = stack.enter_context(Client(local or address, timeout=PATIENCE))
        except (OSError, ValueError, ImportError) as error:
            raise PfsmError(
                f"no Dask scheduler at {address!r} ({' '.join(str(error).split())}); give its address, such as tcp://HOST:8786"
            ) from None
        if not client.nthreads():
            raise PfsmError(f"the scheduler at {address} has no workers; start some with `dask worker`")
        try:
            yield Cluster(client, address)
        except GONE as error:
            of_a_file = isinstance(error, OSError) and error.filename is not None
            if of_a_file or (isinstance(error, RuntimeError) and "client" not in str(error).lower()):
                raise
            raise PfsmError(f"the scheduler at {address} is gone; start it and {AGAIN}") from None


def _local(address: str) -> LocalCluster:
    number = address.removeprefix("local:")
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
        except (RuntimeError, OSError) as error:
            raise PfsmError(
                f"--scheduler {address}: worker processes cannot start here ({' '.join(str(error).split())}); "
                "give fewer, or leave --scheduler out"
            ) from None
