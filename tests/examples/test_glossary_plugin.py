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

from tests.command_runs import Cli, Outcome
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
# Commands of one process, which saves its start: each with its status and what it prints.
COMMANDS = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from pfsm.cli import main
found = []
for words in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(words)
    found.append((status, out.getvalue(), err.getvalue()))
print(json.dumps(found))
"""


def run(python: Path, *words: str, folder: Path) -> str:
    environment = {
        key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "VIRTUAL_ENV"}
    }
    done = subprocess.run(
        [str(python), *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def pfsm(python: Path, folder: Path, *commands: tuple[str, ...]) -> list[Outcome]:
    printed = run(python, "-c", COMMANDS, json.dumps(commands), folder=folder)
    return [Outcome(*one) for one in json.loads(printed.splitlines()[-1])]


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
    run(interpreter, "-m", "pip", "install", *offline, "./source", folder=folder)
    (installed,) = site.glob("pfsm_glossary-0.1.0.dist-info")
    assert list(installed.rglob("LICENSE"))
    return interpreter


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, python: Path) -> Path:
    """Judgments, a glossary, and a model that was trained there."""
    here = tmp_path_factory.mktemp("work")
    (here / "judged.tsv").write_text(tsv(JUDGED), encoding="utf-8")
    (here / "ref.txt").write_text("the car is red\n", encoding="utf-8")
    (here / "hyp.txt").write_text("the automobile is red\n", encoding="utf-8")
    for name in ("terms.tsv", "glossary.yaml"):
        shutil.copy(EXAMPLE / name, here)
    command = ("train", "judged.tsv", "--config", "glossary.yaml", "-o", "terms.json")
    (trained,) = pfsm(python, here, command)
    assert trained.status == 0, trained.err
    return here


def test_its_own_tests_pass(python: Path, folder: Path) -> None:
    options = ("-p", "no:cacheprovider", "--rootdir", str(EXAMPLE), "-q")
    run(python, "-m", "pytest", *options, str(EXAMPLE / "tests"), folder=folder)


def test_a_model_learns_from_it(folder: Path) -> None:
    document = json.loads((folder / "terms.json").read_text(encoding="utf-8"))
    assert document["plugins"] == {"matchers": {"glossary": "pfsm-glossary 0.1.0"}}
    assert ["car", "automobile"] in document["settings"]["options"]["glossary"]["terms"]
    # Judges did not mind the other term.
    assert document["weights"]["S_glossary"] > document["weights"]["Insert"] + document["weights"]["Delete"]
    # 2 of the 5 pairs of each of the 9 sentences.
    assert document["training"]["instances"]["S_glossary"] == 18
    assert document["training"]["instances"]["glossary:variant"] == 18


def test_every_command_has_it(python: Path, folder: Path) -> None:
    files = ("ref.txt", "-i", "hyp.txt")
    model, metric = ("-m", "terms.json"), ("--metric", "glossary(file=terms.tsv)")
    listed, refused, scored, explained, shown, by_metric, parts, metrics = pfsm(
        python,
        folder,
        ("plugins",),
        ("plugins", "check", "glossary", "--kind", "metric"),
        ("score", *files, *model, "--format", "json"),
        ("explain", *files, *model, "-f", "json"),
        ("show", "terms.json"),
        ("score", *files, *metric, "--signature", "long"),
        ("explain", *files, *metric),
        ("metrics",),
    )
    assert listed.out.splitlines() == [
        "matcher  glossary  pfsm-glossary 0.1.0  ok",
        "metric   glossary  pfsm-glossary 0.1.0  ok",
    ]
    assert refused.status == 2
    assert refused.err.startswith("pfsm: metric 'glossary' of pfsm-glossary 0.1.0: ")
    assert refused.err.count("\n") == 1
    assert "match:punct+word+lemma+glossary(pfsm-glossary@0.1.0)|" in scored.out
    assert "|res:terms.tsv@" in scored.out
    (system,) = json.loads(explained.out)
    edits = system["segments"][0]["edits"]
    assert [edit["state"] for edit in edits] == ["S_word", "S_glossary", "S_word", "S_word"]
    assert "plug-ins    matchers: glossary of pfsm-glossary 0.1.0" in shown.out
    assert "|plugin:pfsm-glossary@0.1.0|" in by_metric.out
    assert "= 1.0" in by_metric.out
    assert "wanted" in parts.out
    assert "glossary" in metrics.out


def test_elsewhere_the_model_is_refused(folder: Path, cli: Cli) -> None:
    said = cli("show", str(folder / "terms.json")).fault
    assert said.endswith(
        "plugins: the model needs the matcher 'glossary' of pfsm-glossary 0.1.0, which is not installed; "
        "install pfsm-glossary, preferably this version"
    )
