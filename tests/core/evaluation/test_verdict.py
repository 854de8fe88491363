"""The sentence of a comparison, contrast tests, and error spans against marks: by hand, and SciPy."""

import json
import math
from collections.abc import Sequence
from importlib.resources import files
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest, mannwhitneyu, spearmanr

from pfsm.data import DataSource
from pfsm.data.minimal_pairs import SEVERITIES, MinimalPairs
from pfsm.errors import PfsmError
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
from pfsm.evaluation.probe import probe, severity_result, wilson_interval
from pfsm.evaluation.spans import Mark, Marked, baselines, between_raters, marks_from_json, measured
from pfsm.metrics import SegmentMetric
from pfsm.model.shipped import load
from tests.command_runs import Cli

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
    return Comparison(systems, tuple(pairs), 70, 1000, 1, 0.05, 0.95, lower)


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


@pytest.mark.parametrize(
    ("n", "names", "few"), [(5, "ab", True), (6, "ab", False), (6, "abc", True), (7, "abc", False)]
)
def test_few_units_cannot_make_a_difference_significant(n: int, names: str, few: bool) -> None:
    """The least p-value of n units is 2^(1-n), and Holm's correction multiplies it by the number of pairs."""
    scores = [np.arange(1.0, n + 1.0) * place for place in range(len(names))]
    result = compare_systems(list(names), scores, documents=[f"d{at}" for at in range(n)])
    said = verdict([("m", result)])
    assert said.endswith(f"; with {n} documents no difference can be significant.") is few
    assert (f"over {n} documents" in said, any(pair.preferred for pair in result.pairs)) == (True, not few)


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


def test_segments_that_would_settle_a_comparison() -> None:
    """The size that gives a paired t-test 80% power, by the textbook's formula with the spread of the differences."""
    differences = np.random.default_rng(3).normal(0.1, 1.0, 400)
    differences += 0.06 - differences.mean()
    result = compare_systems(["a", "b"], [differences, np.zeros(400)], 4000)
    needed = to_settle(result.pairs[0], result)
    assert needed == pytest.approx((2.8016 * differences.std() / 0.06) ** 2, rel=0.1)
    large = compare_systems(["a", "b"], [differences + 1.0, np.zeros(400)], 100)
    assert to_settle(large.pairs[0], large) is None


class Numbers(SegmentMetric):
    """A metric whose scores stand in the hypotheses."""

    name = "numbers"
    references: Sequence[str] = ()

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
        self.references = references
        return np.array([float(hypothesis) for hypothesis in hypotheses])


def minimal_pairs(*rows: tuple[str, float, float]) -> MinimalPairs:
    kinds, better, worse = zip(*rows, strict=True)
    return MinimalPairs(
        kinds,
        tuple(f"reference {place}" for place in range(len(rows))),
        tuple(map(str, better)),
        tuple(map(str, worse)),
        DataSource("x.tsv", len(rows), ""),
    )


ROWS = (
    ("name", 3.0, 1.0), ("tense", 1.0, 1.0), ("name", 2.0, 2.5), ("tense", 0.0, -4.0), ("name", 1.0, 0.5),
)  # fmt: skip


def test_counts_and_means_by_hand() -> None:
    metric = Numbers()
    result = probe(metric, minimal_pairs(*ROWS))
    assert metric.references == [f"reference {place}" for place in range(5)] * 2
    kinds = [(kind.kind, kind.n, kind.ties) for kind in result.kinds]
    assert kinds == [("name", 3, 0), ("tense", 2, 1), ("all", 5, 1)]
    assert [kind.lower.value for kind in result.kinds] == pytest.approx([2 / 3, 1 / 2, 3 / 5])
    assert [kind.difference.value for kind in result.kinds] == pytest.approx([2 / 3, 2.0, 6 / 5])


@pytest.mark.parametrize(("n", "confidence"), [(1, 0.95), (17, 0.5), (400, 0.99)])
def test_wilson_interval_is_that_of_scipy(n: int, confidence: float) -> None:
    for successes in sorted({0, 1, n // 3, n - 1, n}):
        expected = binomtest(successes, n).proportion_ci(confidence, method="wilson")
        found = wilson_interval(successes, n, confidence)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_losses_by_severity_against_scipy() -> None:
    random = np.random.default_rng(5)
    grades = random.integers(0, 4, 200)
    losses = np.asarray(random.normal(size=200) + 1.0 + 0.5 * grades).round(1)  # so that some are equal
    result = severity_result(losses, [SEVERITIES[grade] for grade in grades], n_resamples=10)
    faulty = grades > 0
    assert result.correlation.value == pytest.approx(spearmanr(losses[faulty], grades[faulty]).statistic)
    none, minor, _, critical = (losses[grades == grade] for grade in range(4))
    expected = mannwhitneyu(critical, minor).statistic / (critical.size * minor.size)
    assert result.critical_above_minor.value == pytest.approx(expected)
    assert result.harmless_share.value == pytest.approx(np.median(none) / np.median(critical))
    medians = {one.severity: one.median.value for one in result.losses}
    assert medians["minor"] == pytest.approx(np.median(minor))


def test_harmless_pairs_do_not_count_among_all() -> None:
    pairs = MinimalPairs(
        ("typo", "typo", "spelling", "lost"),
        ("r",) * 4,
        ("1", "2", "3", "4"),
        ("0", "2", "2", "3"),
        DataSource("x.tsv", 4, ""),
        severities=("minor", "minor", "none", "critical"),
    )
    result = probe(Numbers(), pairs, n_resamples=10)
    assert [(one.kind, one.n, one.severity) for one in result.kinds] == [
        ("typo", 2, "minor"),
        ("spelling", 1, "none"),
        ("lost", 1, "critical"),
        ("all", 3, ""),
    ]
    assert result.kinds[-1].lower.value == pytest.approx(2 / 3)
    assert result.mean_of_kinds == pytest.approx((0.5 + 1.0) / 2)
    assert result.severity is not None
    assert result.severity.harmless_share.value == 1.0


LINE = "one two three four"
MARKS = (
    Mark(0, 7, "major", "a"),
    Mark(4, 7, "minor", "a"),
    Mark(4, 13, "minor", "b"),
    Mark(14, 18, "minor", "c"),
)


def test_spans_by_hand() -> None:
    shared = Marked(LINE, "one five six four", MARKS, 3, "d")
    assert shared.levels().tolist() == [0] * 4 + [2] * 3 + [0] * 11
    free = Marked(LINE, LINE, (), 3, "e")
    of_one = Marked(LINE, LINE, MARKS[:1], 3, "f")  # neither free of marks nor with one that is shared
    spans = [
        [Mark(7, 7, "major", points=3.0), Mark(5, 9, "minor", points=1.0)],
        [Mark(0, 3, "major", points=1.0)],
        [Mark(7, 7, "major", points=9.0)],
    ]
    found = {name: value for name, (value, _) in measured([shared, free, of_one], spans, 0, 1).items()}
    assert found == pytest.approx(
        {
            "precision": 2 / 7, "recall": 2 / 3, "F1": 4 / 10, "F1 with severity": 2 / 10,
            "costliest touches": 1.0, "one of three touches": 1.0, "gain over chance": 1.0 - 3 / 18,
            "width of costliest": 0.0, "width of three": 4 / 18, "AUC": 1.0,
        }
    )  # fmt: skip
    words, longest, _ = baselines([shared], 1).values()
    assert (
        [(mark.start, mark.end) for mark in words[0]] == [(4, 13)] == [(m.start, m.end) for m in longest[0]]
    )
    ones, ranked = between_raters([shared, free])
    assert [one.left_out for one in ones] == ["a", "b", "c"]
    assert ranked[0][0].severity == "major"
    assert ones[2].levels().tolist() == shared.levels().tolist()  # c marks nothing that the others share


def test_intervals_hold_the_value() -> None:
    ones = [Marked(LINE, LINE, MARKS[: k % 4], 3, str(k % 7)) for k in range(40)]
    spans = [[Mark(4, 7 + k % 3, "major", points=1.0 + k)] for k in range(40)]
    for value, interval in measured(ones, spans, 100, 1).values():
        assert interval is None or not interval.low > value or not value > interval.high


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "must be a JSON list"),
        ("[[0, 1]]", "errors, mark 1 is"),
        ('[[0, 1, "minor"], [5, 4, "minor"]]', "mark 2: start 5 lies behind end 4"),
        ('[[true, 1, "minor"]]', "start is 'True'"),
        ('[{"start": 0, "end": 1, "severity": "bad"}]', "severity is 'bad'"),
        ('[{"start": 0, "end": 1, "severity": "minor", "points": NaN}]', "points is 'nan'"),
    ],
)
def test_marks_that_are_refused(text: str, said: str) -> None:
    with pytest.raises(PfsmError, match=r"^f\.tsv:3: ") as caught:
        marks_from_json(text, LINE, "f.tsv:3")
    assert said in str(caught.value)


def test_spans_of_the_command(cli: Cli, tmp_path: Path) -> None:
    marks = json.dumps([[4, 7, "Major", "x", "a"], [0, 3, "neutral", "x", "a"], [7, 7, "critical"]])
    rows = [f"{LINE}\t{LINE.replace('two', 'too')}\t{marks}\t{k}" for k in range(6)]
    data, spans, out = (tmp_path / name for name in ("m.tsv", "s.jsonl", "o.jsonl"))
    data.write_text("\n".join(["reference\thypothesis\terrors\tdocument", *rows]) + "\n", encoding="utf-8")
    refs = "".join(f"{LINE}\n" for _ in rows)
    (tmp_path / "ref").write_text(refs, encoding="utf-8")
    (tmp_path / "hyp").write_text(refs.replace("two", "too"), encoding="utf-8")
    arguments = ("score", str(tmp_path / "ref"), "-i", str(tmp_path / "hyp"), "-m", "en-small")
    assert cli(*arguments, "--spans", str(spans)).status == 0
    by_model = json.loads(cli("evaluate", str(data), "--spans", "-m", "en-small", "-f", "json").out)
    by_file = json.loads(cli("evaluate", str(data), "--spans", str(spans), "-f", "json").out)
    assert [*by_model["spans"].values()] == [*by_file["spans"].values()]
    assert by_file["spans"][str(spans)]["costliest touches"]["value"] == 1.0
    data.write_text("\n".join(["reference\thypothesis\terrors\tdocument", rows[0]]) + "\n", encoding="utf-8")
    out.write_text('{"errors": [{"start": 4, "end": 7, "severity": "major"}]}\n', encoding="utf-8")
    assert cli("evaluate", str(data), "--spans", str(out)).status == 0
    out.write_text("{}\n", encoding="utf-8")
    assert (
        "o.jsonl:1: must be a JSON object with a list of errors"
        in cli("evaluate", str(data), "--spans", str(out)).fault
    )
    assert "leave --metric out" in cli("evaluate", str(data), "--spans", "--metric", "bleu").fault
