"""`pfsm warmup`: afterwards no kernel is left to compile, whatever was compiled before."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pfsm.commands import warmup
from pfsm_kernels.cache import FOLDER
from tests.command_runs import Cli

CODE = """
import importlib, json, pkgutil, sys
from pathlib import Path
import pfsm_kernels
from pfsm.commands.warmup_runs import all_runs, run_quietly, write_inputs

folder = Path(sys.argv[1])
write_inputs(folder)
left_out = [reason for run in all_runs() if (reason := run_quietly(run, folder))]
unused = []
for found in pkgutil.walk_packages(pfsm_kernels.__path__, "pfsm_kernels."):
    for name, value in vars(importlib.import_module(found.name)).items():
        if hasattr(value, "overloads") and value.py_func.__module__ == found.name:
            # Kernels that others call are compiled with these.
            if not value.overloads and name not in INNER:
                unused.append(f"{found.name}.{name}")
print(json.dumps([left_out, unused]))
"""


@pytest.mark.skipif(os.name != "posix", reason="one system is enough")
def test_every_kernel_is_run(tmp_path: Path) -> None:
    inner = {
        name
        for path in (Path(warmup.__file__).parents[2] / "kernels" / "pfsm_kernels").rglob("*.py")
        for name in called_by_kernels(path.read_text(encoding="utf-8"))
    }
    code = CODE.replace("INNER", repr(inner))
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    left_out, unused = json.loads(done.stdout.splitlines()[-1])
    assert unused == [], left_out


def called_by_kernels(source: str) -> set[str]:
    """Names of kernels that a kernel of the same package calls."""
    import ast

    tree = ast.parse(source)
    jitted = [
        one
        for one in tree.body
        if isinstance(one, ast.FunctionDef)
        and any("njit" in ast.unparse(mark) for mark in one.decorator_list)
    ]
    return {
        call.func.id
        for one in jitted
        for call in ast.walk(one)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
    }


def test_it_says_where_kernels_are_and_what_was_left_out(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "all_runs", lambda: [("score", ()), ("train", ())])
    monkeypatch.setattr(warmup, "run_quietly", lambda run, _: "no PyTorch" if run[0] == "train" else None)
    done = cli("warmup")
    assert done.status == 0, done.err
    assert done.lines == [
        "left out of `pfsm train`: no PyTorch",
        f"compiled kernels are in {FOLDER}",
    ]
    assert cli("warmup", "--quiet").out == ""


def test_kernels_that_nobody_could_use_are_not_compiled(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "is_kept", lambda: False)
    assert cli("warmup").fault == (
        "no folder can be written in which compiled kernels could be kept; set NUMBA_CACHE_DIR to one that can"
    )
