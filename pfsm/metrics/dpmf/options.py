"""Options of DPM and DPMF."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pfsm.analysis.analysers import DEFAULT_PARSER
from pfsm.errors import PfsmError
from pfsm.metrics.dpmf.templates import SUBSETS

LEGAL, ALL = "legal", "all"
REFERENCE, REFERENCES, SET = "reference", "references", "set"
TRAINING = (REFERENCE, REFERENCES, SET)
LARGEST_WEIGHT = 1e6


@dataclass(frozen=True)
class ParsingOptions:
    """Options of the parsing model, checked.

    Attributes:
        parser: Who analyses both sides.
        beam: Derivations that go on from each step.
        penalty: Of the squared weights.
        features: Which templates, a key of `SUBSETS`.
        actions: Probabilities are over the ``legal`` actions, or over ``all`` three.
        lowercase: Whether words are compared in lower case.
        training: What the model is made of: one ``reference`` (of several the best one counts), all ``references`` of
            the segment together, or the ``set`` of all references that are scored together.
        background: A file of parses that the model is made of too; empty for none.
        weight: How often the segment's own references count where others are there too.
    """

    parser: str = DEFAULT_PARSER
    beam: int = 8
    penalty: float = 1.0
    features: str = "all"
    actions: str = LEGAL
    lowercase: bool = True
    training: str = REFERENCE
    background: str = ""
    weight: float = 10.0

    @property
    def has_base(self) -> bool:
        """Whether models are made of more than the segment's own references."""
        return bool(self.background) or self.training == SET

    @property
    def entries(self) -> dict[str, str]:
        """What a signature says of them; the parser says more of itself."""
        return {
            "beam": str(self.beam),
            "penalty": f"{self.penalty:g}",
            "features": self.features,
            "actions": self.actions,
            "case": "lc" if self.lowercase else "mixed",
            "training": self.training,
            **({"weight": f"{float(self.weight)!r}"} if self.has_base else {}),
        }


def check_options(name: str, options: Mapping[str, Any]) -> ParsingOptions:
    """Options with their defaults.

    Args:
        name: Of the metric, for messages.
        options: Attributes of `ParsingOptions`.

    Raises:
        PfsmError: If one is unknown or has no such value.
    """
    known = ParsingOptions.__dataclass_fields__
    for key in options:
        if key not in known:
            raise PfsmError(f"metric {name}: unknown option {key!r}; known are {', '.join(known)}")
    checked = ParsingOptions(**options)
    needs = {
        "parser": ("the name of a parser", isinstance(checked.parser, str)),
        "beam": ("a whole number from 1 to 1000", type(checked.beam) is int and 1 <= checked.beam <= 1000),
        "penalty": (
            "a number from 1e-6 to 1e6",
            type(checked.penalty) in {int, float} and 1e-6 <= checked.penalty <= 1e6,
        ),
        "features": (f"one of {', '.join(SUBSETS)}", checked.features in tuple(SUBSETS)),
        "actions": (f"{LEGAL} or {ALL}", checked.actions in {LEGAL, ALL}),
        "lowercase": ("true or false", isinstance(checked.lowercase, bool)),
        "training": (f"one of {', '.join(TRAINING)}", checked.training in TRAINING),
        "background": ("the path of a file of parses", isinstance(checked.background, str)),
        "weight": (
            "a number from 1 to 1e6",
            type(checked.weight) in {int, float} and 1 <= checked.weight <= LARGEST_WEIGHT,
        ),
    }
    for key, (needed, holds) in needs.items():
        if not holds:
            raise PfsmError(f"metric {name}: {key} is {getattr(checked, key)!r}, it must be {needed}")
    if "weight" in options and not checked.has_base:
        raise PfsmError(f"metric {name}: weight goes with background, or with training=set")
    return checked
