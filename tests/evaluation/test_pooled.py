"""Scores of metrics that pool counts, against sacrebleu on the rows of every system, resample and swap."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray
from sacrebleu.metrics import BLEU, TER
from scipy import stats

from pfsm.errors import PfsmError
from pfsm.evaluation import (
    PooledScores,
    estimate,
    paired_bootstrap_correlations,
    pooled_scores,
    question_of_scores,
    translated_documents,
)
from pfsm.evaluation.catalogue import DOCUMENT_LEVEL, SEGMENT_LEVEL, SYSTEM_LEVEL
from pfsm.evaluation.pooled import corpus_statistics
from pfsm.evaluation.questions import Question
from pfsm.evaluation.significance import permutation_test
from pfsm.evaluation.systems import pooled_p_values
from pfsm.metrics import get_metric
from tests.judgment_cases import rows
from tests.oracles import resampling

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


def negative_ter(chosen: Sequence[int]) -> float:
    texts = [HYPOTHESES[row] for row in chosen], [[REFERENCES[row] for row in chosen]]
    return -float(TER().corpus_score(*texts).score)


ORACLES: dict[str, Callable[[Sequence[int]], float]] = {"bleu": bleu, "ter": negative_ter}


def pooled(name: str, question: Question) -> PooledScores:  # type: ignore[type-arg]
    references = [(reference,) for reference in REFERENCES]
    return pooled_scores(get_metric(name), HYPOTHESES, references, question.corpora)


def systems(resample: str | None = None) -> Question:  # type: ignore[type-arg]
    return question_of_scores(
        HUMAN, segments=OF_SEGMENT, systems=OF_SYSTEM, level="system", resample=resample
    )


def of_rows(name: str, chosen: Sequence[int], statistic: str = "pearson") -> float:
    """Agreement of systems in some rows, each system's written out; NaN if one has no row."""
    members = [[row for row in chosen if OF_SYSTEM[row] == system] for system in range(SYSTEMS)]
    if not all(members):
        return math.nan
    human = [HUMAN[member].mean() for member in members]
    metric = [ORACLES[name](member) for member in members]
    function = {"pearson": stats.pearsonr, "kendall": stats.kendalltau}[statistic]
    return float(function(metric, human).statistic)


@pytest.mark.parametrize(("name", "resample"), [("bleu", None), ("ter", "judgments")])
def test_systems_against_a_naive_bootstrap(name: str, resample: str | None) -> None:
    question = systems(resample)
    everything = range(len(TEXTS))
    units = resampling.units_of(OF_SEGMENT.tolist() if resample is None else list(everything))
    for statistic in ("pearson", "kendall"):
        found = estimate(question, pooled(name, question), [SYSTEM_LEVEL[statistic]], COUNT, SEED)
        ours = found[statistic].groups[ONE_GROUP]
        assert ours.value == pytest.approx(of_rows(name, everything, statistic), abs=1e-12)
        naive = partial(of_rows, name, statistic=statistic)
        drawn = resampling.resamples(units, naive, COUNT, SEED, ONE_GROUP)
        expected = resampling.interval(drawn)
        assert (ours.interval.low, ours.interval.high) == pytest.approx(expected, abs=1e-9)


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
    for a, b in combinations(range(SYSTEMS), 2):
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
    found = pooled_p_values(table, metric.corpus_from_totals, 20_000, seed=5)
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


def test_refusals() -> None:
    with pytest.raises(ValueError, match="3 rows, but 2 documents"):
        translated_documents([1.0, 2.0, 3.0], ["a", "b"], ["x", "x", "x"])
    with pytest.raises(ValueError, match="2 of them"):
        translated_documents([1.0, 2.0], ["a", "b"], ["x", "x"]).means([1.0])
