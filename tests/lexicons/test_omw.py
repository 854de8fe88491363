"""Tables of synonyms from Open Multilingual Wordnet in the user's NLTK data; the data here is made up."""

from pathlib import Path
from zipfile import ZipFile

import pytest

from pfsm.errors import PfsmError
from pfsm.lexicons import registry
from pfsm.lexicons.synonyms import KIND
from pfsm.model.builder import LatticeBuilder
from pfsm.model.settings import settings_from_dict
from tests.command_runs import Cli

TAB = """# Wordnet\tfra\thttps://example.org\tCC BY
00000001-n\tlemma\tmaison
00000001-n\tfra:lemma\tdemeure
00000002-n\tfra:lemma\tchat
"""


@pytest.fixture(autouse=True)
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
