"""Settings: defaults by language, every value checked, a way to JSON and back."""

import json
from typing import Any

import pytest

from pfsm.errors import PfsmError
from pfsm.matchers.registry import MATCHERS
from pfsm.model.settings import KEYS, Settings, settings_from_dict


def fault(values: dict[str, Any]) -> str:
    with pytest.raises(PfsmError) as caught:
        settings_from_dict(values, "x.yaml")
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith("x.yaml: ")
    return text.removeprefix("x.yaml: ")


def test_nothing_given_is_the_default_for_english() -> None:
    settings = settings_from_dict({}, "x.yaml")
    assert settings == Settings()
    assert settings.to_dict() == {
        "language": "en",
        "tokeniser": "penn",
        "stemmer": "porter",
        "lowercase": True,
        "matchers": ["punct", "word", "lemma"],
        "matching": "exclusive",
        "max_block": {"punct": 1, "word": 1, "lemma": 1},
        "max_jump": 0,
    }


def test_the_keys_are_those_of_the_model_file_and_no_others() -> None:
    used = Settings(options={"lemma": {"key": 1}}, split=("Insert",)).to_dict()
    assert {"options", "split", "classes"} < set(used)
    assert list(used) == [key for key in KEYS if key in used]
    assert tuple(Settings().to_dict()) == KEYS[:8]
    assert fault({"lower_case": True}) == (
        "unknown setting 'lower_case'; did you mean lowercase? `docs/settings.md` lists all"
    )


def test_the_language_picks_tokeniser_and_stemmer() -> None:
    for wanted in ("en-GB", "penn", "porter"), ("de", "plain", "german"), ("ja", "plain", "none"):
        settings = settings_from_dict({"language": wanted[0]}, "x.yaml")
        assert (settings.language, settings.tokeniser, settings.stemmer) == wanted


def test_one_max_block_is_for_every_matcher_and_a_partial_mapping_leaves_the_rest_at_one() -> None:
    assert settings_from_dict({"max_block": 3}, "").max_block == {"punct": 3, "word": 3, "lemma": 3}
    assert settings_from_dict({"max_block": {"word": 2}}, "").max_block == {"punct": 1, "word": 2, "lemma": 1}
    ordered = settings_from_dict({"matchers": ["lemma", "word"], "max_block": {"word": 2}}, "")
    assert ordered.matchers == ("lemma", "word")
    assert list(ordered.to_dict()["max_block"].items()) == [("lemma", 1), ("word", 2)]


REFUSED: list[tuple[dict[str, Any], str]] = [
    # YAML reads an unquoted no as false, an unquoted on as true.
    ({"language": False}, "language is False, it must be a name in quotes"),
    ({"tokeniser": "moses"},
     ("tokeniser is 'moses', one of these is needed: penn, plain, char, nltk:toktok, "
      "nltk:treebank, nltk:destructive, nltk:wordpunct, nltk:tweet, nltk:nist, nltk:punkt-LANGUAGE")),
    ({"matchers": "word"}, "matchers is 'word', it must be a list of names"),
    ({"matchers": ["wrod"]}, f"unknown matcher 'wrod'; known are {', '.join(MATCHERS)}"),
    ({"matchers": ["word", "word"]}, "matchers names one of them twice"),
    ({"max_block": 0}, "max_block is 0, it must be a whole number from 1 to 9"),
    ({"split": "Insert"}, "split is 'Insert', it must be a list of states such as [Insert, Delete]"),
    ({"split": ["insert"]},
     "split names 'insert'; states that can be split are Insert, Delete, S_punct, S_word, S_lemma"),
    ({"split": ["Insert"], "language": "de"},
     "no word lists ship for 'de' (they do for en); give your own: classes: {function: [...], negation: [...]}"),
    ({"split": ["Insert"], "classes": {"verb": []}},
     "classes has no list 'verb'; lists are number, negation, function, content"),
    ({"split": ["Insert"], "classes": {"function": ["in", True]}},
     "classes: function holds True, which is not a word; put it in quotes"),
    ({"edits": False}, "edits: false needs features, because there is nothing else to score with"),
    ({"edits": False, "features": ["chrf"], "max_jump": 2},
     "max_jump needs edits, but edits is false; leave out one of them"),
    ({"text": 3}, "text is 3, it must be one of 1, 2"),
    ({"normalisation": "NFD"}, "normalisation is 'NFD', it must be one of none, nfc, nfkc, typewriter"),
    ({"form": "square"}, "form is 'square', it must be one of absolute, relative"),
]  # fmt: skip


def test_what_is_refused() -> None:
    assert [fault(values) for values, _ in REFUSED] == [expected for _, expected in REFUSED]


def test_word_lists_of_ones_own_are_kept_tidy_in_the_settings() -> None:
    lists = {"negation": ["Nicht", "kein", "nicht"], "function": ("l’", "der")}
    settings = settings_from_dict({"split": ["Delete"], "language": "de", "classes": lists}, "x.yaml")
    assert settings.to_dict()["classes"] == {"negation": ["kein", "nicht"], "function": ["der", "l'"]}
    again = settings_from_dict(json.loads(json.dumps(settings.to_dict())), "x.yaml")
    assert again == settings
