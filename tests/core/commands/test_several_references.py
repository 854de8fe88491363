"""Several references: one question has one number, whichever command, file, experiment or function is asked."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import pfsm
from pfsm.data import read_judgments, read_preferences
from pfsm.metrics import SegmentMetric, get_metric
from tests.command_runs import Cli, Write
from tests.judgment_cases import rows
from tests.model_cases import document

FAST = ("--format", "json", "--confidence-n", "20")
METRICS = ("bleu", "ter", "terp-base", "hwcm", "nist", "mean.json", "hand.json")
COUNT = 24


def made() -> list[list[str]]:
    """Rows of segment, system, three references (the first is another segment's, some empty), hypothesis, score."""
    texts = rows(COUNT, seed=9)
    others = rows(COUNT, seed=10)
    return [
        [
            f"s{k // 2}", "ab"[k % 2],
            others[k // 2][0], texts[k // 2][0], others[-1 - k // 2][0] if k // 2 % 3 else "",
            texts[k][1] if k % 2 else texts[k // 2][1], texts[k][2],
        ]
        for k in range(COUNT)
    ]  # fmt: skip


@pytest.fixture
def files(write: Write) -> list[list[str]]:
    table = made()
    names = ["segment_id", "system", "reference", "reference_2", "reference_3", "hypothesis", "score"]
    write("d.tsv", "".join("\t".join(line) + "\n" for line in [names, *table]))
    names = ["segment_id", "reference", "reference_2", "reference_3", "better", "worse"]
    pairs = [[*one[:1], *one[2:6], other[5]] for one, other in zip(table[0::2], table[1::2], strict=True)]
    write("p.tsv", "".join("\t".join(line) + "\n" for line in [names, *pairs]))
    write("hand.json", json.dumps(document()))
    mean = document(settings={"language": "en", "max_block": 1, "references": "mean"}, name="mean")
    write("mean.json", json.dumps(mean))
    return table


def scorer(name: str) -> SegmentMetric:
    return pfsm.load(name, 1) if name.endswith(".json") else get_metric(name)


def asked(name: str) -> tuple[str, str]:
    return ("--model" if name.endswith(".json") else "--metric", name)


@pytest.mark.parametrize("name", METRICS)
def test_one_question_has_one_number(
    name: str, files: list[list[str]], cli: Cli, write: Write, tmp_path: Path
) -> None:
    data = read_judgments("d.tsv")
    metric = scorer(name)
    wanted = metric.score_segments(data.hypotheses, data.all_references)
    first = metric.score_pairs(data.hypotheses, data.references)
    assert not np.allclose(wanted, first)
    table = cli("score", "--table", "d.tsv", *asked(name), "-sl", "--format", "json").document
    np.testing.assert_array_equal(table["segment_scores"], wanted)
    assert table["segment_signature"] == metric.get_signature("var")
    command = ("evaluate", "d.tsv", *asked(name), "--statistics", "pearson,spearman", *FAST)
    evaluated = cli(*command).document
    assert evaluated["signature"] == metric.get_signature("var")
    found = evaluated["correlation"]["groups"][0]
    assert found["pearson"]["value"] == pytest.approx(
        stats.pearsonr(wanted, data.scores).statistic, abs=1e-12
    )
    pairs = read_preferences("p.tsv")
    better, worse = (
        metric.score_segments(side, pairs.all_references) for side in (pairs.better, pairs.worse)
    )
    evaluated = cli("evaluate", "p.tsv", *asked(name), "--statistics", "accuracy", *FAST).document
    if name != "nist":  # which counts over all references that are scored together
        accuracy = evaluated["preference"]["groups"][0]["accuracy"]["value"]
        assert accuracy == pytest.approx(np.mean(better > worse))
    # Segments with all three references, as files: the streams of sacrebleu.
    full = [row for row in files if row[4]]
    for place, file in enumerate(("r1.txt", "r2.txt", "r3.txt", "hyp.txt")):
        write(file, "".join(f"{row[2 + place]}\n" for row in full))
    texts = cli(
        "score", "r1.txt", "r2.txt", "r3.txt", "-i", "hyp.txt", *asked(name), "-sl", "--format", "json"
    )
    expected = metric.score_segments([row[5] for row in full], [tuple(row[2:5]) for row in full])
    np.testing.assert_array_equal(texts.document["segment_scores"], expected)
