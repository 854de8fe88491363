"""`pfsm resources`: lists, compiles, learns; and models that need a table."""

from pathlib import Path

import numpy as np
import pytest

from pfsm.lexicons import registry
from pfsm.lexicons.paraphrases import ParaphraseTable
from pfsm.lexicons.synonyms import SynonymTable
from pfsm.model.file import Model, save_model
from pfsm.model.settings import settings_from_dict
from tests.command_runs import Cli, Write, text
from tests.lexicons.lexicon_cases import install, paraphrases, synonyms, write_wordnet


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's tables: none."""
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path / "tables"))
    return tmp_path / "tables"


class TestList:
    def test_what_ships(self, cli: Cli) -> None:
        lines = cli("resources").lines
        assert cli("resources", "list").lines == lines
        assert [line for line in lines if not line.startswith(" ")] == [
            "learned-en",
            "wordnet-3.0",
            "wordnet-relations-3.0",
            "shipped:minilm",
            "shipped:words-en",
            "meteor-en",
            "meteor-en-full",
        ]
        assert "    licence: WordNet 3.0 License, Princeton University" in lines
        assert "    content: 147,306 lemmas, 117,659 synsets, 5,947 irregular forms" in lines

    def test_a_table_of_the_users_and_a_damaged_one(self, cli: Cli, folder: Path) -> None:
        folder.mkdir()
        path = install(paraphrases({("a", "b"): 0.5}), folder)
        (folder / "zzz.lexicon").write_bytes(path.read_bytes()[:-1])
        entries = {entry["name"]: entry for entry in cli("resources", "list", "-f", "json").document}
        assert list(entries)[:5] == ["learned-en", "wordnet-3.0", "wordnet-relations-3.0", "few", "zzz"]
        assert entries["few"] == {
            "name": "few",
            "kind": "paraphrases",
            "version": registry.load("few", "paraphrases").checksum,
            "content": "1 pairs, 2 phrases, 2 words",
            "size": f"{path.stat().st_size:,} bytes",
            "licence": "free",
            "sources": "",
            "place": str(path),
            "ships with pfsm": "no",
        }
        assert entries["zzz"]["error"].endswith("the file is damaged or was cut short; compile it again")


class TestCompile:
    def test_synonyms_from_a_wordnet_database(self, cli: Cli, tmp_path: Path, folder: Path) -> None:
        write_wordnet(tmp_path / "db")
        lines = cli("resources", "compile", "synonyms", "db", "--name", "mine", "--licence", "my own").lines
        lexicon = registry.load("mine", "synonyms")
        assert lines == [
            f"{lexicon.label}: 8 lemmas, 6 synsets, 4 irregular forms",
            str(folder / "mine.lexicon"),
        ]
        assert lexicon.licence == "my own"
        table = SynonymTable(lexicon)
        assert set(table.synsets("children")) & set(table.synsets("kids"))

    def test_synonyms_from_tab_files(self, cli: Cli, write: Write) -> None:
        write("fra.tab", "# F\tfra\thttps://x\tCC BY\n1-n\tlemma\tenfant\n1-n\tfra:lemma\tgosse\n")
        write("forms.tsv", "enfants\tenfant\n")
        assert cli(
            "resources", "compile", "synonyms", "fra.tab", "--forms", "forms.tsv", "--name", "fr"
        ).lines
        lexicon = registry.load("fr", "synonyms")
        assert lexicon.licence == "CC BY"
        assert SynonymTable(lexicon).synsets("Enfants") == SynonymTable(lexicon).synsets("gosse") == [0]

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
            (("synonyms", "none", "--name", "x"), "none: no such file"),
            (
                ("synonyms", ".", "--name", "x"),
                ".: contains no file index.noun; give a folder with WordNet's database",
            ),
            (
                ("synonyms", ".", "a.txt", "--name", "x"),
                "give one folder with WordNet's database and nothing else",
            ),
            (("paraphrases", "a.txt", "--name", "x/y"), "--name 'x/y' cannot be the name of a table"),
            (
                ("paraphrases", "a.txt", "--name", "learned-en"),
                "learned-en: a table of this name ships with pfsm",
            ),
            (("paraphrases", "b.txt", "--name", "x"), "b.txt:1: not the beginning of a paraphrase table"),
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
    def data(self, write: Write) -> None:
        rows = [
            f"we saw {noun} again\twe spotted {noun} again"
            for noun in ("mice", "cows", "owls", "bees", "rats")
        ]
        rows += [f"they met {noun} there\tthey met {noun} here" for noun in ("men", "women", "boys", "girls")]
        write("data.tsv", text(["reference\thypothesis", *rows]))

    def test_pairs_of_five_segments(self, cli: Cli, write: Write) -> None:
        self.data(write)
        command = ("resources", "learn-paraphrases", "data.tsv", "--name", "own")
        assert cli(*command, "--licence", "mine").lines
        lexicon = registry.load("own", "paraphrases")
        assert dict(lexicon.counts) == {"pairs": 2, "phrases": 2, "words": 2}
        assert ParaphraseTable(lexicon).probabilities.tolist() == [1.0, 1.0]
        assert (lexicon.licence, [source.name for source in lexicon.sources]) == ("mine", ["data.tsv"])
        assert cli(*command, "--segments", "4", "--threads", "2").lines
        assert registry.load("own", "paraphrases").counts["pairs"] == 4

    def test_refusals(self, cli: Cli, write: Write) -> None:
        self.data(write)
        write("bad.tsv", "reference\tscore\na\t1\n")
        command = ("resources", "learn-paraphrases")
        assert (
            "no pair of phrases in 9 segments passes"
            in cli(*command, "data.tsv", "--name", "own", "--segments", "6").fault
        )
        assert (
            "--posterior is 0.5, it must be above 0.5"
            in cli(*command, "data.tsv", "--name", "own", "--posterior", ".5").fault
        )
        assert "bad.tsv: no column 'hypothesis'" in cli(*command, "bad.tsv", "--name", "own").fault
        assert "no such file" in cli(*command, "data.tsv", "--name", "own", "-m", "none.json").fault


class TestModels:
    """Scoring by models that need tables."""

    def model(self, path: Path, syn: str, para: object) -> str:
        options = {"syn": {"table": syn}, "para": {"table": para}}
        values = {"matchers": ["word", "syn", "para"], "max_block": {"para": 2}, "options": options}
        weights = {"S_word": 2.0, "S_syn": 1.0, "S_para": 1.0}
        save_model(Model("tables", settings_from_dict(values, "test"), weights), path)
        return path.name

    def test_tables_enter_the_signature_and_the_score(
        self, cli: Cli, write: Write, tmp_path: Path, folder: Path
    ) -> None:
        folder.mkdir()
        install(synonyms(), folder)
        install(paraphrases({("of course", "naturally"): 0.5}), folder)
        model = self.model(tmp_path / "model.json", "few-syn", "few")
        install(synonyms("few-syn"), folder)
        write("ref.txt", "of course the children go\n")
        write("hyp.txt", "naturally the kids go\n")
        write("other.txt", "certainly the cats go\n")
        document = cli("score", "ref.txt", "-i", "hyp.txt", "-m", model, "-f", "json").document
        labels = [registry.load("few-syn", "synonyms").label, registry.load("few", "paraphrases").label]
        assert f"|res:{'+'.join(labels)}|version:" in document["signature"]
        other = cli("score", "ref.txt", "-i", "other.txt", "-m", model, "-f", "json").document
        assert document["score"] > other["score"]
