"""`pfsm warmup`: what it runs, where the kernels are, and what it says."""

import re
from argparse import ArgumentParser
from importlib import import_module
from pathlib import Path

import pytest

from pfsm.commands import warmup
from pfsm.commands.warmup import USUAL, all_runs, write_inputs
from pfsm.metrics import metric_names
from pfsm.model.shipped import shipped_models
from pfsm_kernels.cache import FILLED
from tests.command_runs import Cli


def test_the_runs_are_commands_with_files_that_are_there(tmp_path: Path) -> None:
    """All models and metrics are among them, so a new one is compiled ahead, too."""
    write_inputs(tmp_path)
    models: set[str] = set()
    metrics: set[str] = set()
    for name, arguments in all_runs():
        parser = ArgumentParser(exit_on_error=False)
        import_module(f"pfsm.commands.{name}").add_arguments(parser)
        options = vars(parser.parse_args(list(arguments)))
        for kind, scorer in options.get("scorers") or []:
            (metrics if kind == "metric" else models).add(scorer)
        inputs = options.get("input") or []
        paths = [*([inputs] if isinstance(inputs, str) else inputs), *(options.get("references") or [])]
        paths += [*(options.get("data") or []), *filter(None, [options.get("config")])]
        assert paths or name == "parse"
        for path in paths:
            assert (tmp_path / path).is_file(), (name, path)
    assert metrics == set(metric_names())
    assert models >= {model.name for model in shipped_models()}
    tour = (Path(__file__).parents[2] / "scripts" / "demo.py").read_text(encoding="utf-8")
    told = re.findall(r'^    pfsm\(\s*"(\w+)"', tour, re.MULTILINE)
    assert (told[0], {*told[1:]}) == ("warmup", {name for name, _ in USUAL})


def test_it_says_where_kernels_are_and_what_was_left_out(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warmup, "FOLDER", tmp_path)
    monkeypatch.setattr(warmup, "all_runs", lambda: [("score", ()), ("train", ())])
    monkeypatch.setattr(warmup, "run_quietly", lambda run, _: "no PyTorch" if run[0] == "train" else None)
    assert (cli("warmup", "--usual").status, (tmp_path / FILLED).exists()) == (0, False)  # not all are there
    done = cli("warmup")
    assert done.status == 0, done.err
    assert done.lines == ["left out of `pfsm train`: no PyTorch", f"compiled kernels are in {tmp_path}"]
    assert (tmp_path / FILLED).exists()
    assert cli("warmup", "--quiet").out == ""


def test_kernels_that_nobody_could_use_are_not_compiled(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "is_kept", lambda: False)
    assert cli("warmup").fault == (
        "no folder can be written in which compiled kernels could be kept; set NUMBA_CACHE_DIR to one that can"
    )
