"""`pfsm train`: what it depends on and what not, defaults."""

import json
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

import pfsm
import pfsm_training
from tests.command_runs import Cli, Outcome, Write
from tests.judgment_cases import rows, tsv

ROWS = rows(30, seed=2)
MORE = rows(16, seed=5)
PLAIN = ("--config", "plain.yaml")


def trained(path: str = "m.json") -> dict[str, Any]:
    document = json.loads(Path(path).read_text(encoding="utf-8"))
    assert isinstance(document, dict)
    return document


@pytest.fixture(autouse=True)
def data(write: Write) -> None:
    write("d.tsv", tsv(ROWS))
    write("plain.yaml", "lambda: 5\n")


def test_without_a_file_english_has_all_knowledge_and_words_is_the_plain_machine(
    cli: Cli, write: Write
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


def test_a_bad_weight_is_refused_with_its_line(cli: Cli, write: Write) -> None:
    write("w.tsv", tsv(ROWS, raters=["1", "-2", *["1"] * (len(ROWS) - 2)]))
    write("c.yaml", "weights: raters\n")
    fault = cli("train", "w.tsv", "-o", "m.json", "--config", "c.yaml").fault
    assert fault == "w.tsv:3: raters is -2, a weight must be 0 or from 1e-06 to 1,000,000"
    assert not Path("m.json").exists()


def number_after(label: str, outcome: Outcome) -> float:
    (line,) = [line for line in outcome.lines if line.startswith(label)]
    return float(line.removeprefix(label).split()[0])


def test_the_development_set_is_reported_and_decides_nothing(cli: Cli, write: Write) -> None:
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


def test_files_of_different_scales(cli: Cli, write: Write) -> None:
    """A warning names files and ranges; with each file's own mean and spread, their units do not matter."""
    write("e.tsv", tsv(MORE))
    write("f.tsv", tsv([(one, other, f"{float(score) / 100 - 7:.9g}") for one, other, score in MORE]))
    scores = [float(score) for *_, score in MORE]
    low, high = min(scores), max(scores)
    said = [cli("train", "d.tsv", name, "-o", "m.json", *PLAIN).err for name in ("e.tsv", "f.tsv")]
    assert "different scales" not in said[0]
    assert f"f.tsv {low / 100 - 7:g} to {high / 100 - 7:g} look like different scales" in said[1]
    made = []
    for name in ("e.tsv", "f.tsv"):
        outcome = cli("train", "d.tsv", name, "-o", "m.json", *PLAIN, "--standardise-by", "file")
        assert "different scales" not in outcome.err
        made.append(pfsm.load("m.json").model)
    assert made[0].weights == pytest.approx(made[1].weights)
    assert made[0].scale.mean == pytest.approx(made[1].scale.mean)
    assert made[0].training["standardise_by"] == "file"
    write("g.tsv", tsv([(one, other, "5") for one, other, _ in MORE]))
    asked = ("train", "d.tsv", "g.tsv", "-o", "m.json", *PLAIN, "--standardise-by")
    assert cli(*asked, "file").fault == "g.tsv: all 16 scores are 5; they cannot be standardised"
    assert "no column 'nothing'" in cli(*asked, "nothing").fault
