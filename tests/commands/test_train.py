"""`pfsm train`: the content of the model file, what it depends on and what not; `--config` and `--init`."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import pfsm
import pfsm_training
from pfsm.data import digests
from tests.command_runs import Cli, Outcome, Write
from tests.judgment_cases import rows, tsv
from tests.model_cases import WEIGHTS, saved

ROWS = rows(24, seed=2)
MORE = rows(16, seed=5)
PLAIN = ("--config", "plain.yaml")


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
    write("plain.yaml", "lambda: 5\n")


class TestModelFile:
    def test_what_it_was_trained_on_and_how(self, cli: Cli) -> None:
        outcome = cli("train", "d.tsv", "-o", "m.json", *PLAIN, "--name", "mine", "--licence", "CC0-1.0")
        model = trained()
        assert [*model] == ["format", "name", "settings", "weights", "alpha", "scale", "training", "licence"]
        assert (model["format"], model["name"], model["licence"]) == ("pfsm-model-1", "mine", "CC0-1.0")
        assert model["settings"] == {**pfsm.Settings().to_dict(), "form": "relative", "text": 2}
        assert (model["alpha"], model["scale"]["mean"]) == (0.0, 100.0)
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

    def test_the_weights_are_at_the_minimum_of_the_objective(self, cli: Cli, write: Write) -> None:
        write("c.yaml", "form: absolute\nlambda: 5\n")
        cli("train", "d.tsv", "--config", "c.yaml", "-o", "m.json")
        model = trained()
        human = np.array([float(row[2]) for row in ROWS])
        assert model["scale"]["mean"] == pytest.approx(human.mean(), abs=1e-12)
        assert model["scale"]["sd"] == pytest.approx(human.std(), abs=1e-12)
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
                cli("train", *files, "-o", "m.json", *PLAIN, "--threads", threads)
                made.append(Path("m.json").read_bytes())
        assert len(set(made)) == 1


class TestInput:
    def test_the_development_set_is_reported_and_decides_nothing(self, cli: Cli, write: Write) -> None:
        write("dev.tsv", tsv(MORE))
        cli("train", "d.tsv", "-o", "m.json", *PLAIN)
        without = Path("m.json").read_bytes()
        outcome = cli("train", "d.tsv", "-o", "m.json", *PLAIN, "--dev", "dev.tsv")
        assert Path("m.json").read_bytes() == without
        scores = pfsm.load("m.json").score_pairs([row[1] for row in MORE], [row[0] for row in MORE])
        r = float(stats.pearsonr(scores, [float(row[2]) for row in MORE]).statistic)
        assert number_after("Pearson r, dev.tsv:", outcome) == round(r, 3)
        write("flat.tsv", tsv([(reference, hypothesis, "1") for reference, hypothesis, _ in MORE]))
        assert (
            "Pearson r, flat.tsv: undefined"
            in cli("train", "d.tsv", "-o", "m.json", *PLAIN, "--dev", "flat.tsv").lines
        )


class TestConfig:
    def test_lambda_by_cross_validation(self, cli: Cli, write: Write) -> None:
        write("c.yaml", "lambda: auto\n")
        outcome = cli("train", "d.tsv", "-o", "m.json", "--config", "c.yaml")
        training = trained()["training"]
        tried = training["lambda_tried"]
        assert training["lambda_choice"] == "by cross-validation"
        assert len(tried) > 3
        assert "5" in tried
        assert (
            max(tried.values()) == tried[f"{training['lambda']:g}"] == training["cross_validated"]["pearson"]
        )
        assert f"lambda {training['lambda']:g}" in outcome.out
        write("c.yaml", f"lambda: {training['lambda']}\n")
        cli("train", "d.tsv", "-o", "again.json", "--config", "c.yaml")
        assert trained("again.json")["weights"] == trained()["weights"]

    def test_without_a_file_english_has_all_knowledge_and_words_is_the_plain_machine(
        self, cli: Cli, write: Write
    ) -> None:
        write("few.tsv", tsv(ROWS[:6]))
        cli("train", "few.tsv", "-o", "m.json")
        knowing, standard = pfsm.load("en-fast").model.settings, pfsm.load("m.json").model.settings
        same = ("matchers", "split", "classes", "options", "max_block", "normalisation", "text", "form")
        assert all(getattr(standard, name) == getattr(knowing, name) for name in same)
        assert [*standard.features] == [*knowing.features]
        judgments = pfsm_training.train(pfsm.data.read_judgments("few.tsv"))
        assert judgments.weights == trained()["weights"]
        cli("train", "few.tsv", "-o", "m.json", "--config", "words")
        assert trained()["settings"] == {**pfsm.Settings().to_dict(), "form": "relative", "text": 2}
        cli("train", "few.tsv", "-o", "m.json", "--language", "de")
        assert trained()["settings"]["matchers"] == ["punct", "word", "lemma"]


class TestInit:
    def test_weights_stay_near_the_other_model(self, cli: Cli, write: Write, tmp_path: Path) -> None:
        saved(tmp_path, "start.json", settings={"max_block": 2})
        write("c.yaml", "lambda: 1e9\n")
        outcome = cli("train", "d.tsv", "-o", "m.json", "--init", "start.json", "--config", "c.yaml")
        assert number_after("hand itself, same folds:", outcome) == number_after(
            "Pearson r, cross-validated:", outcome
        )
        assert abs(number_after("gain over hand, paired:", outcome)) == 0.0
        model = trained()
        assert model["settings"]["max_block"] == {"punct": 2, "word": 2, "lemma": 2}  # of the other model
        for name, weight in model["weights"].items():
            assert weight == pytest.approx(WEIGHTS.get(name, 0.0), abs=1e-6)
        assert set(WEIGHTS) <= set(model["weights"])
        start = pfsm.load("start.json").model
        init = model["training"]["init"]
        assert (init["name"], init["fingerprint"]) == ("hand", start.fingerprint)
        assert init["gain"]["difference"] == pytest.approx(0.0, abs=1e-6)  # it stays where it was


class TestWeights:
    def test_a_column_of_weights(self, cli: Cli, write: Write) -> None:
        counts = [at % 3 for at in range(len(ROWS))]
        write("w.tsv", tsv(ROWS, raters=[str(count) for count in counts]))
        write("c.yaml", "weights: raters\n")
        told = cli("train", "w.tsv", "-o", "m.json", "--config", "c.yaml")
        assert told.status == 0
        assert "  judgments are weighted by raters; so is Pearson's r of the training data" in told.lines
        assert told.lines[0].startswith("trained on 16 judgments:")
        assert trained()["training"]["weights"] == {"column": "raters", "sum": float(sum(counts))}
        shown = cli("show", "m.json")
        assert "judgments are weighted by raters; so is Pearson's r" in shown.out

    def test_a_bad_weight_is_refused_with_its_line(self, cli: Cli, write: Write) -> None:
        write("w.tsv", tsv(ROWS, raters=["1", "-2", *["1"] * (len(ROWS) - 2)]))
        write("c.yaml", "weights: {column: raters, rater_noise: 2}\n")
        fault = cli("train", "w.tsv", "-o", "m.json", "--config", "c.yaml").fault
        assert fault == "w.tsv:3: raters is -2, a number of raters must be 0 or from 1 to 1,000,000"
        assert not Path("m.json").exists()
