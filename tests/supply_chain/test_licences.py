"""Licences of everything that ships and of everything it is used with."""

import hashlib
import importlib
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"pfsm": "pfsm", "pfsm_installation": "pfsm_installation", "pfsm_kernels": "kernels/pfsm_kernels",
            "pfsm_training": "training/pfsm_training", "pfsm_experiments": "training/pfsm_experiments"}  # fmt: skip


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
    assert [name for name in files if licences.licence_of(name, groups) is None] == []
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
        group = licences.licence_of(f"pfsm/resources/lexicons/{name}.lexicon", groups)
        told = read_header(path)["licence"]
        assert ("WordNet" in told) == ("WordNet" in group.licence), (name, told)
    parser = (ROOT / "pfsm" / "resources" / "parsers" / "en-ewt.LICENSE").read_text(encoding="utf-8")
    assert "CC BY-SA 4.0" in parser


def test_the_page_shows_the_list(licences: Any) -> None:
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    assert licences.table(licences.shipped()) in page, "run scripts/licences.py --write"


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A wheel with two files."""
    path = tmp_path / "pfsm_metric-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pfsm/resources/lexicons/wordnet-3.0.lexicon", "words")
        archive.writestr("pfsm/__init__.py", "")
    return path


def test_the_bill_names_the_wheel_and_its_data(wheel: Path, licences: Any) -> None:
    bill = licences.with_data({"metadata": {"component": {}}}, wheel)
    root = bill["metadata"]["component"]
    assert root["hashes"] == [{"alg": "SHA-256", "content": hashlib.sha256(wheel.read_bytes()).hexdigest()}]
    (data,) = [one for one in root["components"] if one["components"]]
    assert data["licenses"] == [{"expression": "LicenseRef-WordNet-3.0"}]
    (file,) = data["components"]
    # What sha256sum says of a file with "words".
    digest = "dba36bffa5cab0f922d087a3aeb179f9d4e745df40b323e1b1471402848c8a3e"
    assert file["hashes"] == [{"alg": "SHA-256", "content": digest}]
