"""`pfsm evaluate` and experiments about systems and documents: metrics that pool counts have their corpus scores."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu
from scipy import stats

from pfsm.metrics import get_metric
from pfsm_experiments import run_experiment
from pfsm_experiments.report.output import results_summary
from tests.command_runs import Cli, Write
from tests.experiments.experiment_cases import run_here, write_experiment
from tests.judgment_cases import rows, tsv

FAST = ("-f", "json", "--confidence-n", "40")
LANGUAGES, SYSTEMS, SEGMENTS = ("cs", "de"), "abcde", 6
# TER is an error rate; experiments and `pfsm evaluate` want higher scores to be better.
SACREBLEU: dict[str, Callable[..., float]] = {
    "bleu": lambda *texts: float(sacrebleu.corpus_bleu(*texts).score),
    "chrf": lambda *texts: float(sacrebleu.corpus_chrf(*texts).score),
    "ter": lambda *texts: -float(sacrebleu.corpus_ter(*texts).score),
}


class Made:
    """Two languages, five systems, six segments in three documents; rows in no order."""

    def __init__(self) -> None:
        cells = [
            (language, system, segment)
            for language in LANGUAGES
            for system in SYSTEMS
            for segment in range(SEGMENTS)
        ]
        order = np.random.default_rng(2).permutation(len(cells))
        self.cells = [cells[at] for at in order]
        self.texts = rows(len(cells), seed=8)
        self.second = [reference for reference, _, _ in rows(len(cells), seed=9)]
        self.human = np.array([float(score) for *_, score in self.texts])
        self.columns: dict[str, Any] = {
            "source_lang": [language for language, *_ in self.cells],
            "system": [system for _, system, _ in self.cells],
            "segment_id": [f"{segment}" for *_, segment in self.cells],
            "document": [f"talk {segment // 2}" for *_, segment in self.cells],
        }

    def correlation(self, metric: str, language: str, level: str, streams: int = 1) -> float:
        """SciPy's correlation of sacrebleu's corpus scores with people's means."""

        def key(cell: tuple[str, str, int]) -> tuple[Any, ...]:
            return cell[1:2] if level == "system" else (cell[2] // 2, cell[1])

        keys = sorted({key(cell) for cell in self.cells})
        scores, means = [], []
        for one in keys:
            chosen = [at for at, cell in enumerate(self.cells) if cell[0] == language and key(cell) == one]
            hypotheses = [self.texts[at][1] for at in chosen]
            references = [[self.texts[at][0] for at in chosen], [self.second[at] for at in chosen]]
            scores.append(SACREBLEU[metric](hypotheses, references[:streams]))
            means.append(self.human[chosen].mean())
        return float(stats.pearsonr(scores, means).statistic)


@pytest.fixture
def made(write: Write) -> Made:
    made = Made()
    write("d.tsv", tsv(made.texts, **made.columns))
    write("two.tsv", tsv(made.texts, reference_2=made.second, **made.columns))
    return made


def values(document: Any) -> list[float]:
    assert [group["group"] for group in document["groups"]] == list(LANGUAGES)
    return [group["pearson"]["value"] for group in document["groups"]]


@pytest.mark.parametrize("level", ["system", "document"])
@pytest.mark.parametrize("metric", SACREBLEU)
def test_against_sacrebleu(metric: str, level: str, made: Made, cli: Cli) -> None:
    command = ["evaluate", "d.tsv", "--metric", metric, "--level", level, "--statistics", "pearson", *FAST]
    found = cli(*command).document
    expected = [made.correlation(metric, language, level) for language in LANGUAGES]
    assert values(found["correlation"]) == pytest.approx(expected, abs=1e-9)
    assert found["signature"] == get_metric(metric).get_signature(1, "corpus")


@pytest.mark.parametrize("level", ["system", "document"])
def test_several_references(level: str, made: Made, cli: Cli) -> None:
    """As in `pfsm score --table`."""
    command = ["evaluate", "two.tsv", "--metric", "bleu", "--level", level, "--statistics", "pearson", *FAST]
    found = cli(*command).document
    expected = [made.correlation("bleu", language, level, streams=2) for language in LANGUAGES]
    assert values(found["correlation"]) == pytest.approx(expected, abs=1e-9)
    assert found["signature"] == get_metric("bleu").get_signature(2, "corpus")
    # Means use all references too, so there is nothing to warn of.
    versus = cli(*command, "--versus", "metric:length_ratio").document["versus"]
    assert versus["signature"] == get_metric("length_ratio").get_signature(2, "corpus")


@pytest.mark.parametrize("file", ["d.tsv", "two.tsv"])
@pytest.mark.parametrize("metric", ["bleu", "nist"])
def test_the_same_in_experiments(
    metric: str, file: str, made: Made, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pfsm_experiments.run.run_tasks", run_here)
    monkeypatch.setattr("pfsm_experiments.run.write_output", lambda *_: None)
    names = ["system-pearson", "system-spa", "document-pearson", "pearson"]
    config = {
        "title": "t",
        "test": {"name": "made", "files": file},
        "rows": [{"name": "one", "metric": metric}, {"name": "mean", "metric": "length_ratio"}],
        "statistics": names,
        "group_by": "source_lang",
        "resamples": 40,
        "seed": 12345,
    }

    def run() -> tuple[dict[str, list[float]], dict[str, Any], list[str]]:
        told: list[str] = []
        results = run_experiment(
            write_experiment(tmp_path, config), tmp_path, tmp_path / "out", progress=told.append
        )
        summary = results_summary(results, "", [])
        of_row = [entry for entry in summary["results"] if entry["row"] == "one"]
        found = {
            name: [
                entry["value"] for entry in of_row if entry["statistic"] == name and entry["group"] != "mean"
            ]
            for name in names
        }
        return found, {cell["row"]: cell for cell in summary["cells"]}, told

    found, cells, _ = run()
    for level in ("system", "document", "segment"):
        command = ("evaluate", file, "--metric", metric, "--level", level, *FAST)
        document = cli(*command, "--statistics", "pearson").document
        own = "pearson" if level == "segment" else f"{level}-pearson"
        assert values(document["correlation"]) == found[own]
        if level != "segment":
            assert cells["one"]["corpus_signatures"]["made"][level] == document["signature"]
    spa = cli("evaluate", file, "--metric", metric, "--statistics", "system-spa", *FAST).document
    assert [group["spa"]["value"] for group in spa["correlation"]["groups"]] == found["system-spa"]
    assert "corpus_signatures" not in cells["mean"]
    again, _, told = run()
    assert again == found
    assert "2 of 2 cells finished earlier" in told
    (stored, *_) = sorted((tmp_path / "out" / "cells").glob("*/statistics-1.txt.gz"))
    stored.unlink()
    again, _, told = run()
    assert again == found
    assert "1 of 2 cells finished earlier" in told


def test_perm_both(made: Made, cli: Cli) -> None:
    """Counts of different metrics cannot be swapped; scores of documents can."""
    command = ("evaluate", "d.tsv", "--test", "perm-both", *FAST)
    for sides in (
        ("--metric", "bleu", "--versus", "column:score"),
        ("--column", "score", "--versus", "metric:bleu"),
    ):
        assert cli(*command, "--level", "system", *sides).fault == (
            "--test perm-both swaps scores of segments between metrics, but bleu pools counts to score systems; "
            "take the bootstrap, or give scores of segments with --scores or --column"
        )
        versus = cli(*command, "--level", "document", *sides).document["versus"]["correlation"]
        assert 0.0 < versus["pearson"]["mean"]["p_value"] <= 1.0
    averaged = ("--metric", "length_ratio", "--versus", "column:score")
    versus = cli(*command, "--level", "system", *averaged).document["versus"]["correlation"]
    assert 0.0 < versus["pearson"]["mean"]["p_value"] <= 1.0
