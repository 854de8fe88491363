"""No module of ours needs one that needs it, and the core names none of those that only entry points lead to."""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOUND = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"][
    "packages"
]["find"]
# What the core, the kernels and the training find by entry points alone.
BEHIND_DOORS = ("pfsm_linguistics", "pfsm_studio")
# A module, or something in one: "pfsm.text.penn", "pfsm.text.penn:TOKENISER".
PLACE = re.compile(r"(\w+(?:\.\w+)*)(?::\w+)?")


def sources() -> dict[str, str]:
    """The text of each module of our packages, by its name."""
    found = {}
    for where in FOUND["where"]:
        for package in (name for name in FOUND["include"] if not name.endswith(".*")):
            folder = ROOT / where
            for path in (folder / package).rglob("*.py"):
                parts = path.relative_to(folder).with_suffix("").parts
                name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
                found[name] = path.read_text(encoding="utf-8")
    return found


def named(source: str, known: Mapping[str, object]) -> Iterator[str]:
    """Modules that a source imports anywhere in it, and those that its strings name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in known else str(node.module) for name in whole)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            match = PLACE.fullmatch(node.value)
            if match is not None and ("." in match[1] or ":" in node.value):
                yield match[1]


def circle(modules: Mapping[str, str]) -> list[str] | None:
    """Modules of which each needs the one before, the first at the end again; None where there are none."""
    needed = {
        name: {one for one in named(source, modules) if one in modules and one != name}
        for name, source in modules.items()
    }
    try:
        TopologicalSorter(needed).prepare()
    except CycleError as error:
        return list(error.args[1])
    return None


@pytest.mark.parametrize(
    ("low", "found"),
    [
        ("import high.up", True),
        ("def late():\n    from high import up", True),
        ("def late():\n    return import_module('high.up').X", True),
        ("TABLE = {'x': 'high.up:X'}", True),
        ("'high.up is a module'\nimport high.sideways", False),
    ],
)
def test_a_circle_is_found_however_it_is_closed(low: str, found: bool) -> None:
    modules = {"low": low, "high": "", "high.up": "from low import X", "high.sideways": ""}
    assert (circle(modules) is not None) == found


def test_there_is_no_circle() -> None:
    assert circle(sources()) is None


def test_entry_points_alone_lead_out_of_the_core() -> None:
    modules = sources()
    for name, source in modules.items():
        if not name.startswith(BEHIND_DOORS):
            assert [one for one in named(source, modules) if one.startswith(BEHIND_DOORS)] == [], name
