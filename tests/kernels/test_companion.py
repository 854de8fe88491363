"""The second process of a first run: what it compiles is what is needed, and it never outlives its parent."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pfsm.runtime.threads import default_threads
from pfsm_kernels import companion as module
from pfsm_kernels.cache import KernelCache, _DataFiles
from pfsm_kernels.companion import _SHARE, companion
from tests.fuzz.mutations import EFFORT

# What is compiled for a score of the kernels that the companion is for, and it has not compiled.
_MISSING = """
import sys
from importlib import import_module
from pfsm_kernels import companion
def types():
    modules = ("machine.cell_to_cell", "lattice.arcs")
    kernels = [vars(import_module(f"pfsm_kernels.{one}")).values() for one in modules]
    return {(one.__name__, str(types)) for all_ in kernels for one in all_ for types in getattr(one, "signatures", ())}
companion._fill_machine()
before = types()
from pfsm.cli import main
main(["score", "ref", "-i", "hyp", "-m", "en-fast"])
print(len(before) > 3, types() - before)
"""
# A first score, with a list of what this process compiles.
_SCORE = """
import sys
from numba.core import event
class Seen(event.Listener):
    def on_start(self, event):
        print("compiled", event.data["dispatcher"].py_func.__module__)
    def on_end(self, event): pass
event.register("numba:compile", Seen())
from pfsm.cli import main
main(["score", "ref", "-i", "hyp", "-m", "en-fast"])
"""


class Started:
    """Keeps the processes that `companion` starts."""

    def __init__(self) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []
        self._start = module._started

    def __call__(self) -> "subprocess.Popen[bytes] | None":
        process = self._start()
        assert process is not None
        self.processes.append(process)
        return process


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    """All kernels are still to be compiled, so that a companion is of use."""
    result = Started()
    monkeypatch.setattr(module, "_started", result)
    monkeypatch.setattr(module, "is_first_run", lambda: True)
    monkeypatch.setattr(module, "is_kept", lambda: True)
    return result


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    """A folder with a reference and a translation."""
    (tmp_path / "ref").write_text("The old baker opens his shop .\n")
    (tmp_path / "hyp").write_text("The baker opened his small store .\n")
    return tmp_path


def test_it_compiles_for_the_types_of_a_score(lines: Path) -> None:
    """With other types than a score's it would work in vain."""
    done = subprocess.run(
        [sys.executable, "-c", _MISSING], cwd=lines, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "True set()"


@pytest.mark.skipif(EFFORT == 1, reason="compiles everything anew: make fuzz")
@pytest.mark.skipif(default_threads() < 2, reason="one core")
def test_a_first_score_leaves_the_machine_to_the_companion(lines: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(lines / "kernels")}
    environment.pop("PFSM_NO_NOTICE", None)
    done = subprocess.run(
        [sys.executable, "-c", _SCORE],
        cwd=lines,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    compiled = {line.split()[1] for line in done.stdout.splitlines() if line.startswith("compiled pfsm")}
    assert any(name.startswith("pfsm_kernels.strings.") for name in compiled)
    assert not [name for name in compiled if name.startswith(_SHARE)]
    assert done.stderr.count("compiling kernels") == 1
    assert list((lines / "kernels").rglob("cell_to_cell.machine_batch-*.nbi"))


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_it_ends_with_its_block_whatever_happens_there(started: Started, error: type[BaseException]) -> None:
    def work() -> None:
        with companion(2):
            assert started.processes[-1].poll() is None
            assert KernelCache.is_coming("pfsm_kernels.machine.cell_to_cell")
            assert not KernelCache.is_coming("pfsm_kernels.strings.ngrams")
            raise error

    with pytest.raises(error):
        work()
    assert started.processes[-1].returncode is not None
    assert not KernelCache.is_coming("pfsm_kernels.machine.cell_to_cell")


@pytest.mark.skipif(os.name != "posix", reason="hands over the end of a pipe")
def test_it_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    """The end of the pipe is all that a parent leaves that is killed."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    code = """
import time
from pfsm_kernels.companion import companion
with companion(2):
    print(flush=True)
    time.sleep(600)
"""
    read, write = os.pipe()
    # The companion holds what it inherits, here the other end of a pipe, as long as it lives.
    os.set_inheritable(write, True)
    spy = f"""
import subprocess
from functools import partial
subprocess.Popen = partial(subprocess.Popen, pass_fds=[{write}])
"""
    parent = subprocess.Popen(
        [sys.executable, "-c", spy + code], env=environment, stdout=subprocess.PIPE, pass_fds=[write]
    )
    os.close(write)
    assert parent.stdout is not None
    parent.stdout.readline()
    parent.kill()
    parent.wait()
    parent.stdout.close()
    # Comes back once nobody holds the other end any more.
    assert os.read(read, 1) == b""
    os.close(read)


def test_two_processes_that_save_at_once_never_swap_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have read the index before either has written it; one form is lost then, which costs time alone."""
    one, two = (_DataFiles(str(tmp_path), "kernel", "stamp") for _ in range(2))
    one.save("first", "machine code of the first")
    with monkeypatch.context() as patch:
        patch.setattr(two, "_load_index", dict)
        two.save("second", "machine code of the second")
    assert one.load("second") == "machine code of the second"
    assert one.load("first") in {None, "machine code of the first"}
    files = {path.read_bytes() for path in tmp_path.glob("*.nbc")}
    assert len(files) == 2
