"""What the tests of the command line share: files, a command in this process, a trained model."""

import io
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from pfsm import registry
from pfsm.cli import main
from tests.command_runs import Cli, Outcome, Write
from tests.judgment_cases import rows, tsv

# Whatever has been compiled before, commands print the same. Read while kernels are imported, also in subprocesses.
os.environ["PFSM_NO_NOTICE"] = "1"
# Test processes share the cores: threads of OpenMP that wait for a core keep the others from working.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Where a shell started the tests in the background, Ctrl-C is ignored, also in the processes that tests start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

pytest_plugins = ("tests.skips",)

# No test depends on time.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Clears the environment variables of pfsm, so that neither they nor the developer's settings change a test."""
    for variable in ("PFSM_SEED", "PFSM_CACHE_SIZE", "PFSM_LATTICE_MEMORY", "PFSM_RESOURCES"):
        monkeypatch.delenv(variable, raising=False)
    registry.given_resources.clear()


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A folder of packages on the path; what the test puts into it with `tests.core.plugins.packages` is installed.

    Afterwards neither its modules nor what scripts have registered are known.
    """
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(registry, "scripts", {})
    registry.reread()
    before = set(sys.modules)
    yield folder
    monkeypatch.undo()
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(str(folder)):
            del sys.modules[name]
    registry.reread()


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """Runs one pfsm command in this process, in the folder of the test's files."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: str | bytes = b"") -> Outcome:
        content = stdin.encode() if isinstance(stdin, str) else stdin
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))
            capsys.readouterr()
            try:
                status = main(arguments)
            except SystemExit as stop:  # argparse: wrong usage, --help
                status = int(stop.code or 0)
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return run


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file next to the others of the test and returns its name, by which `cli` finds it."""

    def to_file(name: str, content: str | bytes) -> str:
        path = tmp_path / name
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return name

    return to_file


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model file that `pfsm train` has made of 40 made-up judgments, beside its training data."""
    folder = tmp_path_factory.mktemp("trained")
    (folder / "train.tsv").write_text(tsv(rows(40)), encoding="utf-8")
    (folder / "plain.yaml").write_text("lambda: 5\n", encoding="utf-8")
    arguments = ["train", str(folder / "train.tsv"), "--output", str(folder / "toy.json"), "--name", "toy"]
    arguments += ["--config", str(folder / "plain.yaml")]
    assert main(arguments) == 0
    return folder / "toy.json"
