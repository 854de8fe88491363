"""The labeller of semantic roles: sums over sets against enumeration, files, faults, odd lines."""

import itertools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pfsm.analysis.analysers import DEFAULT_PARSER, get_analyser
from pfsm.analysis.roles import Argument, Frame
from pfsm.analysis.scoring import score_roles
from pfsm.analysis.sentence import Analysis, DependencyTree
from pfsm.analysis.wanted import Wanted
from pfsm.analysis.watched import check_analysis
from pfsm.english.analyser import OwnAnalyser
from pfsm.english.labeller.inputs import SentenceArrays, candidates_of, sentence_arrays
from pfsm.english.labeller.label import Labeller, Tagged
from pfsm.english.labeller.weights import read_role_weights, write_role_weights
from pfsm.english.parser.weights import write_weights
from pfsm.errors import PfsmError
from pfsm.metrics import get_metric
from pfsm_kernels.dense.vectors import lstm
from pfsm_kernels.roles.sets import best_set, by_end, forward, gradients, set_sums
from tests.analysis.samples import ROLE_LABELS, random_weights, role_weights

LINES = ["The cat sees the dog .", "", "x", "sees", ". . .", "dog " * 3000]


WORDS = ["She", "quickly", "saw", "the", "red", "pen"]
TAGGED = Tagged(WORDS, ["PRON", "ADV", "VERB", "DET", "ADJ", "NOUN"], ["PRP", "RB", "VBD", "DT", "JJ", "NN"])
TREE = DependencyTree((3, 3, 0, 6, 6, 3), ("nsubj", "advmod", "root", "det", "amod", "obj"))


def sentence() -> SentenceArrays:
    """She quickly saw the red pen: saw is the root."""
    return sentence_arrays(WORDS, (TAGGED.upos, TAGGED.xpos), TREE.heads, TREE.labels, None)


def test_subtrees_are_offered_and_none_holds_the_predicate() -> None:
    offered = candidates_of(sentence(), 2)
    spans = {(start, end) for start, end, _ in offered.spans.tolist()}
    assert {(0, 1), (1, 2), (3, 6), (5, 6), (0, 2)} <= spans
    assert all(not start <= 2 < end for start, end in spans)
    assert len(spans) == len(offered.spans)
    # The head word of "the red pen" is the pen.
    assert offered.heads[[span[:2] for span in offered.spans.tolist()].index([3, 6])] == 5


def test_features_do_not_depend_on_what_else_is_offered() -> None:
    ours, other = candidates_of(sentence(), 2), candidates_of(sentence(), 2)
    assert (ours.features == other.features).all()
    assert len({tuple(row) for row in ours.features.tolist()}) == len(ours.features)


def test_sums_over_sets_are_those_of_enumeration() -> None:
    random = np.random.default_rng(3)
    spans = np.array([(0, 2, 1), (1, 2, 1), (1, 3, 1), (3, 4, 1), (2, 5, 1), (4, 5, 1)], dtype=np.int64)
    scores = random.normal(size=(len(spans), 3))
    total = np.log(np.exp(scores).sum(axis=1))
    alpha, beta = np.zeros(6), np.zeros(6)
    order = by_end(spans, len(spans))
    log_sum = set_sums(spans, order, len(spans), 5, total, alpha, beta)
    weights: dict[tuple[int, ...], float] = {}
    for size in range(len(spans) + 1):
        for chosen in itertools.combinations(range(len(spans)), size):
            pairs = itertools.combinations([spans[c] for c in chosen], 2)
            if all(a[1] <= b[0] or b[1] <= a[0] for a, b in pairs):
                weights[chosen] = math.exp(sum(total[c] for c in chosen))
    assert log_sum == pytest.approx(math.log(sum(weights.values())), abs=1e-12)
    for c, (start, end, _) in enumerate(spans.tolist()):
        share = sum(weight for chosen, weight in weights.items() if c in chosen) / sum(weights.values())
        assert math.exp(alpha[start] + total[c] + beta[end] - log_sum) == pytest.approx(share, abs=1e-12)
    best = scores.max(axis=1)
    found = np.zeros(6, dtype=np.int64)
    count = best_set(spans, order, len(spans), 5, best, found)
    value = max(sum(best[c] for c in chosen) for chosen in weights)
    assert best[found[:count]].sum() == pytest.approx(value, abs=1e-12)


def test_states_are_those_of_the_equations() -> None:
    random = np.random.default_rng(5)
    given, recurrent = random.normal(size=(4, 12)), random.normal(size=(3, 12))

    def sigmoid(
        x: np.ndarray[tuple[int], np.dtype[np.float64]],
    ) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return 1 / (1 + np.exp(-x))

    for order in (range(4), range(3, -1, -1)):
        out = np.zeros((4, 3), dtype=np.float32)
        lstm(given.astype(np.float32), recurrent.astype(np.float32), order[0] == 3, out)
        state, cell = np.zeros(3), np.zeros(3)
        for t in order:
            i, f, g, o = np.split(given[t] + state @ recurrent, 4)
            cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
            state = sigmoid(o) * np.tanh(cell)
            assert out[t] == pytest.approx(state, abs=1e-5)


def test_scores_are_those_of_the_equations() -> None:
    random = np.random.default_rng(6)
    table, bias = random.normal(size=(7, 3)).astype(np.float32), random.normal(size=3).astype(np.float32)
    places = [random.normal(size=(5, 5)).astype(np.float32) for _ in range(4)]
    out_w, out_b = random.normal(size=(5, 2)).astype(np.float32), random.normal(size=2).astype(np.float32)
    rows, heads = np.array([[0, 6, -1], [-1, -1, 3]], dtype=np.int32), np.array([0, 4])
    spans, p = np.array([(0, 2, 1), (3, 5, 1)]), 2
    scores = np.zeros((2, 2), dtype=np.float32)
    forward(rows, heads, spans, p, table, bias, *places, out_w, out_b, scores)
    for c, known in enumerate(([0, 6], [3])):
        span = places[1][heads[c]] + places[2][spans[c, 0]] + places[3][spans[c, 1] - 1]
        hidden = bias + places[0][p, :3] + span[:3] + table[known].sum(axis=0)
        both = np.concatenate([np.where(hidden < 0, 0.1 * hidden, hidden), places[0][p, 3:] * span[3:]])
        assert scores[c] == pytest.approx(both @ out_w + out_b, abs=1e-4)


def test_gradients_are_those_of_differences() -> None:
    random = np.random.default_rng(7)
    # Two predicates: the second has no gold argument.
    spans = np.array([(0, 1, 1), (0, 2, 1), (2, 3, 1), (1, 3, 1), (2, 3, 1)])
    starts, n_words, gold = np.array([0, 3, 5]), np.array([3, 4]), np.array([-1, 1, 0, -1, -1])
    scores = random.normal(size=(5, 2))
    found, other = np.zeros((5, 2)), np.zeros((5, 2))
    gradients(starts, spans, n_words, gold, scores, found)
    for c, label in itertools.product(range(5), range(2)):
        step = np.zeros((5, 2))
        step[c, label] = 1e-5
        up, down = (gradients(starts, spans, n_words, gold, scores + by, other) for by in (step, -step))
        assert found[c, label] == pytest.approx((up - down) / 2e-5, abs=1e-6)


def test_numbered_role_is_given_once() -> None:
    # One label and one unit: every candidate scores the same, so that two of them would be A0.
    weights = role_weights()
    arrays = {name: np.zeros_like(array) for name, array in weights.arrays.items()}
    arrays["output_bias"] = np.array([3.0, -9.0, -9.0, -9.0], dtype=np.float32)
    flat = replace(weights, arrays=arrays)
    (frame,) = Labeller(flat, random_weights()).sentence_frames(TAGGED, TREE, sentence())
    assert [one.label for one in frame.arguments] == ["A0"]
    several = replace(flat, labels=("AM-TMP", *ROLE_LABELS[:3]))
    (frame,) = Labeller(several, random_weights()).sentence_frames(TAGGED, TREE, sentence())
    assert len(frame.arguments) > 1


def test_probabilities_are_of_sets() -> None:
    labeller = Labeller(role_weights(), random_weights())
    (frame,) = labeller.sentence_frames(TAGGED, TREE, sentence())
    assert (frame.predicate, frame.lemma) == (2, "see")
    covered = np.zeros(6)
    for one in frame.alternatives:
        covered[one.words] += one.probability
    # A word is in at most one argument, up to the digits that probabilities are rounded to.
    assert covered.max() <= 1.0 + 1e-4 * len(frame.alternatives)
    assert set(frame.arguments) <= set(frame.alternatives)
    assert frame.arguments
    taken = [word for one in frame.arguments for word in one.words]
    assert len(taken) == len(set(taken))


def test_file_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "a.roles"
    write_role_weights(role_weights(), path)
    first = path.read_bytes()
    again = read_role_weights(path)
    assert again.labels == ROLE_LABELS
    assert again.temperature == 1.25
    write_role_weights(again, path)
    assert path.read_bytes() == first
    path.write_bytes(first[:-20])
    with pytest.raises(PfsmError):
        read_role_weights(path)


@pytest.mark.parametrize("name", ["features", "output_bias", "head", "ahead.1.input", "back.0.recurrent"])
def test_arrays_that_do_not_fit_are_refused(name: str, tmp_path: Path) -> None:
    weights = role_weights()
    wrong = replace(weights, arrays={**weights.arrays, name: weights.arrays[name][:-1]})
    write_role_weights(wrong, tmp_path / "a.roles")
    with pytest.raises(PfsmError):
        read_role_weights(tmp_path / "a.roles")


def test_labeller_stands_beside_its_parser(tmp_path: Path) -> None:
    write_weights(random_weights(), tmp_path / "a.parser")
    alone = get_analyser(str(tmp_path / "a.parser"))
    assert all(one.frames is None for one in alone.analyse(["The cat sees ."], Wanted(roles=True)))
    write_role_weights(role_weights(), tmp_path / "a.roles")
    both = get_analyser(str(tmp_path / "a.parser"))
    assert isinstance(both, OwnAnalyser)
    assert both.label == alone.label
    assert both.roles_label.startswith("random@")
    for line, found in zip(LINES, both.analyse(LINES, Wanted(roles=True)), strict=True):
        check_analysis(found, line)
        assert found.frames is not None
        assert found.constituents == ()
    # Roles change nothing else, and are not made where nobody asks.
    plain = both.analyse(LINES[:3], Wanted())
    assert [one.frames for one in plain] == [None] * 3
    assert [one.trees for one in plain] == [one.trees for one in both.analyse(LINES[:3], Wanted(roles=True))]


def test_labeller_of_another_parser_is_refused(tmp_path: Path) -> None:
    write_weights(random_weights(), tmp_path / "a.parser")
    weights = role_weights()
    more_tags = np.concatenate([weights.arrays["tags"]] * 2)
    write_role_weights(replace(weights, arrays={**weights.arrays, "tags": more_tags}), tmp_path / "a.roles")
    with pytest.raises(PfsmError, match="belongs to another parser"):
        get_analyser(str(tmp_path / "a.parser"))


def test_scores_by_hand() -> None:
    words, verbs = ("She", "saw", "it", "run"), ("PRON", "VERB", "PRON", "NOUN")
    gold = Analysis(
        words, (0,), verbs, frames=(
            Frame(1, "see", (Argument("A0", ((0, 1),)), Argument("A1", ((2, 4),)))),
            # No verb: it does not count.
            Frame(3, "run", (Argument("A0", ((2, 3),)),)),
        ),
    )  # fmt: skip
    system = replace(
        gold, frames=(
            Frame(1, "see", (Argument("A0", ((0, 1),), 0.9), Argument("A1", ((2, 3),), 0.6)),
                  alternatives=(Argument("A0", ((0, 1),), 0.9), Argument("A1", ((2, 3),), 0.6))),
            Frame(3, "run", (Argument("A0", ((2, 3),)),)),
        ),
    )  # fmt: skip
    found = score_roles([(system, gold)])
    assert (found.arguments.correct, found.arguments.system, found.arguments.gold) == (1, 2, 2)
    assert (found.by_role["A0"].f1, found.by_role["A1"].f1) == (100.0, 0.0)
    assert (found.predicates.correct, found.predicates.gold) == (1, 1)
    assert found.calibration is not None
    assert found.calibration.accuracy[[6, 9]].tolist() == [0.0, 1.0]
    everything = score_roles([(system, gold)], of=None)
    assert (everything.arguments.correct, everything.arguments.gold) == (2, 3)


def test_labeller_that_ships_knows_who_did_what() -> None:
    analyser = get_analyser(DEFAULT_PARSER)
    lines = ["The cat chased the dog yesterday.", "The dog was chased by the cat.", ""]
    active, passive, empty = analyser.analyse(lines, Wanted(roles=True))

    def roles(analysis: Analysis) -> dict[str, str]:
        (frame,) = analysis.frames or ()
        assert frame.lemma == "chase"
        return {one.label: " ".join(analysis.tokens[word] for word in one.words) for one in frame.arguments}

    assert roles(active) == {"A0": "The cat", "A1": "the dog", "AM-TMP": "yesterday"}
    assert roles(passive) == {"A0": "by the cat", "A1": "The dog"}
    assert empty.frames == ()


def test_swapped_roles_cost() -> None:
    names = ("sr-or-*", "sr-or-*(expected=true)")
    for name in names:
        metric = get_metric(name)
        same, swapped = metric.score_pairs(
            ["The cat chased the dog.", "The dog chased the cat."], ["The cat chased the dog."] * 2
        )
        assert same == pytest.approx(1.0)
        # Only the articles are where they were.
        assert swapped < 0.5
