"""Models without edits: they are ridge regressions; refusals, and their display."""

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from pfsm import Metric, Model, PfsmError, Scale
from pfsm.data import Judgments, Preferences
from pfsm.evaluation import pearson
from pfsm.features import values as features
from pfsm.features.values import feature_values
from pfsm.metrics.metric_group import MetricGroup, columns
from pfsm.metrics.parts import LENGTHS, lengths
from pfsm.metrics.ter import TER_PARTS
from pfsm.model.builder import LatticeBuilder
from pfsm.model.explain.page import render_page
from pfsm.model.explain.text import explanation_lines
from pfsm.model.file import load_model, model_from_dict, save_model
from pfsm.model.settings import Settings, settings_from_dict
from pfsm_training import train
from pfsm_training.config import config_from_dict
from pfsm_training.data.blocks import BlockText, Weights, build, count, predict
from pfsm_training.fit.crossval import make_folds
from pfsm_training.loss.module import LogLinearMachine
from tests.command_runs import Cli, Write
from tests.training.small_data import invented

NAMES = ["bleu.1", "bleu.bp", "per", "length"]
JUDGMENTS = invented(4, segments=25)
Float = NDArray[np.float64]


def trained(
    penalty: float = 5.0, solver: str = "gauss-newton", preferences: Preferences | None = None
) -> Model:
    options = {"edits": False, "features": NAMES, "lambda": penalty, "solver": solver}
    config = config_from_dict(options, "settings")
    judgments = JUDGMENTS if preferences is None else None
    return train(judgments, preferences=preferences, config=config, threads=1)


def standardised(judgments: Judgments) -> Float:
    values = feature_values(NAMES, judgments.hypotheses, judgments.references)
    return np.asarray((values - values.mean(axis=0)) / values.std(axis=0))


def ridge(values: Float, targets: Float, penalty: float) -> tuple[Float, float]:
    """Weights and constant of the ridge regression, by the normal equations; the constant is not penalised."""
    extended = np.column_stack([values, np.ones(len(values))])
    penalties = np.diag([penalty] * values.shape[1] + [0.0])
    solution = np.linalg.solve(extended.T @ extended + penalties, extended.T @ targets)
    return solution[:-1], float(solution[-1])


@pytest.mark.parametrize("solver", ["gauss-newton", "lbfgs"])
@pytest.mark.parametrize("penalty", [0.5, 20.0])
def test_training_is_ridge_regression(solver: str, penalty: float) -> None:
    judgments = JUDGMENTS.sorted()
    model = trained(penalty, solver)
    scores = judgments.scores
    weights, alpha = ridge(standardised(judgments), (scores - scores.mean()) / scores.std(), penalty)
    assert list(model.weights) == [f"feature:{name}" for name in NAMES]
    np.testing.assert_allclose(list(model.weights.values()), weights, atol=1e-6)
    assert model.alpha == pytest.approx(alpha, abs=1e-9)
    predicted = scores.mean() + scores.std() * (standardised(judgments) @ weights + alpha)
    found = Metric(model, 1).score_pairs(judgments.hypotheses, judgments.references)
    np.testing.assert_allclose(found, predicted, atol=1e-5)
    assert model.training["pearson"] == pytest.approx(pearson(predicted, scores), abs=1e-6)


def test_cross_validation_is_that_of_ridge_regressions() -> None:
    judgments = JUDGMENTS.sorted()
    values, scores, folds = standardised(judgments), judgments.scores, make_folds(judgments)
    expected = {}
    for fold, name in enumerate(folds.names):
        rest = folds.member != fold
        mean, sd = scores[rest].mean(), scores[rest].std()
        weights, _ = ridge(values[rest], (scores[rest] - mean) / sd, 5.0)
        expected[name] = pearson(values[~rest] @ weights, scores[~rest])
    assert trained().training["cross_validated"]["folds"] == pytest.approx(expected, abs=1e-4)


def test_preferences_make_it_a_logistic_regression() -> None:
    references, better, worse = zip(
        *(
            (f"a b c d e {k % 7}", f"a b c {'d e' if k % 5 else 'x'}", "a x" if k % 3 else "a b")
            for k in range(40)
        ),
        strict=True,
    )
    preferences = Preferences(references, better, worse, np.ones(40), {}, ())
    model = trained(preferences=preferences)
    means, sds = zip(*(model.settings.features[name] or (0.0, 0.0) for name in NAMES), strict=True)
    ordered = preferences.sorted()
    sides = [
        (feature_values(NAMES, side, ordered.references) - np.array(means)) / np.array(sds)
        for side in (ordered.better, ordered.worse)
    ]
    difference = sides[0] - sides[1]

    def loss(weights: Float) -> float:
        return float(np.logaddexp(0.0, -difference @ weights).sum() + 5.0 * weights @ weights)

    best = minimize(loss, np.zeros(len(NAMES)), method="BFGS", options={"gtol": 1e-9}).x
    np.testing.assert_allclose(list(model.weights.values()), best, atol=1e-5)


def test_no_lattice_is_built_and_nothing_is_tokenised() -> None:
    builder = LatticeBuilder(trained().settings)
    batch = builder.build(["a b c", ""], ["a b", ""])
    (other,) = builder.batches(["a b c", ""], ["a b", ""])
    for one in (batch, other):
        assert (one.states, len(one)) == ((), 2)
        assert one.lattices.arcs.size == one.lattices.delete_states.size == 0
        np.testing.assert_array_equal(one.sentence_features.values, batch.sentence_features.values)
    assert len(builder.vocabulary) == 0
    with pytest.raises(ValueError, match="1 references for 0 hypotheses"):
        builder.build(["a"], [])


def test_many_pairs_come_in_batches() -> None:
    metric = Metric(trained(), 2)
    hypotheses, references = list(JUDGMENTS.hypotheses) * 30, list(JUDGMENTS.references) * 30
    once = metric.score_pairs(JUDGMENTS.hypotheses, JUDGMENTS.references)
    np.testing.assert_array_equal(metric.score_pairs(hypotheses, references), np.tile(once, 30))


def test_blocks_on_workers_come_to_the_same() -> None:
    model = trained()
    text = BlockText(model.settings, (), tuple(JUDGMENTS.references), tuple(JUDGMENTS.hypotheses))
    block = build(text)
    assert count(block) == {f"feature:{name}": len(JUDGMENTS) for name in NAMES}
    machine = LogLinearMachine(tuple(model.weights), model.weights, model.alpha)
    scores = Metric(model, 1).score_pairs(JUDGMENTS.hypotheses, JUDGMENTS.references)
    predicted = model.scale.mean + model.scale.sd * predict(block, Weights.of(machine))
    np.testing.assert_allclose(predicted, scores, rtol=1e-12)


def test_the_file_holds_what_matters_and_nothing_else(tmp_path: Path) -> None:
    model = trained()
    save_model(model, tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    assert list(document["settings"]) == ["language", "edits", "features"]
    assert set(document["training"]["instances"]) == set(model.weights)
    again = load_model(tmp_path / "m.json")
    assert again.to_dict() == model.to_dict()
    assert again.fingerprint == model.fingerprint
    signature = Metric(again).get_signature(1)
    assert "|lang:en|edits:no|feat:{bleu.1,bleu.bp}(" in signature
    assert "tok:penn" not in signature


def test_training_from_such_a_model() -> None:
    first = trained()
    config = config_from_dict({"lambda": 1e9}, "settings")
    second = train(invented(9), config=config, init=first, threads=1)
    assert not second.settings.edits
    assert second.weights == pytest.approx(dict(first.weights), abs=1e-4)
    with pytest.raises(PfsmError, match="edits is True, but the initial model pfsm has False"):
        train(invented(9), config=config_from_dict({"edits": True}, "settings"), init=first)


def test_settings_with_edits_are_written_as_ever() -> None:
    assert "edits" not in Settings().to_dict()
    assert settings_from_dict({"edits": True}, "settings") == Settings()


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        (
            {"edits": False},
            "settings: edits: false needs features, because there is nothing else to score with",
        ),
        ({"edits": "no", "features": ["chrf"]}, "settings: edits is 'no', it must be true or false"),
        (
            {"edits": False, "features": ["chrf"], "max_jump": 2},
            "settings: max_jump needs edits, but edits is false; leave out one of them",
        ),
        ({"edits": False, "features": ["chrf"], "matchers": ["word"]}, "settings: matchers needs edits"),
        ({"edits": False, "features": ["chrf"], "stemmer": "none"}, "settings: stemmer needs edits"),
        ({"edits": False, "features": ["chrf"], "split": ["Insert"]}, "settings: split needs edits"),
        (
            {"edits": False, "features": ["chrf"], "class_transitions": True},
            "settings: class_transitions needs edits",
        ),
        ({"edits": False, "features": ["chrf"], "language": "E N"}, "settings: language"),
    ],
)
def test_invalid_settings_are_refused(values: dict[str, Any], fault: str) -> None:
    with pytest.raises(PfsmError, match=fault):
        config_from_dict(values, "settings")


def test_a_file_with_weights_of_edits() -> None:
    document = Model(
        "m", settings_from_dict({"edits": False, "features": ["chrf"]}, "s"), {"Insert": 1.0}
    ).to_dict()
    with pytest.raises(PfsmError, match=r"^m.json: weights names 'Insert', but settings say edits: false"):
        model_from_dict(document, "m.json")


def hand_written(**settings: Any) -> Metric:
    """Points of two features by hand: 3 for each standard deviation of PER, -1 for each of the length."""
    chosen = settings_from_dict(
        {
            **settings,
            "features": {"per": {"mean": -50.0, "sd": 25.0}, "reference_words": {"mean": 2, "sd": 1}},
        },
        "s",
    )
    weights = {"feature:per": 1.5, "feature:reference_words": -0.5}
    edits = {"S_word": 1.0, "Insert": -1.0, "Delete": -1.5} if chosen.edits else {}
    return Metric(Model("hand", chosen, {**weights, **edits}, 0.25, Scale(10.0, 2.0)), 1)


def test_an_explanation_adds_up() -> None:
    metric = hand_written(edits=False)
    found = metric.explain("a b c d", "a b c x")
    assert found.score == metric.score_pairs(["a b c d"], ["a b c x"])[0] == 10.5 + 3.0 - 2.0
    assert [(part.name, part.value, part.points) for part in found.features] == [
        ("per", 1.0, 3.0),
        ("reference_words", 2.0, -2.0),
    ]
    assert (found.edited, found.edits, found.contributions, found.base) == (False, (), (), 10.5)


def test_features_beside_edits_are_explained_too() -> None:
    metric, bare = hand_written(), hand_written()
    bare.model = Model(
        "bare", Settings(), {"S_word": 1.0, "Insert": -1.0, "Delete": -1.5}, 0.25, Scale(10.0, 2.0)
    )
    for hypothesis, reference in (("a b c d", "a b c x"), ("", "")):
        found = metric.explain(hypothesis, reference)
        assert found.score == pytest.approx(metric.score_pairs([hypothesis], [reference])[0])
        points = [part.points for part in found.contributions] + [part.points for part in found.features]
        assert found.score == pytest.approx(found.base + found.entropy + math.fsum(points))
        assert found.edited
    plain = Metric(bare.model, 1).explain("a b c d", "a b c x")
    assert metric.explain("a b c d", "a b c x").score == pytest.approx(plain.score + 1.0)


def test_the_terminal_shows_features_and_no_edits() -> None:
    lines = list(explanation_lines(hand_written(edits=False).explain("a b c d", "a b c x")))
    assert lines == [
        "score       11.5000",
        "lost        3.0000 of 14.5000 for a perfect match",
        "  +3.0000  per",
        "reference   a b c x",
        "hypothesis  a b c d",
        "edits       none in this model",
        "",
        " +10.5000             every pair",
        "   points      value  feature, in standard deviations from the mean of the training data",
        "  +3.0000     +1.000  per",
        "  -2.0000     +2.000  reference_words",
    ]
    both = list(explanation_lines(hand_written().explain("a b c d", "a b c x")))
    assert both[-2:] == lines[-2:]
    assert any("entropy" in line for line in both)


def test_commands(cli: Cli, write: Write, tmp_path: Path) -> None:
    save_model(hand_written(edits=False).model, tmp_path / "m.json")
    write("r.txt", "a b c x\n")
    write("h.txt", "a b c d\n")
    shown = cli("show", "m.json").lines
    assert "edits       none: the score is a sum of weighted features" in shown
    assert not any(line.startswith(("matchers", "text")) for line in shown)
    explain = ("explain", "r.txt", "-i", "h.txt", "-m", "m.json")
    (segment,) = cli(*explain, "--format", "json").document[0]["segments"]
    assert not {"edits", "alignment", "contributions", "entropy"} & set(segment)
    assert segment["score"] == 11.5
    fault = cli(*explain, "--alignments", "a.txt").fault
    assert fault == "model hand has no edits (edits: false), so it aligns no words"
    assert not (tmp_path / "a.txt").exists()


def test_the_page_is_told() -> None:
    page = render_page([("s", [hand_written(edits=False).explain("a b c d", "a b c x")])], "t", "x")
    assert '"edited":false' in page
    names = json.loads(re.findall(r'"features":(\[[^]]*\])', page)[0])
    assert f"[{names.index('per')},1.0,3.0]" in page


def test_features_of_training_pairs_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def counted(hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        seen.append(len(hypotheses))
        return lengths(hypotheses, references)

    group = MetricGroup(parts={"length": LENGTHS}, values=columns(LENGTHS, counted), label=str)
    monkeypatch.setattr(features, "group_of", lambda _: group)
    options = {"edits": False, "features": ["length", "length_difference"]}
    model = train(JUDGMENTS, config=config_from_dict(options, "settings"), threads=1)
    assert seen == [len(JUDGMENTS)]
    Metric(model, 1).score_pairs(["a"], ["b"])
    Metric(model, 1).score_pairs(["a"], ["b"])
    assert seen[1:] == [1, 1]


def test_all_parts_of_a_metric() -> None:
    settings = settings_from_dict({"edits": False, "features": ["chrf", "ter.*"]}, "settings")
    assert tuple(settings.features) == ("chrf", *TER_PARTS)
    with pytest.raises(PfsmError, match="features names one of them twice"):
        settings_from_dict({"features": ["ter.shifts", "ter.*"]}, "settings")
    with pytest.raises(PfsmError, match=r"unknown feature 'tar\.\*'"):
        settings_from_dict({"features": ["tar.*"]}, "settings")


def test_a_signature_says_once_what_features_share() -> None:
    metric = Metric(
        Model("m", settings_from_dict({"edits": False, "features": ["chrf", "ter.*", "length"]}, "s"))
    )
    (shown,) = [part for part in metric.get_signature(1).split("|") if part.startswith("feat:")]
    assert shown.startswith("feat:chrf(level:segment,")
    assert f"+{{{','.join(TER_PARTS)}}}(level:segment,sign:negative," in shown
    assert shown.count("tercom") == 1
    assert shown.endswith("+length")
