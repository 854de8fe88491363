"""No shipped model scores an edited copy of a reference as high as the reference itself.

The sentences are made up.
"""

import random
from collections.abc import Iterator, Sequence
from itertools import product

import pytest

from pfsm.model.shipped import load, shipped_models

# Beginnings, middles and ends that go together in any combination.
PARTS = {
    "en": (
        "The old baker|My neighbour's dog|Nobody in the village|A letter from Oslo|She",
        "did not wait for|walked past|had forgotten, or so he said,|carried 17 boxes to|likes",
        "the harbour.|the last train to Leeds!|a garden full of pears and plums.|it.|us, too?",
    ),
    "ru": (
        "Старый пекарь|Никто в деревне|Письмо из Осло|Она|Дом у озера",
        "не ждал|вчера забыл, как он сказал,|привёз 17 ящиков для|больше, чем|любит",
        "порт.|последний поезд в Тверь!|сад, полный груш и слив.|его.|нас?",
    ),
    "zh": (
        "老面包师|村里没有人|她|湖边的房子",
        "没有等|昨天忘了|喜欢|比别的大，也更靠近",
        "港口。|最后一班火车！|花园。",
    ),
    "th": ("คนทำขนมปังเก่า|ไม่มีใครในหมู่บ้าน|เธอ", "ไม่รอ|ลืม|ชอบ", "ท่าเรือ|รถไฟขบวนสุดท้าย|สวน"),
}
SPACES = {"zh": "", "th": ""}
LANGUAGES = {"multi": tuple(PARTS), "en-small": ("en",), "en-fast": ("en",), "en": ("en",)}


def edits(references: Sequence[str], space: str, number: int) -> Iterator[tuple[str, str]]:
    """References with copies in which one word, or in scripts without spaces one character, was edited."""
    chance = random.Random(7)
    split = [reference.split() if space else list(reference) for reference in references]
    words = [word for one in split for word in one]
    while number:
        line = list(chance.choice(split))
        reference, place = space.join(line), chance.randrange(len(line))
        match chance.randrange(3):
            case 0:
                line.insert(chance.randrange(len(line) + 1), chance.choice(words))
            case 1:
                line.insert(place, line[place])
            case _:
                del line[place]
        if line:
            number -= 1
            yield reference, space.join(line)


def test_all_models_are_tested() -> None:
    assert {model.name for model in shipped_models()} - {"en-large"} == set(LANGUAGES)


@pytest.mark.parametrize(
    ("model", "language"), [(model, one) for model, all_ in LANGUAGES.items() for one in all_]
)
def test_an_edited_copy_is_worse(model: str, language: str) -> None:
    space = SPACES.get(language, " ")
    # Models with an encoder take longer.
    number = 150 if model in ("en-fast", "en-small") else 20
    sentences = [space.join(parts) for parts in product(*(part.split("|") for part in PARTS[language]))]
    references, copies = zip(*edits(sentences, space, number), strict=True)
    metric = load(model, 1)
    above = metric.score_pairs(copies, references) >= metric.score_pairs(references, references)
    assert [pair for *pair, wrong in zip(references, copies, above, strict=True) if wrong] == []
