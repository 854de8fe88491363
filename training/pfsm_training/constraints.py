"""Constraints of training by name: what a model should keep to, whatever people said.

The name of a constraint is the training option that asks for it. Each kind is a function ``prepare(asked, plan, text)``
(`pfsm_training.fit.constraints.Kind`).
"""

from typing import Any

from pfsm.errors import PfsmError
from pfsm.registry import Table

BUILT_IN = {
    "edit_cost": "pfsm_training.fit.edit_cost:prepare",
    "self_match": "pfsm_training.fit.self_match:prepare",
    "minimal_pairs": "pfsm_training.fit.minimal_pairs:prepare",
}


def _checked(_: str, value: Any) -> Any:
    """A plug-in's kind; it must be a function."""
    if not callable(value):
        raise PfsmError("a constraint must be a function prepare(asked, plan, text)")
    return value


CONSTRAINTS: Table[Any] = Table("constraint", BUILT_IN, _checked)
