"""Cells are kept by all that decides them, the code included: within one version it changes."""

from pathlib import Path

import pytest

from pfsm_experiments.task import files_digest, sources_digest


@pytest.fixture
def packages(tmp_path: Path) -> list[Path]:
    for name in (
        "one/code.py",
        "one/commands/score.py",
        "one/page/page.py",
        "one/resources/words.txt",
        "two/code.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("a = 1\n")
    return [tmp_path / "one", tmp_path / "two"]


@pytest.mark.parametrize("name", ["one/code.py", "one/resources/words.txt", "two/code.py"])
def test_an_edit_is_another_digest(packages: list[Path], name: str, tmp_path: Path) -> None:
    before = files_digest(packages)
    assert files_digest(packages) == before
    (tmp_path / name).write_text("a = 2\n")
    assert files_digest(packages) != before


def test_what_people_see_decides_nothing(packages: list[Path], tmp_path: Path) -> None:
    before = files_digest(packages)
    for name in ("one/commands/score.py", "one/page/page.py"):
        (tmp_path / name).write_text("a = 2\n")
    (tmp_path / "one" / "readme.md").write_text("a")
    assert files_digest(packages) == before


def test_the_digest_is_in_the_key_of_a_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    from pfsm_experiments import task
    from pfsm_experiments.spec import RowSpec

    row = RowSpec("chrF", metric="chrf")
    assert task.row_versions(row)["sources"] == sources_digest()
    monkeypatch.setattr(task, "sources_digest", lambda: "other")
    assert task.row_versions(row)["sources"] == "other"
