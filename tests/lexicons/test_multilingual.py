"""Open Multilingual Wordnet's tab files."""

from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from pfsm.lexicons.omw import read_multilingual
from pfsm.lexicons.synonyms import SynonymTable, compile_synonyms

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
