"""Tuning: hill climbing against least squares, the correlation by loops, hidden costs found again, the command."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import nnls

from pfsm import Metric, PfsmError
from pfsm.data import Judgments
from pfsm.features.values import feature_values
from pfsm.metrics import get_metric
from pfsm.metrics.terp import TerpMetric
from pfsm.model.file import load_model
from pfsm_training.tuning.edit_costs import Moments, Target, climb, tune_costs
from tests.command_runs import Cli, Write
from tests.judgment_cases import rows, tsv

Float = NDArray[np.float64]


def judged(count: int, scores: Float | None = None, **columns: tuple[str, ...]) -> Judgments:
    references, hypotheses, given = zip(*rows(count), strict=True)
    values = np.array(given, dtype=np.float64) if scores is None else scores
    return Judgments(references, hypotheses, values, columns, ())


def moments_of(seed: int, n: int = 60, k: int = 5) -> tuple[Float, Float, Moments]:
    random = np.random.default_rng(seed)
    columns = random.normal(size=(n, k)) @ random.normal(size=(k, k))
    human = columns @ random.normal(size=k) + 2 * random.normal(size=n)
    columns, human = columns - columns.mean(axis=0), human - human.mean()
    return columns, human, Moments(columns.T @ columns, columns.T @ human, float(human @ human))


@pytest.mark.parametrize("seed", range(2))
def test_it_is_least_squares_without_negative_weights_if_bounded(seed: int) -> None:
    columns, human, moments = moments_of(seed)
    free, bounded = np.linalg.lstsq(columns, human, rcond=None)[0], nnls(columns, human)[0]
    for solution, start, least in ((free, 0.0, -np.inf), (bounded, 1.0, 0.0)):
        weights, reached = climb(moments, np.full(5, start), np.full(5, least), 3, np.random.default_rng(0))
        assert (weights >= least).all()
        best = np.corrcoef(columns @ solution, human)[0, 1]
        assert reached == pytest.approx(best, abs=1e-5)
        assert reached == pytest.approx(np.corrcoef(columns @ weights, human)[0, 1], abs=1e-9)
        assert reached <= best + 1e-9
    assert (bounded == 0.0).any()


def test_segment_means_are_removed_and_long_segments_weigh_more() -> None:
    references = ("a b c",) * 3 + ("d",) * 2 + ("e f",)
    human, metric = np.array([1.0, 2.0, 6.0, 5.0, 3.0, 9.0]), np.array([2.0, 1.0, 4.0, 0.0, 1.0, 7.0])
    ids = {"segment_id": ("1", "1", "1", "2", "2", "3")}
    target = Target.of(Judgments(references, references, human, ids, ()))
    assert target.by_segment
    sums = np.zeros(3)
    for rows_of, words in (([0, 1, 2], 3.0), ([3, 4], 1.0), ([5], 2.0)):
        x, y = metric[rows_of] - metric[rows_of].mean(), human[rows_of] - human[rows_of].mean()
        sums += words * np.array([x @ y, x @ x, y @ y])
    found = target.moments(metric[:, np.newaxis]).correlation(np.ones(1))
    assert found == pytest.approx(sums[0] / np.sqrt(sums[1] * sums[2]))


def test_hidden_costs_are_found_again() -> None:
    hidden = TerpMetric("terp-base", {"insertion": 1.5, "deletion": 0.5, "substitution": 1.0, "shift": 0.8})
    judgments = judged(150)
    judgments = judged(150, hidden.score_pairs(judgments.hypotheses, judgments.references))
    start = TerpMetric("terp-base", {"costs": "ter"})
    tuned = tune_costs(start, judgments, seed=1)
    assert tuned.before < 0.97
    assert tuned.correlation > 0.999
    found = [tuned.costs[kind] for kind in ("insertion", "deletion", "substitution")]
    np.testing.assert_allclose(found, [1.5, 0.5, 1.0], atol=0.08)
    assert np.mean(found) == pytest.approx(1.0, abs=1e-3)
    assert tuned.costs["match"] == 0.0
    assert tuned.stable


def test_the_model_scores_as_costs_and_features_say() -> None:
    judgments = judged(60)
    tuned = tune_costs(TerpMetric("terp-base", {"edits": "stem"}), judgments, ["length_difference"], seed=3)
    pairs = judgments.hypotheses, judgments.references
    model = tuned.model(judgments, "tuned", "none")
    scores = Metric(model, 1).score_pairs(*pairs)
    edits = get_metric(tuned.name).score_pairs(*pairs)
    further = feature_values(["length_difference"], *pairs)[:, 0] * tuned.features["length_difference"]
    np.testing.assert_allclose(scores, edits - 100 * further, atol=1e-9)
    target = Target.of(judgments)
    assert target.moments(scores[:, np.newaxis]).correlation(np.ones(1)) == pytest.approx(
        tuned.correlation, abs=1e-9
    )


def test_tune_then_score(cli: Cli, write: Write) -> None:
    data = write("data.tsv", tsv(rows(40)))
    lines = cli("tune", data, "-o", "m.json", "--metric", "terp-base(edits=none)", "--restarts", "2").lines
    name = lines[-1].removeprefix("--metric '").removesuffix("'")
    reference, hypothesis = write("r.txt", "the red house\n"), write("h.txt", "a red tree here\n")
    scored = ("score", reference, "-i", hypothesis, "-sl")
    ours, theirs = cli(*scored, "-m", "m.json").lines, cli(*scored, "--metric", name).lines
    assert float(ours[0].split()[-1]) == pytest.approx(float(theirs[0].split()[-1]), abs=0.01)
    model = load_model("m.json")
    assert model.training["judgments"] == 40
    assert "fit         length-weighted, mean-removed Pearson, hill climbing" in cli("show", "m.json").lines


def test_nothing_to_tune(cli: Cli, write: Write) -> None:
    """Translations that equal their references, have the same errors or the same scores: refused, not r = 0."""
    for hypothesis, score, fault in (
        ("the cat {0} sat", "{0}", "all translations that are compared have the same edits"),
        ("the {0}", "0.1", "all translations of a segment have the same human score"),
    ):
        write(
            "data.tsv", tsv([(f"the cat {k} sat", hypothesis.format(k), score.format(k)) for k in range(6)])
        )
        assert cli("tune", "data.tsv", "-o", "m.json").fault.startswith(fault)
    bleu = cli("tune", "data.tsv", "-o", "m.json", "--metric", "bleu").fault
    assert bleu.startswith("--metric is 'bleu', it must be terp or terp-base")
    assert "is an input" in cli("tune", "data.tsv", "-o", "data.tsv").fault
    with pytest.raises(PfsmError, match="tuning needs scores of at most"):
        Target.of(judged(2, np.array([1e308, -1e308])))
