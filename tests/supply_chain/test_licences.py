"""Licences of everything that ships and of everything it is used with."""

import importlib
import importlib.metadata
import json
import re
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"pfsm": "pfsm", "pfsm_installation": "pfsm_installation", "pfsm_kernels": "kernels/pfsm_kernels",
            "pfsm_training": "training/pfsm_training", "pfsm_experiments": "training/pfsm_experiments"}  # fmt: skip


def script(name: str) -> Any:
    return importlib.import_module(name)


def shipped_files() -> list[str]:
    """Names in the wheel, from the folders of the packages."""
    return [
        f"{package}/{path.relative_to(ROOT / folder).as_posix()}"
        for package, folder in PACKAGES.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix not in {".pyc", ".nbi", ".nbc"} and "__pycache__" not in path.parts
    ]


def test_every_file_that_ships_has_a_licence_whose_text_ships() -> None:
    licences = script("licences")
    groups = licences.shipped()
    files = shipped_files()
    assert [name for name in files if licences.licence_of(name, groups) is None] == []
    assert [
        one.what
        for one in groups
        if not any(one.covers(name) for name in files) and "topics" not in str(one.files)
    ] == []
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "license-files"
    ]
    texts = {path.relative_to(ROOT).as_posix() for pattern in patterns for path in ROOT.glob(pattern)}
    assert {one.text for one in groups} <= texts


def test_data_with_a_licence_of_its_own_says_the_same() -> None:
    from pfsm.lexicons.container import read_header

    licences = script("licences")
    groups = licences.shipped()
    for name in ("wordnet-3.0", "wordnet-relations-3.0", "learned-en"):
        path = ROOT / "pfsm" / "resources" / "lexicons" / f"{name}.lexicon"
        group = licences.licence_of(f"pfsm/resources/lexicons/{name}.lexicon", groups)
        told = read_header(path)["licence"]
        assert ("WordNet" in told) == ("WordNet" in group.licence), (name, told)
    parser = (ROOT / "pfsm" / "resources" / "parsers" / "en-ewt.LICENSE").read_text(encoding="utf-8")
    assert "CC BY-SA 4.0" in parser


def test_installed_packages_say_the_same_of_themselves() -> None:
    expressions = script("licences").packages()
    compared = 0
    for name, expression in expressions.items():
        try:
            metadata = importlib.metadata.metadata(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        if "License-Expression" in metadata:
            compared += 1
            assert metadata["License-Expression"] == expression, name
    assert compared > 20


def test_the_page_shows_the_list() -> None:
    licences = script("licences")
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    assert licences.tables(licences.shipped(), licences.packages()) in page, "run scripts/licences.py --write"


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A wheel with two files and three requirements."""
    path = tmp_path / "pfsm_metric-0.1.0-py3-none-any.whl"
    metadata = (
        "Metadata-Version: 2.4\nName: pfsm-metric\nVersion: 0.1.0\nLicense-Expression: Apache-2.0\n"
        'Requires-Dist: numba>=0.61\nRequires-Dist: distributed>=1; extra == "distributed"\n'
        'Requires-Dist: ruff>=0.8; extra == "dev"\n'
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pfsm/resources/lexicons/wordnet-3.0.lexicon", "words")
        archive.writestr("pfsm/__init__.py", "")
        archive.writestr("pfsm_metric-0.1.0.dist-info/METADATA", metadata)
    return path


def test_the_bill_of_a_wheel(wheel: Path) -> None:
    sbom = script("sbom")
    written = sbom.write(wheel)
    assert written.name == "pfsm_metric-0.1.0.cdx.json"
    text = written.read_text(encoding="utf-8")
    assert sbom.write(wheel).read_text(encoding="utf-8") == text
    bill = json.loads(text)
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert re.fullmatch(
        r"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", bill["serialNumber"]
    )
    scopes = {one["name"]: one["scope"] for one in bill["components"]}
    # llvmlite comes with numba, tornado with distributed; ruff is for development.
    assert (scopes["numba"], scopes["llvmlite"], scopes["numpy"]) == ("required", "required", "required")
    assert (scopes["distributed"], scopes["tornado"]) == ("optional", "optional")
    assert "ruff" not in scopes
    assert all(one["licenses"][0]["expression"] for one in bill["components"])
    references = [one["bom-ref"] for one in bill["components"]]
    assert len(set(references)) == len(references)
    known = {*references, "pfsm-metric"}
    assert {one["ref"] for one in bill["dependencies"]} == known
    needs = {
        one["ref"].split("@")[0]: {ref.split("@")[0] for ref in one["dependsOn"]}
        for one in bill["dependencies"]
    }
    assert {ref for one in bill["dependencies"] for ref in one["dependsOn"]} <= known
    assert needs["numba"] == {"llvmlite", "numpy"}
    (data,) = [one for one in bill["metadata"]["component"]["components"] if one["components"]]
    assert data["licenses"] == [{"expression": "LicenseRef-WordNet-3.0"}]
    (file,) = data["components"]
    # What sha256sum says of a file with "words".
    digest = "dba36bffa5cab0f922d087a3aeb179f9d4e745df40b323e1b1471402848c8a3e"
    assert file["hashes"] == [{"alg": "SHA-256", "content": digest}]
