"""The guess whether text is in another language than English."""

import pytest

from pfsm.text.language_names import looks_foreign

ENGLISH = ["The minister said so .", "He came late .", "We saw it yesterday ."]


@pytest.mark.parametrize(
    "line",
    [
        "Das Haus steht auf dem Berg .",
        "Él no ha venido todavía .",
        "Les enfants sont dans la rue .",
        "Il libro non è qui .",
        "Nie ma go w domu .",
        "Het kind is ziek .",
        "Ele não veio ontem .",
        "Han har ikke sett ham .",
        "Он пришёл вчера .",
        "今天天气很好。",
    ],
)
def test_another_language(line: str) -> None:
    assert looks_foreign([line] * 3)
    # A quarter of the lines is enough, less is not.
    assert looks_foreign([line, *ENGLISH])
    assert not looks_foreign([line, *ENGLISH, *ENGLISH])


@pytest.mark.parametrize(
    "line",
    [
        "The café in Zürich is closed .",
        "He came and met Ramón .",
        "We met on Tuesday .",
        "Dan left MIT in May .",
        "Pour more tea , not less .",
        "Los Angeles , 5 May",
        "3.5 % (12)",
        "",
    ],
)
def test_english_with_foreign_names_and_lines_without_words(line: str) -> None:
    assert not looks_foreign([line] * 3)


def test_no_lines() -> None:
    assert not looks_foreign([])
