"""One server for most tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.model_cases import saved
from tests.studio.serve.running import Running

MODEL = "en-small"


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Offers the shipped models, `MODEL` by default, and ``hand``, a model of a file."""
    pytest.importorskip("starlette")
    folder = tmp_path_factory.mktemp("serve")
    saved(folder)
    with Running("--model", MODEL, "--model", f"hand={folder / 'hand.json'}", "--threads", "2") as running:
        yield running


@pytest.fixture
def hand(tmp_path: Path) -> str:
    """The path of the model that the server calls hand."""
    saved(tmp_path)
    return str(tmp_path / "hand.json")
