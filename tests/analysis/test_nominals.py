"""Nominal predicates: which nouns are predicates, their arguments and probabilities, files, evaluation, odd lines."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pfsm.analysis.analysers import DEFAULT_PARSER, get_analyser
from pfsm.analysis.conllu import conllu_lines
from pfsm.analysis.json_form import from_json, to_json
from pfsm.analysis.programs import parsed_text
from pfsm.analysis.role_files import role_lines
from pfsm.analysis.roles import NOUN, VERB, Argument, Frame, Span
from pfsm.analysis.scoring import score_roles
from pfsm.analysis.sentence import Analysis, DependencyTree
from pfsm.analysis.wanted import Wanted
from pfsm.analysis.watched import check_analysis
from pfsm.english.analyser import OwnAnalyser
from pfsm.english.labeller.inputs import number_of, predicate_lemma, sentence_arrays
from pfsm.english.labeller.label import SMALLEST_OF_NOUNS, Labeller, Tagged
from pfsm.english.labeller.nominals import noun_key, noun_keys, noun_log_odds, nouns_of
from pfsm.english.labeller.weights import NOUN_BITS, NominalWeights, read_role_weights, write_role_weights
from pfsm.english.parser.weights import write_weights
from pfsm.errors import PfsmError
from tests.analysis.samples import nominal_weights, random_weights, role_weights

NOMINAL = Wanted(roles=True, nominal=True)
WORDS = ("Their", "approvals", "of", "the", "plan", "surprised", "us")
UPOS = ("PRON", "NOUN", "ADP", "DET", "NOUN", "VERB", "PRON")
XPOS = ("PRP$", "NNS", "IN", "DT", "NN", "VBD", "PRP")
TREE = DependencyTree((2, 6, 5, 5, 2, 0, 6), ("nmod:poss", "nsubj", "case", "det", "nmod", "root", "obj"))
LINE = Analysis(WORDS, (0,), UPOS, XPOS, (TREE,))


def labeller(nominal: NominalWeights | None) -> Labeller:
    return Labeller(role_weights(nominal=nominal), random_weights())


def frames(nominal: NominalWeights | None, line: Analysis = LINE) -> tuple[Frame, ...]:
    found = labeller(nominal).labelled(line, nominal=True).frames
    assert found is not None
    return found


def test_features_of_a_noun_name_its_neighbours() -> None:
    approval, plan = noun_keys(WORDS, XPOS, TREE, nouns_of(UPOS))
    assert {
        noun_key(name)
        for name in (
            "l approval", "lt approval NNS", "lr approval nsubj", "a nsubj surprise", "e val", "bl approval nmod of",
            "b nmod:poss ", "bf nmod:poss their",
        )
    } <= set(approval)  # fmt: skip
    assert {noun_key("lc plan of"), noun_key("a nmod approval"), noun_key("bd plan the")} <= set(plan)
    assert noun_key("bl approval nmod of") not in plan
    assert len(set(plan)) == len(plan)


def test_log_odds_are_sums() -> None:
    random = np.random.default_rng(4)
    keys = noun_keys(WORDS, XPOS, TREE, [1, 4])
    known = sorted({one for own in keys for one in own[::2]})
    values, state = random.normal(size=len(known)).astype(np.float32), random.normal(size=13)
    weights = NominalWeights(
        np.array(known, dtype=np.int32), values, state.astype(np.float32), (), 0.5, 1.0, 0.5
    )
    states = random.normal(size=(2, 13)).astype(np.float32)
    table = dict(zip(known, values.tolist(), strict=True))
    expected = [
        0.5 + float(states[k] @ state) + sum(table.get(one, 0.0) for one in own) for k, own in enumerate(keys)
    ]
    assert noun_log_odds(weights, keys, states) == pytest.approx(expected, abs=1e-5)


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


def test_temperature_of_nouns_is_their_own() -> None:
    plain = nominal_weights(99.0)
    other = replace(plain, temperature=9.0)
    assert frames(plain)[0].alternatives != frames(other)[0].alternatives
    assert frames(plain)[-1] == frames(other)[-1]


def test_labels_of_nouns_are_theirs_alone() -> None:
    nominal = replace(nominal_weights(99.0), labels=("AM-LVB",))
    weights = role_weights(nominal=nominal)
    # The last label is the likeliest of all, and the others do not depend on it.
    bias = np.array([*weights.arrays["output_bias"][:-1], 9.0], dtype=np.float32)
    weights = replace(weights, arrays={**weights.arrays, "output_bias": bias})
    *nouns, verb = Labeller(weights, random_weights()).labelled(LINE, nominal=True).frames or ()
    assert len(nouns) == 2
    for frame in nouns:
        assert {one.label for one in frame.arguments} == {"AM-LVB"}
    plain = replace(
        weights,
        nominal=None,
        arrays={**weights.arrays, "output": weights.arrays["output"][:, :-1], "output_bias": bias[:-1]},
    )
    assert Labeller(plain, random_weights()).labelled(LINE).frames == (verb,)


@pytest.mark.parametrize(
    ("word", "xpos", "upos", "lemma"),
    [
        ("Approvals", "NNS", "NOUN", "approval"),
        ("approval", "NN", "NOUN", "approval"),
        # A tag that does not fit.
        ("meeting", "VBG", "NOUN", "meeting"),
        ("meeting", "NN", "VERB", "meeting"),
        ("saw", "VBD", "VERB", "see"),
    ],
)
def test_lemmas(word: str, xpos: str, upos: str, lemma: str) -> None:
    assert predicate_lemma(word, xpos, upos) == lemma


def test_plurals_share_the_lemma_of_their_singular() -> None:
    arrays = sentence_arrays(WORDS, (UPOS, XPOS), TREE.heads, TREE.labels, None)
    assert arrays.lemmas[1] == number_of("approval")
    assert arrays.words[1] == number_of("approvals")


@pytest.mark.parametrize(
    "line",
    [
        Analysis((), ()),
        Analysis(("a", "b"), (0,)),
        Analysis(
            ("Oh", "no"), (0,), ("INTJ", "INTJ"), ("UH", "UH"), (DependencyTree((0, 1), ("root", "x")),)
        ),
        Analysis(("sing",), (0,), ("VERB",), ("VB",), (DependencyTree((0,), ("root",)),)),
        Analysis(("plan",), (0,), ("NOUN",), ("NN",), (DependencyTree((0,), ("root",)),)),
    ],
    ids=["empty", "failed", "no noun", "verb alone", "noun alone"],
)
def test_odd_lines(line: Analysis) -> None:
    found = labeller(nominal_weights(9.0)).labelled(line, nominal=True)
    if line.tree is None:
        assert found.frames == (None if line.tokens else ())
    else:
        wanted = [word for word, tag in enumerate(line.upos) if tag in {"VERB", "NOUN"}]
        assert [one.predicate for one in found.frames or ()] == wanted
    check_analysis(found, " ".join(line.tokens))


def test_analyser_with_the_option(tmp_path: Path) -> None:
    # A parser that calls some words nouns and others verbs.
    parser = random_weights(1)
    parser = replace(parser, inventories={**parser.inventories, "upos": ("NOUN", "DET", "VERB")})
    write_weights(parser, tmp_path / "a.parser")
    write_role_weights(role_weights(nominal=nominal_weights(9.0)), tmp_path / "a.roles")
    analyser = get_analyser(str(tmp_path / "a.parser"))
    assert isinstance(analyser, OwnAnalyser)
    lines = ["The cat sees the dog .", "", "x", ". . .", "the dog " * 1500]
    both, verbs = analyser.analyse(lines, NOMINAL), analyser.analyse(lines, Wanted(roles=True))
    for line, one, plain in zip(lines, both, verbs, strict=True):
        check_analysis(one, line)
        kept = tuple(frame for frame in one.frames or () if one.upos[frame.predicate] == "VERB")
        assert kept == plain.frames
        assert {one.upos[frame.predicate] for frame in one.frames or ()} <= {"VERB", "NOUN"}
        assert replace(one, frames=None).tokens == plain.tokens
        assert one.trees == plain.trees
    assert sum(len(one.frames or ()) for one in both) > sum(len(one.frames or ()) for one in verbs)


def test_labeller_of_verbs_alone_says_so(tmp_path: Path) -> None:
    write_weights(random_weights(), tmp_path / "a.parser")
    write_role_weights(role_weights(), tmp_path / "a.roles")
    analyser = get_analyser(str(tmp_path / "a.parser"))
    with pytest.raises(PfsmError, match="knows verbs alone"):
        analyser.analyse(["The cat sees ."], NOMINAL)


def test_analyses_are_cached_by_the_option() -> None:
    assert Wanted(roles=True).key == f"{Wanted()!r} roles"
    assert NOMINAL.key not in {Wanted(roles=True).key, Wanted().key}
    # Without roles there are no predicates.
    assert Wanted(nominal=True).key == Wanted().key


def test_file_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "a.roles"
    write_role_weights(role_weights(nominal=nominal_weights(-2.5, approval=3.0, plan=-1.5)), path)
    first = path.read_bytes()
    again = read_role_weights(path)
    assert again.nominal is not None
    assert (again.nominal.bias, again.nominal.temperature, again.nominal.threshold) == (-2.5, 1.5, 0.1)
    assert sorted(again.nominal.weights.tolist()) == pytest.approx([-1.5, 0.0, 3.0], abs=0.02)
    write_role_weights(again, path)
    assert path.read_bytes() == first
    write_role_weights(role_weights(), path)
    assert read_role_weights(path).nominal is None


@pytest.mark.parametrize(
    "change",
    [
        {"keys": np.array([3, 2], dtype=np.int32)},
        {"keys": np.array([-3, 2], dtype=np.int32)},
        {"keys": np.array([2, 1 << NOUN_BITS], dtype=np.int32)},
        {"keys": np.array([2], dtype=np.int32)},
        {"state": np.zeros(12, dtype=np.float32)},
        {"state": np.full(13, np.nan, dtype=np.float32)},
        {"temperature": 0.0},
        {"threshold": 1.5},
    ],
    ids=str,
)
def test_weights_of_nouns_that_do_not_fit_are_refused(change: dict[str, object], tmp_path: Path) -> None:
    wrong = replace(nominal_weights(approval=1.0), **change)  # type: ignore[arg-type]
    write_role_weights(role_weights(nominal=wrong), tmp_path / "a.roles")
    with pytest.raises(PfsmError):
        read_role_weights(tmp_path / "a.roles")


def test_nominal_predicates_are_written_and_read() -> None:
    line = labeller(nominal_weights(-0.5, approval=1.0)).labelled(LINE, nominal=True)
    assert line.frames is not None
    assert [one.is_likely for one in line.frames] == [True, False, True]
    text = list(conllu_lines(line, 1))
    assert any("Pred=approval|PredP=0.62" in row for row in text)
    (again,) = parsed_text(text, "x")
    assert again.frames == line.frames
    assert from_json(json.loads(json.dumps(to_json(line)))).frames == line.frames
    # A noun that is less likely a predicate than not is not shown.
    assert [row.split("\t")[1] for row in role_lines(line, 1)] == ["approvals", "surprised"]


def test_scores_of_nouns_by_hand() -> None:
    gold = replace(
        LINE,
        frames=(
            Frame(1, "approve", (Argument("A0", ((0, 1),)), Argument("A1", ((2, 5),)))),
            Frame(5, "surprise", (Argument("A0", ((0, 5),)), Argument("A1", ((6, 7),)))),
        ),
    )
    system = replace(
        LINE,
        frames=(
            Frame(1, "approval", (Argument("A0", ((0, 1),)),), probability=0.9),
            Frame(4, "plan", (Argument("A1", ((3, 4),)),), probability=0.6),
            Frame(5, "surprise", (Argument("A1", ((6, 7),)),)),
        ),
    )
    nouns, verbs = (score_roles([(system, gold)], of=kind) for kind in (NOUN, VERB))
    assert (nouns.predicates.correct, nouns.predicates.system, nouns.predicates.gold) == (1, 2, 1)
    assert (nouns.arguments.correct, nouns.arguments.system, nouns.arguments.gold) == (1, 2, 2)
    assert (verbs.predicates.correct, verbs.predicates.system, verbs.predicates.gold) == (1, 1, 1)
    assert (verbs.arguments.correct, verbs.arguments.system, verbs.arguments.gold) == (1, 1, 2)
    # Without universal tags those of Penn say which words are nouns; proper nouns are none.
    penn = replace(gold, upos=(), xpos=("PRP$", "NNS", "IN", "DT", "NNP", "VBD", "PRP"))
    assert score_roles([(system, penn)], of=NOUN).predicates.system == 1


def test_words_of_the_system_alone_count_by_their_own_tag() -> None:
    gold = Analysis(("ab", "c"), (0,), ("VERB", "NOUN"), frames=())
    system = Analysis(
        ("a", "b", "c"), (0,), ("VERB", "NOUN", "NOUN"), frames=tuple(Frame(word, "x") for word in range(3))
    )
    assert score_roles([(system, gold)], of=VERB).predicates.system == 1
    assert score_roles([(system, gold)], of=NOUN).predicates.system == 2


def test_labeller_that_ships_knows_nominal_predicates() -> None:
    analyser = get_analyser(DEFAULT_PARSER)
    lines = [
        "The committee's approval of the budget surprised us.",
        "She made a decision.",
        "The cat sleeps.",
    ]
    approval, decision, cat = analyser.analyse(lines, NOMINAL)

    def roles(analysis: Analysis, lemma: str) -> dict[str, str]:
        (frame,) = (one for one in analysis.frames or () if one.lemma == lemma)
        assert frame.is_likely
        return {one.label: " ".join(analysis.tokens[word] for word in one.words) for one in frame.arguments}

    assert roles(approval, "approval") == {"A0": "The committee 's", "A1": "of the budget"}
    assert roles(decision, "decision") == {"A0": "She", "AM-LVB": "made"}
    assert [one.lemma for one in cat.frames or () if one.is_likely] == ["sleep"]


def test_tags_of_a_tagged_line_choose_the_words() -> None:
    tagged = Tagged(WORDS, ("X",) * len(WORDS), XPOS)
    assert labeller(nominal_weights(9.0)).frames(tagged, [(0, 7)], TREE, [None], nominal=True) == ()
