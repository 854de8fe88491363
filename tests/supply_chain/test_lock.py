"""Locked dependencies: complete, in step with what the project declares, and with digests for every file."""

import importlib
import re
import tomllib
from pathlib import Path

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


def test_what_uv_writes_without_cuda_and_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    lock = importlib.import_module("lock")
    monkeypatch.setattr(lock, "_TORCH", {"2.13.0": ("b", "a")})
    written = (
        "six==1 \\\n    --hash=sha256:0\n    # via -c constraints.txt, torch, pfsm-metric (pyproject.toml)\n"
        "torch==2.13.0 ; sys_platform == 'linux' \\\n    --hash=sha256:1\n    # via -r /tmp/build.txt\n"
        "triton==3 \\\n    --hash=sha256:2\n    # via torch\n"
    )
    assert [lock.cleaned(one) for one in lock.blocks(written)] == [
        "six==1 \\\n    --hash=sha256:0\n    # via pfsm-metric, torch\n",
        "torch==2.13.0 ; sys_platform == 'linux' \\\n    --hash=sha256:a \\\n    --hash=sha256:b\n",
        "",
    ]
