"""A canary: a file that a planted program leaves behind, and a watch over what Python is asked to start."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

COMMAND = "command:sh x.sh"
# Leaves the canary, then parses as a parser might: every word depends on the one before.
SCRIPT = r"""
touch canary
exec awk '{
    for (i = 1; i <= NF; i++)
        print i "\t" $i "\t_\tX\tY\t_\t" i - 1 "\t" (i == 1 ? "root" : "dep") "\t_\t_"
    print ""
}'
"""
_STARTING = (
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "socket.connect",
    "socket.getaddrinfo",
)
_started: list[str] = []
_listening = [False]


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if _listening[0] and event in _STARTING:
        _started.append(f"{event}{arguments!r:.200}")


# A hook cannot be taken out again: it is put in once, and listens while a test asks it to.
sys.addaudithook(_hook)


@dataclass(frozen=True)
class Canary:
    """What planted code has done."""

    path: Path
    started: list[str] = field(default_factory=list)

    @property
    def is_there(self) -> bool:
        """Whether the planted program ran."""
        return self.path.exists()

    @property
    def silent(self) -> bool:
        """Whether nothing ran, and Python was not asked to start a program or open a connection."""
        return not self.is_there and not self.started


@pytest.fixture
def canary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Canary]:
    """The program ``x.sh`` in the working folder, which leaves the file ``canary``."""
    monkeypatch.chdir(tmp_path)
    # Analyses are cached: a program that ran for another test would not run again.
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path / "resources"))
    (tmp_path / "x.sh").write_text(SCRIPT, encoding="utf-8")
    _started.clear()
    _listening[0] = True
    yield Canary(tmp_path / "canary", _started)
    _listening[0] = False
