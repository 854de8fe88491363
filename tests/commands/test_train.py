"""`pfsm train`: the content of the model file, what it depends on, and what it must not depend on."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import pfsm
from pfsm.data import digests
from tests.command_runs import Cli, Outcome, Write
from tests.judgment_cases import rows, tsv

ROWS = rows(24, seed=2)
MORE = rows(16, seed=5)


def trained(path: str = "m.json") -> dict[str, Any]:
    document = json.loads(Path(path).read_text(encoding="utf-8"))
    assert isinstance(document, dict)
    return document


def number_after(label: str, outcome: Outcome) -> float:
    (line,) = [line for line in outcome.lines if line.startswith(label)]
    return float(line.removeprefix(label).split()[0])


@pytest.fixture(autouse=True)
def data(write: Write) -> None:
    write("d.tsv", tsv(ROWS))


class TestModelFile:
    def test_what_it_was_trained_on_and_how(self, cli: Cli) -> None:
        outcome = cli("train", "d.tsv", "-o", "m.json", "--name", "mine", "--licence", "CC0-1.0")
        model = trained()
        assert [*model] == ["format", "name", "settings", "weights", "alpha", "scale", "training", "licence"]
        assert (model["format"], model["name"], model["licence"]) == ("pfsm-model-1", "mine", "CC0-1.0")
        assert model["settings"] == pfsm.Settings().to_dict()
        human = np.array([float(score) for _, _, score in ROWS])
        assert model["scale"]["mean"] == pytest.approx(human.mean(), abs=1e-12)
        assert model["scale"]["sd"] == pytest.approx(human.std(), abs=1e-12)
        training = model["training"]
        checksum = hashlib.sha256(Path("d.tsv").read_bytes()).hexdigest()
        assert training["data"] == [{"name": "d.tsv", "rows": 24, "sha256": checksum}]
        assert (training["judgments"], training["score_column"]) == (24, "score")
        assert (training["objective"], training["solver"]) == ("squared_error", "gauss-newton")
        assert (training["lambda"], training["lambda_choice"]) == (5.0, "given")
        assert training["reference_digests"] == digests(reference for reference, _, _ in ROWS)
        assert training["converged"] is True
        assert set(training["versions"]) == {"pfsm", "numpy", "numba", "torch"}
        assert set(training["instances"]) >= set(trained()["weights"])
        assert all(training["instances"][name] >= 5 for name in trained()["weights"])
        validated = training["cross_validated"]
        assert validated["by"] == "segment"
        assert validated["pearson"] == pytest.approx(np.mean(list(validated["folds"].values())), abs=1e-12)
        assert number_after("Pearson r, cross-validated:", outcome) == round(validated["pearson"], 3)

    def test_the_weights_are_at_the_minimum_of_the_objective(self, cli: Cli) -> None:
        cli("train", "d.tsv", "-o", "m.json")
        model = trained()
        human = np.array([float(row[2]) for row in ROWS])
        targets = (human - model["scale"]["mean"]) / model["scale"]["sd"]

        def objective(weights: dict[str, float], alpha: float) -> float:
            metric = pfsm.Metric(pfsm.Model("m", weights=weights, alpha=alpha))
            scores = metric.score_pairs([row[1] for row in ROWS], [row[0] for row in ROWS])
            penalty = 5.0 * sum(weight**2 for weight in weights.values())
            return float(((targets - scores) ** 2).sum() + penalty)

        lowest = objective(model["weights"], model["alpha"])
        assert lowest == pytest.approx(model["training"]["minimum"], rel=1e-9)
        for name in model["weights"]:
            for step in (-1e-3, 1e-3):
                shifted = {**model["weights"], name: model["weights"][name] + step}
                assert objective(shifted, model["alpha"]) > lowest
        for step in (-1e-3, 1e-3):
            assert objective(model["weights"], model["alpha"] + step) > lowest


class TestReproducibility:
    def test_threads_and_the_order_of_files(self, cli: Cli, write: Write) -> None:
        write("e.tsv", tsv(MORE, source_lang="de", system="A"))
        made = []
        for files in (("d.tsv", "e.tsv"), ("e.tsv", "d.tsv")):
            for threads in ("1", "2"):
                cli("train", *files, "-o", "m.json", "--threads", threads)
                made.append(Path("m.json").read_bytes())
        assert len(set(made)) == 1


class TestInput:
    def test_the_development_set_is_reported_and_decides_nothing(self, cli: Cli, write: Write) -> None:
        write("dev.tsv", tsv(MORE))
        cli("train", "d.tsv", "-o", "m.json")
        without = Path("m.json").read_bytes()
        outcome = cli("train", "d.tsv", "-o", "m.json", "--dev", "dev.tsv")
        assert Path("m.json").read_bytes() == without
        scores = pfsm.load("m.json").score_pairs([row[1] for row in MORE], [row[0] for row in MORE])
        r = float(stats.pearsonr(scores, [float(row[2]) for row in MORE]).statistic)
        assert number_after("Pearson r, dev.tsv:", outcome) == round(r, 3)
        write("flat.tsv", tsv([(reference, hypothesis, "1") for reference, hypothesis, _ in MORE]))
        assert (
            "Pearson r, flat.tsv: undefined"
            in cli("train", "d.tsv", "-o", "m.json", "--dev", "flat.tsv").lines
        )
