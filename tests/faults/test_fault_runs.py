"""Commands that are ended in the middle; ``scripts/fault_runs.py`` does it, here with few moments."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "fault_runs.py"
PLANTED = """
import runpy, sys
from pfsm.io import temporaries
{plant}
sys.argv = [{script!r}, *sys.argv[1:]]
runpy.run_path({script!r}, run_name="__main__")
"""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def tried(*arguments: str, plant: str = "") -> tuple[int, dict[str, tuple[int, int, int]], str]:
    """Exit status; tried, ended with it and wrong of each fault; and what it says."""
    code = PLANTED.format(plant=plant, script=str(SCRIPT))
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "kernels", ROOT / "training"))),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines()[2:]]
    counts = {row[1]: (int(row[2]), int(row[3]), int(row[4])) for row in rows}
    return done.returncode, counts, done.stderr


def test_every_named_point_of_compiling_a_table() -> None:
    status, counts, said = tried("compile", "--kills", "5")
    assert (status, said) == (0, "")
    points, ended, wrong = counts["killed at a point"]
    assert points == ended >= 6  # the folder, the temporary, its content, fsync, rename, fsync of the folder
    assert wrong == 0
    assert counts["full disk"][1] > 3
    assert counts["read-only folder"][1] > 2
    assert counts["killed at random"] == (5, 5, 0)


def test_random_kills_of_scoring_in_partitions() -> None:
    status, counts, said = tried("score", "--no-points", "--kills", "4")
    assert (status, said) == (0, "")
    assert counts["killed at random"] == (4, 4, 0)


def test_leftovers_that_nobody_sweeps_are_noticed() -> None:
    status, counts, said = tried("compile", plant="temporaries.sweep = lambda folder, below=False: None")
    assert status == 1
    assert counts["killed at a point"][2] > 0
    assert "leaves tables/.pfsm-" in said
