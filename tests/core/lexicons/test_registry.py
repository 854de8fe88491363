"""Where tables are looked for, what is said where one is not there, and those made when they are first asked for."""

import gzip
import os
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from pfsm.errors import PfsmError
from pfsm.io.named_resources import FOLDER_VARIABLE
from pfsm.lexicons import meteor, registry
from pfsm.lexicons.compiling import compile_synonyms
from pfsm.lexicons.container import Lexicon, read_header
from pfsm.lexicons.meteor import RECIPES, Recipe
from pfsm.lexicons.omw import read_multilingual
from pfsm.lexicons.paraphrases import ParaphraseTable
from pfsm.lexicons.synonyms import KIND, SynonymTable
from pfsm.model.builder import LatticeBuilder
from pfsm.model.settings import settings_from_dict
from tests.command_runs import Cli
from tests.core.lexicons.lexicon_cases import install, paraphrases, synonyms


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for the user's tables."""
    path = tmp_path / "tables"
    path.mkdir()
    monkeypatch.setenv(FOLDER_VARIABLE, str(path))
    return path


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


TABLE = "0.25\nof course\nnaturally\n0.5\none two three\nfour\n0.125\nkids\nchildren\n"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of the name that carries METEOR, with a table of three entries."""
    path = tmp_path / "site" / meteor.PACKAGE / "meteor" / "data" / "paraphrase-en.gz"
    path.parent.mkdir(parents=True)
    (tmp_path / "site" / meteor.PACKAGE / "__init__.py").touch()
    path.write_bytes(gzip.compress(TABLE.encode()))
    monkeypatch.delitem(sys.modules, meteor.PACKAGE, raising=False)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    return path


def test_it_is_compiled_on_first_use_and_says_so(
    package: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert meteor.table_path() == package
    lexicon = registry.load("meteor-en", "paraphrases")
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == f"pfsm: compiling meteor-en into {folder}/meteor-en.lexicon (once, about 20 seconds)\n"
    assert lexicon.counts["pairs"] == 2
    assert ParaphraseTable(lexicon).probabilities.tolist() == [0.125, 0.25]
    registry.load("meteor-en", "paraphrases")
    assert capsys.readouterr().err == ""
    assert [path.name for path in folder.iterdir()] == ["meteor-en.lexicon"]


FRENCH = (
    "# Made up\tfra\thttps://example.org\tCC BY\n"
    "00000001-n\tlemma\tenfant\n00000001-n\tfra:lemma\tGosse \n"
    "00000001-n\tfra:def\t0\tpetit\n00000002-v\tlemma\taller\n"
)


def test_by_hand(tmp_path: Path) -> None:
    (tmp_path / "fra.tab").write_text(FRENCH, encoding="utf-8")
    (tmp_path / "more.tab").write_text("00000002-v\tlemma\tpartir\n", encoding="utf-8")
    (tmp_path / "forms.tsv").write_text("Gosses\tgosse\nvont\taller\nallait\taller\n", encoding="utf-8")
    part, sources, licence = read_multilingual(
        [tmp_path / "fra.tab", tmp_path / "more.tab"], tmp_path / "forms.tsv"
    )
    assert part.synsets == {
        "enfant": ["00000001-n"], "gosse": ["00000001-n"], "aller": ["00000002-v"], "partir": ["00000002-v"],
    }  # fmt: skip
    assert licence == "CC BY"
    assert len(sources) == 3
    table = SynonymTable(compile_synonyms("fr", [part], licence, sources))
    assert table.synsets("gosses") == table.synsets("Enfant") == [0]
    assert table.synsets("vont") == table.synsets("partir") == [1]
    assert table.synsets("enfants") == []  # not on the list, and there are no rules


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("00000001-n\tlemma\n", r"fra\.tab:1: not a line `synset<TAB>lemma<TAB>word`"),
        ("# nothing\tfra\tx\ty\n", r"fra\.tab: no lines `synset<TAB>lemma<TAB>word` in it"),
    ],
)
def test_files_that_are_not_such(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "fra.tab").write_text(content, encoding="utf-8")
    with pytest.raises(PfsmError, match=message):
        read_multilingual([tmp_path / "fra.tab"])


@pytest.mark.parametrize("line", ["vont", "\taller"])
def test_forms_that_are_not_such(tmp_path: Path, line: str) -> None:
    (tmp_path / "fra.tab").write_text(FRENCH, encoding="utf-8")
    (tmp_path / "forms.tsv").write_text(f"allait\taller\n{line}\n", encoding="utf-8")
    with pytest.raises(PfsmError, match=r"forms\.tsv:2: not a line `form<TAB>lemma`"):
        read_multilingual([tmp_path / "fra.tab"], tmp_path / "forms.tsv")


TAB = """# Wordnet\tfra\thttps://example.org\tCC BY
00000001-n\tlemma\tmaison
00000001-n\tfra:lemma\tdemeure
00000002-n\tfra:lemma\tchat
"""


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path / "own"))
    monkeypatch.setattr("nltk.data.path", [str(tmp_path / "none"), str(tmp_path / "nltk")])
    corpora = tmp_path / "nltk" / "corpora"
    corpora.mkdir(parents=True)
    return corpora


def unpacked(corpora: Path) -> None:
    (corpora / "omw-1.4" / "fra").mkdir(parents=True)
    (corpora / "omw-1.4" / "fra" / "wn-data-fra.tab").write_text(TAB, encoding="utf-8")


def packed(corpora: Path) -> None:
    with ZipFile(corpora / "omw-1.4.zip", "w") as archive:
        archive.writestr("omw-1.4/fra/wn-data-fra.tab", TAB)


def offered(table: str) -> int:
    """How many of three pairs of words the matcher offers: one of synonyms, and one word with itself."""
    settings = settings_from_dict(
        {"language": "fr", "matchers": ["syn"], "options": {"syn": {"table": table}}}, "test"
    )
    batch = LatticeBuilder(settings).build(["maison", "maison", "chat"], ["demeure", "chat", "chat"])
    return len(batch.lattices.arcs)


@pytest.mark.parametrize(("put", "name"), [(unpacked, "omw-fra"), (packed, "omw-fr")])
def test_a_table(folders: Path, put: object, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    put(folders)  # type: ignore[operator]
    assert offered(name) == 2
    assert capsys.readouterr().err.startswith(f"pfsm: compiling {name} into ")
    assert registry.load(name, KIND).licence == "CC BY"
    assert offered(registry.pinned(name, KIND)) == 2
    assert capsys.readouterr().err == ""


def test_what_is_missing(folders: Path, cli: Cli) -> None:
    for name in ("omw-fra", "omw-deu"):
        with pytest.raises(
            PfsmError, match=f"^there is no table of synonyms {name}; .*nltk.downloader omw-1.4`$"
        ):
            registry.load(name, KIND)
    (folders / "omw-1.4.zip").write_bytes(b"no archive")
    with pytest.raises(PfsmError, match=r"omw-1\.4\.zip: cannot be unpacked"):
        registry.load("omw-fra", KIND)
