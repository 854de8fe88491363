"""The code of ``docs/extending.md`` runs, and what it registers keeps the promises."""

import re
from pathlib import Path
from typing import Any

import pytest

from pfsm import registry, testing
from pfsm.testing import check
from tests.command_runs import Cli
from tests.core.plugins.test_testing import Here

KINDS = set(registry.KINDS) - {"command", "page"}
PAGE = Path(__file__).resolve().parents[3] / "docs" / "extending.md"


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Names that the examples register, by kind."""
    monkeypatch.setattr(registry, "scripts", {})
    text = PAGE.read_text(encoding="utf-8")
    place: dict[str, Any] = {"__name__": "extending"}
    for block in re.findall(r"```python\n(.*?)```", text[text.index("## A matcher") :], re.DOTALL):
        exec(block, place)
    found: dict[str, list[str]] = {}
    for kind, name in registry.scripts:
        found.setdefault(kind, []).append(name)
    return found


def test_there_is_an_example_of_every_kind(registered: dict[str, list[str]]) -> None:
    assert set(registered) == KINDS


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_examples_pass_the_checks(
    kind: str, registered: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(testing, "ProcessPoolExecutor", Here)
    file = tmp_path / "judged.bars"
    file.write_text("the cat|a cat|1.5\na|b|2\n", encoding="utf-8")
    for name in registered[kind]:
        check(name, kind, files=[str(file)])


def test_lists_show_them(cli: Cli) -> None:
    listed = cli("plugins").lines
    assert any(line.split()[:2] == ["matcher", "same-length"] for line in listed)
    assert "same-length\n    kind: plug-in (matcher)\n    package: module extending\n" in cli("resources").out
