"""Training of the labeller: its network against the one that labels, a lesson to be learned, teachers, folds."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from pfsm_linguistics.analysis.roles import Argument, Frame
from pfsm_linguistics.analysis.sentence import Analysis
from pfsm_linguistics.labeller.inputs import Numbers, candidates_of, states_of
from pfsm_linguistics.labeller.label import Labeller, noun_keys, noun_log_odds
from pfsm_linguistics.labeller.weights import RoleWeights
from pfsm_linguistics.training.roles.export import exported_arrays, exported_nouns, logistic_fit, tuned
from pfsm_linguistics.training.roles.lesson import Lesson, RolePlan, lesson_of
from pfsm_linguistics.training.roles.network import RoleNetwork, RoleSizes
from pfsm_linguistics.training.roles.samples import (
    arrays_of,
    batch_of,
    keep_features,
    keep_noun_features,
    sentence_of,
)
from pfsm_linguistics.training.roles.train import derivatives, teach, train_labeller
from tests.linguistics.analysis.samples import analysed, random_weights

PARSER = random_weights()
SIZES = RoleSizes(tag=3, relation=3, state=4, hidden=8, pairs=4)


PLAN = RolePlan(
    passes=2, passes_after=3, words=12, features=60, features_of_nouns=10, features_of_teachers=30, least=2,
    least_noun=1,
    sizes=SIZES,
)  # fmt: skip


def frame(predicate: int, lemma: str, **spans: tuple[int, int]) -> Frame:
    return Frame(predicate, lemma, tuple(Argument(label, (span,)) for label, span in spans.items()))


def sentences() -> list[Analysis]:
    """Subjects are A0 and objects A1 of "sees"; the length differs."""
    found = []
    for subject, thing in (("cat", "dog"), ("dog", "cat"), ("dog", "dog"), ("cat", "cat")):
        whole = analysed(
            f"the DET DT 2 det;{subject} NOUN NN 3 nsubj;sees VERB VBZ 0 root;the DET DT 5 det;{thing} NOUN NN 3 obj;"
            ". PUNCT . 3 punct"
        )
        found.append(replace(whole, frames=(frame(2, "see", A0=(0, 2), A1=(3, 5)),)))
        short = analysed(f"{thing} NOUN NN 2 nsubj;sees VERB VBZ 0 root")
        found.append(replace(short, frames=(frame(1, "see", A0=(0, 1)),)))
    return found


def nominal_sentences() -> list[Analysis]:
    """Love is a predicate whose A1 is what follows; a dog is none."""
    return [
        replace(
            analysed(f"the DET DT 2 det;{word} NOUN NN 0 root;of ADP IN 4 case;{other} NOUN NN 2 nmod"),
            frames=(frame(1, "love", A1=(2, 4)),) if word == "love" else (),
        )
        for word in ("love", "dog")
        for other in ("cat", "dog", "rain")
    ]


@cache
def prepared() -> Lesson:
    samples = [(one, one) for one in (*sentences(), *nominal_sentences())]
    bare = [replace(one, frames=None) for one in sentences()[:3]]
    return lesson_of(PLAN, (samples, samples), bare, PARSER)


def lesson() -> Lesson:
    """One that nobody has taught."""
    return deepcopy(prepared())


def network(lesson: Lesson, seed: int) -> RoleNetwork:
    torch.manual_seed(seed)
    vectors = torch.from_numpy(PARSER.arrays["vectors"])
    return RoleNetwork(SIZES, vectors, lesson.counts(PARSER, lesson.keys.size)).eval()


def test_network_is_the_twin_of_the_labeller() -> None:
    numbers = Numbers(PARSER)
    read = [sentence_of((one, one), ("A0", "A1"), numbers) for one in sentences()[:2]]
    known = [one for one in read if one is not None]
    keys = keep_features(known, (30, 0, 0))
    torch.manual_seed(3)
    vectors = torch.from_numpy(PARSER.arrays["vectors"])
    noun_keys_ = keep_noun_features(known, 1)
    network = RoleNetwork(SIZES, vectors, (4, 4, keys.size, noun_keys_.size, 2)).eval()
    torch.nn.init.normal_(network.noun_features.weight[:-1])
    with torch.no_grad():
        scores, odds = (found.numpy() for found in network(batch_of(known, keys.size, noun_keys_.size)))
    arrays = exported_arrays(network)
    weights = RoleWeights("twin", "none", {}, ("A0", "A1"), 1.0, 0.5, keys, arrays)
    labeller = Labeller(weights, PARSER)
    first = 0
    for one, analysis in zip(known, sentences()[:2], strict=True):
        states = states_of(one.words, PARSER.arrays["vectors"], arrays)
        projected = [states @ arrays[name] for name in ("predicate", "head", "first", "last")]
        # The labeller finds the rows of features itself.
        (word,) = one.predicates
        offered = candidates_of(arrays_of(analysis, given=True), word)
        decoded = labeller.decode(offered, word, projected)
        # Odds of two labels of one span depend on their scores alone.
        own = scores[first : first + len(one.spans)].astype(np.float64)
        ratio = np.log(decoded.probability[:, 0] / decoded.probability[:, 1])
        assert ratio == pytest.approx(own[:, 0] - own[:, 1], abs=1e-4)
        first += len(one.spans)
    nominal, places = exported_nouns(network, noun_keys_, (), 999), iter(odds)
    for one, analysis in zip(known, sentences()[:2], strict=True):
        states = states_of(one.words, PARSER.arrays["vectors"], arrays)
        nouns = one.nouns.tolist()
        own_keys = noun_keys(analysis.tokens, analysis.xpos, analysis.trees[0], nouns)
        found = noun_log_odds(nominal, own_keys, states[nouns])
        # Weights of features are rounded to 255 levels.
        assert found == pytest.approx([next(places) for _ in nouns], abs=0.3)
        assert np.ptp(odds) > 1


def test_lesson_is_learned() -> None:
    gold = [*sentences(), *nominal_sentences()]
    plan = RolePlan(
        teachers=0, passes=40, words=24, features=200, rate=0.04, least=2, least_noun=1,
        sizes=replace(SIZES, dropout=0.0),
    )  # fmt: skip
    samples = [(one, one) for one in gold]
    reports: list[str] = []
    weights = train_labeller(plan, "small", (samples, samples), PARSER, reports.append)
    assert (weights.labels, len(reports)) == (("A0", "A1"), 41)
    # What is computed afterwards has subnormal numbers again.
    assert np.finfo(np.float64).tiny / np.float64(4.0) > 0.0
    labeller = Labeller(tuned(weights, samples, PARSER), PARSER)

    def arguments(frames: Sequence[Frame] | None) -> list[tuple[int, list[tuple[str, object]]]]:
        likely = [one for one in frames or () if one.is_likely]
        return [(one.predicate, [(each.label, each.spans) for each in one.arguments]) for one in likely]

    for right in gold:
        assert arguments(labeller.labelled(right, given=True, nominal=True).frames) == arguments(right.frames)
        verbs = [one for one in right.frames or () if right.upos[one.predicate] == "VERB"]
        assert arguments(labeller.labelled(right, given=True).frames) == arguments(verbs)


def test_log_odds_are_fitted() -> None:
    random = np.random.default_rng(2)
    odds = random.normal(size=20_000) * 2
    right = (random.random(odds.size) < 1 / (1 + np.exp(-(0.5 * odds - 1)))).astype(np.float64)
    assert logistic_fit(odds, right) == pytest.approx((0.5, -1.0), abs=0.06)
    # What can be told apart without fault stays finite; a single right answer tells nothing.
    scale, shift = logistic_fit(np.array([-1.0, -2.0, 1.0, 2.0]), np.array([0.0, 0.0, 1.0, 1.0]))
    assert 1.0 < scale < 100.0
    assert abs(shift) < 1.0
    assert logistic_fit(np.array([1.0, 2.0]), np.array([1.0, 0.0])) == (1.0, 0.0)


def test_target_is_a_mixture_of_gold_standard_and_teachers() -> None:
    both = lesson()
    first, second = network(both, 1), network(both, 2)
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
