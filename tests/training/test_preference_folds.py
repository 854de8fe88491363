"""Folds of preferences, and what their votes weigh in the objective, against rules told by hand."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm.data import Judgments, Preferences
from pfsm.model.settings import Settings
from pfsm_training import TrainingConfig, train
from pfsm_training.data.training_set import encode_here
from pfsm_training.data.training_text import TrainingText
from pfsm_training.fit.crossval import NEVER_HELD_OUT, make_folds
from tests.training.small_data import invented

Rows = NDArray[np.int64]


def preferences_of(judgments: Judgments, votes: float = 1.0) -> Preferences:
    """Of every segment the best translation against each of the others."""
    rows: list[tuple[str, str, str]] = []
    by_reference = defaultdict(list)
    for reference, hypothesis, score in zip(
        judgments.references, judgments.hypotheses, judgments.scores, strict=True
    ):
        by_reference[reference].append((score, hypothesis))
    for reference, found in by_reference.items():
        (_, best), *others = sorted(found, reverse=True)
        rows += [(reference, best, other) for _, other in others]
    references, better, worse = (tuple(column) for column in zip(*rows, strict=True))
    return Preferences(references, better, worse, np.full(len(rows), votes), {}, ())


def test_preferences_are_folded_by_reference_not_by_what_is_better() -> None:
    """Every translation is of two segments, and every segment has two preferences."""
    references = tuple(f"segment {number // 2}" for number in range(40))
    better = tuple(f"translation {(number + 1) // 2 % 20}" for number in range(40))
    preferences = Preferences(references, better, ("x",) * 40, np.ones(40), {}, ())
    member = make_folds(None, preferences).preference_member
    folds_of_reference, folds_of_better = defaultdict(set), defaultdict(set)
    for reference, text, fold in zip(references, better, member.tolist(), strict=True):
        folds_of_reference[reference].add(fold)
        folds_of_better[text].add(fold)
    assert all(len(folds) == 1 for folds in folds_of_reference.values())
    assert any(len(folds) == 2 for folds in folds_of_better.values())


def test_a_preference_is_held_out_with_the_judgments_of_its_reference() -> None:
    judgments = invented(2, segments=23)
    preferences = preferences_of(judgments)
    some = judgments.select(np.flatnonzero(np.arange(len(judgments)) >= 9))  # without three segments
    folds = make_folds(some, preferences)
    fold_of = dict(zip(some.references, folds.member.tolist(), strict=True))
    wanted = [fold_of.get(reference, NEVER_HELD_OUT) for reference in preferences.references]
    assert folds.preference_member.tolist() == wanted
    assert wanted.count(NEVER_HELD_OUT) == 6


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


def test_a_segment_with_two_references_is_one_segment() -> None:
    """Half of its rows have another reference: the column segment_id holds them together."""
    judgments = invented(4, segments=23, systems=4)
    references = tuple(
        f"{reference} again" if number % 2 else reference
        for number, reference in enumerate(judgments.references)
    )
    both = replace(judgments, references=references)
    folds_of, folds_without = defaultdict(set), defaultdict(set)
    without = make_folds(replace(both, columns={}))
    for segment, fold, other in zip(
        both.columns["segment_id"], make_folds(both).member.tolist(), without.member.tolist(), strict=True
    ):
        folds_of[segment].add(fold)
        folds_without[segment].add(other)
    assert all(len(folds) == 1 for folds in folds_of.values())
    assert any(len(folds) == 2 for folds in folds_without.values())


def test_three_votes_weigh_as_much_as_three_rows() -> None:
    """The mixture shares the objective between scores and votes, however the votes lie in rows."""
    judgments, config = invented(5, segments=12), TrainingConfig(penalty=2.0, mixture=0.4)
    once = preferences_of(judgments)
    uneven = replace(once, votes=np.where(np.arange(len(once)) % 2, 3.0, 1.0))
    rows = np.repeat(np.arange(len(once)), uneven.votes.astype(int))
    repeated = replace(once.select(rows), votes=np.ones(rows.size))
    one, other = (
        train(judgments, preferences=given, config=config, threads=1) for given in (uneven, repeated)
    )
    assert one.weights.keys() == other.weights.keys()
    for name, weight in one.weights.items():
        assert other.weights[name] == pytest.approx(weight, abs=1e-7)
    assert one.training["slope"] == pytest.approx(other.training["slope"], rel=1e-6)


def test_only_the_shares_of_votes_count() -> None:
    """Twice the votes of every row is the same objective: the mixture weighs their mean."""
    judgments, config = invented(6, segments=12), TrainingConfig(penalty=2.0, mixture=0.4)
    one, two = (
        train(judgments, preferences=preferences_of(judgments, votes), config=config, threads=1)
        for votes in (1.0, 2.0)
    )
    for name, weight in one.weights.items():
        assert two.weights[name] == pytest.approx(weight, abs=1e-7)
