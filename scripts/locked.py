"""Locked dependencies, ``requirements/*.txt``: each package with its version and the hashes of its files."""

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "requirements"
ROOT = "pfsm-metric"
_PACKAGE = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;]+)(?: ; (.*))?$")


@dataclass(frozen=True)
class Locked:
    """One package of a lock.

    Attributes:
        name: Its name, normalised.
        version: The one version that is installed.
        marker: Where it is installed, as PEP 508 writes it; empty for everywhere.
        hashes: SHA-256 of each file that may be installed, in hexadecimal.
        via: What requires it: packages of the lock, and `ROOT`.
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
    """The packages of a lock, in its order; uv's own files are read as well.

    Raises:
        ValueError: A line is neither a comment nor a package with one version.
    """
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
