"""The sentence of a comparison, against sentences by hand."""

import math
from itertools import combinations

import pytest

from pfsm.evaluation import Interval
from pfsm.evaluation.comparison import Comparison, PairResult, SystemResult, listed, verdict

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
