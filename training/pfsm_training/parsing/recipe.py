"""The configuration of a parser's training, read from YAML."""

from dataclasses import dataclass, field, fields
from typing import Any

from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name
from pfsm_training.parsing.train import Plan
from pfsm_training.yaml_file import read_yaml_mapping

_OF_PLAN = ("passes", "words", "rate", "constant", "averaging", "seed", "coarse")
_KINDS = {int: "a whole number above 0", float: "a number above 0", bool: "true or false", str: "text"}


@dataclass(frozen=True)
class Recipe:
    """How to build a parser.

    Attributes:
        name: Name of the parser.
        plan: Options of the training loop.
        min_word: A word has a learned vector of its own if it occurs at least so often.
        min_character: A character is known if it occurs at least so often.
        min_span_label: A chain of constituent labels is known if it occurs at least so often.
        vector_words: Number of words with a fixed vector.
        vector_contexts: Number of words that count as their neighbours.
        vector_size: Number of entries of a fixed vector.
        vector_length: Norm of a fixed vector.
    """

    name: str
    plan: Plan = field(default_factory=Plan)
    min_word: int = 2
    min_character: int = 5
    min_span_label: int = 5
    vector_words: int = 30_000
    vector_contexts: int = 5_000
    vector_size: int = 100
    vector_length: float = 3.0


def read_recipe(path: StrPath) -> Recipe:
    """Reads a YAML file with the fields of `Recipe` and `Plan`.

    Raises:
        PfsmError: If the file cannot be read, has an unknown key, or has a value of the wrong type.
    """
    own = tuple(one.name for one in fields(Recipe) if one.name != "plan")
    values = read_yaml_mapping(path, (*own, *_OF_PLAN))
    where = display_name(path)
    defaults = {one.name: getattr(Plan(), one.name) for one in fields(Plan)} | {
        one.name: getattr(Recipe(""), one.name) for one in fields(Recipe)
    }
    for key, value in values.items():
        if key not in (*own, *_OF_PLAN):
            raise PfsmError(f"{where}: unknown key {key!r}; known are {', '.join((*own, *_OF_PLAN))}")
        _check(value, defaults[key], f"{where}: {key}")
    if not values.get("name"):
        raise PfsmError(f"{where}: name is missing; give the parser a name")
    plan = Plan(**{key: values[key] for key in _OF_PLAN if key in values})
    return Recipe(plan=plan, **{key: values[key] for key in own if key in values})


def _check(value: Any, default: object, what: str) -> None:
    kind = type(default)
    fits = type(value) in {int, float} if kind is float else type(value) is kind
    if not fits or (kind in {int, float} and value <= 0):
        raise PfsmError(f"{what} is {value!r}, it must be {_KINDS[kind]}")
