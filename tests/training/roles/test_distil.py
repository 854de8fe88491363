"""Learning from the averages of several networks: targets, losses and their derivatives, sentences of a pass."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from pfsm.analysis.sentence import Analysis
from pfsm_training.roles.lesson import Lesson, RolePlan, lesson_of
from pfsm_training.roles.network import RoleNetwork
from pfsm_training.roles.train import derivatives, teach, train_labeller
from tests.training.roles.test_roles_training import PARSER, SIZES, nominal_sentences, sentences

PLAN = RolePlan(
    passes=2,
    passes_after=3,
    words=12,
    features=60,
    features_of_nouns=10,
    features_of_teachers=30,
    least=2,
    least_noun=1,
    sizes=SIZES,
)


def bare(analyses: list[Analysis]) -> list[Analysis]:
    return [replace(one, frames=None) for one in analyses]


def lesson() -> Lesson:
    gold = [*sentences(), *nominal_sentences()]
    samples = [(one, one) for one in gold]
    return lesson_of(PLAN, (samples, samples), bare(sentences()[:3]), PARSER)


def network(lesson: Lesson, seed: int) -> RoleNetwork:
    torch.manual_seed(seed)
    vectors = torch.from_numpy(PARSER.arrays["vectors"])
    return RoleNetwork(SIZES, vectors, lesson.counts(PARSER, lesson.keys.size)).eval()


def test_target_is_a_mixture_of_gold_standard_and_teachers() -> None:
    one, both = lesson(), lesson()
    first, second = network(one, 1), network(one, 2)
    alone = []
    for teacher in (first, second):
        own = lesson()
        teach(own, [teacher], replace(PLAN, soft_targets=1.0))
        alone.append([each.target for each in own.gold if each is not None])
    teach(both, [first, second], replace(PLAN, soft_targets=0.25))
    known = [each for each in both.gold if each is not None]
    assert len(known) == 14
    for sentence, a, b in zip(known, alone[0], alone[1], strict=True):
        assert sentence.target is not None
        assert a is not None
        assert b is not None
        right = np.zeros(sentence.target.shape)
        places = np.flatnonzero(sentence.gold >= 0)
        right[places, sentence.gold[places]] = 1.0
        expected = 0.75 * right + 0.125 * (a.astype(np.float64) + b.astype(np.float64))
        assert sentence.target == pytest.approx(expected, abs=2e-3)
        assert ((sentence.are_predicates > 0) & (sentence.are_predicates < 1)).all()
    # Nothing is known of the others but what the teachers say.
    assert len(both.unlabelled) == 3
    for sentence in both.unlabelled:
        assert sentence.target is not None
        assert 0 < sentence.target.max() < 1


def test_derivatives_with_targets_are_those_of_differences() -> None:
    own = lesson()
    teach(own, [network(own, 3)], PLAN)
    group = [one for one in own.gold if one is not None][:2]
    n = sum(len(one.gold) for one in group)
    scores = torch.from_numpy(np.random.default_rng(8).normal(size=(n, len(own.labels) + len(own.of_nouns))))
    _, found = derivatives(group, scores, len(own.labels))
    for place in ((0, 0), (n - 1, 1), (n // 2, 0)):
        step = torch.zeros_like(scores)
        step[place] = 1e-5
        up, down = (derivatives(group, scores + by, len(own.labels))[0] for by in (step, -step))
        assert found[place] == pytest.approx((up - down) / 2e-5, abs=1e-6)


def test_sentences_without_gold_standard_are_read_once_they_have_targets() -> None:
    own = lesson()
    random = np.random.default_rng(1)
    assert len(own.drawn(0.5, 1.0, random)) == 14
    teach(own, [network(own, 3)], PLAN)
    assert len(own.drawn(0.5, 1.0, random)) == 17
    assert len(own.drawn(0.5, 0.0, random)) == 14


def test_labeller_has_only_its_own_features() -> None:
    gold = sentences()
    samples = [(one, one) for one in gold]
    reports: list[str] = []
    weights = train_labeller(PLAN, "small", (samples, samples), PARSER, reports.append, bare(gold))
    # No noun is a predicate, so that verbs have what is left for them; the other features are the teachers'.
    assert weights.keys.size == len(weights.arrays["features"]) == 70
    # Two teachers and the labeller.
    assert len(reports) == 1 + 2 * 2 + 3
    again = train_labeller(PLAN, "small", (samples, samples), PARSER, reports.append, bare(gold))
    assert all((weights.arrays[name] == again.arrays[name]).all() for name in weights.arrays)
