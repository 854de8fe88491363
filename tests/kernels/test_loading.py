"""Kernels that another process compiled: run, and compiled against."""

import json
import os
import subprocess
import sys
from pathlib import Path

KERNELS = """
import numpy as np
from pfsm_kernels.cache import njit

@njit
def filled(size):
    if size > 3:
        raise ValueError("too many")
    array = np.empty(size)
    for at in range(size):
        array[at] = 1.5
    return array

@njit
def total(size):
    sum = 0.0
    for number in filled(size):
        sum += number
    return sum
"""
RUN = """
import json, sys
from tiny import filled, total
found = {"filled": filled(2).tolist(), "own library": "numba.np.arrayobj" in sys.modules}
try:
    filled(4)
except ValueError as error:
    found["error"] = str(error)
if "total" in sys.argv:
    found["total"] = total(3)
found["hits"] = sum(kernel.stats.cache_hits.total() for kernel in (filled, total))
found["misses"] = sum(kernel.stats.cache_misses.total() for kernel in (filled, total))
print(json.dumps(found))
"""


def run(folder: Path, *arguments: str) -> dict[str, object]:
    """What a fresh process finds, whose kernels are kept in the folder."""
    paths = os.pathsep.join([str(folder), *filter(None, sys.path)])
    variables = {**os.environ, "PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(folder / "kernels")}
    command = [sys.executable, "-c", RUN, *arguments]
    done = subprocess.run(command, env=variables, check=True, capture_output=True, text=True)
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_a_kernel_is_run_and_compiled_against_by_other_processes(tmp_path: Path) -> None:
    (tmp_path / "tiny.py").write_text(KERNELS)
    same = {"filled": [1.5, 1.5], "error": "too many"}
    assert run(tmp_path) == {**same, "own library": True, "hits": 0, "misses": 1}
    assert run(tmp_path) == {**same, "own library": False, "hits": 1, "misses": 0}
    # `total` is compiled against `filled`, which was loaded to be run.
    assert run(tmp_path, "total") == {**same, "own library": False, "total": 4.5, "hits": 1, "misses": 1}
    assert run(tmp_path, "total") == {**same, "own library": False, "total": 4.5, "hits": 2, "misses": 0}
