"""`pfsm train --config` and `--init`: settings, lambda, and another model to stay near."""

import json
from pathlib import Path
from typing import Any

import pytest

import pfsm
from tests.command_runs import Cli, Write
from tests.judgment_cases import rows, tsv
from tests.model_cases import WEIGHTS, saved

ROWS = rows(24, seed=2)


def trained(path: str = "m.json") -> dict[str, Any]:
    document = json.loads(Path(path).read_text(encoding="utf-8"))
    assert isinstance(document, dict)
    return document


@pytest.fixture(autouse=True)
def data(write: Write) -> None:
    write("d.tsv", tsv(ROWS))


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


class TestInit:
    def test_weights_stay_near_the_other_model(self, cli: Cli, write: Write, tmp_path: Path) -> None:
        saved(tmp_path, "start.json", settings={"max_block": 2})
        write("c.yaml", "lambda: 1e9\n")
        cli("train", "d.tsv", "-o", "m.json", "--init", "start.json", "--config", "c.yaml")
        model = trained()
        assert model["settings"]["max_block"] == {"punct": 2, "word": 2, "lemma": 2}  # of the other model
        for name, weight in model["weights"].items():
            assert weight == pytest.approx(WEIGHTS.get(name, 0.0), abs=1e-6)
        assert set(WEIGHTS) <= set(model["weights"])
        start = pfsm.load("start.json").model
        assert model["training"]["init"] == {"name": "hand", "fingerprint": start.fingerprint}


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
        write("c.yaml", "weights: raters\n")
        fault = cli("train", "w.tsv", "-o", "m.json", "--config", "c.yaml").fault
        assert fault == "w.tsv:3: raters is -2, a weight must be 0 or from 1e-06 to 1,000,000"
        assert not Path("m.json").exists()
