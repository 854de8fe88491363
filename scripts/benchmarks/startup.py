"""Start-up times: of the help, the import, one pair, and the first run ever.

python scripts/benchmarks/startup.py
"""

import os
import sys
import tempfile
from pathlib import Path

from report import Report
from stopwatch import cost_of_command

RUNS = 5
SECTION = "fresh processes"
ONE_PAIR = """
import pfsm
print(pfsm.load("en-small").score_pairs(["The cat sat."], ["The cat sat down."]))
"""


def main() -> None:
    """Times each in fresh processes, the last with an empty cache of kernels."""
    report = Report("Start-up")
    python = sys.executable
    for name, command in (
        ("python alone", [python, "-c", "pass"]),
        ("import pfsm", [python, "-c", "import pfsm"]),
        ("pfsm --help", [python, "-m", "pfsm", "--help"]),
        ("one pair, kernels in the cache", [python, "-c", ONE_PAIR]),
    ):
        report.add(SECTION, name, 1, cost_of_command(command, RUNS))
    with tempfile.TemporaryDirectory() as folder:
        # Numba looks for compiled kernels in this folder and finds none.
        os.environ["NUMBA_CACHE_DIR"] = str(Path(folder))
        report.add(
            SECTION, "one pair, first run ever", 1, cost_of_command([python, "-c", ONE_PAIR], 1, False)
        )
        del os.environ["NUMBA_CACHE_DIR"]
    report.save()


if __name__ == "__main__":
    main()
