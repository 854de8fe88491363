"""The sentence of a comparison, against sentences by hand; how often people order systems as scores do."""

import importlib
import json
import math
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm.evaluation import Interval, compare_systems
from pfsm.evaluation.comparison import (
    Comparison,
    PairResult,
    SystemResult,
    listed,
    people_agree,
    to_settle,
    verdict,
)
from pfsm.model.shipped import load

INTERVAL = Interval(math.nan, math.nan)


def found(
    scores: dict[str, float], p_values: dict[str, float] | None = None, *, lower: bool = False
) -> Comparison:
    """A comparison with these scores; p-values by the names of two systems, else .001."""
    pairs = []
    for a, b in combinations(scores, 2):
        p_value = (p_values or {}).get(f"{a} {b}", 1 / 1001)
        difference = scores[a] - scores[b]
        better = a if (difference > 0) != lower else b
        pairs.append(
            PairResult(
                a, b, difference, INTERVAL, p_value, p_value, 1, 1, 0, better if p_value < 0.05 else None
            )
        )
    systems = tuple(SystemResult(name, score, INTERVAL) for name, score in scores.items())
    return Comparison(systems, tuple(pairs), 7, 1000, 1, 0.05, 0.95, lower)


HOLM = "after Holm's correction"


@pytest.mark.parametrize(
    ("comparison", "sentence"),
    [
        (found({"a": 50.0, "b": 62.16}), "b is 12.16 points of m better than a, significantly (p <= 0.0010)."),
        (found({"a": 5.0, "b": 6.0}, lower=True), "a is 1.00 points of m better than b, significantly (p <= 0.0010)."),
        (found({"a": 0.50, "b": 0.497}, {"a b": 0.31}),
         "a is 0.003 points of m better than b, not significantly (p = 0.3100)."),
        (found({"a": 50.0, "b": 50.0}, {"a b": 1.0}), "a and b have the same score by m."),
        (found({"a": 5.0, "b": 3.0, "c": 4.0}),
         f"a is best by m, 1.00 points ahead of c (p <= 0.0010 {HOLM}); significantly better than all others."),
        (found({"a": 5.0, "b": 3.0, "c": 4.0}, {"a c": 0.2}),
         (f"a is best by m, 1.00 points ahead of c (p = 0.2000 {HOLM}); significantly better than b; "
          "the difference from c is not significant.")),
        (found({"a": 5.0, "b": 3.0, "c": 4.0}, {"a c": 0.2, "a b": 0.1}),
         f"a is best by m, 1.00 points ahead of c (p = 0.2000 {HOLM}), but not significantly better than any other."),
        (found({"a": 5.0, "b": 3.0, "c": 5.0}, {"a c": 1.0}),
         f"a and c are best by m, 2.00 points ahead of b (p <= 0.0010 {HOLM}); significantly better than b."),
        (found({"a": 5.0, "b": 4.0}, {"a b": math.nan}),
         "a is best by m, 1.00 points ahead of b; segments that are all alike cannot tell whether it is significant."),
    ],
)  # fmt: skip
def test_by_hand(comparison: Comparison, sentence: str) -> None:
    assert verdict([("m", comparison)]) == sentence


def test_other_metrics_agree_or_are_quoted() -> None:
    first = found({"a{}": 5.0, "b": 3.0})
    others = [("n", first), ("o", found({"a{}": 1.0, "b": 3.0}, {"a{} b": 0.5})), ("p", first)]
    assert verdict([("m", first), *others]) == (
        "a{} is 2.00 points of m better than b, significantly (p <= 0.0010); likewise by n and p; b is best by o, "
        "significantly better than none."
    )


def test_many_names_are_counted() -> None:
    assert listed(list("abcd")) == "a, b, c and d"
    assert listed(list("abcde")) == "a, b, c and 2 others"


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
