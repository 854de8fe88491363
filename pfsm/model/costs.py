"""What edits cost in points: weights in the units of the score, for people to read."""

from dataclasses import dataclass

from pfsm.lattice.names import (
    DELETE,
    FEATURE_PREFIX,
    INSERT,
    SUBSTITUTION,
    base_state,
    class_of,
    of_class,
    states_of,
    transition,
)
from pfsm.model.file import Model
from pfsm.model.labels import plain_label

# Words of the sentence that the costs are of.
WORDS = 20
MISSING, EXTRA, MATCHED, FEATURES = (
    "A missing word",
    "An extra word",
    "A match other than the same word",
    "Features",
)


@dataclass(frozen=True)
class Cost:
    """What an edit costs.

    Attributes:
        name: Of the state, such as ``Delete:content``, or of the weight.
        label: In plain words: ``a missing content word``.
        points: Lost by it, in points of the score; below 0: gained.
    """

    name: str
    label: str
    points: float


def _groups(model: Model) -> list[tuple[str, str]]:
    """Whole states that a word can go through instead of a match of the same word, each with its group."""
    matchers = model.settings.matchers if model.settings.edits else ()
    if "word" not in matchers:
        return []
    others = [(f"{SUBSTITUTION}{name}", MATCHED) for name in matchers if name not in {"word", "punct"}]
    return [(DELETE, MISSING), (INSERT, EXTRA), *others]


def edit_costs(model: Model) -> dict[str, list[Cost]]:
    """Costs by group, the dearest first.

    A reference of `WORDS` words is matched with itself, word by word; then one word is edited. The cost is what the
    score of the best edits loses: equation (2) of Wang and Manning (2012) over the lengths. A feature costs what the
    score loses where its value is 0 rather than 1.

    Args:
        model: Any model.

    Returns:
        By `MISSING`, `EXTRA`, `MATCHED` and `FEATURES`; groups without any are absent.
    """
    weights = model.weights
    found: dict[str, list[Cost]] = {MISSING: [], EXTRA: [], MATCHED: [], FEATURES: []}
    word = f"{SUBSTITUTION}word"

    def visit(state: str) -> float:
        base = base_state(state)
        return weights.get(base, 0.0) + (weights.get(state, 0.0) if state != base else 0.0)

    def step(before: str, after: str) -> float:
        return weights.get(transition(base_state(before), base_state(after)), 0.0)

    parts = dict.fromkeys(class_of(name) for name in weights if states_of(name) and class_of(name))
    rest = (WORDS - 1) * (visit(word) + step(word, word))

    def cost(state: str) -> Cost:
        base, part = base_state(state), class_of(state)
        same = of_class(word, part) if of_class(word, part) in weights else word
        around = step(word, state) + step(state, word) - step(word, word)
        # An extra word leaves all matches where they are.
        others = rest + visit(same) if base == INSERT else rest - step(word, word)
        length = 2 * WORDS + {INSERT: 1, DELETE: -1}.get(base, 0)
        lost = (rest + visit(same)) / (2 * WORDS) - (others + visit(state) + around) / length
        return Cost(state, plain_label(state), model.scale.sd * lost)

    for base, group in _groups(model):
        states = (base, *(of_class(base, part) for part in parts if of_class(base, part) in weights))
        found[group] += map(cost, states)
    for name, weight in weights.items():
        if name.startswith(FEATURE_PREFIX):
            found[FEATURES].append(Cost(name, plain_label(name), model.scale.sd * weight))
    return {
        group: sorted(costs, key=lambda cost: (-cost.points, cost.name))
        for group, costs in found.items()
        if costs
    }
