"""Locked dependencies, and licences of everything that ships and of everything it is used with."""

import importlib
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "requirements"
LOCKS = ("dev.txt", "all.txt")
# A package: one line with its version, then the digests.
BLOCK = re.compile(
    r"^(?P<head>[a-z0-9][^\n]*?) \\\n(?P<digests>(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE
)


def pinned(name: str) -> dict[str, set[str]]:
    """Versions by package, read by a pattern of its own."""
    found: dict[str, set[str]] = {}
    for match in BLOCK.finditer((FOLDER / name).read_text(encoding="utf-8")):
        requirement = Requirement(match["head"])
        (only,) = requirement.specifier
        assert only.operator == "=="
        found.setdefault(requirement.name, set()).add(only.version)
    return found


@pytest.mark.parametrize("name", LOCKS)
def test_every_line_is_a_package_with_digests(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    rest = re.sub(r"^ *#[^\n]*\n", "", BLOCK.sub("", text), flags=re.MULTILINE)
    assert rest == ""


@pytest.mark.parametrize("name", LOCKS)
def test_the_lock_fits_what_the_project_declares(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = pinned(name)
    extras = ("train", "dev") if name == "dev.txt" else set(project["optional-dependencies"]) - {"full"}
    wanted = [
        *project["dependencies"],
        *(one for extra in extras for one in project["optional-dependencies"][extra]),
    ]
    for text in wanted:
        requirement = Requirement(text)
        found = versions[requirement.name.lower()]
        assert all(requirement.specifier.contains(version, prereleases=True) for version in found), text
    constraints = re.findall(
        r"^(\S+)==(\S+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE
    )
    for package, version in constraints:
        assert versions.get(package.lower(), {version}) == {version}, package


@pytest.mark.parametrize("name", LOCKS)
def test_no_library_of_cuda_and_no_address(name: str) -> None:
    assert not [
        package for package in pinned(name) if package.startswith(("nvidia-", "cuda-")) or package == "triton"
    ]
    assert "://" not in (FOLDER / name).read_text(encoding="utf-8").replace("https://docs.astral.sh/uv", "")


@pytest.mark.parametrize("name", LOCKS)
def test_whoever_is_named_as_requiring_a_package_is_there(name: str) -> None:
    named = re.findall(r"^    # via (.+)$", (FOLDER / name).read_text(encoding="utf-8"), re.MULTILINE)
    assert {requirer for line in named for requirer in line.split(", ")} <= {*pinned(name), "pfsm-metric"}


PACKAGES = {"pfsm": "pfsm", "pfsm_kernels": "kernels/pfsm_kernels",
            "pfsm_training": "training/pfsm_training", "pfsm_experiments": "training/pfsm_experiments",
            "pfsm_linguistics": "linguistics/pfsm_linguistics",
            "pfsm_studio": "studio/pfsm_studio"}  # fmt: skip


@pytest.fixture
def licences(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("licences")


def shipped_files() -> list[str]:
    """Names in the wheel, from the folders of the packages."""
    return [
        f"{package}/{path.relative_to(ROOT / folder).as_posix()}"
        for package, folder in PACKAGES.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix not in {".pyc", ".nbi", ".nbc"} and "__pycache__" not in path.parts
    ]


def test_every_file_that_ships_has_a_licence_whose_text_ships(licences: Any) -> None:
    groups = licences.shipped()
    files = shipped_files()
    assert [name for name in files if not any(one.covers(name) for one in groups)] == []
    assert [one.what for one in groups if not any(one.covers(name) for name in files)] == []
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "license-files"
    ]
    texts = {path.relative_to(ROOT).as_posix() for pattern in patterns for path in ROOT.glob(pattern)}
    assert {one.text for one in groups} <= texts


def test_data_with_a_licence_of_its_own_says_the_same(licences: Any) -> None:
    from pfsm.lexicons.container import read_header

    groups = licences.shipped()
    for name in ("wordnet-3.0", "wordnet-relations-3.0", "learned-en"):
        path = ROOT / "pfsm" / "resources" / "lexicons" / f"{name}.lexicon"
        group = next(one for one in groups if one.covers(f"pfsm/resources/lexicons/{name}.lexicon"))
        told = read_header(path)["licence"]
        assert ("WordNet" in told) == ("WordNet" in group.licence), (name, told)
    parser = (ROOT / PACKAGES["pfsm_linguistics"] / "resources" / "parsers" / "en-ewt.LICENSE").read_text(
        encoding="utf-8"
    )
    assert "CC BY-SA 4.0" in parser


def test_the_page_shows_the_list(licences: Any) -> None:
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    assert licences.table(licences.shipped()) in page, "run scripts/licences.py --write"
