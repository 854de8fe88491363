"""Models of the relative form: pairs are counted from their references' own perfect matches."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pfsm import Metric, Model, PfsmError, load_model, save_model
from pfsm.features.values import FeatureSet
from pfsm.model.explain.explanation import Explanation
from pfsm.model.file import Scale
from pfsm.model.settings import settings_from_dict
from pfsm_training.config import config_from_dict
from pfsm_training.fit.anchor import strange
from pfsm_training.trainer import train
from tests.training.small_data import invented

FEATURES = ["chrf", "length_ratio", "kept.numbers", "kept.repeats"]
SETTINGS = {
    "form": "relative",
    "tokeniser": "plain",
    "matchers": ["punct", "word", "lemma", "char"],
    "split": ["Insert", "Delete"],
    "features": {name: {"mean": 0.0, "sd": 2.0} for name in FEATURES},
}
WEIGHTS = {
    "Insert": -1.0,
    "Delete": -1.5,
    "S_word": 1.5,
    "S_char": 0.2,
    "S_word>S_word": 0.4,
    "Delete:content": -0.5,
    "feature:chrf": 0.05,
    "feature:kept.numbers": 0.7,
}
TEXTS = [
    "No",
    "The 3 old lamps , which nobody wanted , were sold in May .",
    "Он пришёл домой поздно вечером .",
    "我们 昨天 在 北京 见面 。",
    "मैं कल घर गया था ।",
    "ذهبت إلى السوق صباح اليوم .",
    "",
    "a a a b a a b b a",
]


def model(**changes: object) -> Model:
    settings = settings_from_dict({**SETTINGS, **changes}, "test")
    edits = {name: weight for name, weight in WEIGHTS.items() if not name.startswith("feature:")}
    known = edits | {f"feature:{name}": WEIGHTS.get(f"feature:{name}", 0.1) for name in settings.features}
    scale = Scale(100.0, 20.0) if settings.form == "relative" else Scale(0.0, 20.0)
    return Model("test", settings, known, 0.0, scale)


def edited(line: str) -> str:
    words = line.split()
    return " ".join([*words[:2], "zebra", *words[3:]])


@pytest.mark.parametrize("repeats", [1, 7, 300])
def test_a_perfect_match_has_100_at_any_length(repeats: int) -> None:
    lines = [" ".join([line] * repeats) for line in TEXTS]
    metric = Metric(model(), 1)
    assert metric.score_pairs(lines, lines).tolist() == [100.0] * len(lines)
    changed = metric.score_pairs(list(map(edited, lines)), lines)
    assert (changed[1:6] < 100.0).all()


def test_what_one_word_costs_falls_with_the_length() -> None:
    line = "The river bank was quiet and nobody walked along the old path"
    costs = []
    for repeats in (1, 2, 4, 8, 16):
        whole = " ".join([line] * repeats)
        costs.append(
            repeats
            * (100.0 - Metric(model(), 1).score_pairs([whole.replace("quiet", "loud", 1)], [whole])[0])
        )
    assert all(before / after == pytest.approx(1.0, abs=0.25) for before, after in pairwise(costs))


def test_a_score_is_the_difference_of_two_absolute_ones() -> None:
    """But for counts, which are rates."""
    features = {name: {"mean": 0.0, "sd": 2.0} for name in FEATURES[:2]}
    judged = invented(3, 20)
    made = (model(form=form, features=features) for form in ("absolute", "relative"))
    # What is shorter or longer gains, so that some are above a perfect match.
    shifted = (replace(one, weights={**one.weights, "feature:length_ratio": -9.0}) for one in made)
    absolute, relative = (Metric(one, 1) for one in shifted)
    pairs = judged.hypotheses, judged.references
    differences = absolute.score_pairs(*pairs) - absolute.score_pairs(judged.references, judged.references)
    assert (differences > 0.0).any()
    expected = 100.0 + np.minimum(differences, 0.0)
    np.testing.assert_allclose(relative.score_pairs(*pairs), expected, atol=1e-9)
    prepared = relative.prepare(*pairs).scores(relative.model)
    np.testing.assert_allclose(prepared, expected, atol=1e-9)


def test_counts_are_rates_and_columns_stay() -> None:
    names = ["kept.numbers", "chrf", "column:votes"]
    reference, hypothesis = "It cost 5 or 7 dollars in 1999 .", "It cost 5 or 9 dollars in 1989 ."
    plain = FeatureSet(names).values([hypothesis], [reference], {"votes": np.array([3.0])})[0]
    for repeats in (1, 20):
        ours, theirs = ([" ".join([line] * repeats)] for line in (hypothesis, reference))
        found = FeatureSet(names, relative=True).values(ours, theirs, {"votes": np.array([3.0])})[0]
        assert found[0] == pytest.approx(plain[0] / 9)
        assert found[2] == 3.0
        if repeats == 1:
            assert found[1] == pytest.approx(plain[1] - 100.0)


def test_explanations_add_up() -> None:
    metric = Metric(model(), 1)
    judged = invented(4, 12)
    hypotheses, references = [*judged.hypotheses, *TEXTS], [*judged.references, *TEXTS]
    # A hypothesis with more than its reference, which the limit cuts.
    hypotheses[0] = f"{references[0]} {references[0]} {references[0]}"
    added_up(metric, hypotheses, references)


def added_up(metric: Metric, hypotheses: list[str], references: list[str]) -> list[Explanation]:
    """The explanations of pairs, whose parts and losses are checked to add up to the scores, as do alignments."""
    scores, found = metric.score_pairs(hypotheses, references), [*metric.explanations(hypotheses, references)]
    for score, one in zip(scores, found, strict=True):
        parts = sum(part.points for part in one.contributions) + one.entropy + one.base
        assert parts + sum(part.points for part in one.features) == pytest.approx(score, abs=1e-8)
        assert one.score == pytest.approx(score, abs=1e-8)
        assert one.perfect == pytest.approx(100.0, abs=1e-8)
        assert sum(lost.points for lost in one.lost) == pytest.approx(100.0 - score, abs=1e-6)
    aligned = metric.alignments(hypotheses, references)
    np.testing.assert_allclose(aligned.points.sum(axis=1), scores, atol=1e-8)
    assert [" ".join(pair.reference) for pair in aligned.pairs] == [" ".join(one.reference) for one in found]
    return found


def test_a_file_keeps_the_form(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    save_model(model(), path)
    assert load_model(path).settings.form == "relative"
    assert "|form:relative" in Metric(model(), 1).get_signature()
    assert "form" not in model(form="absolute").to_dict()["settings"]
    shifted = replace(model().settings, features={"chrf": (1.0, 2.0)})
    for wrong in ({"alpha": 0.1}, {"scale": Scale(90.0, 20.0)}, {"settings": shifted}):
        save_model(replace(model(), **wrong), path)
        with pytest.raises(
            PfsmError, match=r"form: relative needs alpha 0, scale\.mean 100 and features of mean 0"
        ):
            load_model(path)


@pytest.mark.parametrize(
    "settings",
    [
        {"tokeniser": "plain"},
        {"edits": False, "features": FEATURES},
        {"tokeniser": "plain", "max_jump": 2, "split": ["Insert"], "matchers": ["word"]},
    ],
)
def test_training_gives_a_perfect_match_100_and_nothing_in_common_0(settings: dict[str, object]) -> None:
    judged = invented(5)
    trained = train(judged, config=config_from_dict({"lambda": 1, **settings}, "x"), threads=1)
    scores = Metric(trained, 1).score_pairs(judged.hypotheses, judged.references)
    assert scores.max() <= 100.0
    lines = sorted(set(judged.references))
    worst = [
        Metric(trained, 1).score_pairs(given, lines)
        for given in ([strange(line) for line in lines], [""] * len(lines))
    ]
    assert min(np.median(one) for one in worst) == pytest.approx(0.0, abs=1e-9)
    assert Metric(trained, 1).score_pairs(TEXTS, TEXTS).tolist() == [100.0] * len(TEXTS)
    absolute = train(
        judged, config=config_from_dict({"lambda": 1, "form": "absolute", **settings}, "x"), threads=1
    )
    others = Metric(absolute, 1).score_pairs(judged.hypotheses, judged.references)
    agreement = [np.corrcoef(one, judged.scores)[0, 1] for one in (scores, others)]
    assert agreement[0] > agreement[1] - 0.05
    assert trained.training["perfect_match"] == pytest.approx(
        judged.scores.max(), abs=3 * judged.scores.std()
    )
