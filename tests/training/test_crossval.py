"""Cross-validation: what is held out together, honest predictions, and the choice of lambda."""

import math
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm.data import Judgments
from pfsm.evaluation import pearson
from pfsm.metric import Metric
from pfsm_training import TrainingConfig, train
from pfsm_training.crossval import PENALTIES, CrossValidation, choose_penalty, cross_validate, make_folds
from tests.training.small_data import invented

Rows = NDArray[np.int64]
LANGUAGES = ("cs", "de", "fi")


def parts_of(judgments: Judgments) -> dict[str, set[str]]:
    """References of each fold."""
    folds = make_folds(judgments)
    parts = defaultdict(set)
    for fold, reference in zip(folds.member.tolist(), judgments.references, strict=True):
        parts[folds.names[fold]].add(reference)
    return dict(parts)


def test_folds_are_source_languages_where_there_are_several() -> None:
    judgments = invented(0, languages=LANGUAGES)
    folds = make_folds(judgments)
    assert (folds.by, folds.names) == ("source_lang", LANGUAGES)
    assert [folds.names[fold] for fold in folds.member] == list(judgments.columns["source_lang"])


@pytest.mark.parametrize("languages", [(), ("de",), tuple(f"language {k}" for k in range(11))])
def test_folds_are_by_segment_for_one_language_or_very_many(languages: tuple[str, ...]) -> None:
    folds = make_folds(invented(1, languages=languages))
    assert (folds.by, len(folds.names)) == ("segment", 5)
    assert (np.bincount(folds.member) == 18).all()


@pytest.mark.parametrize("column", ["segment_id", "reference"])
def test_all_translations_of_a_segment_are_held_out_together(column: str) -> None:
    judgments = invented(2, segments=23, systems=4)
    if column == "reference":
        judgments = replace(judgments, columns={})
    keys = judgments.references if column == "reference" else judgments.columns["segment_id"]
    folds_of = defaultdict(set)
    for key, fold in zip(keys, make_folds(judgments).member.tolist(), strict=True):
        folds_of[key].add(fold)
    assert len(folds_of) == 23
    assert all(len(folds) == 1 for folds in folds_of.values())


def test_segment_ids_that_are_missing_somewhere_are_not_used() -> None:
    judgments = invented(3)
    ids = ["", *judgments.columns["segment_id"][1:]]
    some = replace(judgments, columns={"segment_id": tuple(ids)})
    assert parts_of(some) == parts_of(replace(judgments, columns={}))


def test_the_division_does_not_depend_on_the_order_or_on_other_segments_translations() -> None:
    judgments = invented(4)
    rows = np.random.default_rng(0).permutation(len(judgments))
    assert parts_of(judgments.select(rows)) == parts_of(judgments)
    assert parts_of(judgments.select(rows[rows % 3 == 0])) == parts_of(judgments)


def test_rows_are_trained_on_or_tested_on() -> None:
    folds = make_folds(invented(5))
    for fold in range(len(folds.names)):
        train_rows, test_rows = folds.rows(fold)
        assert sorted([*train_rows, *test_rows]) == list(range(90))
        assert (folds.member[test_rows] == fold).all()
        assert (folds.member[train_rows] != fold).all()


def test_few_segments_make_few_folds() -> None:
    judgments = invented(6, segments=3)
    assert make_folds(judgments).names == ("fold 1", "fold 2", "fold 3")
    assert make_folds(judgments.select(np.arange(3))).names == ("fold 1",)


@pytest.mark.parametrize("languages", [LANGUAGES, ()])
def test_the_correlation_of_a_fold_is_that_of_a_model_trained_on_the_others(
    languages: tuple[str, ...],
) -> None:
    judgments = invented(7, languages=languages).sorted()
    folds = make_folds(judgments)
    found = train(judgments, threads=1).training["cross_validated"]
    assert (found["by"], tuple(found["folds"])) == (folds.by, folds.names)
    for fold, name in enumerate(folds.names):
        others, held_out = (judgments.select(rows) for rows in folds.rows(fold))
        metric = Metric(train(others, threads=1), threads=1)
        r = pearson(metric.score_pairs(held_out.hypotheses, held_out.references), held_out.scores)
        assert found["folds"][name] == pytest.approx(r, abs=1e-9)
    assert found["pearson"] == pytest.approx(np.mean(list(found["folds"].values())))


def test_lambda_auto_takes_the_best_of_those_tried() -> None:
    judgments = invented(8, languages=LANGUAGES)
    model = train(judgments, config=TrainingConfig(penalty="auto"), threads=1)
    tried = model.training["lambda_tried"]
    assert [float(penalty) for penalty in tried] == list(PENALTIES)
    best = max(PENALTIES, key=lambda penalty: tried[f"{penalty:g}"])
    assert (model.training["lambda"], model.training["lambda_choice"]) == (best, "by cross-validation")
    # A choice among equals would prove nothing.
    assert len(set(tried.values())) == len(PENALTIES)
    for penalty in (best, PENALTIES[0], PENALTIES[-1]):
        given = train(judgments, config=TrainingConfig(penalty=penalty), threads=1)
        assert given.training["cross_validated"]["pearson"] == tried[f"{penalty:g}"]
        assert (given.weights == model.weights) == (penalty == best)


def tried(penalty: float, *pearsons: float) -> CrossValidation:
    return CrossValidation("segment", penalty, {str(k): r for k, r in enumerate(pearsons)})


def test_the_choice_goes_by_the_mean_and_then_by_size() -> None:
    assert choose_penalty([tried(1, 0.9, 0.1), tried(2, 0.5, 0.6), tried(3, 0.3, 0.4)]).penalty == 2
    assert choose_penalty([tried(1, 0.5), tried(7, 0.5), tried(3, 0.5), tried(9, 0.4)]).penalty == 7
    assert choose_penalty([tried(1), tried(2, -0.5), tried(3)]).penalty == 2
    assert choose_penalty([tried(4)]).penalty == 4


def test_a_fold_where_nothing_is_defined_is_left_out() -> None:
    judgments = invented(9, segments=10)
    folds = make_folds(judgments)
    scores = judgments.scores.copy()
    scores[folds.rows(2)[1]] = 3.0

    def predict(train_rows: Rows, test_rows: Rows, penalty: float) -> NDArray[np.float64] | None:
        return None if test_rows[0] in folds.rows(0)[1] else scores[test_rows] * penalty

    result = cross_validate(predict, scores, folds, 2.0)
    assert list(result.pearson) == ["fold 2", "fold 4", "fold 5"]
    assert result.mean == pytest.approx(1.0)
    assert math.isnan(cross_validate(lambda *_: None, scores, folds, 2.0).mean)
