"""Open Multilingual Wordnet: its tab files, and tables made of the user's NLTK data; all data here is made up."""

from pathlib import Path
from zipfile import ZipFile

import pytest

from pfsm.errors import PfsmError
from pfsm.lexicons import registry
from pfsm.lexicons.omw import read_multilingual
from pfsm.lexicons.synonyms import KIND, SynonymTable, compile_synonyms
from pfsm.model.builder import LatticeBuilder
from pfsm.model.settings import settings_from_dict
from tests.command_runs import Cli

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


def synonyms(table: str) -> int:
    """How many of three pairs of words the matcher offers: one of synonyms, and one word with itself."""
    settings = settings_from_dict(
        {"language": "fr", "matchers": ["syn"], "options": {"syn": {"table": table}}}, "test"
    )
    batch = LatticeBuilder(settings).build(["maison", "maison", "chat"], ["demeure", "chat", "chat"])
    return len(batch.lattices.arcs)


@pytest.mark.parametrize(("put", "name"), [(unpacked, "omw-fra"), (packed, "omw-fr")])
def test_a_table(folders: Path, put: object, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    put(folders)  # type: ignore[operator]
    assert synonyms(name) == 2
    assert capsys.readouterr().err.startswith(f"pfsm: compiling {name} into ")
    assert registry.load(name, KIND).licence == "CC BY"
    assert synonyms(registry.pinned(name, KIND)) == 2
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
