"""`pfsm resources`: lists, compiles, learns; and models that need a table."""

from pathlib import Path

import numpy as np
import pytest

from pfsm.lexicons import registry
from pfsm.lexicons.paraphrases import ParaphraseTable
from pfsm.model.file import Model, save_model
from pfsm.model.settings import settings_from_dict
from tests.command_runs import Cli, Write, text
from tests.lexicons.lexicon_cases import install, paraphrases, synonyms


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's tables: none."""
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path / "tables"))
    return tmp_path / "tables"


class TestList:
    def test_a_table_of_the_users_and_a_damaged_one(self, cli: Cli, folder: Path) -> None:
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

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (
                ("synonyms", ".", "--name", "x"),
                ".: contains no file index.noun; give a folder with WordNet's database",
            ),
            (("paraphrases", "a.txt", "--name", "x/y"), "--name 'x/y' cannot be the name of a table"),
            (
                ("paraphrases", "a.txt", "--name", "learned-en"),
                "learned-en: a table of this name ships with pfsm",
            ),
            (
                ("paraphrases", "a.txt", "--name", "x", "--smallest", "1"),
                "a.txt: none of 1 entries passes; raise --longest or lower --smallest",
            ),
            (
                ("paraphrases", "a.txt", "--name", "x", "--layout", "ppdb"),
                "a.txt:1: not a line `LHS ||| phrase",
            ),
        ],
    )
    def test_refusals(
        self, cli: Cli, write: Write, folder: Path, arguments: tuple[str, ...], message: str
    ) -> None:
        write("a.txt", "0.5 <p>a b</p> <p>c</p>\n")
        write("b.txt", "what is this\n")
        assert message in cli("resources", "compile", *arguments).fault
        assert not list(folder.glob("*"))


class TestLearn:
    def test_pairs_of_five_segments(self, cli: Cli, write: Write) -> None:
        rows = [
            f"we saw {noun} again\twe spotted {noun} again"
            for noun in ["mice", "cows", "owls", "bees", "rats"]
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


class TestModels:
    """Scoring by models that need tables."""

    def test_tables_enter_the_signature_and_the_score(
        self, cli: Cli, write: Write, tmp_path: Path, folder: Path
    ) -> None:
        folder.mkdir()
        install(synonyms(), folder)
        install(paraphrases({("of course", "naturally"): 0.5}), folder)
        options = {"syn": {"table": "few-syn"}, "para": {"table": "few"}}
        values = {"matchers": ["word", "syn", "para"], "max_block": {"para": 2}, "options": options}
        weights = {"S_word": 2.0, "S_syn": 1.0, "S_para": 1.0}
        model = "model.json"
        save_model(Model("tables", settings_from_dict(values, "test"), weights), tmp_path / model)
        install(synonyms("few-syn"), folder)
        write("ref.txt", "of course the children go\n")
        write("hyp.txt", "naturally the kids go\n")
        write("other.txt", "certainly the cats go\n")
        document = cli("score", "ref.txt", "-i", "hyp.txt", "-m", model, "-f", "json").document
        labels = [registry.load("few-syn", "synonyms").label, registry.load("few", "paraphrases").label]
        assert f"|res:{'+'.join(labels)}|version:" in document["signature"]
        other = cli("score", "ref.txt", "-i", "other.txt", "-m", model, "-f", "json").document
        assert document["score"] > other["score"]
