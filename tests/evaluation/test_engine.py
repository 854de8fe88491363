"""The engine on one's own statistics, and on data in which some scores are missing; names of statistics."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.evaluation import Question, canonical, compare, estimate, plain, question_of_scores
from pfsm.evaluation.catalogue import BY_LEVEL, SEGMENT_LEVEL, level_and_name, named_statistic
from pfsm.evaluation.engine import check_units, samples
from pfsm.evaluation.measure import Items
from tests.oracles import resampling

Float = NDArray[np.float64]
COUNT, SEED = 60, 3
MINE = plain("mean-gap", lambda metric, human: float(np.abs(metric - human).mean()), "mean gap")


def made(n: int = 48) -> tuple[Question[Items], Float, Float, list[str], list[str]]:
    """Segments of three translations in two groups, people's scores inside the question, and two metrics'."""
    generator = np.random.default_rng(2)
    human = generator.normal(size=n)
    groups = ["cs" if at < n // 2 else "de" for at in range(n)]
    segments = [f"{at // 3}" for at in range(n)]
    a, b = (human + generator.normal(size=n) for _ in range(2))
    return question_of_scores(human, groups, segments), a, b, groups, segments


def test_a_plain_function_is_a_statistic() -> None:
    question, a, b, groups, segments = made()
    found = estimate(question, a, [MINE, SEGMENT_LEVEL["pearson"]], COUNT, SEED)
    test = compare(question, a, b, [MINE], COUNT, SEED)["mean-gap"]
    assert list(found) == ["mean-gap", "pearson"]
    human = question.items.human
    for number, name in enumerate(("cs", "de")):
        inside = [at for at, group in enumerate(groups) if group == name]
        units = [[inside[at] for at in unit] for unit in resampling.units_of([segments[at] for at in inside])]

        def gap(rows: list[int], metric: Float = a) -> float:
            return math.fsum(abs(metric[row] - human[row]) for row in rows) / len(rows)

        drawn = resampling.resamples(units, gap, COUNT, SEED, name)
        one = found["mean-gap"].groups[name]
        assert one.value == pytest.approx(gap(inside))
        assert (one.interval.low, one.interval.high) == pytest.approx(resampling.interval(drawn))
        other = resampling.resamples(units, lambda rows: gap(rows, b), COUNT, SEED, name)
        apart = [x - y for x, y in zip(drawn, other, strict=True)]
        assert test.groups[number].p_value == resampling.p_value(apart, test.groups[number].difference)
    assert found["mean-gap"].mean.value == pytest.approx(
        np.mean([found["mean-gap"].groups[name].value for name in ("cs", "de")])
    )


def test_a_group_with_a_missing_score_has_no_value() -> None:
    question, a, *_ = made()
    a[5] = math.nan
    found = samples(question, a, [SEGMENT_LEVEL["pearson"], MINE], COUNT, SEED)
    whole = samples(question, np.nan_to_num(a), [SEGMENT_LEVEL["pearson"]], COUNT, SEED)
    for name in ("pearson", "mean-gap"):
        assert math.isnan(found[name]["cs"].value)
        assert np.isnan(found[name]["cs"].resampled).all()
    assert found["pearson"]["de"].value == whole["pearson"]["de"].value
    np.testing.assert_array_equal(found["pearson"]["de"].resampled, whole["pearson"]["de"].resampled)


def test_names_of_segments_do_not_matter() -> None:
    question, a, _, groups, segments = made()
    other = question_of_scores(question.items.human, groups, [f"{99 - int(name)}" for name in segments])
    for name in ("pearson", "spearman", "mean-removed", "wmt14"):
        statistic = [SEGMENT_LEVEL[name]]
        assert estimate(question, a, statistic, COUNT, SEED) == estimate(other, a, statistic, COUNT, SEED)


def test_segments_are_not_torn() -> None:
    _, a, _, groups, segments = made()
    question = question_of_scores(a, groups, segments, resample="judgments")
    check_units(question, [SEGMENT_LEVEL["pearson"]])
    for name in ("mean-removed", "acc-t", "wmt12"):
        with pytest.raises(PfsmError, match=f"{name} compares translations of one segment"):
            check_units(question, [SEGMENT_LEVEL["pearson"], SEGMENT_LEVEL[name]])
        with pytest.raises(ValueError, match="not resampled together"):
            estimate(question, a, [SEGMENT_LEVEL[name]], COUNT, SEED)
    alone = question_of_scores(a, groups, range(48), resample="judgments")
    check_units(alone, SEGMENT_LEVEL.values())


def test_bad_questions_are_refused() -> None:
    with pytest.raises(ValueError, match="resample is 'systems', but there are no systems"):
        question_of_scores([1.0, 2.0], resample="systems")
    with pytest.raises(ValueError, match="resample is 'segments', but there are no segments"):
        question_of_scores([1.0, 2.0], resample="segments")
    with pytest.raises(
        PfsmError, match="resample is 'words'; there are segments, judgments, documents, systems"
    ):
        question_of_scores([1.0, 2.0], resample="words")
    with pytest.raises(ValueError, match="group names"):
        question_of_scores([1.0, 2.0], ["a"])
    with pytest.raises(ValueError, match="n_resamples is 0"):
        estimate(question_of_scores([1.0, 2.0]), np.ones(2), [MINE], 0)


def test_names() -> None:
    assert [canonical(name) for name in ("tau_darr", "kendall-tau-b", "length_weighted", "mine")] == [
        "darr",
        "kendall",
        "length-weighted",
        "mine",
    ]
    assert level_and_name("system-kendall_tau_b") == ("system", "kendall")
    assert level_and_name("segment-acc_t") == ("segment", "acc-t")
    assert level_and_name("document-acc-t") == (None, "document-acc-t")
    for level, table in BY_LEVEL.items():
        for statistic in table.values():
            assert level_and_name(f"{level}-{statistic.key}") == (level, statistic.name)
            assert named_statistic(statistic.key, level) is statistic
