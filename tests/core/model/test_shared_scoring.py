"""Pairs that forked processes share out: the tests of `shared_scoring_cases`, where no thread of PyTorch runs."""

import os
import subprocess
import sys
from pathlib import Path

CASES = Path(__file__).with_name("shared_scoring_cases.py")


def test_in_a_process_that_can_fork() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(CASES)],
        cwd=CASES.parents[2],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout
