from nltk.tokenize import TreebankWordTokenizer

from pfsm.text.penn import tokenise


def test_equals_nltk_on_real_sentences(sentences: list[str]) -> None:
    nltk_tokens = TreebankWordTokenizer().tokenize
    different = [text for text in sentences if tokenise(text) != nltk_tokens(text)]
    assert len(sentences) > 30_000
    assert not different
