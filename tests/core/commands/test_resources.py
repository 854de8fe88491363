"""`pfsm resources`: lists, compiles, learns."""

from pathlib import Path

import numpy as np
import pytest

from pfsm.lexicons import registry
from pfsm.lexicons.paraphrases import ParaphraseTable
from tests.command_runs import Cli, Write, text
from tests.core.lexicons.lexicon_cases import install, paraphrases


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's tables: none."""
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path / "tables"))
    return tmp_path / "tables"


def test_a_table_of_the_users_and_a_damaged_one(cli: Cli, folder: Path) -> None:
    folder.mkdir()
    path = install(paraphrases({("a", "b"): 0.5}), folder)
    (folder / "zzz.lexicon").write_bytes(path.read_bytes()[:-1])
    entries = {entry["name"]: entry for entry in cli("resources", "list", "-f", "json").document}
    assert list(entries)[:5] == ["learned-en", "wordnet-3.0", "wordnet-relations-3.0", "few", "zzz"]
    few = entries["few"]
    assert (few["kind"], few["content"]) == ("paraphrases", "1 pairs, 2 phrases, 2 words")
    assert few["version"] == registry.load("few", "paraphrases").checksum
    assert (few["place"], few["ships with pfsm"]) == (str(path), "no")
    assert entries["zzz"]["error"].endswith("the file is damaged or was cut short; compile it again")


class TestCompile:
    def test_paraphrases(self, cli: Cli, write: Write) -> None:
        write("a.txt", "0.5 <p>a b</p> <p>c</p>\n0.5 <p>x</p> <p>a b c</p>\n0.004 <p>x</p> <p>y</p>\n")
        write("b.txt", "0.25\nx\nz\n")
        command = ("resources", "compile", "paraphrases", "a.txt", "b.txt", "--name", "p")
        assert cli(*command).lines
        assert registry.load("p", "paraphrases").counts["pairs"] == 2
        first = registry.load("p", "paraphrases").checksum
        assert cli(*command, "--longest", "3", "--smallest", "0").lines
        lexicon = registry.load("p", "paraphrases")
        assert (lexicon.counts["pairs"], lexicon.details["longest"]) == (4, 3)
        assert lexicon.checksum != first
        assert [source.name for source in lexicon.sources] == ["a.txt", "b.txt"]
        assert ParaphraseTable(lexicon).probabilities.min() == np.float32(0.004)

    def test_refusals(self, cli: Cli, write: Write, folder: Path) -> None:
        write("a.txt", "0.5 <p>a b</p> <p>c</p>\n")
        table = ("paraphrases", "a.txt", "--name")
        for arguments, message in (
            (("synonyms", ".", "--name", "x"), ".: contains no file index.noun; give a folder with WordNet"),
            ((*table, "x/y"), "--name 'x/y' cannot be the name of a table"),
            ((*table, "learned-en"), "learned-en: a table of this name ships with pfsm"),
            ((*table, "x", "--smallest", "1"), "a.txt: none of 1 entries passes; raise --longest or lower"),
            ((*table, "x", "--layout", "ppdb"), "a.txt:1: not a line `LHS ||| phrase"),
        ):
            assert message in cli("resources", "compile", *arguments).fault
        assert not list(folder.glob("*"))


def test_pairs_of_five_segments(cli: Cli, write: Write) -> None:
    rows = [
        f"we saw {noun} again\twe spotted {noun} again" for noun in ["mice", "cows", "owls", "bees", "rats"]
    ]
    rows += [f"they met {noun} there\tthey met {noun} here" for noun in ["men", "women", "boys", "girls"]]
    write("data.tsv", text(["reference\thypothesis", *rows]))
    command = ("resources", "learn-paraphrases", "data.tsv", "--name", "own")
    assert cli(*command, "--licence", "mine").lines
    lexicon = registry.load("own", "paraphrases")
    assert dict(lexicon.counts) == {"pairs": 2, "phrases": 2, "words": 2}
    assert ParaphraseTable(lexicon).probabilities.tolist() == [1.0, 1.0]
    assert (lexicon.licence, [source.name for source in lexicon.sources]) == ("mine", ["data.tsv"])
    assert cli(*command, "--segments", "4", "--threads", "2").lines
    assert registry.load("own", "paraphrases").counts["pairs"] == 4
