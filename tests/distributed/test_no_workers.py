"""A machine on which no worker processes can start."""

import pytest

from tests.command_runs import Cli, Write


@pytest.mark.parametrize("error", [RuntimeError("Nanny failed to start.\nmore"), TimeoutError()])
def test_workers_that_cannot_start_are_told_in_one_line(
    cli: Cli, write: Write, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    cluster = pytest.importorskip("pfsm.distributed.cluster")

    def refuse(**_: object) -> None:
        raise error

    monkeypatch.setattr(cluster, "LocalCluster", refuse)
    write("d.tsv", "reference\thypothesis\na b\ta b\n")
    fault = cli("score", "--table", "d.tsv", "--metric", "chrf", "-o", "out", "--scheduler", "local:2").fault
    said = str(error).partition("\n")[0] or "TimeoutError"
    assert fault == (
        f"--scheduler local:2: worker processes cannot start here ({said}); give fewer, or leave --scheduler out"
    )
