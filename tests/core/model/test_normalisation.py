"""The settings `normalisation` and `text`: the same everywhere or nowhere, in every model, and never silent."""

import unicodedata
from importlib.metadata import version

import pytest

from pfsm.model.file import Model, model_from_dict
from pfsm.model.metric import Metric
from pfsm.model.settings import settings_from_dict
from pfsm.text.characters import typewritten

OTHERS = pytest.mark.parametrize(
    "others", [{}, {"edits": False}, {"tokeniser": "plain"}, {"tokeniser": "char"}]
)
# As people write it; the same in full-width letters, ligatures and marks apart; and with odd characters.
PLAIN, ODD = "caf\u00e9 final 42", "cafe\u0301 \ufb01nal \uff14\uff12"
LINE = "The committee \u00e9lu approved it. The rest did not."
ODD_LINE = "\ufeffThe\x85commit\xadtee e\u0301lu\u3000ap\u200bproved \u200eit.\u2028The rest did\xa0not.\n"


def metric(**values: object) -> Metric:
    settings = settings_from_dict({"features": {"chrf": {"mean": 50.0, "sd": 10.0}}, **values}, "test")
    edits = {"S_word": 2.0, "Insert": -1.0, "Delete": -1.0} if settings.edits else {}
    return Metric(Model("m", settings, {**edits, "feature:chrf": 0.5}), 1)


def alike(one: Metric, usual: str, odd: str) -> bool:
    """Whether it makes no difference on either side in which of two ways a line is written."""
    same, first, second = one.score_pairs([usual, odd, usual], [usual, usual, odd])
    return bool(same == first == second)


# That a model with ``normalisation: none`` tells them apart is warned of.
DIFFERENT = pytest.mark.filterwarnings("ignore:.*Unicode normal form:pfsm.errors.PfsmWarning")


@DIFFERENT
@OTHERS
def test_what_is_equal(others: dict[str, object]) -> None:
    for form, equal in (("none", False), ("nfc", False), ("nfkc", True)):
        assert alike(metric(language="fr", normalisation=form, **others), PLAIN, ODD) is equal
    assert alike(metric(language="fr", normalisation="nfc", **others), "caf\u00e9", "cafe\u0301")
    assert alike(metric(text=2, **others), LINE, ODD_LINE)
    assert not alike(metric(**others), LINE, ODD_LINE)


@DIFFERENT
@OTHERS
def test_marks_of_typesetters_are_those_of_a_typewriter(others: dict[str, object]) -> None:
    typeset = "\u201cDon\u2019t\u201d \u2013 \u00abso\u00bb\u2026\u00a0caf\u00e9"
    typed = '"Don\'t" - "so"... cafe\u0301'
    assert typewritten(typeset) == unicodedata.normalize("NFC", typed)
    for form, equal in (("none", False), ("nfkc", False), ("typewriter", True)):
        assert alike(metric(language="fr", normalisation=form, **others), typed, typeset) is equal
    assert typewritten("\u0434\u0430, \u6c34\u3002 a_b") == "\u0434\u0430, \u6c34\u3002 a_b"


def test_penn_ends_sentences_within_a_line_in_edition_2_alone() -> None:
    for edition, ends in ((2, 2), (1, 1)):
        assert metric(text=edition)._reader().reader.vocabulary.tokens(LINE).count(".") == ends


def test_it_is_never_silent() -> None:
    new, old = metric(text=2), metric()
    assert f"|norm:nfc|text:2(sentencex@{version('sentencex')})|" in new.get_signature(1)
    assert not {"text", "normalisation"} & set(old.model.to_dict()["settings"])
    assert "text:" not in old.get_signature(1)
    assert "norm:" not in old.get_signature(1)
    for form in ("nfkc", "typewriter"):
        one = metric(normalisation=form)
        assert f"|norm:{form}|" in one.get_signature(1)
        assert one.model.fingerprint != old.model.fingerprint
        assert one.model.to_dict()["settings"]["normalisation"] == form
    for one in (new, metric(normalisation="nfkc"), metric(text=2, normalisation="none")):
        assert model_from_dict(one.model.to_dict(), "m").settings == one.model.settings
    assert "normalisation" not in new.model.to_dict()["settings"]
