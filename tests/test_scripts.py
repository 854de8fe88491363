"""Scripts on bad input: one line, exit status 2, no traceback. Planted faults still have their places."""

import gzip
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"


def refused(*arguments: str, data: Path) -> str:
    """What a script says before it ends."""
    name, *rest = arguments
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / name), *rest],
        env={**os.environ, "PFSM_DATA": str(data)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"{name}: ")
    assert "Traceback" not in done.stderr
    return last


def test_system_level(tmp_path: Path) -> None:
    call = ("system_level.py", "--year", "wmt12")
    assert "PFSM_DATA must name the folder" in refused(*call, data=tmp_path / "nothing")
    assert refused(*call, data=tmp_path).endswith("cs-en-test.tsv.gz: no such file")
    (tmp_path / "wmt12-rr").mkdir()
    (tmp_path / "wmt12-rr" / "cs-en-test.tsv.gz").write_bytes(
        gzip.compress(b"reference\tbetter\tworse\na\tb\tc\n")
    )
    assert "no column 'segment_id'; rankings of systems need" in refused(*call, data=tmp_path)
    assert "'-5' is not a whole number from 1" in refused(*call, "--per-system", "-5", data=tmp_path)


def test_planted_faults_have_a_place_and_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    planted = importlib.import_module("planted_faults")
    for fault in planted.PLANTED:
        assert planted.place(fault).is_file()
        assert (SCRIPTS.parent / fault.tests.partition("::")[0]).is_file(), fault.tests
