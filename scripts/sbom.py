"""The bill of materials of a wheel: CycloneDX 1.6, as JSON, beside it.

    python scripts/sbom.py dist/pfsm_metric-0.1.0-py3-none-any.whl

It names the wheel with its digest, the data in it, every package that pfsm or one of its extras requires, with the
version and the files' digests of ``requirements/all.txt``, and who requires what. The same wheel and lock give
the same bytes.
"""

import hashlib
import json
import re
import sys
import uuid
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import Any

from licences import Shipped, licence_of, packages, shipped
from locked import FOLDER, ROOT, Locked, normalised, read

_NAMESPACE = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")  # that of addresses, RFC 9562


def main() -> None:
    """Writes the bill of one wheel."""
    if len(sys.argv) != 2:
        sys.exit("usage: python scripts/sbom.py WHEEL")
    print(f"made {write(Path(sys.argv[1]))}")


def write(wheel: Path) -> Path:
    """Writes the bill beside the wheel; returns its path."""
    path = wheel.with_name("-".join(wheel.name.split("-")[:2]) + ".cdx.json")
    path.write_text(json.dumps(bill(wheel), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def bill(wheel: Path) -> dict[str, Any]:
    """The document; its number depends on its content alone."""
    lock = read((FOLDER / "all.txt").read_text(encoding="utf-8"))
    with zipfile.ZipFile(wheel) as archive:
        names = sorted(archive.namelist())
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        headers = Parser().parsestr(archive.read(metadata).decode("utf-8"), headersonly=True)
        data = [_data(group, names, archive) for group in shipped() if group.source != "written for pfsm"]
    required = [_parts(text) for text in headers.get_all("Requires-Dist", [])]
    used = _closure({name for name, extra in required if extra != "dev"}, lock)
    always = _closure({name for name, extra in required if not extra}, lock)
    root = {
        "type": "library",
        "bom-ref": ROOT,
        "name": ROOT,
        "version": headers["Version"],
        "purl": f"pkg:pypi/{ROOT}@{headers['Version']}",
        "licenses": [{"expression": headers["License-Expression"]}],
        "hashes": [_sha256(hashlib.sha256(wheel.read_bytes()).hexdigest())],
    }
    kept = [one for one in lock if one.name in used]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {**root, "components": data}},
        "components": [_component(one, "required" if one.name in always else "optional") for one in kept],
        "dependencies": [
            {"ref": ref, "dependsOn": sorted(_ref(one) for one in kept if name in one.via)}
            for ref, name in [(ROOT, ROOT), *((_ref(one), one.name) for one in kept)]
        ],
    }
    number = uuid.uuid5(_NAMESPACE, json.dumps(document, sort_keys=True))
    return {**document, "serialNumber": f"urn:uuid:{number}"}


def _parts(requirement: str) -> tuple[str, str]:
    """Name and extra of a requirement of the wheel."""
    extra = re.search(r"extra == [\"']([^\"']+)", requirement)
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    return normalised(name.group() if name else requirement), extra.group(1) if extra else ""


def _closure(names: set[str], lock: list[Locked]) -> set[str]:
    """These packages and all that they require, one of them through another."""
    found: set[str] = set()
    new = {one.name for one in lock if one.name in names}
    while new:
        found |= new
        new = {one.name for one in lock if new & set(one.via)} - found
    return found


def _ref(one: Locked) -> str:
    return f"{one.name}@{one.version}"


def _component(one: Locked, scope: str) -> dict[str, Any]:
    made: dict[str, Any] = {
        "type": "library",
        "bom-ref": _ref(one),
        "name": one.name,
        "version": one.version,
        "scope": scope,
        "purl": f"pkg:pypi/{one.name}@{one.version}",
        "licenses": [{"expression": packages()[one.name]}],
    }
    if one.marker:
        made["properties"] = [{"name": "pfsm:marker", "value": one.marker}]
    if one.hashes:
        # One digest for each file that may be installed: wheels of several systems, and the source.
        digests = [_sha256(value) for value in sorted(one.hashes)]
        made["externalReferences"] = [{"type": "distribution", "url": made["purl"], "hashes": digests}]
    return made


def _data(group: Shipped, names: list[str], archive: zipfile.ZipFile) -> dict[str, Any]:
    mine = [name for name in names if licence_of(name, shipped()) == group]
    return {
        "type": "data",
        "bom-ref": f"data:{group.what}",
        "name": group.what,
        "description": group.source,
        "licenses": [{"expression": group.licence}],
        "components": [
            {
                "type": "file",
                "bom-ref": name,
                "name": name,
                "hashes": [_sha256(hashlib.sha256(archive.read(name)).hexdigest())],
            }
            for name in mine
        ],
    }


def _sha256(value: str) -> dict[str, str]:
    return {"alg": "SHA-256", "content": value}


if __name__ == "__main__":
    main()
