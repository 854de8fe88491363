"""The weights of a model in the order in which people read them."""

from pfsm.lattice.names import ends
from pfsm.model.file import Model

STATES, TRANSITIONS = "States and features", "Transitions"


def weight_groups(model: Model) -> dict[str, list[str]]:
    """Names of weights by group, each from the largest weight to the smallest; transitions come last."""
    groups: dict[str, list[str]] = {STATES: [], TRANSITIONS: []}
    for name in sorted(model.weights, key=lambda name: (-model.weights[name], name)):
        groups[STATES if ends(name) is None else TRANSITIONS].append(name)
    return groups
