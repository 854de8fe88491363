"""Writes ``requirements/*.txt``: every dependency with one version and the hashes of its files.

    python scripts/lock.py            # versions of constraints.txt; all others stay as they are
    python scripts/lock.py --newest   # all others anew, as new as the index has them

``make lock`` runs it. It needs uv (https://docs.astral.sh/uv) and a package index. ``pip install --require-hashes``
then installs nothing else, whatever the index has by that time.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
FOLDER = CHECKOUT / "requirements"
# Each lock and the extras that it covers.
LOCKS = {
    "dev.txt": ("train", "dev", "docs"),
    "all.txt": (
        "train",
        "dev",
        "docs",
        "languages",
        "integrations",
        "paraphrases",
        "distributed",
        "embeddings",
        "experiment",
        "transformers",
    ),
}
HEADER = """
Made by scripts/lock.py (make lock): {extras}.
pip install --require-hashes --requirement requirements/{name}
pip install --no-deps --no-build-isolation --editable .
PyTorch is the build without CUDA: on Linux the index needs to have it (docs/licences.md).
"""
# What PyTorch's build with CUDA requires; the lock is for the one without.
_CUDA = re.compile(r"^(nvidia|cuda)-|^triton$")
# The files of PyTorch without CUDA. A lock that allowed others as well would take the index's first choice for Linux.
_TORCH = {
    "2.13.0": (
        "6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b",  # 2.13.0+cpu, Python 3.11, Linux, x86-64
        "e76f9bcecc52b8ff711239a2f7547d5353df95878ab232f0773c1d95928b92f8",  # Python 3.11, macOS
        "2fe228aba290d14b9f31b049be550dbd469c3fd3013d7a19705b30454da97027",  # Python 3.12, macOS
        "33449899ce5496c1b84b4853179d94fd102028ae1407314d9fb956bb79e70d09",  # Python 3.13, macOS
        "a0d8b11f16a48d60e2015d8213aa0390744cbebb98e58b62b3514dddc656e330",  # Python 3.11, Windows
        "024c6cc0c1b085f2f91f20a3dc27b0471d021c31ce84b81be3afdc39f791fd9d",  # Python 3.12, Windows
        "49b58f1e2c52440abb6f17c28f0335fe6c6d01ad1a7f55b0183b81e4b34d64e6",  # Python 3.13, Windows
    )
}
# The build of the package itself takes setuptools from the lock.
_BUILD = "setuptools>=77"


_PACKAGE = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;]+)(?: ; (.*))?$")


@dataclass(frozen=True)
class Locked:
    """One package of a lock.

    Attributes:
        name: Its name, normalised.
        version: The one version that is installed.
        marker: Where it is installed, as PEP 508 writes it; empty for everywhere.
        hashes: SHA-256 of each file that may be installed, in hexadecimal.
        via: What requires it: packages of the lock, and `pfsm-metric`.
    """

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]
    via: tuple[str, ...]


def normalised(name: str) -> str:
    """A package's name as indexes write it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read(text: str) -> list[Locked]:
    """The packages of a lock, in its order; uv's own files are read as well."""
    blocks: list[list[str]] = []
    for line in text.splitlines():
        if line.startswith(" "):
            blocks[-1].append(line)
        elif line.strip() and not line.startswith("#"):
            blocks.append([line])
    return [_package(block[0], block[1:]) for block in blocks]


def _package(head: str, rest: list[str]) -> Locked:
    match = _PACKAGE.match(head.rstrip(" \\"))
    if match is None:
        raise ValueError(f"'{head}' is not a package with one version")
    name, version, marker = match.groups(default="")
    hashes = tuple(line.split(":")[1].rstrip(" \\") for line in rest if "--hash=sha256:" in line)
    comments = " ".join(line.strip(" #") for line in rest if line.strip().startswith("#"))
    requirers = comments.removeprefix("via").replace("(pyproject.toml)", "").replace(",", " ").split()
    via = {normalised(one) for one in requirers if not one.endswith(".txt") and not one.startswith("-")}
    return Locked(normalised(name), version, marker, hashes, tuple(sorted(via)))


def written(packages: list[Locked], header: str) -> str:
    """The text of a lock, sorted by name."""
    lines = [f"# {line}".rstrip() for line in header.strip().splitlines()]
    for one in sorted(packages, key=lambda one: (one.name, one.marker)):
        head = f"{one.name}=={one.version}" + (f" ; {one.marker}" if one.marker else "")
        lines.append(" \\\n    ".join([head, *(f"--hash=sha256:{value}" for value in sorted(one.hashes))]))
        if one.via:
            lines.append(f"    # via {', '.join(one.via)}")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Resolves and writes both locks."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--newest", action="store_true", help="forget the versions of the locks")
    newest = parser.parse_args().newest
    for name, extras in LOCKS.items():
        path = FOLDER / name
        before = "" if newest or not path.is_file() else path.read_text(encoding="utf-8")
        packages = [
            _without_cuda(one) for one in read(_resolved(extras, before)) if not _CUDA.match(one.name)
        ]
        path.write_text(
            written(packages, HEADER.format(extras=f"extras {', '.join(extras)}", name=name)),
            encoding="utf-8",
        )
        print(f"{path.relative_to(CHECKOUT)}: {len(packages)} packages")


def _without_cuda(one: Locked) -> Locked:
    if one.name != "torch":
        return one
    if one.version not in _TORCH:
        sys.exit(
            f"lock.py: _TORCH has no hashes of torch {one.version}; add those of its builds without CUDA"
        )
    return replace(one, hashes=_TORCH[one.version])


def _resolved(extras: tuple[str, ...], before: str) -> str:
    """What uv resolves; versions in ``before`` are kept where they fit."""
    with tempfile.TemporaryDirectory() as folder:
        output, build = Path(folder) / "locked.txt", Path(folder) / "build.txt"
        output.write_text(before, encoding="utf-8")
        build.write_text(_BUILD + "\n", encoding="utf-8")
        command = [
            "uv", "pip", "compile", "--quiet", "--universal", "--generate-hashes", "--python-version", "3.11",
            "--no-header", "--constraint", "constraints.txt", "--output-file", str(output),
            *(word for extra in extras for word in ("--extra", extra)), "pyproject.toml", str(build),
        ]  # fmt: skip
        try:
            done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            sys.exit("lock.py: no uv here; pip install uv")
        if done.returncode:
            sys.exit(f"lock.py: {done.stderr.strip()}")
        return output.read_text(encoding="utf-8")


if __name__ == "__main__":
    main()
