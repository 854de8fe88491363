"""How often people order systems as scores do: the shares that ship, and how they are learned."""

import importlib
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm.evaluation import compare_systems
from pfsm.evaluation.comparison import people_agree, to_settle
from pfsm.model.shipped import load

LEARNED = json.loads((files("pfsm.resources") / "agreement.json").read_text(encoding="utf-8"))


def test_shares_of_the_models_that_ship_rise() -> None:
    assert {"en", "en-fast", "en-small"} == set(LEARNED)
    for name, found in LEARNED.items():
        assert found["weights"] == load(name).model.fingerprint
        least, shares = zip(*found["steps"], strict=True)
        assert least[0] == 0.0
        assert list(least) == sorted(set(least))
        assert list(shares) == sorted(shares)
        assert 0.4 < shares[0] < shares[-1] < 1.0


def test_far_from_what_was_learned_nothing_is_said() -> None:
    found = LEARNED["en-small"]
    short = f"pfsm:en-small:{found['weights']}:0.1.0"
    (_, first), (edge, second) = found["steps"][:2]
    assert (people_agree(short, edge / 2, 300), people_agree(short, -edge, 300)) == (first, second)
    fewest, most = found["segments"]
    for n in (fewest // 2 - 1, 4 * most + 1):
        assert people_agree(short, 3.0, n) is None
    for other in (
        "pfsm:chrf:0e0643a2:0.1.0",
        "pfsm:en-small:00000000:0.1.0",
        short.replace(":0.", ":refs2:0."),
    ):
        assert people_agree(other, 3.0, 300) is None
    assert people_agree(short, 0.0, 300) is None


def test_shares_are_pooled_until_they_rise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "scripts"))
    script: Any = importlib.import_module("build_agreement")
    monkeypatch.setattr(script, "BIN", 2)
    pairs = [(0.1, True, 9), (0.2, True, 9), (0.3, False, 9), (0.4, True, 9), (0.5, True, 9), (0.6, True, 9)]
    # The first four are pooled, 3 of 4 alike; the last two stay apart, (2 + 1) / (2 + 2).
    assert script.steps(pairs) == [[0.0, round(4 / 6, 3)], [0.5, 0.75]]
    assert script.differences({"x": {"b": 1.0, "a": 3.0}, "y": {"a": 1.0}}) == {("a", "b"): [2.0]}


def test_segments_that_would_settle_a_comparison() -> None:
    """The size that gives a paired t-test 80% power, by the textbook's formula with the spread of the differences."""
    differences = np.random.default_rng(3).normal(0.1, 1.0, 400)
    differences += 0.06 - differences.mean()
    result = compare_systems(["a", "b"], [differences, np.zeros(400)], 4000)
    needed = to_settle(result.pairs[0], result)
    assert needed == pytest.approx((2.8016 * differences.std() / 0.06) ** 2, rel=0.1)
    large = compare_systems(["a", "b"], [differences + 1.0, np.zeros(400)], 100)
    assert to_settle(large.pairs[0], large) is None
