"""`pfsm evaluate` and experiments about systems and documents: metrics that pool counts have their corpus scores."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sacrebleu
from scipy import stats

from pfsm.metrics import get_metric
from tests.command_runs import Cli, Write
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
