"""Checks the supply chain: the lock, the licences, and known vulnerabilities of every locked package.

    python scripts/audit.py            # make audit
    python scripts/audit.py --strict   # fails as well where no index of vulnerabilities answers

The exit status is 1 if the lock does not fit pyproject.toml or constraints.txt, if a licence is missing, or if a
package has a known vulnerability. Vulnerabilities are looked up by pip-audit, the only part that needs a network.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from licences import packages
from lock import LOCKS
from locked import FOLDER, Locked, normalised, read
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

CHECKOUT = FOLDER.parent
_VERSION = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Answer:
    """What pip-audit knows: vulnerabilities, one line each, and how many packages it could look up."""

    vulnerable: tuple[str, ...]
    audited: int
    unknown: int


def main() -> None:
    """Runs all checks; exits with 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--strict", action="store_true", help="fail where vulnerabilities cannot be looked up"
    )
    strict = parser.parse_args().strict
    faults = [*lock_faults(), *licence_faults()]
    try:
        answer = vulnerabilities(FOLDER / "all.txt")
    except OSError as error:
        answer = Answer((), 0, 0)
        print(f"WARNING: vulnerabilities were not looked up: {error}", file=sys.stderr)
    else:
        print(f"vulnerabilities: {answer.audited} packages looked up, {answer.unknown} unknown to the index")
        if not answer.audited:
            print("WARNING: this index knows no vulnerabilities; run make audit elsewhere", file=sys.stderr)
    faults += answer.vulnerable
    if strict and not answer.audited:
        faults.append("vulnerabilities were not looked up")
    for fault in faults:
        print(f"audit.py: {fault}", file=sys.stderr)
    if faults:
        sys.exit(1)
    print("the lock fits pyproject.toml and constraints.txt; every licence is known")


def locks() -> dict[str, list[Locked]]:
    """The packages of each lock, by the name of its file."""
    return {name: read((FOLDER / name).read_text(encoding="utf-8")) for name in LOCKS}


def lock_faults() -> Iterator[str]:
    """What does not fit: one line a fault."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    constraints = {
        normalised(name): version
        for name, version in _VERSION.findall((CHECKOUT / "constraints.txt").read_text(encoding="utf-8"))
    }
    for file, lock in locks().items():
        wanted = [*project["dependencies"]]
        for extra in LOCKS[file]:
            wanted += project["optional-dependencies"][extra]
        versions = {one.name: one.version for one in lock}
        yield from (f"{file}: {fault}" for fault in _unmet(wanted, versions))
        for one in lock:
            if not one.hashes:
                yield f"{file}: {one.name} has no hash"
            if constraints.get(one.name, one.version) != one.version:
                yield f"{file}: {one.name} is {one.version}, in constraints.txt {constraints[one.name]}"


def _unmet(wanted: list[str], versions: dict[str, str]) -> Iterator[str]:
    for text in wanted:
        requirement = Requirement(text)
        version = versions.get(normalised(requirement.name))
        if version is None:
            yield f"{requirement.name} is missing; run make lock"
        elif not SpecifierSet(str(requirement.specifier)).contains(version, prereleases=True):
            yield f"{requirement.name} is {version}, pyproject.toml needs {requirement.specifier}; run make lock"


def licence_faults() -> Iterator[str]:
    """Packages without a licence in licences.toml, and entries there for no package."""
    locked = {one.name for lock in locks().values() for one in lock}
    for name in sorted(locked ^ set(packages())):
        yield f"licences.toml: {name} is {'missing' if name in locked else 'in no lock'}"


def vulnerabilities(lock: Path) -> Answer:
    """Asks pip-audit, and through it the package index.

    Raises:
        OSError: There is no pip-audit, or nothing answered.
    """
    beside = Path(sys.executable).with_name("pip-audit")
    program = str(beside) if beside.is_file() else shutil.which("pip-audit")
    if program is None:
        raise OSError("pip-audit is not installed (pip install pip-audit)")
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "audit.json"
        done = subprocess.run(
            [program, "--disable-pip", "--require-hashes", "--requirement", str(lock), "--format", "json",
             "--output", str(output), "--progress-spinner", "off"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if not output.is_file() or not output.stat().st_size:
            raise OSError((done.stderr.strip().splitlines() or ["pip-audit said nothing"])[-1])
        found = json.loads(output.read_text(encoding="utf-8"))["dependencies"]
    known = [one for one in found if "skip_reason" not in one]
    lines = tuple(
        f"{one['name']} {one['version']}: {vulnerability['id']}, mended in "
        f"{', '.join(vulnerability['fix_versions']) or 'no version yet'}"
        for one in known
        for vulnerability in one["vulns"]
    )
    return Answer(lines, len(known), len(found) - len(known))


if __name__ == "__main__":
    main()
