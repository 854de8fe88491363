"""Checks what a release would consist of, and leaves it in a folder: the wheel and the sdist.

    python scripts/check_release.py dist    # make release-check

1. The version stands in one place, and CHANGELOG.md and CITATION.cff agree with it.
2. The wheel is built twice with the same bytes, installs without torch and scores (``check_wheel.py``).
3. The sdist is built twice with the same bytes, and a wheel built from it has the same bytes as the wheel.
4. ``twine check --strict`` and ``check-wheel-contents``.
5. Encoders that are distributions of their own are built, and no file is larger than an index takes.
6. The demonstration.
"""

import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

from check_wheel import CHECKOUT, LARGEST, build, environment


def main() -> None:
    """Runs the checks in their order; the first that fails ends them."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "dist").resolve()
    folder.mkdir(exist_ok=True)
    document = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    version = document["project"]["version"]
    check_versions(version)
    step(sys.executable, "scripts/check_wheel.py", str(folder))
    wheel = folder / f"pfsm_metric-{version}-py3-none-any.whl"
    sdist = check_sdist(folder, wheel)
    step("twine", "check", "--strict", str(wheel), str(sdist))
    # W002 is about files that are there twice, which `check_duplicates` looks at; W004 about modules below folders that
    # are data here; W009 about several top-level packages, which are meant.
    step("check-wheel-contents", "--ignore", "W002,W004,W009", str(wheel))
    check_duplicates(wheel)
    check_sizes([wheel, sdist, *encoders(folder)])
    step(sys.executable, "scripts/demo.py")
    print(f"pfsm-metric {version} can be released: {wheel.name}, {sdist.name}")


def check_versions(version: str) -> None:
    """Refuses files that state another version."""
    patterns = {"CHANGELOG.md": r"^## \[?([0-9][\w.]*)", "CITATION.cff": r"^version: (\S+)$"}
    for name, pattern in patterns.items():
        match = re.search(pattern, (CHECKOUT / name).read_text(encoding="utf-8"), re.MULTILINE)
        if match is None or match[1] != version:
            sys.exit(f"{name}: version {match[1] if match else 'missing'}, but pyproject.toml has {version}")


def check_sdist(folder: Path, wheel: Path) -> Path:
    """Builds the sdist twice, and the wheel from it."""
    with tempfile.TemporaryDirectory() as temporary:
        made = [build(Path(temporary) / name, "--sdist") for name in ("one", "two")]
        if made[0].read_bytes() != made[1].read_bytes():
            sys.exit(f"{made[0].name}: two builds of the same files differ")
        with tarfile.open(made[0]) as archive:
            archive.extractall(temporary, filter="data")
        source = Path(temporary) / made[0].name.removesuffix(".tar.gz")
        if build(Path(temporary) / "again", source=source).read_bytes() != wheel.read_bytes():
            sys.exit(f"{made[0].name}: its wheel differs from {wheel.name}")
        return Path(shutil.copy(made[0], folder))


def encoders(folder: Path) -> list[Path]:
    """Builds the encoders that are distributions of their own, into the folder."""
    made = []
    for project in sorted(CHECKOUT.glob("encoders/*/pyproject.toml")):
        with tempfile.TemporaryDirectory() as temporary:
            made.append(Path(shutil.copy(build(Path(temporary), source=project.parent), folder)))
    return made


def check_sizes(files: list[Path]) -> None:
    """Refuses files that an index would."""
    for path in files:
        if (size := path.stat().st_size) > LARGEST:
            sys.exit(f"{path.name}: {size / 1e6:.0f} MB, {LARGEST / 1e6:.0f} MB at most")


def check_duplicates(wheel: Path) -> None:
    """Refuses a wheel with a file twice. Licences are: beside what they are of, and where installers look for them."""
    names: dict[bytes, str] = {}
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            content = archive.read(name)
            first = names.setdefault(content, name)
            if content and first != name and "LICENSE" not in name:
                sys.exit(f"{wheel.name}: {name} is {first} once more")


def step(*command: str) -> None:
    """Runs a command in the checkout, whose output is shown, and ends with its status if it fails."""
    print("$", *command, flush=True)
    if status := subprocess.run(command, cwd=CHECKOUT, env=environment(), check=False).returncode:
        sys.exit(f"status {status}")


if __name__ == "__main__":
    main()
