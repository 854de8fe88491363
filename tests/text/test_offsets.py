"""Tokens in the text of their user, whatever was rewritten in them."""

import random

import pytest

from pfsm.model.shipped import load
from pfsm.text.offsets import token_offsets

LINES = {
    "He said: “It's done…” — OK": "He said : “ It 's done … ” — OK",
    "He said ''so'' and \"that\".": "He said '' so '' and \" that \" .",
    "Cafe\u0301 na\u00efve \ufb01ne \U0001f600 do\u00adne": "Cafe\u0301 na\u00efve \ufb01ne \U0001f600 do\u00adne",
    "  $5,000.00% can't\u200b stop ": "$ 5,000.00 % ca n't stop",
    "": "",
}
OTHERS = ("他昨天去了北京。", "השלום עליכם!", "ก็ดี ครับ", "I\u0307stanbul ẞ ß Ǆ ½")


def test_offsets_are_those_of_the_tokens() -> None:
    metric = load("en-fast", 1)
    for line, tokens in LINES.items():
        explanation = metric.explain(line, line)
        spans = token_offsets(line, explanation.hypothesis)
        assert [line[start:end] for start, end in spans] == tokens.split(), line


@pytest.mark.filterwarnings("ignore:model en-small")
def test_offsets_neither_overlap_nor_leave_the_line() -> None:
    metric, chance = load("en-small", 1), random.Random(3)
    metric.language_looked_at = True
    for line in (*LINES, *OTHERS):
        for _ in range(20):
            letters = [*list(line), chance.choice("“”''`` \u0301\u200b…—")]
            chance.shuffle(letters)
            text = "".join(letters)
            spans = token_offsets(text, metric.explain(text, text).hypothesis)
            flat = [0, *(place for span in spans for place in span), len(text)]
            assert flat == sorted(flat), text
