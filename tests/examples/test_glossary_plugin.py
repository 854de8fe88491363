"""The package of ``examples/glossary-plugin``, installed into an environment of its own, does what its README says."""

import json
import os
import shutil
import subprocess
import sys
import venv
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.command_runs import Cli
from tests.judgment_cases import tsv

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "glossary-plugin"
# Reference, hypothesis and score: using the other term of the glossary is no fault.
JUDGED = [
    (f"the {one} is {colour} {end}", f"the {other} is {colour} {end}", str(score + shift))
    for shift, colour in enumerate(("red", "green", "blue"))
    for end in ("", "today", "and small")
    for one, other, score in (
        ("car", "automobile", 5), ("screen", "display", 5),
        ("car", "house", 1), ("screen", "cat", 1), ("car", "car", 5),
    )
]  # fmt: skip
EXPERIMENT = """
title: With and without a glossary
train: judged.tsv
scheme: k-fold
folds: 2
statistics: [pearson]
resamples: 10
rows:
  - {name: with, train: {matchers: [word, glossary], max_block: 2, options: {glossary: {file: terms.tsv}}, lambda: 1}}
  - {name: metric, metric: glossary, options: {file: terms.tsv}}
  - {name: feature, train: {matchers: [word], features: [glossary(file=terms.tsv)], lambda: 1}}
"""


def run(python: Path, *command: str, folder: Path, expect: int = 0) -> subprocess.CompletedProcess[str]:
    environment = {
        key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "VIRTUAL_ENV"}
    }
    done = subprocess.run(
        [str(python), "-m", *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == expect, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that sees the packages of this one, with the plug-in installed by pip; nothing is downloaded."""
    pytest.importorskip("pip")
    if int(version("setuptools").partition(".")[0]) < 77:
        pytest.skip("the setuptools that is installed cannot build the package")
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder / "venv", with_pip=False)
    interpreter = folder / "venv" / "bin" / "python"
    (site,) = (folder / "venv").glob("lib/python*/site-packages")
    sources = [ROOT, ROOT / "kernels", ROOT / "training"]
    packages = [path for path in sys.path if Path(path).name in {"site-packages", "dist-packages"}]
    lines = [*map(str, sources), *(f"import site; site.addsitedir({path!r})" for path in packages)]
    (site / "ours.pth").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    # Building writes into the folder.
    shutil.copytree(EXAMPLE, folder / "source", ignore=shutil.ignore_patterns("__pycache__", ".*"))
    offline = ("--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--quiet")
    run(interpreter, "pip", "install", *offline, "./source", folder=folder)
    (installed,) = site.glob("pfsm_glossary-0.1.0.dist-info")
    assert list(installed.rglob("LICENSE"))
    return interpreter


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, python: Path) -> Path:
    """Judgments, a glossary, an experiment and a model that was trained there."""
    here = tmp_path_factory.mktemp("work")
    (here / "judged.tsv").write_text(tsv(JUDGED), encoding="utf-8")
    (here / "table.yaml").write_text(EXPERIMENT, encoding="utf-8")
    (here / "ref.txt").write_text("the car is red\n", encoding="utf-8")
    (here / "hyp.txt").write_text("the automobile is red\n", encoding="utf-8")
    for name in ("terms.tsv", "glossary.yaml"):
        shutil.copy(EXAMPLE / name, here)
    run(python, "pfsm", "train", "judged.tsv", "--config", "glossary.yaml", "-o", "terms.json", folder=here)
    return here


def test_it_is_listed_and_passes_the_checks(python: Path, folder: Path) -> None:
    listed = run(python, "pfsm", "plugins", folder=folder).stdout.splitlines()
    assert listed == [
        "matcher  glossary  pfsm-glossary 0.1.0  ok",
        "metric   glossary  pfsm-glossary 0.1.0  ok",
    ]
    option = ("--kind", "matcher", "--option", "file=terms.tsv", "--sample", "judged.tsv")
    checked = run(python, "pfsm", "plugins", "check", "glossary", *option, folder=folder).stdout
    assert "FAILED" not in checked
    assert "it said nothing" not in checked
    metric = run(
        python, "pfsm", "plugins", "check", "glossary(file=terms.tsv)", "--kind", "metric", folder=folder
    )
    assert "FAILED" not in metric.stdout
    refused = run(python, "pfsm", "plugins", "check", "glossary", "--kind", "metric", folder=folder, expect=2)
    assert refused.stderr.startswith("pfsm: metric 'glossary' of pfsm-glossary 0.1.0: ")
    assert refused.stderr.count("\n") == 1


def test_its_own_tests_pass(python: Path, folder: Path) -> None:
    options = ("-p", "no:cacheprovider", "--rootdir", str(EXAMPLE), "-q")
    run(python, "pytest", *options, str(EXAMPLE / "tests"), folder=folder)


def test_a_model_learns_from_it(folder: Path) -> None:
    document = json.loads((folder / "terms.json").read_text(encoding="utf-8"))
    assert document["plugins"] == {"matchers": {"glossary": "pfsm-glossary 0.1.0"}}
    assert ["car", "automobile"] in document["settings"]["options"]["glossary"]["terms"]
    # Judges did not mind the other term.
    assert document["weights"]["S_glossary"] > document["weights"]["Insert"] + document["weights"]["Delete"]
    # 2 of the 5 pairs of each of the 9 sentences.
    assert document["training"]["instances"]["S_glossary"] == 18
    assert document["training"]["instances"]["glossary:variant"] == 18


def test_it_scores_and_explains(python: Path, folder: Path) -> None:
    scored = run(
        python,
        "pfsm",
        "score",
        "ref.txt",
        "-i",
        "hyp.txt",
        "--model",
        "terms.json",
        "--trust-model",
        "--format",
        "json",
        folder=folder,
    )
    assert "match:punct+word+lemma+glossary(pfsm-glossary@0.1.0)|" in scored.stdout
    assert "|res:terms.tsv@" in scored.stdout
    files = ("ref.txt", "-i", "hyp.txt", "-m", "terms.json", "--trust-model")
    explained = run(python, "pfsm", "explain", *files, "-f", "json", folder=folder)
    (system,) = json.loads(explained.stdout)
    edits = system["segments"][0]["edits"]
    assert [edit["state"] for edit in edits] == ["S_word", "S_glossary", "S_word", "S_word"]
    shown = run(python, "pfsm", "show", "terms.json", "--trust-model", folder=folder).stdout
    assert "plug-ins    matchers: glossary of pfsm-glossary 0.1.0" in shown


def test_its_metric_scores(python: Path, folder: Path) -> None:
    scored = run(
        python,
        "pfsm",
        "score",
        "ref.txt",
        "-i",
        "hyp.txt",
        "--metric",
        "glossary(file=terms.tsv)",
        "--signature",
        "long",
        folder=folder,
    )
    assert "|plugin:pfsm-glossary@0.1.0|" in scored.stdout
    explained = run(
        python,
        "pfsm",
        "explain",
        "ref.txt",
        "-i",
        "hyp.txt",
        "--metric",
        "glossary(file=terms.tsv)",
        folder=folder,
    )
    assert "wanted" in explained.stdout
    assert "= 1.0" in scored.stdout
    assert "glossary" in run(python, "pfsm", "metrics", folder=folder).stdout


def test_workers_of_experiments_have_it(python: Path, folder: Path) -> None:
    run(python, "pfsm", "experiment", "table.yaml", "--data", ".", "-o", "out", "--jobs", "2", folder=folder)
    assert (folder / "out" / "results.json").is_file()


def test_elsewhere_the_model_is_refused(folder: Path, cli: Cli) -> None:
    said = cli("show", str(folder / "terms.json")).fault
    assert said.endswith(
        "plugins: the model needs the matcher 'glossary' of pfsm-glossary 0.1.0, which is not installed; "
        "install pfsm-glossary, preferably this version"
    )
