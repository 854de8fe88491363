"""The labeller of semantic roles: sums over sets against enumeration, nouns, files, faults, odd lines."""

import itertools
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm.errors import PfsmError
from pfsm_kernels.dense.vectors import lstm
from pfsm_linguistics.analysers.own import OwnAnalyser
from pfsm_linguistics.analysers.registry import DEFAULT_PARSER, check_analysis, get_analyser
from pfsm_linguistics.analysis.roles import Frame, Span
from pfsm_linguistics.analysis.sentence import Analysis
from pfsm_linguistics.analysis.wanted import Wanted
from pfsm_linguistics.kernels.roles.sets import best_set, by_end, forward, gradients, set_sums
from pfsm_linguistics.labeller.label import SMALLEST_OF_NOUNS, Labeller
from pfsm_linguistics.labeller.weights import (
    NOUN_BITS,
    NominalWeights,
    RoleWeights,
    read_role_weights,
    write_role_weights,
)
from pfsm_linguistics.parser.weights import write_weights
from tests.linguistics.analysis.samples import (
    ROLE_LABELS,
    analysed,
    nominal_weights,
    random_weights,
    role_weights,
)

NOMINAL = Wanted(roles=True, nominal=True)
LINES = ["The cat sees the dog .", "", "x", "sees", ". . .", "the dog " * 1500]
LINE = analysed(
    "Their PRON PRP$ 2 nmod:poss;approvals NOUN NNS 6 nsubj;of ADP IN 5 case;the DET DT 5 det;plan NOUN NN 2 nmod;"
    "surprised VERB VBD 0 root;us PRON PRP 6 obj"
)


def labeller(nominal: NominalWeights | None) -> Labeller:
    return Labeller(role_weights(nominal=nominal), random_weights())


def frames(nominal: NominalWeights | None, line: Analysis = LINE) -> tuple[Frame, ...]:
    found = labeller(nominal).labelled(line, nominal=True).frames
    assert found is not None
    return found


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

    def sigmoid(x: Any) -> Any:
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
    line = analysed(
        "She PRON PRP 3 nsubj;quickly ADV RB 3 advmod;saw VERB VBD 0 root;the DET DT 6 det;red ADJ JJ 6 amod;"
        "pen NOUN NN 3 obj"
    )
    (frame,) = Labeller(flat, random_weights()).labelled(line).frames or ()
    assert [one.label for one in frame.arguments] == ["A0"]
    several = replace(flat, labels=("AM-TMP", *ROLE_LABELS[:3]))
    (frame,) = Labeller(several, random_weights()).labelled(line).frames or ()
    assert len(frame.arguments) > 1


def test_files_come_back(tmp_path: Path) -> None:
    path = tmp_path / "a.roles"
    for nominal in (None, nominal_weights(-2.5, approval=3.0, plan=-1.5)):
        write_role_weights(role_weights(nominal=nominal), path)
        first = path.read_bytes()
        again = read_role_weights(path)
        assert (again.labels, again.temperature) == (ROLE_LABELS, 1.25)
        write_role_weights(again, path)
        assert path.read_bytes() == first
    assert again.nominal is not None
    assert (again.nominal.bias, again.nominal.temperature, again.nominal.threshold) == (-2.5, 1.5, 0.1)
    assert sorted(again.nominal.weights.tolist()) == pytest.approx([-1.5, 0.0, 3.0], abs=0.02)


def wrong_files() -> list[RoleWeights]:
    weights, nouns = role_weights(), nominal_weights(approval=1.0)
    cut = [
        replace(weights, arrays={**weights.arrays, name: weights.arrays[name][:-1]})
        for name in ("features", "output_bias", "head", "ahead.1.input", "back.0.recurrent")
    ]
    keys = ([3, 2], [-3, 2], [2, 1 << NOUN_BITS], [2])
    of_nouns = [
        *(replace(nouns, keys=np.array(one, dtype=np.int32)) for one in keys),
        replace(nouns, state=np.zeros(12, dtype=np.float32)),
        replace(nouns, state=np.full(13, np.nan, dtype=np.float32)),
        replace(nouns, temperature=0.0),
        replace(nouns, threshold=1.5),
    ]
    return [*cut, *(role_weights(nominal=one) for one in of_nouns)]


def test_arrays_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.roles"
    for wrong in wrong_files():
        write_role_weights(wrong, path)
        with pytest.raises(PfsmError, match=r"a\.roles"):
            read_role_weights(path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(PfsmError):
        read_role_weights(path)


def test_labeller_stands_beside_its_parser(tmp_path: Path) -> None:
    write_weights(random_weights(), tmp_path / "a.parser")
    alone = get_analyser(str(tmp_path / "a.parser"))
    assert all(one.frames is None for one in alone.analyse(["The cat sees ."], Wanted(roles=True)))
    weights = role_weights()
    write_role_weights(weights, tmp_path / "a.roles")
    both = get_analyser(str(tmp_path / "a.parser"))
    assert isinstance(both, OwnAnalyser)
    assert both.label == alone.label
    assert both.roles_label.startswith("random@")
    plain = both.analyse(LINES, Wanted())
    for line, found, other in zip(LINES, both.analyse(LINES, Wanted(roles=True)), plain, strict=True):
        check_analysis(found, line)
        assert found.frames is not None
        # Roles change nothing else, and are not made where nobody asks.
        assert (other.frames, other.trees) == (None, found.trees)
    with pytest.raises(PfsmError, match="knows verbs alone"):
        both.analyse(["The cat sees ."], NOMINAL)
    more_tags = np.concatenate([weights.arrays["tags"]] * 2)
    write_role_weights(replace(weights, arrays={**weights.arrays, "tags": more_tags}), tmp_path / "a.roles")
    with pytest.raises(PfsmError, match="belongs to another parser"):
        get_analyser(str(tmp_path / "a.parser"))


def test_nouns_are_predicates_by_their_probability() -> None:
    known = nominal_weights(-9.0, approval=11.0)
    assert [(one.predicate, one.lemma) for one in frames(known)] == [(1, "approval"), (5, "surprise")]
    approval, surprise = frames(known)
    assert approval.probability == pytest.approx(1 / (1 + math.exp(-2)), abs=1e-4)
    assert approval.is_likely
    assert surprise.probability == 1.0
    assert [one.predicate for one in frames(nominal_weights(9.0))] == [1, 4, 5]
    assert [one.predicate for one in frames(nominal_weights(-9.0))] == [5]
    # Without the option nothing changes.
    assert labeller(known).labelled(LINE).frames == labeller(None).labelled(LINE).frames == (surprise,)


def test_probability_of_an_argument_is_that_of_its_predicate_too() -> None:
    certain, likely, unlikely = (
        frames(nominal_weights(-99.0, approval=99.0 + odds))[0] for odds in (99.0, 1.0, -1.0)
    )
    # Arguments of one part; those of several have the probability of their first.
    shares: dict[tuple[str, tuple[Span, ...]], float] = {
        (one.label, one.spans): one.probability for one in certain.alternatives if len(one.spans) == 1
    }
    for frame in (likely, unlikely):
        known = [one for one in frame.alternatives if (one.label, one.spans) in shares]
        assert len(known) > 5
        for one in known:
            whole = shares[one.label, one.spans] * frame.probability
            assert one.probability == pytest.approx(whole, abs=2e-4)
            assert one.probability <= frame.probability
    assert likely.arguments
    assert unlikely.probability == pytest.approx(1 / (1 + math.e), abs=1e-4)
    assert unlikely.arguments == ()
    # Less likely nouns are left out.
    odds = math.log(SMALLEST_OF_NOUNS / (1 - SMALLEST_OF_NOUNS)) - 0.01
    assert [one.predicate for one in frames(nominal_weights(odds))] == [5]


def test_odd_lines() -> None:
    both = labeller(nominal_weights(9.0))
    assert [both.labelled(one).frames for one in (Analysis(()), Analysis(("a", "b"), (0,)))] == [(), None]
    for text, wanted in (("Oh INTJ UH 0 root;no INTJ UH 1 x", []), ("plan NOUN NN 0 root", [0])):
        found = both.labelled(analysed(text), nominal=True)
        assert [one.predicate for one in found.frames or ()] == wanted
        check_analysis(found, " ".join(found.tokens))


def roles(analysis: Analysis, lemma: str) -> dict[str, str]:
    (frame,) = (one for one in analysis.frames or () if one.lemma == lemma)
    assert frame.is_likely
    return {one.label: " ".join(analysis.tokens[word] for word in one.words) for one in frame.arguments}


def test_labeller_that_ships_knows_who_did_what() -> None:
    lines = [
        "The cat chased the dog yesterday.", "The dog was chased by the cat.", "",
        "The committee's approval of the budget surprised us.", "She made a decision.",
    ]  # fmt: skip
    active, passive, empty, approval, decision = get_analyser(DEFAULT_PARSER).analyse(lines, NOMINAL)
    assert roles(active, "chase") == {"A0": "The cat", "A1": "the dog", "AM-TMP": "yesterday"}
    assert roles(passive, "chase") == {"A0": "by the cat", "A1": "The dog"}
    assert empty.frames == ()
    assert roles(approval, "approval") == {"A0": "The committee 's", "A1": "of the budget"}
    assert roles(decision, "decision") == {"A0": "She", "AM-LVB": "made"}
    assert [one.lemma for one in active.frames or () if one.is_likely] == ["chase"]
