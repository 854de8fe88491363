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


def test_threads_and_the_order_of_files(cli: Cli, write: Write) -> None:
    write("e.tsv", tsv(MORE, source_lang="de", system="A"))
    made = []
    for files in (("d.tsv", "e.tsv"), ("e.tsv", "d.tsv")):
        for threads in ("1", "2"):
            cli("train", *files, "-o", "m.json", *PLAIN, "--threads", threads)
            made.append(Path("m.json").read_bytes())
    assert len(set(made)) == 1


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
