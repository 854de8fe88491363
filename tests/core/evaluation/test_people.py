"""People's scores of systems, how sure they are and what a perfect metric would reach: by hand and by brute force."""

import math
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm.data import read_preferences
from pfsm.evaluation import Estimates, estimate, question_of_scores, system_scores
from pfsm.evaluation.bootstrap import Sample, default_seed, pooled_sample, resampled_rows
from pfsm.evaluation.catalogue import RANKINGS, SYSTEM_LEVEL
from pfsm.evaluation.people import CEILING_RESAMPLES, people_of
from pfsm.evaluation.questions import ranking_question
from tests.command_runs import Cli, Write

Float = NDArray[np.float64]
RNG = np.random.default_rng(5)
SYSTEMS, SEGMENTS, DOCUMENTS = 4, 24, 6
# Not every system has a judgment of every segment, and some have two.
PLACES = np.array(
    [place for place in product(range(SYSTEMS), range(SEGMENTS)) if RNG.random() < 0.8] + [(0, 1)] * 2
)
SYSTEM, SEGMENT = PLACES.T
DOCUMENT = SEGMENT // 4
HUMAN = 0.2 * SYSTEM + RNG.normal(size=SEGMENTS)[SEGMENT] + RNG.normal(size=len(PLACES))
METRIC = HUMAN + RNG.normal(size=len(PLACES))


def fitted(rows: Any) -> Float:
    """Effects of the systems by numpy's least squares over indicators, a segment drawn twice standing there twice."""
    system, segment, human = SYSTEM[rows], SEGMENT[rows], HUMAN[rows]
    table = np.concatenate([np.eye(SYSTEMS)[system], np.eye(SEGMENTS)[segment]], axis=1)
    effects = np.linalg.lstsq(table, human, rcond=None)[0][:SYSTEMS]
    return np.asarray(effects - effects.mean())


def question(**keys: object):  # type: ignore[no-untyped-def]
    return question_of_scores(
        HUMAN,
        None,
        SEGMENT,
        SYSTEM,
        level="system",
        documents=DOCUMENT,
        **keys,  # type: ignore[arg-type]
    )


def found(name: str, **keys: object) -> Estimates:
    return estimate(question(**keys), METRIC, [SYSTEM_LEVEL[name]], 200)[name]


def test_the_fit_is_that_of_least_squares() -> None:
    ours = system_scores(HUMAN, SYSTEM, SEGMENT)
    assert (ours - ours.mean()).tolist() == pytest.approx(fitted(np.arange(len(PLACES))).tolist())
    # By hand: b is better than a by 1 on the segment of both, but was judged on a hard one too.
    np.testing.assert_allclose(system_scores([2.0, 3.0, -9.0], "abb", [0, 0, 1]) @ [-1.0, 1.0], 1.0)
    np.testing.assert_allclose(system_scores([2.0, 3.0, -9.0], "abb"), [2.0, -3.0])
    # No segment joins the systems: means.
    np.testing.assert_allclose(system_scores([2.0, 3.0, -9.0], "abb", [0, 1, 1]), [2.0, -3.0])
    assert question().people == "least-squares"
    assert question(people="means").people == "means"
    assert question(resample="judgments").people == "means"


def test_the_ceiling_is_how_often_resamples_of_documents_agree() -> None:
    ahead = []
    for draws in resampled_rows(DOCUMENTS, CEILING_RESAMPLES, default_seed()):
        for drawn in draws:
            rows = np.concatenate([np.flatnonzero(one == DOCUMENT) for one in drawn])
            if set(SYSTEM[rows].tolist()) == set(range(SYSTEMS)):
                scores = fitted(rows)
                ahead.append([scores[a] > scores[b] for a, b in combinations(range(SYSTEMS), 2)])
    p = np.mean(ahead, axis=0)
    alike = p**2 + (1 - p) ** 2
    expected = np.mean((1 + np.sqrt(2 * alike - 1)) / 2)
    assert found("ceiling").groups["all"].value == pytest.approx(expected, abs=0.004)
    single = question_of_scores([1.0, 2.0], None, None, "ab", level="system")
    assert math.isnan(people_of(single.items).ceiling)


def test_documents_are_swapped_whole() -> None:
    """Against every way to swap six documents; a pair is significant from that, and the accuracy is over such pairs."""
    signs = np.array([*product((-1.0, 1.0), repeat=DOCUMENTS)])

    def exact(scores: Float) -> Float:
        sums, numbers = np.zeros((2, SYSTEMS, SEGMENTS))
        np.add.at(sums, (SYSTEM, SEGMENT), scores)
        np.add.at(numbers, (SYSTEM, SEGMENT), 1.0)
        means = np.divide(sums, numbers, out=np.full(sums.shape, np.nan), where=numbers > 0)
        values = []
        for a, b in combinations(means, 2):
            leads = np.nansum((a - b).reshape(DOCUMENTS, -1), axis=1)
            swapped, lead = signs @ leads, leads.sum()
            values.append(np.mean(swapped > lead + 1e-9) + np.mean(np.isclose(swapped, lead)) / 2)
        return np.array(values)

    people, metric = exact(HUMAN), exact(METRIC)
    spa = found("spa").groups["all"]
    assert spa.value == pytest.approx(1.0 - np.abs(people - metric).mean(), abs=0.02)
    assert spa.interval.low < spa.value < spa.interval.high
    # Segments are mt-metrics-eval's unit: as many coins as segments.
    assert found("spa", resample="segments").groups["all"].value != spa.value
    sure = 2 * np.minimum(people, 1 - people) < 0.05
    assert 0 < sure.sum() < sure.size
    scores = fitted(np.arange(len(PLACES)))
    means = [METRIC[system == SYSTEM].mean() for system in range(SYSTEMS)]
    pairs = [*combinations(range(SYSTEMS), 2)]
    agreed = np.array([(scores[a] > scores[b]) == (means[a] > means[b]) for a, b in pairs])
    significant = found("significant").groups["all"]
    assert significant.value == pytest.approx(agreed[sure].mean())
    assert significant.remarks == {"pairs": sure.sum()}


def test_leads_of_ranked_systems_add_up_to_their_scores(write: Write, tmp_path: Path) -> None:
    head = "source_lang\tsegment_id\treference\tbetter\tworse\tbetter_system\tworse_system\tdocument"
    lines = [head]
    for number in range(30):
        names = (
            RNG.permutation(list("abc"))[:2]
            if RNG.random() < 0.7
            else sorted(RNG.permutation(list("abc"))[:2])
        )
        lines.append(
            f"cs\ts{number}\tr{number}\tx {names[0]}\tx {names[1]}\t{names[0]}\t{names[1]}\td{number // 5}"
        )
    write("p.tsv", "\n".join(lines) + "\n")
    data = read_preferences(tmp_path / "p.tsv")
    for kind in ("won", "expected-wins"):
        asked = ranking_question(data, np.zeros(30, dtype=np.int64), ["cs"] * 30, people=kind)
        assert asked.unit == "documents"
        people = people_of(asked.items)
        scores = people.scores(people.table(np.ones(30)).sum(axis=0, keepdims=True))[0]
        expected = [scores[a] - scores[b] for a, b in combinations(range(3), 2)]
        np.testing.assert_allclose(people.leads().sum(axis=0), expected, atol=1e-12)
        assert 0.5 <= people.ceiling <= 1.0
    metric = np.stack([RNG.normal(size=30), RNG.normal(size=30)], axis=1)
    soft = estimate(asked, metric, [RANKINGS["spa"]], 50)["spa"].groups["cs"]
    assert soft.interval.low < soft.value < soft.interval.high


def test_pooled_over_pairs_of_all_groups() -> None:
    one, other = Sample(0.5, np.array([0.4, 0.6]), 2.0), Sample(1.0, np.array([1.0, np.nan]), 6.0)
    nothing = Sample(math.nan, np.full(2, np.nan), 3.0)
    pooled = pooled_sample([one, other, nothing])
    assert (pooled.value, pooled.weight) == (0.875, 8.0)
    np.testing.assert_allclose(pooled.resampled, [(0.8 + 6) / 8, 0.6])
    drawn = pooled_sample([one, Sample(1.0, np.ones(2), 6.0)], seed=1).resampled
    assert set(drawn.round(3)) <= {0.4, 0.6, 0.85, 0.9, 1.0}


def test_the_command_draws_documents_and_keeps_test_sets_apart(write: Write, cli: Cli) -> None:
    head = "test_set\tsource_lang\tsegment_id\tsystem\tdocument\treference\thypothesis\tscore\tm"
    lines = [
        f"{name}\tcs\t{segment}\ts{system}\td{segment // 4}\tr {segment}\th {system}\t{human}\t{score}"
        for name in ("old", "new")
        for system, segment, human, score in zip(SYSTEM, SEGMENT, HUMAN, METRIC, strict=True)
    ]
    write("j.tsv", "\n".join([head, *lines]) + "\n")
    command = ("evaluate", "j.tsv", "--column", "m", "--level", "system", "--confidence-n", "50")
    document = cli(*command, "--format", "json").document["correlation"]
    assert (document["resampled"], document["system_scores"]) == ("documents", "least-squares")
    assert [group["group"] for group in document["groups"]] == ["cs new", "cs old"]
    assert document["pooled"]["accuracy"]["value"] == document["groups"][0]["accuracy"]["value"]
    assert document["groups"][0]["ceiling"]["value"] == pytest.approx(found("ceiling").groups["all"].value)
    text = cli(*command, "--resample", "segments", "--system-scores", "means").out
    assert "means of their translations" in text
    assert "segments are resampled" in text
