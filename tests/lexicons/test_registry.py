"""Where tables are looked for, and what is said where one is not there."""

import os
from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from pfsm.lexicons import registry
from pfsm.lexicons.container import Lexicon, read_header
from pfsm.lexicons.meteor import RECIPES, Recipe
from tests.lexicons.lexicon_cases import install, paraphrases, synonyms


def test_shipped_tables_come_first_and_all_can_be_read(folder: Path) -> None:
    install(synonyms("aaa"), folder)
    found = registry.installed()
    assert [entry.name for entry in found] == ["learned-en", "wordnet-3.0", "wordnet-relations-3.0", "aaa"]
    assert [entry.shipped for entry in found] == [True, True, True, False]
    for entry in found:
        assert registry.load(entry.name, read_header(entry.path)["kind"]).name == entry.name


def test_a_replaced_file_is_read_again(folder: Path) -> None:
    path = install(paraphrases({("a", "b"): 0.5}), folder)
    before = registry.load("few", "paraphrases")
    assert registry.pinned("few", "paraphrases") == before.label == f"few@{before.checksum}"
    assert registry.load(before.label, "paraphrases") is before
    install(paraphrases({("a", "c"): 0.5}), folder)
    os.utime(path, ns=(1, 1))  # the clock may be too coarse to tell the two apart
    after = registry.load("few", "paraphrases")
    assert before.checksum != after.checksum
    with pytest.raises(
        PfsmError,
        match=f"the table here is {after.label}, the model needs {before.label} and would score differently",
    ):
        registry.load(before.label, "paraphrases")


def test_another_kind_another_name_no_name(folder: Path) -> None:
    path = install(synonyms(), folder)
    with pytest.raises(PfsmError, match="few: is a table of synonyms, one of paraphrases is needed"):
        registry.load("few", "paraphrases")
    path.rename(folder / "other.lexicon")
    with pytest.raises(PfsmError, match="contains the table few; rename the file to that name"):
        registry.load("other", "synonyms")
    with pytest.raises(PfsmError, match=r"'\.\./few' is not the name of a table"):
        registry.load("../few", "synonyms")


def test_references(folder: Path) -> None:
    for reference in ("a", "wordnet-3.0", "A_1.2-b", "a@0123abcd"):
        assert registry.check_reference(reference, "table") == reference
    for other in ("a@0123", "a@0123ABCD", 7, None, ["a"]):
        with pytest.raises(PfsmError, match="it must be the name of a table"):
            registry.check_reference(other, "table")


def test_a_folder_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path / "file" / "tables"))
    assert len(registry.installed()) == 3
    with pytest.raises(PfsmError, match=r"wordnet-3\.0: a table of this name ships with pfsm"):
        registry.user_path("wordnet-3.0")
    with pytest.raises(PfsmError, match=r"cannot be created .*; set PFSM_RESOURCES to another folder"):
        registry.user_path("new")


def test_what_a_recipe_made_is_made_again_where_it_can_be_read_no_longer(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Path] = []

    def make(path: Path) -> Lexicon:
        made.append(path)
        return paraphrases({("a", "b"): 0.5}, "own")

    monkeypatch.setitem(RECIPES, "own", Recipe("made up", "a moment", make))
    monkeypatch.setattr("pfsm.lexicons.meteor.table_path", lambda: folder)
    (folder / "own.lexicon").write_text('{"format": "pfsm-lexicon-0"}\n', encoding="utf-8")
    for _ in range(2):
        assert registry.load("own", "paraphrases").counts["pairs"] == 1
    assert made == [folder]
