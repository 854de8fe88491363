"""Cross-validation: what is held out together, honest predictions, the choice of lambda, and what votes weigh."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.evaluation import pearson
from pfsm.model.metric import Metric
from pfsm.model.settings import Settings
from pfsm_training import TrainingConfig, train
from pfsm_training.config import config_from_dict
from pfsm_training.data.training_set import encode_here
from pfsm_training.data.training_text import TrainingText
from pfsm_training.fit.crossval import (
    NEVER_HELD_OUT,
    CrossValidation,
    Folds,
    choose,
    make_folds,
    more_penalties,
)
from pfsm_training.fit.fitting import Choice
from tests.training.report_cases import preferences_of
from tests.training.small_data import PLAIN, invented

Rows = NDArray[np.int64]
LANGUAGES = ("cs", "de", "fi")


def are_whole(groups: Sequence[str], member: Rows) -> bool:
    """Whether all rows of a group are in one fold."""
    return len(set(zip(groups, member.tolist(), strict=True))) == len(set(groups))


def rows_of(folds: Folds, fold: int) -> tuple[Rows, Rows]:
    """Judgments to train on and to test on."""
    return np.flatnonzero(folds.member != fold), np.flatnonzero(folds.member == fold)


def test_folds_are_by_segment_for_one_language_or_very_many() -> None:
    for languages in ("de",), tuple(f"language {k}" for k in range(11)):
        folds = make_folds(invented(1, languages=languages))
        assert (folds.by, len(folds.names)) == ("segment", 5)
        assert (np.bincount(folds.member) == 18).all()
    several = invented(0, languages=LANGUAGES)
    folds = make_folds(several)
    assert (folds.by, folds.names) == ("source_lang", LANGUAGES)
    assert [folds.names[fold] for fold in folds.member] == list(several.columns["source_lang"])


def test_folds_by_a_column_hold_out_its_groups_whole() -> None:
    judgments = invented(0)
    n = len(judgments)
    columns = {
        "document": tuple(f"d{row % 14}" for row in range(n)),
        "system": tuple(f"s{row % 3}" for row in range(n)),
    }
    judgments = replace(judgments, columns=columns)
    by_system = make_folds(judgments, by="system")
    assert by_system.names == ("s0", "s1", "s2")
    assert tuple(by_system.names[fold] for fold in by_system.member) == columns["system"]
    by_document = make_folds(judgments, by="document")
    assert len(by_document.names) == 5
    assert are_whole(columns["document"], by_document.member)
    found = train(judgments, config=PLAIN, threads=1, folds_by="system").training["cross_validated"]
    assert (found["by"], [*found["folds"]]) == ("system", ["s0", "s1", "s2"])
    with pytest.raises(PfsmError, match="no column 'rater' to group by"):
        train(judgments, config=PLAIN, threads=1, folds_by="rater")


def test_the_correlation_of_a_fold_is_that_of_a_model_trained_on_the_others() -> None:
    judgments = invented(7, languages=LANGUAGES).sorted()
    folds = make_folds(judgments)
    found = train(judgments, config=PLAIN, threads=1).training["cross_validated"]
    assert (found["by"], tuple(found["folds"])) == (folds.by, folds.names)
    for fold, name in enumerate(folds.names):
        others, held_out = (judgments.select(rows) for rows in rows_of(folds, fold))
        metric = Metric(train(others, config=PLAIN, threads=1), threads=1)
        r = pearson(metric.score_pairs(held_out.hypotheses, held_out.references), held_out.scores)
        # Folds are minimised less far than the model.
        assert found["folds"][name] == pytest.approx(r, abs=1e-4)
    assert found["pearson"] == pytest.approx(np.mean(list(found["folds"].values())))


def test_one_standard_error_takes_the_largest_lambda_that_is_near() -> None:
    """Means .50, .49, .40; the standard error of the first, from the spread of its four folds, is .02 / sqrt 3."""

    def result(penalty: float, *values: float) -> CrossValidation:
        return CrossValidation("segment", Choice(penalty), "pearson", dict(zip("abcd", values, strict=True)))

    first = result(1.0, 0.48, 0.52, 0.48, 0.52)
    tried = [first, result(5.0, 0.47, 0.51, 0.47, 0.51), result(15.0, 0.4, 0.4, 0.4, 0.4)]
    assert first.standard_error == pytest.approx(0.02 / math.sqrt(3.0))
    reach = 3.182446 * 0.02 / math.sqrt(3.0) / (1.0 - 0.5**2)
    ends = math.tanh(math.atanh(0.5) - reach), math.tanh(math.atanh(0.5) + reach)
    assert first.interval == pytest.approx(ends, rel=1e-6)
    assert choose(tried, 4).choice.penalty == 1.0
    assert choose(tried, 4, "one_standard_error").choice.penalty == 5.0


@pytest.mark.parametrize(("peak", "asked"), [(5e-3, 8), (1.7, 5), (60.0, 7), (5e9, 7)])
def test_the_grid_of_lambda_widens_until_the_best_is_inside(peak: float, asked: int) -> None:
    """Agreement falls with the distance from a peak: the nearest of the grid is found, with others on both sides."""
    grid = sorted(factor * 10.0**power for factor in (1.5, 5.0) for power in range(-4, 5))[1:]
    tried = [_result(penalty, peak) for penalty in (5.0, 0.5, 50.0)]
    while more := more_penalties(tried):
        tried += [_result(penalty, peak) for penalty in more]
    best = choose(tried, 2).choice.penalty
    assert best == pytest.approx(min(grid, key=lambda one: abs(math.log(one / peak))))
    penalties = sorted(one.choice.penalty for one in tried)
    assert len(penalties) == len(set(penalties)) <= asked
    assert penalties[0] < best < penalties[-1] or best == penalties[-1] == pytest.approx(grid[-1])
    assert more_penalties([_result(penalty, None) for penalty in (5.0, 0.5, 50.0)]) == []


def _result(penalty: float, peak: float | None) -> CrossValidation:
    value = 0.5 if peak is None else 0.5 - 0.01 * abs(math.log(penalty / peak))
    return CrossValidation("segment", Choice(penalty), "pearson", {"a": value, "b": value})


def test_warm_starts_along_the_path_find_what_each_lambda_finds() -> None:
    """Cross-validated agreement of each lambda, fitted by itself; and what the choice brought, fold by fold."""
    judgments = invented(7, segments=40)
    found = train(judgments, config=config_from_dict({}, "x"), threads=1).training
    tried = found["lambda_tried"]
    alone = {}
    for value in (f"{found['lambda']:g}", "5"):
        one = train(judgments, config=config_from_dict({"lambda": float(value)}, "x"), threads=1).training
        alone[value] = one["cross_validated"]
        assert tried[value] == pytest.approx(alone[value]["pearson"], abs=1e-3)
    (first, second), gain = alone.values(), found["lambda_gain"]
    differences = [first["folds"][name] - second["folds"][name] for name in first["folds"]]
    assert gain["over"] == 5.0
    assert gain["difference"] == pytest.approx(np.mean(differences), abs=1e-3)
    assert gain["interval"][0] <= gain["difference"] <= gain["interval"][1]
    assert found["lambda_choice"] == "by cross-validation"
    assert max(tried.values()) == tried[f"{found['lambda']:g}"]


def test_a_preference_is_held_out_with_the_judgments_of_its_reference() -> None:
    judgments = invented(2, segments=23)
    preferences = preferences_of(judgments)
    some = judgments.select(np.flatnonzero(np.arange(len(judgments)) >= 9))  # without three segments
    folds = make_folds(some, preferences)
    fold_of = dict(zip(some.references, folds.member.tolist(), strict=True))
    wanted = [fold_of.get(reference, NEVER_HELD_OUT) for reference in preferences.references]
    assert folds.preference_member.tolist() == wanted
    assert wanted.count(NEVER_HELD_OUT) == 6


def test_a_segment_with_two_references_is_one_segment() -> None:
    """Half of its rows have another reference: the column segment_id holds them together."""
    judgments = invented(4, segments=23, systems=4)
    references = tuple(
        f"{reference} again" if number % 2 else reference
        for number, reference in enumerate(judgments.references)
    )
    both = replace(judgments, references=references)
    assert are_whole(both.columns["segment_id"], make_folds(both).member)
    assert not are_whole(both.columns["segment_id"], make_folds(replace(both, columns={})).member)


@pytest.mark.parametrize("scored", [True, False])
def test_no_translation_that_is_held_out_is_trained_on(scored: bool) -> None:
    judgments = invented(3).sorted()
    preferences = preferences_of(judgments).sorted()
    given = judgments if scored else None
    data = encode_here(TrainingText(given, preferences, Settings()))
    folds = make_folds(given, preferences)
    for fold in range(len(folds.names)):
        kept, held = (np.flatnonzero((folds.preference_member == fold) == side) for side in (False, True))
        assert held.size
        assert not set(np.array(preferences.references)[kept]) & set(np.array(preferences.references)[held])
        train_part, test_part = folds.split(data, fold)
        assert (train_part.votes.size, test_part.votes.size) == (kept.size, held.size)
        # Pairs of the lattices: those of the judgments, and every translation of the preferences once.
        rows = int((folds.member != fold).sum()) if scored else 0
        texts = {
            (preferences.references[row], text)
            for row in kept
            for text in (preferences.better[row], preferences.worse[row])
        }
        assert len(train_part) == rows + len(texts)


def test_three_votes_weigh_as_much_as_three_rows() -> None:
    """The mixture shares the objective between scores and votes, however the votes lie in rows."""
    judgments, config = invented(5, segments=12), TrainingConfig(penalty=2.0, mixture=0.4)
    once = preferences_of(judgments)
    uneven = replace(once, votes=np.where(np.arange(len(once)) % 2, 3.0, 1.0))
    rows = np.repeat(np.arange(len(once)), uneven.votes.astype(int))
    repeated = replace(once.select(rows), votes=np.ones(rows.size))
    one, other = (train(judgments, preferences=it, config=config, threads=1) for it in (uneven, repeated))
    assert one.weights.keys() == other.weights.keys()
    for name, weight in one.weights.items():
        assert other.weights[name] == pytest.approx(weight, abs=1e-7)
    assert one.training["slope"] == pytest.approx(other.training["slope"], rel=1e-6)


def test_of_many_judgments_a_part_is_searched_and_all_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    judgments = invented(1, segments=20, languages=("de",))
    steps: set[str] = set()
    monkeypatch.setattr("pfsm_training.fit.choosing.MOST_SEARCHED", len(judgments.scores) // 2)
    config = config_from_dict({"lambda": "auto"}, "x")
    monkeypatch.setattr("pfsm_training.fit.fitting.tell", lambda step, _: steps.add(step))
    model = train(judgments, config=config, threads=1)
    found = {in_part: set[float]() for in_part in (True, False)}
    for step in (step for step in steps if step.startswith("cross-validation")):
        found["a part of the data" in step].add(float(step.split("lambda ")[1].split(",")[0]))
    assert len(found[True]) >= 3 >= len(found[False]) >= 2
    assert {5.0, model.training["lambda"]} <= found[False]
    order = np.random.default_rng(0).permutation(len(judgments.scores))
    other = train(judgments.select(order), config=config, threads=1)
    assert model.training["lambda"] == other.training["lambda"]
