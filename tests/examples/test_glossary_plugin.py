"""The package of ``examples/glossary-plugin``, found as an installed one, does what its README says."""

import shutil
import tomllib
from pathlib import Path

import pytest

from pfsm.model.file import load_model
from tests.command_runs import Cli, Write
from tests.core.plugins.packages import installed
from tests.judgment_cases import tsv

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "glossary-plugin"
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


@pytest.fixture(autouse=True)
def _package(site: Path) -> None:
    """The package and its entry points, without pip."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["dependencies"] == ["pfsm-metric"]
    points = {group.removeprefix("pfsm.")[:-1]: names for group, names in project["entry-points"].items()}
    installed(site, project["name"], points, {}, project["version"])
    shutil.copytree(EXAMPLE / "pfsm_glossary", site / "pfsm_glossary")


def test_its_own_tests_pass() -> None:
    assert (
        pytest.main(["-q", "-p", "no:cacheprovider", "--rootdir", str(EXAMPLE), str(EXAMPLE / "tests")]) == 0
    )


def test_a_model_learns_from_it(cli: Cli, write: Write, tmp_path: Path) -> None:
    write("judged.tsv", tsv(JUDGED))
    for name in ("terms.tsv", "glossary.yaml"):
        shutil.copy(EXAMPLE / name, tmp_path)
    assert cli("train", "judged.tsv", "--config", "glossary.yaml", "-o", "terms.json").status == 0
    model = load_model("terms.json")
    assert model.to_dict()["plugins"] == {"matchers": {"glossary": "pfsm-glossary 0.1.0"}}
    assert ["car", "automobile"] in model.settings.options["glossary"]["terms"]
    # Judges did not mind the other term.
    assert model.weights["S_glossary"] > model.weights["Insert"] + model.weights["Delete"]
    # 2 of the 5 pairs of each of the 9 sentences.
    assert model.training["instances"]["S_glossary"] == 18
    assert model.training["instances"]["glossary:variant"] == 18
    write("ref.txt", "the car is red\n")
    write("hyp.txt", "the automobile is red\n")
    (system,) = cli("explain", "ref.txt", "-i", "hyp.txt", "-m", "terms.json", "-f", "json").document
    edits = [edit["state"] for edit in system["segments"][0]["edits"]]
    assert edits == ["S_word", "S_glossary", "S_word", "S_word"]
