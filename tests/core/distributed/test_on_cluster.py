"""On a real cluster of processes: the results are those of one machine, whatever happens to the processes."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from distributed import LocalCluster

from pfsm.distributed.cluster import Cluster, open_cluster
from pfsm.errors import PfsmError
from pfsm.model.shipped import load
from pfsm_training import TrainingConfig, train
from pfsm_training.data.distributed import encode_on
from pfsm_training.data.training_set import encode_here
from tests.command_runs import Cli, Write
from tests.core.distributed.inputs import columns, scores_below, tsv_bytes, write_all
from tests.core.lexicons.lexicon_cases import install, synonyms
from tests.fuzz.mutations import EFFORT
from tests.judgment_cases import rows, tsv
from tests.model_cases import saved
from tests.training.small_data import invented

CONFIG = TrainingConfig(penalty=0.5)
long = pytest.mark.skipif(EFFORT == 1, reason="takes long: make fuzz")
WORKER = """
import asyncio, sys
from distributed import Worker
async def work():
    async with Worker(sys.argv[1], nthreads=1) as worker:
        await worker.finished()
asyncio.run(work())
"""


class TestScoring:
    def test_partitions_are_those_of_one_machine(self, cli: Cli, tmp_path: Path, address: str) -> None:
        write_all(tmp_path / "in", 26)
        arguments = f"score -m {saved(tmp_path)} --table in --partition-size 1k --keep id".split()
        here = cli(*arguments, "-o", "here")
        there = cli(*arguments, "-o", "there", "--scheduler", address)
        assert (there.status, there.out) == (0, here.out)
        paths = list((tmp_path / "here").rglob("*.*"))
        assert len(paths) > 10
        for path in paths:
            other = tmp_path / "there" / path.relative_to(tmp_path / "here")
            assert other.read_bytes() == path.read_bytes()

    @long
    def test_a_worker_killed_on_the_way(
        self, cli: Cli, tmp_path: Path, cluster: Cluster, address: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "in").mkdir()
        for number in range(24):
            (tmp_path / "in" / f"{number:02}.tsv").write_bytes(tsv_bytes(columns(rows(8, number), "x")))
        run, results = Cluster.run, count(1)

        def disturbed(*given: Any) -> Iterator[Any]:
            for result in run(*given):
                yield result
                if next(results) == 24 + 8:  # 24 files are looked into first
                    kill_a_worker(cluster)

        monkeypatch.setattr(Cluster, "run", disturbed)
        arguments = ("-o", "out", "-m", "en", "--format", "json", "--scheduler", address)
        scored = cli("score", "--quiet", "--table", "in", *arguments).document
        assert next(results) == 24 + 24 + 1
        assert (scored["segments"], scored["partitions"], scored["faults"]) == (192, 24, [])
        table = columns(rows(8, 12), "x")
        first = load(threads=1).score_pairs(table["hypothesis"][1:3], table["reference"][1:3]).tolist()
        assert scores_below(tmp_path / "out")["12.tsv"][1:3] == first
        assert not list((tmp_path / "out").rglob(".pfsm-*"))

    def test_a_resource_that_workers_lack(
        self, cli: Cli, write: Write, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path / "mine"))  # the workers started without it
        (tmp_path / "mine").mkdir()
        install(synonyms("mine"), tmp_path / "mine")
        write("c.yaml", "matchers: [punct, word, lemma, syn]\noptions: {syn: {table: mine}}\n")
        write("d.tsv", tsv(rows(40)))
        run = cli("train", "d.tsv", "-o", "m.json", "--config", "c.yaml", "--scheduler", address)
        assert run.status == 2
        assert run.err.count("\n") == 1
        assert "pfsm: worker tcp://127.0.0.1:" in run.err
        assert "mine" in run.err


@contextmanager
def without_nanny() -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A worker that nobody starts again, and its scheduler's address."""
    with LocalCluster(
        n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
    ) as local:
        worker = subprocess.Popen(
            [sys.executable, "-c", WORKER, local.scheduler_address], stderr=subprocess.DEVNULL
        )
        try:
            local.wait_for_workers(1)
            yield worker, local.scheduler_address
        finally:
            worker.kill()
            worker.wait()


def test_work_without_workers_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pfsm.distributed.cluster.WITHOUT_WORKERS", 0.5)
    monkeypatch.setattr("pfsm.distributed.cluster.LOOK", 0.1)
    with without_nanny() as (worker, address), open_cluster(address) as cluster:
        threading.Timer(1.0, worker.kill).start()
        with pytest.raises(PfsmError, match=r"^the scheduler at .* has had no workers for \d+ seconds"):
            list(cluster.run(time.sleep, [600, 600]))


def deaf_to_ctrl_c() -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals are POSIX's")
def test_workers_do_not_hear_ctrl_c(cluster: Cluster) -> None:
    # A terminal sends it to all processes, and each of theirs would print where it was.
    assert cluster.results([cluster.submit(deaf_to_ctrl_c) for _ in range(4)]) == [True] * 4
    assert not deaf_to_ctrl_c()


def test_no_scheduler_there(cli: Cli, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pfsm.distributed.cluster.PATIENCE", "1s")
    write("d.tsv", tsv(rows(4)))
    run = cli("score", "--table", "d.tsv", "-o", "out", "--scheduler", "tcp://127.0.0.1:1")
    assert "no Dask scheduler at 'tcp://127.0.0.1:1'" in run.fault


class TestTraining:
    def test_the_model_is_that_of_one_machine(
        self, cli: Cli, write: Write, tmp_path: Path, address: str
    ) -> None:
        write("d.tsv", tsv(rows(60)))
        write("c.yaml", "lambda: 5\nstart: matches\n")
        assert cli("train", "d.tsv", "-o", "here.json", "--config", "c.yaml").status == 0
        run = cli("train", "d.tsv", "-o", "there.json", "--config", "c.yaml", "--scheduler", address)
        assert run.status == 0
        here, there = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("here", "there"))
        assert there["weights"] == pytest.approx(here["weights"], abs=1e-12)
        assert not (tmp_path / "there.json.checkpoint").exists()

    @long
    def test_a_worker_killed_in_the_middle_changes_no_digit(
        self, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        judgments = invented(0)

        def model(kill_at: int) -> dict[str, object]:
            seen = 0

            def watch(step: str, iteration: object) -> None:
                nonlocal seen
                seen += iteration is not None
                if seen == kill_at and iteration is not None:
                    kill_a_worker(cluster)

            encoder = partial(encode_on, cluster, pairs_per_block=16)
            monkeypatch.setattr("pfsm_training.fit.fitting.tell", watch)
            return train(judgments, config=CONFIG, encoder=encoder).to_dict()

        undisturbed = model(0)
        assert model(3) == undisturbed
        local = train(judgments, config=CONFIG, threads=1, encoder=partial(encode_here, pairs_per_block=16))
        assert undisturbed["weights"] == pytest.approx(dict(local.weights), abs=1e-12)


def test_workers_that_cannot_start_are_told_in_one_line(
    cli: Cli, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> None:
        raise RuntimeError("Nanny failed to start.\nmore")

    monkeypatch.setattr("pfsm.distributed.cluster.LocalCluster", refuse)
    write("d.tsv", "reference\thypothesis\na b\ta b\n")
    fault = cli("score", "--table", "d.tsv", "--metric", "chrf", "-o", "out", "--scheduler", "local:2").fault
    assert fault.startswith(
        "--scheduler local:2: worker processes cannot start here (Nanny failed to start. more); g"
    )


def kill_a_worker(cluster: Cluster) -> None:
    """Ends one of the worker processes as the system does that runs out of memory."""
    processes, results = cluster.client.run(os.getpid), cluster.client.has_what()
    # The one that holds the most results: another may have nothing that would have to be made again.
    ended = min(processes, key=lambda worker: (-len(results.get(worker, ())), worker))
    os.kill(processes[ended], signal.SIGKILL)
