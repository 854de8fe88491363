"""Options of the metrics over dependencies, checked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pfsm.analysis.analysers import DEFAULT_PARSER
from pfsm.analysis.wanted import MOST_TREES
from pfsm.errors import PfsmError
from pfsm.metrics.metric_group import Options
from pfsm.metrics.syntax.dependency_heads import AS_PARSED, COLLINS
from pfsm.metrics.syntax.dependency_lines import CATEGORIES, RELATIONS, WORDS
from pfsm.metrics.syntax.dependency_pairs import (
    DECOMPOSITIONS,
    FROM_CONSTITUENTS,
    PROJECTED,
    UNIVERSAL,
)

ALL_TREES = "all"
MOST_LEVELS = 20
# Sharper than this is the likeliest tree alone.
MOST_GAMMA = 10
F, MU_PR = "f", "pr"


@dataclass(frozen=True)
class Rule:
    """What an option may be.

    Attributes:
        default: Its value where it is not given.
        holds: Whether a value is one.
        what: What it must be, in words.
    """

    default: Any
    holds: Callable[[Any], bool]
    what: str

    def by_default(self, value: Any) -> "Rule":
        """The same with another default."""
        return replace(self, default=value)


def checked(name: str, options: Options, rules: Mapping[str, Rule]) -> dict[str, Any]:
    """All options of a metric, those that are not given with their defaults.

    Raises:
        PfsmError: If there is no such option, or its value is none that it may have.
    """
    for key, value in options.items():
        if key not in rules:
            raise PfsmError(f"metric {name}: unknown option {key!r}; known are {', '.join(rules)}")
        if not rules[key].holds(value):
            raise PfsmError(f"metric {name}: {key} is {value!r}, it must be {rules[key].what}")
    return {key: options.get(key, rule.default) for key, rule in rules.items()}


def one_of(*values: str) -> Rule:
    """One of some names, the first by default."""
    return Rule(values[0], lambda value: value in values, f"one of {', '.join(values)}")


def whole(default: int, most: int) -> Rule:
    """A number from 1 to ``most``."""
    return Rule(default, lambda value: is_whole(value, most), f"a whole number from 1 to {most}")


def is_whole(value: object, most: int) -> bool:
    """Whether it is a whole number from 1 to ``most``."""
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most


def is_number(value: object, least: float, most: float) -> bool:
    """Whether it is a finite number between two."""
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def decompositions(value: str) -> tuple[str, ...]:
    """The parts of ``1g+2g+dl``."""
    return tuple(value.split("+"))


def _are_decompositions(value: object) -> bool:
    if not isinstance(value, str):
        return False
    parts = decompositions(value)
    return set(parts) <= set(DECOMPOSITIONS) and len(set(parts)) == len(parts)


PARSER = Rule(DEFAULT_PARSER, lambda value: isinstance(value, str) and value != "", "the name of a parser")
LOWERCASE = Rule(True, lambda value: isinstance(value, bool), "true or false")
OF = one_of(WORDS, CATEGORIES, RELATIONS)
HEADS = one_of(AS_PARSED, COLLINS)

PAIRS: Mapping[str, Rule] = {
    "parts": Rule("dl+lh", _are_decompositions, f"some of {', '.join(DECOMPOSITIONS)}, joined by +"),
    "n": Rule(
        1,
        lambda value: value == ALL_TREES or is_whole(value, MOST_TREES),
        f"a whole number from 1 to {MOST_TREES}, or all",
    ),
    "gamma": Rule(1.0, lambda value: is_number(value, 0.0, MOST_GAMMA), f"a number from 0 to {MOST_GAMMA}"),
    "mean": one_of(F, MU_PR),
    "labels": one_of(UNIVERSAL, FROM_CONSTITUENTS, PROJECTED),
    "lowercase": LOWERCASE,
    "parser": PARSER,
}
CHAINS: Mapping[str, Rule] = {
    "length": whole(4, MOST_LEVELS),
    "of": OF,
    "lowercase": LOWERCASE,
    "parser": PARSER,
    "heads": HEADS,
}
SUBTREES: Mapping[str, Rule] = {
    "depth": whole(4, MOST_LEVELS),
    "of": OF,
    "lowercase": LOWERCASE,
    "parser": PARSER,
    "heads": HEADS,
}
KERNEL: Mapping[str, Rule] = {
    "of": OF,
    "decay": Rule(1.0, lambda value: is_number(value, 1e-9, 1.0), "a number above 0, at most 1"),
    "single": Rule(True, lambda value: isinstance(value, bool), "true or false"),
    "lowercase": LOWERCASE,
    "parser": PARSER,
    "heads": HEADS,
}


def with_defaults(rules: Mapping[str, Rule], **defaults: Any) -> dict[str, Rule]:
    """The same options with some other defaults."""
    return {key: rule.by_default(defaults.get(key, rule.default)) for key, rule in rules.items()}


def case_entry(lowercase: bool) -> dict[str, str]:
    """What a signature says of upper and lower case."""
    return {"case": "lc" if lowercase else "mixed"}


def check_labels(name: str, options: Options) -> None:
    """Refuses all trees where there are none but those of a list.

    Raises:
        PfsmError: If labels come from constituent trees and all trees are asked for.
    """
    if options["labels"] == FROM_CONSTITUENTS and options["n"] == ALL_TREES:
        raise PfsmError(
            f"metric {name}: labels=ab are those of a list of trees; add n=50, or labels=projected for all trees"
        )
