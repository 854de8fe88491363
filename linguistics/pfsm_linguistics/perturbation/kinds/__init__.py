"""The kinds, by theme."""

from pfsm.perturbation.kind import registered
from pfsm_linguistics.perturbation.kinds import facts, grammar, lexis, order, polarity, verbs, writing  # noqa: F401

KINDS = registered((
    "drop-negation", "add-negation", "antonym", "hypernym", "tense", "aspect", "agreement", "pronoun", "gender",
    "role-swap", "unit", "quantifier", "modality", "question", "drop-subject", "drop-verb", "drop-noun",
    "drop-adjective", "drop-prepositional-phrase", "part-of-speech", "preposition", "article",
    "number-form", "contraction", "synonym", "passive", "reorder-adjunct", "spelling-variant",
))  # fmt: skip
"""In the order in which pairs are written."""
