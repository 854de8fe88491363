"""The option `minimal_pairs`: its loss against plain loops, its pairs, folds, and models that learn from them."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm.data import Judgments
from pfsm.model.file import Model
from pfsm.model.metric import Metric
from pfsm_training import train
from pfsm_training.config import config_from_dict
from pfsm_training.data.minimal_pairs import PairToLearn, pairs_to_learn
from pfsm_training.data.training_set import encode_here
from pfsm_training.fit.choosing import choose_weight
from pfsm_training.fit.crossval import CrossValidation, make_folds
from pfsm_training.fit.fitting import Choice
from pfsm_training.fit.minimal_pairs import MinimalPairsPart, minimal_pairs_text
from pfsm_training.lattices.features import frequent
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.options import MinimalPairsOptions, minimal_pairs_option
from tests.training.small_data import invented
from tests.training.test_distributed import encoder

OPTIONS = {"lambda": 0.05, "start": "matches", "form": "absolute"}
MADE: dict[str, Any] = {
    "kinds": ["drop-word", "add-word", "unicode-punctuation", "shuffle-words"],
    "number": 30,
    "weight": 1.0,
}


def part_of(
    judgments: Judgments, options: MinimalPairsOptions
) -> tuple[MinimalPairsPart, tuple[PairToLearn, ...]]:
    config = config_from_dict({}, "x")
    pairs = pairs_to_learn((judgments, None), "en", options)
    folds = make_folds(judgments, None)
    text = minimal_pairs_text(pairs, (judgments, None), config.settings, options, folds)
    return text.to_train(encode_here, config.settings), pairs.pairs


def options_of(values: Mapping[str, Any]) -> MinimalPairsOptions:
    options = minimal_pairs_option(values, "x")
    assert options is not None
    return options


def test_the_objective_adds_the_weighted_mean_of_the_pairs_and_has_exact_slopes() -> None:
    judgments = invented(4).sorted()
    part, pairs = part_of(judgments, options_of({**MADE, "weight": 0.7}))
    names = frequent(part.data.instances())
    rng = np.random.default_rng(0)
    machine = LogLinearMachine(names, dict(zip(names, rng.normal(0.0, 0.3, len(names)), strict=True)), 0.1)
    objective = part.term(Choice(1.0, 0.0, 0.7), 90, 1.0)
    assert objective is not None
    value, model = objective.quadratic(machine, free_alpha=True)
    predictions = part.data.predictions(machine)
    expected = 0.0
    apart = predictions[part.data.better] - predictions[part.data.worse]
    for margin, one in zip(part.margins, apart, strict=True):
        expected += 0.25 * math.log1p(math.exp((margin - one) / 0.25))
    assert value == pytest.approx(0.7 * 90 / len(part) * expected)
    assert len(part) == len(pairs) + sum(pair.severity == "none" for pair in pairs)
    assert model.gradient[-1] == pytest.approx(0.0, abs=1e-9)
    for k in (0, len(names) // 2, len(names) - 1):
        ends = []
        for way in (1.0, -1.0):
            moved = {name: float(w) for name, w in zip(names, machine.theta.tolist(), strict=True)}
            moved[names[k]] += way * 1e-5
            ends.append(objective.quadratic(LogLinearMachine(names, moved, 0.1), free_alpha=True)[0])
        assert model.gradient[k] == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-5, abs=1e-6)
    assert part.term(Choice(1.0), 90, 1.0) is None


def test_crossed_pairs_set_a_harmless_change_against_a_fault_of_the_same_translation() -> None:
    judgments = invented(6, segments=20).sorted()
    given = {**MADE, "kinds": ["number-form", "synonym", "drop-word", "drop-phrase", "misspell"]}
    plain = pairs_to_learn((judgments, None), "en", options_of(given)).pairs
    crossed = pairs_to_learn((judgments, None), "en", options_of({**given, "crossed": True})).pairs
    expected = {
        (one.references, one.worse, fault.worse, f"harmless-{fault.severity}", fault.severity)
        for one in plain
        for fault in plain
        if one.severity == "none" and fault.severity in {"major", "critical"}
        if (one.references, one.better) == (fault.references, fault.better)
    }
    assert len({severity for *_, severity in expected}) == 2
    assert set(plain) < set(crossed)
    added = {
        (one.references, one.better, one.worse, one.kind, one.severity) for one in set(crossed) - set(plain)
    }
    assert added == expected


def test_pairs_of_held_out_references_are_left_out() -> None:
    judgments = invented(5, segments=40, languages=("de", "fi")).sorted()
    part, pairs = part_of(judgments, options_of({**MADE, "kinds": ["drop-word", "add-word"]}))
    folds = make_folds(judgments, None)
    for fold in range(len(folds.names)):
        held = {judgments.references[row] for row in np.flatnonzero(folds.member == fold)}
        expected = sum(pair.references[0] in held for pair in pairs)
        assert 0 < expected < len(pairs)
        assert len(part.held_out(fold)) == expected
        assert len(part.outside((fold,))) == len(pairs) - expected


def turned_round(seed: int) -> Judgments:
    """Judgments of people who like what is corrupted."""
    judgments = invented(seed, segments=40)
    return replace(judgments, scores=-judgments.scores)


def share_lower(model: Model, judgments: Judgments, kind: str) -> float:
    pairs = pairs_to_learn(
        (judgments, None), "en", options_of({"kinds": kind, "number": 100, "seed": 9})
    ).pairs
    metric, references = Metric(model, 1), [pair.references[0] for pair in pairs]
    better = metric.score_pairs([pair.better for pair in pairs], references)
    return float((metric.score_pairs([pair.worse for pair in pairs], references) < better).mean())


def test_a_model_learns_what_the_judgments_do_not_say() -> None:
    judgments, others = turned_round(0), invented(9, segments=60)
    pairs = {**MADE, "weight": 10}
    free = train(judgments, config=config_from_dict(OPTIONS, "x"), threads=1)
    learned = train(judgments, config=config_from_dict({**OPTIONS, "minimal_pairs": pairs}, "x"), threads=1)
    assert share_lower(free, others, "drop-word") < 0.5
    assert share_lower(learned, others, "drop-word") > 0.9
    record = learned.training["minimal_pairs"]
    assert record["held_out_lower"]["drop-word"] > 0.7
    assert record["weight"] == 10.0
    assert record["pairs"] > 80
    assert "unicode-punctuation" not in record["held_out_lower"]
    assert "minimal_pairs" not in free.training


def test_threads_and_blocks_of_a_cluster_give_the_same_model() -> None:
    judgments = invented(2)
    config = config_from_dict({**OPTIONS, "edit_cost": 0.5, "minimal_pairs": MADE}, "x")
    one = train(judgments, config=config, threads=1)
    assert train(judgments, config=config, threads=3).to_dict() == one.to_dict()
    assert train(judgments, config=config, threads=1, encoder=encoder(8192)).weights == one.weights


def test_pairs_of_a_file(tmp_path: Path) -> None:
    judgments, path = invented(7, segments=20), tmp_path / "pairs.tsv"
    rows = ["reference\tbetter\tworse\tkind\tseverity\treference_2"]
    lines = sorted(set(judgments.references))
    rows += [f"{line}\t{line}\t{line} zebra\tzebra\tcritical\t{line} again" for line in lines]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    options = options_of({"file": str(path)})
    assert options.kinds is False
    part, pairs = part_of(judgments.sorted(), options)
    assert {pair.kind for pair in pairs} == {"zebra"}
    assert all(len(pair.references) == 2 for pair in pairs)
    assert part.in_fold.any(axis=1).all()
    config = config_from_dict({**OPTIONS, "minimal_pairs": {"file": str(path), "weight": 0.5}}, "x")
    record = train(judgments, config=config, threads=1).training["minimal_pairs"]
    assert record["files"][0]["name"] == "pairs.tsv"
    assert record["held_out_lower"]["zebra"] > 0.9


def tried(weight: float, *folds: float) -> CrossValidation:
    of_folds = dict(zip("abcd", folds, strict=True))
    return CrossValidation("segment", Choice(1.0, 0.0, weight), "pearson", of_folds)


def test_the_largest_weight_without_a_fall_is_chosen() -> None:
    base = tried(0.0, 0.5, 0.6, 0.7, 0.6)
    within = tried(0.1, 0.51, 0.59, 0.71, 0.58)
    below = tried(0.3, 0.49, 0.59, 0.69, 0.58)
    again = tried(1.0, 0.49, 0.62, 0.69, 0.6)
    assert choose_weight([base, below], 4, "highest").choice.weight == 0.0
    assert choose_weight([below, within, base], 4, "highest").choice.weight == 0.1
    assert choose_weight([base, within, below, again], 4, "highest").choice.weight == 1.0
    # Pairs that change nothing at all cost nothing.
    assert choose_weight([base, tried(0.3, *base.folds.values())], 4, "highest").choice.weight == 0.3
