import pytest
import Stemmer

from pfsm.errors import PfsmError
from pfsm.text.languages import (
    check_language,
    check_tokeniser,
    default_stemmer,
    default_tokeniser,
    tokeniser_named,
)


@pytest.mark.parametrize(
    ("language", "tokeniser", "stemmer"),
    [
        ("en", "penn", "porter"),
        ("en-GB", "penn", "porter"),
        ("ENG", "penn", "porter"),
        ("de", "plain", "german"),
        ("pt_BR", "plain", "portuguese"),
        ("rus_Cyrl", "plain", "russian"),
        ("no", "plain", "norwegian"),
        ("zh", "plain", "none"),
        ("ja", "plain", "none"),
        ("xx", "plain", "none"),
    ],
)
def test_defaults(language: str, tokeniser: str, stemmer: str) -> None:
    assert default_tokeniser(language) == tokeniser
    assert default_stemmer(language) == stemmer


def test_defaults_agree_with_the_codes_pystemmer_knows() -> None:
    """PyStemmer takes language codes too: where it does, the stemmer must be the one it means."""
    words = ["a", "b"]  # any; only whether the code is accepted counts
    codes = [
        first + second for first in "abcdefghijklmnopqrstuvwxyz" for second in "abcdefghijklmnopqrstuvwxyz"
    ]
    accepted = set()
    for code in codes:
        try:
            Stemmer.Stemmer(code).stemWords(words)
        except KeyError:
            continue
        accepted.add(code)
    assert len(accepted) > 20
    ours = {code for code in codes if default_stemmer(code) != "none"}
    assert accepted <= ours


@pytest.mark.parametrize("language", ["", "english", "e", "en-", "d e", "en\n"])
def test_a_language_must_be_a_code(language: str) -> None:
    for function in (check_language, default_stemmer, default_tokeniser):
        with pytest.raises(PfsmError, match=r"language is .* ISO 639 code .*\bcs, da, de\b") as caught:
            function(language)
        assert "\n" not in str(caught.value)


def test_unknown_tokeniser() -> None:
    for function in (check_tokeniser, tokeniser_named):
        with pytest.raises(
            PfsmError, match=r"^tokeniser is 'moses', one of these is needed: penn, plain, char, icu, jieba"
        ):
            function("moses")
