"""Explanations against every edit sequence written out: contributions, posteriors, entropy, best sequence."""

import math
from itertools import pairwise

import numpy as np
import pytest

from pfsm.errors import PfsmError
from pfsm.model.explain.explanation import Explanation
from pfsm.model.explain.text import explanation_lines, pharaoh
from pfsm.model.file import Model, Scale
from pfsm.model.metric import Metric
from pfsm.model.settings import settings_from_dict
from tests.oracles.enumeration import enumerate_all, score, sequences
from tests.oracles.log_linear import edit_lattice

PAIRS = [
    ("the cat sat .", "sat the cats ."),
    ("a b c", "c a b"),
    ("one two three", "three two one"),
    ("yes", "no"),
    ("", "a b"),
    ("a b", ""),
    ("to be or", "or to be to"),
]


def metric(max_jump: int, max_block: int = 1, seed: int = 0) -> Metric:
    settings = settings_from_dict({"max_jump": max_jump, "max_block": max_block}, "test")
    rng = np.random.default_rng(seed)
    states = ["Insert", "Delete", "S_punct", "S_word", "S_lemma", "Jump"]
    names = [*states, *(f"{left}>{right}" for left in states for right in states)]
    weights = {name: float(rng.normal(0.5 if name.startswith("S_") else -0.5, 0.7)) for name in names}
    return Metric(Model("toy", settings, weights, 0.25, Scale(50.0, 20.0)))


@pytest.mark.parametrize(("max_block", "max_jump"), [(2, 0), (1, 2), (2, 3)])
def test_everything_agrees_with_all_sequences(max_block: int, max_jump: int) -> None:
    toy = metric(max_jump, max_block)
    for reference, hypothesis in PAIRS:
        agrees(toy, toy.explain(hypothesis, reference))


def agrees(toy: Metric, explanation: Explanation) -> None:
    reference, hypothesis = (" ".join(side) for side in (explanation.reference, explanation.hypothesis))
    max_jump = toy.model.settings.max_jump
    batch = toy._builder.build([reference], [hypothesis])
    lattice = edit_lattice(batch, 0, toy.model.weights)
    everything = enumerate_all(lattice, toy.model.weights, max_jump)
    length = lattice.m + lattice.n
    expected_score = 50.0 + 20.0 * (everything.log_sum / length + 0.25)
    assert explanation.score == pytest.approx(expected_score, abs=1e-9)
    assert explanation.base == pytest.approx(55.0)
    total = (
        explanation.base + explanation.entropy + math.fsum(part.points for part in explanation.contributions)
    )
    assert total == pytest.approx(explanation.score, abs=1e-9)
    scores = [score(lattice, toy.model.weights, sequence) for sequence in sequences(lattice, max_jump)]
    probabilities = [math.exp(value - everything.log_sum) for value in scores]
    entropy = -math.fsum(p * math.log(p) for p in probabilities)
    assert explanation.entropy == pytest.approx(20.0 * entropy / length, abs=1e-9)
    by_state: dict[str, float] = {}
    for part in explanation.contributions:
        by_state[part.state] = by_state.get(part.state, 0.0) + part.posterior
    for state, count in by_state.items():
        assert count == pytest.approx(everything.expected_counts.get(state, 0.0), abs=1e-9)
    blocks = [part for part in explanation.contributions if part.state.startswith("S_")]
    assert [part.posterior for part in blocks] == pytest.approx(everything.arc_posteriors, abs=1e-9)
    # The best sequence: its score from the names of its edits, and every token consumed once.
    states = [edit.state for edit in explanation.edits]
    names = [*states, *(f"{before}>{after}" for before, after in pairwise(states))]
    best = math.fsum(toy.model.weights.get(name, 0.0) for name in names)
    assert best == pytest.approx(everything.best_score, abs=1e-9)
    for side, tokens in ((0, explanation.reference), (1, explanation.hypothesis)):
        covered = [at for edit in explanation.edits for at in range(*(edit.reference, edit.hypothesis)[side])]
        assert sorted(covered) == list(range(len(tokens)))


def test_a_swap_is_found_and_numbered() -> None:
    settings = settings_from_dict({"max_jump": 5}, "test")
    weights = {"Insert": -2.0, "Delete": -2.0, "S_word": 1.0, "Jump": -0.1}
    toy = Metric(Model("toy", settings, weights))
    explanation = toy.explain("on Tuesday we met", "we met on Tuesday")
    assert explanation.alignment == ((0, 2), (1, 3), (2, 0), (3, 1))
    assert pharaoh(explanation) == "0-2 1-3 2-0 3-1"
    states = [f"{edit.state}{edit.jump or ''}" for edit in explanation.edits]
    words = ["S_word", "S_word"]
    assert states == ["Jump1", *words, "Jump2", *words, "Jump3"]
    lines = list(explanation_lines(explanation))
    assert "reference   we₁ met₂ on₃ Tuesday₄" in lines
    assert "hypothesis  on₃ Tuesday₄ we₁ met₂" in lines


def test_two_empty_sides_and_lines_beyond_reason() -> None:
    toy = metric(2)
    explanation = toy.explain("", "")
    assert (explanation.edits, explanation.alignment, explanation.contributions) == ((), (), ())
    assert explanation.score == explanation.base == pytest.approx(55.0)
    assert any(line.endswith("(empty)") for line in explanation_lines(explanation))
    with pytest.raises(PfsmError, match="too many to explain"):
        toy.explain("a b " * 3000, "c d " * 3000)
