"""The setting `normalisation`: everywhere or nowhere, and never silent."""

import unicodedata

import pytest

from pfsm.errors import PfsmError
from pfsm.model.file import Model, model_from_dict
from pfsm.model.metric import Metric
from pfsm.model.settings import settings_from_dict
from pfsm.text.typewriter import typewritten

WEIGHTS = {"S_word": 2.0, "Insert": -1.0, "Delete": -1.0, "feature:chrf": 0.5}
# As people write it, and the same in full-width letters, ligatures and marks apart.
PLAIN, ODD = "caf\u00e9 final 42", "cafe\u0301 \ufb01nal \uff14\uff12"


def metric(form: str, **others: object) -> Metric:
    values = {
        "language": "fr",
        "features": {"chrf": {"mean": 50.0, "sd": 10.0}},
        "normalisation": form,
        **others,
    }
    settings = settings_from_dict(values, "test")
    weights = WEIGHTS if settings.edits else {"feature:chrf": 0.5}
    return Metric(Model("m", settings, weights), 1)


@pytest.mark.parametrize("others", [{}, {"edits": False}])
def test_what_is_equal(others: dict[str, object]) -> None:
    for form, equal in (("none", False), ("nfc", False), ("nfkc", True)):
        one = metric(form, **others)
        same, odd, swapped = one.score_pairs([PLAIN, ODD, PLAIN], [PLAIN, PLAIN, ODD])
        assert bool(same == odd and same == swapped) is equal
    accents = metric("nfc", **others).score_pairs(["cafe\u0301", "caf\u00e9"], ["caf\u00e9", "caf\u00e9"])
    assert accents[0] == accents[1]


def test_it_is_never_silent() -> None:
    assert "|norm:nfkc|" in metric("nfkc").get_signature(1)
    assert "norm:" not in metric("none").get_signature(1)
    document = metric("nfkc").model.to_dict()
    assert document["settings"]["normalisation"] == "nfkc"
    assert model_from_dict(document, "m").settings.normalisation == "nfkc"
    assert "normalisation" not in metric("none").model.to_dict()["settings"]
    assert metric("nfkc").model.fingerprint != metric("none").model.fingerprint
    with pytest.raises(
        PfsmError, match=r"^x: normalisation is 'NFD', it must be one of none, nfc, nfkc, typewriter$"
    ):
        settings_from_dict({"normalisation": "NFD"}, "x")


@pytest.mark.parametrize("others", [{}, {"edits": False}])
def test_marks_of_typesetters_are_those_of_a_typewriter(others: dict[str, object]) -> None:
    typeset = "\u201cDon\u2019t\u201d \u2013 \u00abso\u00bb\u2026\u00a0caf\u00e9"
    typed = '"Don\'t" - "so"... cafe\u0301'
    assert typewritten(typeset) == unicodedata.normalize("NFC", typed)
    for form, equal in (("none", False), ("nfkc", False), ("typewriter", True)):
        one = metric(form, **others)
        same, odd, swapped = one.score_pairs([typed, typeset, typed], [typed, typed, typeset])
        assert bool(same == odd and same == swapped) is equal
    assert typewritten("\u0434\u0430, \u6c34\u3002 a_b") == "\u0434\u0430, \u6c34\u3002 a_b"
    assert "|norm:typewriter|" in metric("typewriter").get_signature(1)
