"""Training of the labeller: its network against the one that labels, a lesson that can be learned, folds."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch

from pfsm.analysis.roles import Argument, Frame
from pfsm.analysis.sentence import Analysis, DependencyTree
from pfsm.english.labeller.inputs import Numbers, candidates_of, states_of
from pfsm.english.labeller.label import Labeller
from pfsm.english.labeller.nominals import noun_keys, noun_log_odds
from pfsm.english.labeller.weights import RoleWeights
from pfsm.english.parser.network import normal_form
from pfsm_training.roles.export import exported_arrays, exported_nouns, logistic_fit, tuned
from pfsm_training.roles.jackknife import fold_of
from pfsm_training.roles.lesson import RolePlan
from pfsm_training.roles.network import RoleNetwork, RoleSizes
from pfsm_training.roles.samples import (
    arrays_of,
    batch_of,
    keep_features,
    keep_noun_features,
    known_labels,
    sentence_of,
)
from pfsm_training.roles.train import train_labeller
from tests.analysis.samples import random_weights

PARSER = random_weights()
SIZES = RoleSizes(tag=3, relation=3, state=4, hidden=8, pairs=4)


def sentences() -> list[Analysis]:
    """Subjects are A0 and objects A1 of "sees"; the length differs."""
    found = []
    for subject, thing in (("cat", "dog"), ("dog", "cat"), ("dog", "dog"), ("cat", "cat")):
        words = ("the", subject, "sees", "the", thing, ".")
        frame = Frame(2, "see", (Argument("A0", ((0, 2),)), Argument("A1", ((3, 5),))))
        tree = DependencyTree((2, 3, 0, 5, 3, 3), ("det", "nsubj", "root", "det", "obj", "punct"))
        upos, xpos = ("DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT"), ("DT", "NN", "VBZ", "DT", "NN", ".")
        found.append(Analysis(words, (0,), upos, xpos, (tree,), frames=(frame,)))
        short = DependencyTree((2, 0), ("nsubj", "root"))
        frame = Frame(1, "see", (Argument("A0", ((0, 1),)),))
        found.append(
            Analysis((thing, "sees"), (0,), ("NOUN", "VERB"), ("NN", "VBZ"), (short,), frames=(frame,))
        )
    return found


def test_network_is_the_twin_of_the_labeller() -> None:
    numbers = Numbers(PARSER)
    prepared = [sentence_of((one, one), ("A0", "A1"), numbers) for one in sentences()[:2]]
    known = [one for one in prepared if one is not None]
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
    gold = sentences()
    plan = RolePlan(
        teachers=0, passes=25, words=12, features=200, rate=0.04, least=2, sizes=replace(SIZES, dropout=0.0)
    )
    samples = [(one, one) for one in gold]
    reports: list[str] = []
    weights = train_labeller(plan, "small", (samples, samples), PARSER, reports.append)
    assert weights.labels == ("A0", "A1")
    assert len(reports) == 26
    weights = tuned(weights, samples, PARSER)
    labeller = Labeller(weights, PARSER)
    for right in gold:
        found = labeller.labelled(right, given=True)
        assert [(one.label, one.spans) for frame in found.frames or () for one in frame.arguments] == [
            (one.label, one.spans) for frame in right.frames or () for one in frame.arguments
        ]


def nominal_sentences() -> list[Analysis]:
    """Love is a predicate whose A1 is what follows; a dog is none."""
    found = []
    for word, frames in (("love", (Frame(1, "love", (Argument("A1", ((2, 4),)),)),)), ("dog", ())):
        for other in ("cat", "dog", "rain"):
            tree = DependencyTree((2, 0, 4, 2), ("det", "root", "case", "nmod"))
            tags = ("DET", "NOUN", "ADP", "NOUN"), ("DT", "NN", "IN", "NN")
            found.append(Analysis(("the", word, "of", other), (0,), *tags, (tree,), frames=frames))
    return found


def test_nouns_that_are_predicates_are_learned() -> None:
    gold = nominal_sentences()
    plan = RolePlan(
        teachers=0,
        passes=40,
        words=12,
        features=200,
        rate=0.04,
        least=2,
        least_noun=1,
        sizes=replace(SIZES, dropout=0.0),
    )
    samples = [(one, one) for one in gold]
    weights = tuned(train_labeller(plan, "small", (samples, samples), PARSER, print), samples, PARSER)
    labeller = Labeller(weights, PARSER)
    for right in gold:
        found = labeller.labelled(right, given=True, nominal=True).frames or ()
        likely = [one for one in found if one.is_likely]
        assert [(one.predicate, [(each.label, each.spans) for each in one.arguments]) for one in likely] == [
            (one.predicate, [(each.label, each.spans) for each in one.arguments])
            for one in right.frames or ()
        ]
        assert labeller.labelled(right, given=True).frames == ()


def test_words_that_a_parser_takes_for_nouns_are_predicates_where_the_gold_standard_says_so() -> None:
    gold = sentences()[0]
    parsed = replace(gold, upos=("DET", "NOUN", "NOUN", "DET", "NOUN", "PUNCT"))
    found = sentence_of((parsed, gold), ("A0", "A1"), Numbers(PARSER))
    assert found is not None
    assert found.predicates == [2]
    assert found.nouns.tolist() == [1, 2, 4]
    assert found.are_predicates.tolist() == [0, 1, 0]
    assert sorted(found.gold[found.gold >= 0].tolist()) == [0, 1]


def test_labels_of_nouns_alone_are_none_of_verbs() -> None:
    verb = sentences()[0]
    assert verb.frames is not None
    verb = replace(verb, frames=(replace(verb.frames[0], arguments=(Argument("A9", ((0, 2),)),)),))
    noun = replace(verb, upos=("DET", "NOUN", "NOUN", "DET", "NOUN", "PUNCT"))
    for gold, labels in ((verb, []), (noun, [2])):
        found = sentence_of((gold, gold), ("A0", "A1"), Numbers(PARSER), ("A9",))
        assert found is not None
        assert found.gold[found.gold >= 0].tolist() == labels


def test_features_of_verbs_come_before_those_of_nouns() -> None:
    gold = [*sentences(), *nominal_sentences()]
    prepared = [sentence_of((one, one), ("A0", "A1"), Numbers(PARSER)) for one in gold]
    known = [one for one in prepared if one is not None]
    before = [one.rows.copy() for one in known]
    verbs = np.concatenate([rows[~one.of_nouns].ravel() for one, rows in zip(known, before, strict=True)])
    nouns = np.concatenate([rows[one.of_nouns].ravel() for one, rows in zip(known, before, strict=True)])
    keys = keep_features(known, (50, 20, 0))
    assert np.unique(keys).size == keys.size == 70
    assert np.isin(keys[:50], verbs).all()
    assert np.isin(keys[50:], nouns).all()
    for one, rows in zip(known, before, strict=True):
        assert (keys[one.rows[one.rows >= 0]] == rows[np.isin(rows, keys)]).all()


def test_features_of_few_nouns_are_left_out() -> None:
    prepared = [sentence_of((one, one), ("A1",), Numbers(PARSER)) for one in nominal_sentences()]
    known = [one for one in prepared if one is not None]
    before = [one.noun_rows.copy() for one in known]
    keys = keep_noun_features(known, 6)
    counts = Counter(key for rows in before for key in rows[rows >= 0].tolist())
    assert keys.tolist() == sorted(key for key, count in counts.items() if count >= 6)
    for one, rows in zip(known, before, strict=True):
        assert (one.noun_rows >= 0).tolist() == np.isin(rows, keys).tolist()
        assert (keys[one.noun_rows[one.noun_rows >= 0]] == rows[np.isin(rows, keys)]).all()


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


def test_training_is_repeatable() -> None:
    samples = [(one, one) for one in sentences()]
    plan = RolePlan(teachers=0, passes=2, words=12, features=200, least=2, sizes=SIZES)
    first, second = (train_labeller(plan, "a", (samples, samples), PARSER, print) for _ in range(2))
    assert all((first.arrays[name] == second.arrays[name]).all() for name in first.arrays)
    # What is computed afterwards has subnormal numbers again.
    assert np.finfo(np.float64).tiny / np.float64(4.0) > 0.0


def test_rare_labels_and_predicates_that_are_neither_verbs_nor_nouns_are_left_out() -> None:
    gold = sentences()[:2]
    odd = replace(gold[0], upos=("DET", "NOUN", "ADJ", "DET", "NOUN", "PUNCT"))
    assert known_labels([(one, one) for one in gold], 2) == ("A0",)
    assert known_labels([(odd, odd)], 1) == ()


def test_words_without_vectors_and_unknown_tags_have_number_0() -> None:
    tree = DependencyTree((0, 1), ("root", "odd"))
    found = Numbers(PARSER).of(["The", "zebra"], ["DT", "XX"], tree)
    assert found.tolist() == [[1, 0, 1, 1], [0, 1, 0, 0]]
    assert normal_form("The") == "the"


def test_sentences_of_a_document_share_a_fold() -> None:
    assert fold_of(["a-1", "a-2", "b-1", "c-1", "c-2"], 2) == [0, 0, 1, 0, 0]
