"""A home that cannot be used: not set, read-only, a file, behind a door that is shut."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMANDS = (
    ("score", "r", "-i", "h", "--metric", "chrf"),
    ("resources",),
    ("models",),
    ("plugins",),
)


@pytest.mark.parametrize("home", ["unset", "shut"])
def test_commands_do_without_a_home(tmp_path: Path, home: str) -> None:
    (tmp_path / "r").write_text("He sings .\n")
    (tmp_path / "h").write_text("He sang .\n")
    (tmp_path / "door").mkdir()
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("XDG_", "HOME", "PFSM_RESOURCES"))
    }
    if home != "unset":
        environment["HOME"] = str(tmp_path / "door/home")
    (tmp_path / "door").chmod(0)
    # A user whom the system does not know has no home even there.
    code = f"""
import pwd, sys
def unknown(_): raise KeyError
if {home == "unset"}: pwd.getpwuid = unknown
from pfsm_installation import main
for command in {COMMANDS!r}:
    sys.argv = ["pfsm", *command]
    assert not main(), command
"""
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        (tmp_path / "door").chmod(0o700)
    assert (done.returncode, done.stderr) == (0, "")
