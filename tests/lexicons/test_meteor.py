"""METEOR's table, compiled when it is first asked for, from a package made up here."""

import gzip
import sys
from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from pfsm.lexicons import meteor, registry
from pfsm.lexicons.paraphrases import ParaphraseTable

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


def test_without_the_package_it_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meteor, "find_spec", lambda name: None)
    with pytest.raises(
        PfsmError, match=r"meteor-en is not installed; pip install 'pfsm-metric\[paraphrases\]"
    ):
        registry.load("meteor-en", "paraphrases")
    assert list(folder.iterdir()) == []
