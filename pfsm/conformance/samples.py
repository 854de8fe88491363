"""Sentence pairs to try plug-ins on: plain ones, and what is easily forgotten."""

PAIRS = (
    ("The cat sat on the mat.", "A cat was sitting on the mat."),
    (
        "The engine must be switched off before the cover is opened.",
        "Turn the engine off before opening the cover.",
    ),
    ("the the the the", "the the"),
    ("Prices rose by 3.5% in 2019, he said.", "In 2019 prices increased by 3.5 %, he said."),
    ("It doesn't matter (really)!", "“It does not matter”, really…"),
    ("Not one of them came.", "One of them came."),
    ("Das Mädchen liest l'été à Ærø", "Ein Mädchen las im Sommer auf Ærø"),
    ("猫がマットの上に座った。", "猫はマットの上にいた。"),
    ("قطة على الحصيرة", "كانت القطة على الحصيرة"),
    ("e\u0301 and é 👍🏽 a\u200bb", "é and e\u0301 👍 ab"),
    ("word " * 40, "words " * 35),
    ("A line without a partner", ""),
    ("", "A reference without a translation"),
    ("", ""),
    ("  two  spaces \t and a tab ", "two spaces and a tab"),
    ("The cat sat on the mat.", "A cat was sitting on the mat."),
)
"""Hypothesis and reference. The first pair stands there again at the end."""
