"""The setting `text`: what an edition does with lines, in every model, and never in silence."""

from importlib.metadata import version

import pytest

from pfsm.errors import PfsmError
from pfsm.model.file import Model, model_from_dict
from pfsm.model.metric import Metric
from pfsm.model.settings import settings_from_dict

LINE = "The committee \u00e9lu approved it. The rest did not."
ODD = "\ufeffThe\x85commit\xadtee e\u0301lu\u3000ap\u200bproved \u200eit.\u2028The rest did\xa0not.\n"


def metric(**others: object) -> Metric:
    values = {"features": {"chrf": {"mean": 50.0, "sd": 10.0}}, **others}
    settings = settings_from_dict(values, "test")
    edits = {"S_word": 2.0, "Insert": -1.0, "Delete": -1.0} if settings.edits else {}
    return Metric(Model("m", settings, {**edits, "feature:chrf": 0.5}), 1)


@pytest.mark.parametrize("others", [{}, {"edits": False}, {"tokeniser": "plain"}, {"tokeniser": "char"}])
def test_odd_characters_change_no_score_in_edition_2(others: dict[str, object]) -> None:
    same, odd, swapped = metric(text=2, **others).score_pairs([LINE, ODD, LINE], [LINE, LINE, ODD])
    assert same == odd == swapped
    same, odd = metric(**others).score_pairs([LINE, ODD], [LINE, LINE])
    assert same != odd


def test_penn_ends_sentences_within_a_line_in_edition_2_alone() -> None:
    reader = metric(text=2)._reader().reader
    assert reader.vocabulary.tokens(LINE).count(".") == 2
    assert metric()._reader().reader.vocabulary.tokens(LINE).count(".") == 1


def test_it_is_never_silent() -> None:
    new, old = metric(text=2), metric()
    assert f"|norm:nfc|text:2(sentencex@{version('sentencex')})|" in new.get_signature(1)
    assert "text:" not in old.get_signature(1)
    document = new.model.to_dict()
    assert document["settings"]["text"] == 2
    assert "normalisation" not in document["settings"]
    assert model_from_dict(document, "m").settings == new.model.settings
    assert "text" not in old.model.to_dict()["settings"]
    plain = metric(text=2, normalisation="none").model.to_dict()
    assert plain["settings"]["normalisation"] == "none"
    for value in (3, True, "2", 2.0):
        with pytest.raises(PfsmError, match=r"^x: text is .*, it must be one of 1, 2$"):
            settings_from_dict({"text": value}, "x")
