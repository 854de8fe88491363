"""Tokenisers and stemmers that come with other libraries; where one is not installed, a stand-in of its interface."""

import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest
from nltk.stem.isri import ISRIStemmer
from nltk.tokenize import TreebankWordTokenizer, WordPunctTokenizer
from nltk.tokenize.toktok import ToktokTokenizer

from pfsm.errors import NotInstalledError, PfsmError
from pfsm.model.file import Model
from pfsm.model.settings import settings_from_dict
from pfsm.model.signature import signature
from pfsm.text import segmenters
from pfsm.text.languages import tokeniser_label
from pfsm.text.segmenters import FUGASHI, ICU, JIEBA, STEMMER_NAMES, Segmenter, sentence_splitter
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


class TestIcu:
    LINES = (
        ("今天天气很好。", ["今天", "天气", "很好", "。"]),
        ("ฉันรักภาษาไทย", ["ฉัน", "รัก", "ภาษา", "ไทย"]),
        ("私は日本語が好きです", ["私", "は", "日本語", "が", "好き", "です"]),
        ("ຂ້ອຍຮັກພາສາລາວ", ["ຂ້ອຍ", "ຮັກ", "ພາສາ", "ລາວ"]),
        ("He said: don't!", ["He", "said", ":", "don't", "!"]),
        ("שלום, עולם", ["שלום", ",", "עולם"]),
    )

    def test_words(self) -> None:
        if find_spec("icu4py") or find_spec("icu"):
            for line, words in self.LINES:
                assert tokens("icu", line) == words
            assert tokeniser_label("icu").startswith(("icu(icu4py@", "icu(PyICU@"))

    def test_the_interface_of_pyicu(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Breaks after every second character; as PyICU, it counts in UTF-16."""

        class Text(str):
            __slots__ = ()

            def __getitem__(self, part: object) -> str:
                assert isinstance(part, slice)
                return self.encode("utf-16-le")[2 * part.start : 2 * part.stop].decode("utf-16-le")

        class Breaker:
            def setText(self, text: str) -> None:
                self.length = len(text.encode("utf-16-le")) // 2

            def __iter__(self) -> object:
                return iter([*range(2, self.length, 2), self.length])

        icu = ModuleType("icu")
        icu.UnicodeString, icu.Locale = Text, str  # type: ignore[attr-defined]
        icu.BreakIterator = type("B", (), {"createWordInstance": staticmethod(lambda _: Breaker())})  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "icu4py", None)
        monkeypatch.setitem(sys.modules, "icu4py.breakers", None)
        monkeypatch.setitem(sys.modules, "icu", icu)
        assert tokens("icu", "abcde \U0001f600xyz") == ["ab", "cd", "e", "\U0001f600", "xy", "z"]


@pytest.mark.parametrize("segmenter", [ICU, JIEBA, FUGASHI])
def test_what_is_missing_is_said(segmenter: Segmenter, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("icu4py", "icu4py.breakers", "icu", "jieba", "fugashi"):
        monkeypatch.setitem(sys.modules, name, None)
    # A model can be read and shown.
    made = settings_from_dict({"language": "zh", "tokeniser": segmenter.name}, "x")
    said = rf"^tokeniser {segmenter.name} needs {segmenter.packages[0][0]}.*pip install"
    with pytest.raises(NotInstalledError, match=said):
        Vocabulary(made.tokeniser, made.stemmer)


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
