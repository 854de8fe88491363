"""Scores of systems and of metrics that pool counts, against sacrebleu and every permutation; likeness."""

import math
from collections.abc import Sequence
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sacrebleu.metrics import BLEU
from scipy import stats

from pfsm.errors import PfsmError
from pfsm.evaluation import (
    PooledScores,
    estimate,
    human_acceptability,
    king,
    paired_bootstrap_correlations,
    pooled_scores,
    question_of_scores,
    soft_pairwise_accuracy,
    system_pairwise_accuracy,
    translated_documents,
)
from pfsm.evaluation.catalogue import DOCUMENT_LEVEL, SEGMENT_LEVEL, SYSTEM_LEVEL
from pfsm.evaluation.measure import scored_items
from pfsm.evaluation.people import leads_of_segments, summed_leads
from pfsm.evaluation.pooled import corpus_statistics
from pfsm.evaluation.questions import Question
from pfsm.evaluation.significance import permutation_test
from pfsm.evaluation.systems import SYSTEM_STATISTICS, p_values_of_leads, pooled_p_values, system_measure
from pfsm.metrics import get_metric
from tests.judgment_cases import rows

Float = NDArray[np.float64]
SYSTEMS, SEGMENTS, COUNT, SEED = 4, 7, 60, 11
TEXTS = rows(SYSTEMS * SEGMENTS, seed=3)
REFERENCES = [reference for reference, _, _ in TEXTS]
HYPOTHESES = [hypothesis for _, hypothesis, _ in TEXTS]
HUMAN = np.array([float(score) for *_, score in TEXTS])
OF_SYSTEM, OF_SEGMENT = (index.ravel() for index in np.indices((SYSTEMS, SEGMENTS)))
ONE_GROUP = "all"


def bleu(chosen: Sequence[int]) -> float:
    """sacrebleu's corpus score of some rows."""
    texts = [HYPOTHESES[row] for row in chosen], [[REFERENCES[row] for row in chosen]]
    return float(BLEU().corpus_score(*texts).score)


def pooled(name: str, question: Question) -> PooledScores:  # type: ignore[type-arg]
    references = [(reference,) for reference in REFERENCES]
    return pooled_scores(get_metric(name), HYPOTHESES, references, question.corpora)


def systems(resample: str | None = None) -> Question:  # type: ignore[type-arg]
    return question_of_scores(
        HUMAN, segments=OF_SEGMENT, systems=OF_SYSTEM, level="system", resample=resample
    )


def test_permutations_swap_what_is_pooled() -> None:
    """Against every way to swap, each scored by sacrebleu; one system lacks a segment."""
    of_row = {(OF_SYSTEM[row], OF_SEGMENT[row]): row for row in range(len(TEXTS))}
    del of_row[1, 2]
    metric = get_metric("bleu")
    statistics = metric.segment_statistics(HYPOTHESES, [REFERENCES])
    table = np.full((SYSTEMS, SEGMENTS, statistics.shape[1]), np.nan)
    for place, row in of_row.items():
        table[place] = statistics[row]
    expected = []
    for a, b in combinations(range(3), 2):
        pairs = [
            (of_row[a, segment], of_row[b, segment])
            for segment in range(SEGMENTS)
            if (a, segment) in of_row and (b, segment) in of_row
        ]
        leads = []
        for coins in product((False, True), repeat=len(pairs)):
            sides = [pair[::-1] if coin else pair for pair, coin in zip(pairs, coins, strict=True)]
            one, other = zip(*sides, strict=True)
            leads.append(bleu(one) - bleu(other))
        ahead = (
            sum(lead > leads[0] + 1e-9 for lead in leads)
            + sum(abs(lead - leads[0]) <= 1e-9 for lead in leads) / 2
        )
        expected.append(ahead / len(leads))
    found = pooled_p_values(table[:3], metric.corpus_from_totals, 20_000, seed=5)
    np.testing.assert_allclose(found, expected, atol=0.015)


def test_documents_have_corpus_scores() -> None:
    talks = OF_SEGMENT // 2
    documents = translated_documents(HUMAN, talks, OF_SYSTEM)
    items = documents.items
    question = Question("correlation", "document", items, [ONE_GROUP] * len(items), "documents", documents)
    scores = question.scores(pooled("bleu", question))
    keys = sorted(set(zip(talks.tolist(), OF_SYSTEM.tolist(), strict=True)))
    expected = [
        bleu(np.flatnonzero((talks == talk) & (system == OF_SYSTEM)).tolist()) for talk, system in keys
    ]
    assert isinstance(scores, np.ndarray)
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-9)
    found = estimate(question, pooled("bleu", question), [DOCUMENT_LEVEL["pearson"]], COUNT, SEED)["pearson"]
    assert found.groups[ONE_GROUP].value == pytest.approx(stats.pearsonr(expected, items.human).statistic)
    # Equation 3 of Kahn et al. (2009): without the mean over the systems of a document.
    tables = [np.reshape(side, (-1, SYSTEMS)) for side in (expected, items.human)]
    without = [(table - table.mean(axis=1, keepdims=True)).ravel() for table in tables]
    removed = DOCUMENT_LEVEL["mean-removed"].bind(items).value(scores)
    assert removed == pytest.approx(stats.pearsonr(*without).statistic)


@pytest.mark.parametrize("unit", [1.0, 1e-15])
def test_rounding_does_not_part_equal_systems(unit: float) -> None:
    """Two systems with the same totals, added up in another order, tie in any unit; a third one is better."""
    added = np.array([[0.1], [0.2], [0.3], [0.3], [0.2], [0.1], [0.9], [0.0], [0.0]]) * unit
    scores = PooledScores(added, lambda totals: np.asarray(totals[..., 0]))
    human = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 4.0, 4.0, 4.0])
    question = question_of_scores(human, systems=np.repeat(np.arange(3), 3), level="system")
    found = estimate(question, scores, [SYSTEM_LEVEL["accuracy"]], COUNT, SEED)["accuracy"]
    assert found.groups[ONE_GROUP].value == 1.0


def test_undefined_and_refused() -> None:
    question = systems()
    undefined = PooledScores(np.ones((len(TEXTS), 1)), lambda totals: np.full(totals.shape[:-1], np.nan))
    for statistic in (one for one in SYSTEM_LEVEL.values() if one.of_metric):
        found = estimate(question, undefined, [statistic], COUNT, SEED)[statistic.name]
        assert math.isnan(found.groups[ONE_GROUP].value)
    metric = pooled("bleu", question)
    with pytest.raises(PfsmError, match="PERM-BOTH swaps scores of segments"):
        permutation_test(question, metric, HUMAN, SYSTEM_LEVEL["pearson"], COUNT, SEED)
    segments = question_of_scores(HUMAN, segments=OF_SEGMENT)
    with pytest.raises(ValueError, match="at segment level there is nothing to pool"):
        estimate(segments, metric, [SEGMENT_LEVEL["pearson"]], COUNT, SEED)
    with pytest.raises(ValueError, match="28 rows of finite statistics"):
        paired_bootstrap_correlations(
            HUMAN, metric.select(np.arange(3)), metric, systems=OF_SYSTEM, level="system"
        )


class OfTheCorpus:
    """A metric whose statistics tell with how many lines a line was scored."""

    def __init__(self, is_additive: bool) -> None:
        self.is_additive = is_additive

    def segment_statistics(self, hypotheses: Sequence[str], _references: object) -> Float:
        return np.full((len(hypotheses), 1), float(len(hypotheses)))


def test_a_metric_that_depends_on_the_corpus_sees_each_corpus_whole_and_alone() -> None:
    lines, references = ["a", "b", "a", "a"], [("a",), ("b",), ("a",), ("a",)]
    corpora = np.array([1, 0, 1, 1])
    found = corpus_statistics(OfTheCorpus(is_additive=False), lines, references, corpora)  # type: ignore[arg-type]
    assert found[:, 0].tolist() == [3.0, 1.0, 3.0, 3.0]
    # Where it does not matter, equal lines are scored once.
    found = corpus_statistics(OfTheCorpus(is_additive=True), lines, references, corpora)  # type: ignore[arg-type]
    assert found[:, 0].tolist() == [2.0] * 4


def test_pairwise_accuracy_by_hand() -> None:
    human, metric = [1.0, 2.0, 3.0, 3.0], [10.0, 30.0, 20.0, 20.0]
    # Right: (0, 1), (0, 2), (0, 3), and (2, 3), which both tie. Wrong: (1, 2) and (1, 3).
    assert system_pairwise_accuracy(human, metric) == pytest.approx(4 / 6)
    assert system_pairwise_accuracy(human, [-score for score in metric]) == pytest.approx((2 + 1) / 6)
    assert system_pairwise_accuracy([1.0, 2.0], [1.0, 1.0]) == 0.0
    assert math.isnan(system_pairwise_accuracy([1.0], [1.0]))


def exact_p_values(scores: NDArray[np.float64]) -> list[float]:
    """Every way to swap; equal leads count half."""
    values = []
    for first, second in combinations(scores, 2):
        differences = [a - b for a, b in zip(first, second, strict=True) if not math.isnan(a - b)]
        lead = sum(differences)
        permuted = [
            sum(sign * difference for sign, difference in zip(signs, differences, strict=True))
            for signs in product((1, -1), repeat=len(differences))
        ]
        ahead = sum(one > lead for one in permuted) + sum(one == lead for one in permuted) / 2
        values.append(ahead / len(permuted) if differences else math.nan)
    return values


def test_p_values_against_every_permutation() -> None:
    scores = np.random.default_rng(2).integers(0, 8, size=(4, 7)).astype(np.float64)
    scores[0, 2] = scores[1, 5] = math.nan
    scores[3] = [math.nan] * 6 + [1.0]
    scores[2, 6] = math.nan  # systems 2 and 3 share no segment
    found = p_values_of_leads(summed_leads(leads_of_segments(scores), np.arange(7)), 20_000, seed=3)
    np.testing.assert_allclose(found, exact_p_values(scores), atol=0.015)


def test_soft_pairwise_accuracy_is_one_less_the_mean_distance_of_p_values() -> None:
    generator = np.random.default_rng(6)
    human, metric = generator.integers(0, 8, size=(2, 3, 6)).astype(np.float64)
    names: dict[str, Any] = dict(zip(("systems", "segments"), np.indices((3, 6)).reshape(2, -1), strict=True))
    expected = 1.0 - np.mean(np.abs(np.subtract(exact_p_values(human), exact_p_values(metric))))
    found = soft_pairwise_accuracy(human.ravel(), metric.ravel(), **names, n_permutations=20_000, seed=7)
    assert found == pytest.approx(expected, abs=0.015)
    assert soft_pairwise_accuracy(human.ravel(), 2 * human.ravel(), **names) == 1.0


def test_a_system_that_is_not_in_a_resample_leaves_it_undefined() -> None:
    items = scored_items([1.0, 2.0, 3.0], segments=[0, 0, 1], systems=["a", "b", "c"])
    found = system_measure(items, SYSTEM_STATISTICS["accuracy"]).resampled(np.array([1.0, 2.0, 3.0]), 64, 1)
    assert set(found[~np.isnan(found)]) == {1.0}
    assert 0 < np.isnan(found).sum() < 64


def test_king_by_hand() -> None:
    """The reference wins its first case, ties the best of the second, and loses the third to one of two."""
    human, cases = [0.9, 0.5, 0.4], ["1", "2", "3"]
    automatic, of = [0.1, 0.8, 0.5, 0.2, 0.3, 0.6], ["1", "1", "2", "2", "3", "3"]
    assert king(human, cases, automatic, of) == pytest.approx(2 / 3)
    order = [5, 0, 3, 1, 4, 2]
    assert king(human, cases, [automatic[at] for at in order], [of[at] for at in order]) == pytest.approx(
        2 / 3
    )


def test_undefined_systems() -> None:
    assert math.isnan(soft_pairwise_accuracy([1.0, 2.0], [1.0, 2.0], systems=["a", "b"], segments=["1", "2"]))
    calls: tuple[tuple[Any, tuple[Any, ...], str], ...] = (
        (
            partial(soft_pairwise_accuracy, systems=["a"], segments=["1", "2"]),
            ([1.0, 2.0], [1.0, 2.0]),
            "1 systems",
        ),
        (king, ([1.0, 2.0], ["1", "1"], [1.0], ["1"]), "more than one"),
        (king, ([1.0], ["1"], [1.0], ["2"]), "without a held-out"),
        (king, ([math.nan], ["1"], [1.0], ["1"]), "not finite"),
        (human_acceptability, ([1.0, 2.0], np.ones((2, 3))), "shape"),
        (human_acceptability, ([1.0, 2.0], np.full((2, 3, 2), math.nan)), "no judge"),
    )
    for call, arguments, message in calls:
        with pytest.raises(ValueError, match=message):
            call(*arguments)
