"""One cluster of two processes for all tests that need one."""

from collections.abc import Iterator

import pytest

from pfsm.distributed.cluster import Cluster, open_cluster


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Two worker processes with nannies, which start another where one is killed."""
    with open_cluster("local:2") as opened:
        yield opened


@pytest.fixture
def address(cluster: Cluster) -> str:
    """Where its scheduler listens."""
    return str(cluster.client.scheduler.address)
