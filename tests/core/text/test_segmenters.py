"""Tokenisers and stemmers of NLTK, and single characters."""

import sys
from pathlib import Path

import pytest
from nltk.stem.isri import ISRIStemmer
from nltk.tokenize import TreebankWordTokenizer, WordPunctTokenizer
from nltk.tokenize.toktok import ToktokTokenizer

from pfsm.errors import NotInstalledError, PfsmError
from pfsm.model.file import Model
from pfsm.model.settings import settings_from_dict
from pfsm.model.signature import signature
from pfsm.text import segmenters
from pfsm.text.segmenters import STEMMER_NAMES, sentence_splitter
from pfsm.text.stemming import check_stemmer, stemmer_named
from pfsm.text.vocabulary import Vocabulary


@pytest.fixture(autouse=True)
def _afresh() -> None:
    segmenters._loaded.cache_clear()


def tokens(tokeniser: str, line: str) -> list[str]:
    return Vocabulary(tokeniser, "none").tokens(line)


def test_characters_are_those_of_sacrebleu() -> None:
    from sacrebleu.tokenizers.tokenizer_char import TokenizerChar

    for line in ("今天 天气。", "a b", "", "é e\u0301", "ภาษา ไทย"):
        assert tokens("char", line) == TokenizerChar()(line).split()


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("nltk.tokenize.toktok", "nltk.stem.isri"):
        monkeypatch.setitem(sys.modules, name, None)
    # A model can be read and shown.
    made = settings_from_dict({"language": "zh", "tokeniser": "nltk:toktok"}, "x")
    with pytest.raises(NotInstalledError, match=r"^tokeniser nltk:toktok needs nltk, .*pip install"):
        Vocabulary(made.tokeniser, made.stemmer)
    with pytest.raises(NotInstalledError, match=r"^stemmer nltk:isri needs nltk, .*pip install"):
        stemmer_named("nltk:isri")


class TestNltk:
    LINE = "Das kostet 3,50 Euro, don't you think?"

    @pytest.mark.parametrize(
        ("name", "theirs"),
        [
            ("toktok", ToktokTokenizer()),
            ("treebank", TreebankWordTokenizer()),
            ("wordpunct", WordPunctTokenizer()),
        ],
    )
    def test_tokens(self, name: str, theirs: object) -> None:
        assert tokens(f"nltk:{name}", self.LINE) == theirs.tokenize(self.LINE)  # type: ignore[attr-defined]

    def test_signature(self) -> None:
        named = {"language": "ar", "tokeniser": "nltk:toktok", "stemmer": "nltk:isri"}
        said = signature(Model("m", settings_from_dict(named, "x")), 1)
        assert "|tok:nltk:toktok(nltk@" in said
        assert "|stem:nltk:isri(nltk@" in said

    def test_stems(self) -> None:
        words = ["الكتاب", "المكتبات", "x", ""]
        assert stemmer_named("nltk:isri").stems(words)[:2] == [ISRIStemmer().stem(word) for word in words[:2]]
        for name in STEMMER_NAMES:
            check_stemmer(name)
            if name != "nltk:rslp":
                assert len(stemmer_named(name).stems(["", "a", "x" * 1000, "\x00", "😀", "كتب"])) == 6

    def test_data_that_is_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("nltk.data.path", [])
        for name, data in (("nltk:punkt-german", "punkt_tab"), ("nltk:nist", "perluniprops")):
            with pytest.raises(PfsmError, match=f"^.*{name} needs NLTK's data {data}; "):
                Vocabulary(name, "none")
        with pytest.raises(PfsmError, match=r"^stemmer nltk:rslp needs NLTK's data rslp; "):
            stemmer_named("nltk:rslp")

    def test_sentences_by_punkt(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Data of the form of NLTK's, of which one abbreviation is known."""
        folder = tmp_path / "tokenizers" / "punkt_tab" / "german"
        folder.mkdir(parents=True)
        (folder / "abbrev_types.txt").write_text("bzw\n", encoding="utf-8")
        for name in ("collocations.tab", "sent_starters.txt", "ortho_context.tab"):
            (folder / name).write_text("", encoding="utf-8")
        monkeypatch.setattr("nltk.data.path", [str(tmp_path)])
        line = "Er kam bzw. Sie ging. Dann schlief er."
        assert sentence_splitter("german")(line) == ["Er kam bzw. Sie ging.", "Dann schlief er."]
        assert tokens("nltk:punkt-german", line) == [
            "Er", "kam", "bzw.", "Sie", "ging", ".", "Dann", "schlief", "er", ".",
        ]  # fmt: skip
