"""Training of the labeller: its network against the one that labels, a lesson that can be learned, folds."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from pfsm.analysis.labeller.encoder import Numbers, states_of
from pfsm.analysis.labeller.inputs import candidates_of
from pfsm.analysis.labeller.label import Labeller
from pfsm.analysis.labeller.weights import RoleWeights
from pfsm.analysis.parser.features import normal_form
from pfsm.analysis.roles import Argument, Frame
from pfsm.analysis.sentence import Analysis, DependencyTree
from pfsm_training.roles.jackknife import fold_of
from pfsm_training.roles.network import RoleNetwork, RoleSizes
from pfsm_training.roles.samples import arrays_of, batch_of, keep_features, known_labels, sentence_of
from pfsm_training.roles.train import RolePlan, exported_arrays, train_labeller, tuned
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
    keys = keep_features(known, 30)
    torch.manual_seed(3)
    vectors = torch.from_numpy(PARSER.arrays["vectors"])
    network = RoleNetwork(SIZES, vectors, (4, 4, keys.size, 2)).eval()
    with torch.no_grad():
        scores = network(batch_of(known, keys.size)).numpy()
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


def test_lesson_is_learned() -> None:
    gold = sentences()
    plan = RolePlan(passes=25, words=12, features=200, rate=0.04, least=2, sizes=replace(SIZES, dropout=0.0))
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


def test_training_is_repeatable() -> None:
    samples = [(one, one) for one in sentences()]
    plan = RolePlan(passes=2, words=12, features=200, least=2, sizes=SIZES)
    first, second = (train_labeller(plan, "a", (samples, samples), PARSER, print) for _ in range(2))
    assert all((first.arrays[name] == second.arrays[name]).all() for name in first.arrays)
    # What is computed afterwards has subnormal numbers again.
    assert np.finfo(np.float64).tiny / np.float64(4.0) > 0.0


def test_rare_labels_and_predicates_that_are_no_verbs_are_left_out() -> None:
    gold = sentences()[:2]
    odd = replace(gold[0], upos=("DET", "NOUN", "NOUN", "DET", "NOUN", "PUNCT"))
    assert known_labels([(one, one) for one in gold], 2) == ("A0",)
    assert known_labels([(odd, odd)], 1) == ()


def test_words_without_vectors_and_unknown_tags_have_number_0() -> None:
    tree = DependencyTree((0, 1), ("root", "odd"))
    found = Numbers(PARSER).of(["The", "zebra"], ["DT", "XX"], tree)
    assert found.tolist() == [[1, 0, 1, 1], [0, 1, 0, 0]]
    assert normal_form("The") == "the"


def test_sentences_of_a_document_share_a_fold() -> None:
    assert fold_of(["a-1", "a-2", "b-1", "c-1", "c-2"], 2) == [0, 0, 1, 0, 0]
