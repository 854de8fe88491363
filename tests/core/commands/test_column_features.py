"""Columns of the data as features of models, and adequacy and fluency in place of a score."""

import json
from pathlib import Path

import numpy as np
import pytest

from pfsm import load
from pfsm.data import read_judgments
from pfsm.metrics import get_metric
from tests.command_runs import Cli, Write
from tests.judgment_cases import rows, tsv

ROWS = rows(30, seed=2)
QUALITY = [f"{value:.3f}" for value in np.random.default_rng(1).normal(size=30)]
CONFIG = "matchers: [word]\nfeatures: ['column:quality', length]\n"


def expected() -> list[float]:
    metric = load("m.json", 1)
    references, hypotheses = [row[0] for row in ROWS], [row[1] for row in ROWS]
    return list(metric.score_pairs(hypotheses, references, {"quality": list(map(float, QUALITY))}))


def test_a_column_is_used_in_one_piece_and_in_partitions(cli: Cli, write: Write) -> None:
    write("d.tsv", tsv(ROWS, quality=QUALITY, system=["A", "B"] * 15))
    write("c.yaml", CONFIG)
    cli("train", "d.tsv", "--config", "c.yaml", "-o", "m.json").lines  # noqa: B018 - checks that it succeeded
    whole = cli("score", "--table", "d.tsv", "-m", "m.json", "-sl", "-f", "json").document
    assert whole["segment_scores"] == expected()
    assert "feat:column:quality+length" in whole["signature"]
    arguments = ("--output", "out", "--output-format", "tsv", "--partition-size", "1K")
    assert cli("score", "--table", "d.tsv", "-m", "m.json", *arguments).status == 0
    parts = sorted(Path("out").glob("*.tsv"))
    assert len(parts) > 1
    found = [float(line) for part in parts for line in part.read_text().splitlines()[1:]]
    assert found == expected()
    # A cell without a number is named.
    write("bad.tsv", tsv(ROWS, quality=[*QUALITY[:7], "inf", *QUALITY[8:]]))
    message = "bad.tsv:9: quality is 'inf', a finite number is needed"
    assert cli("train", "bad.tsv", "--config", "c.yaml", "-o", "n.json").fault == message
    assert cli("train", "d.tsv", "--config", "c.yaml", "-o", "n.json", "--dev", "bad.tsv").fault == message
    assert cli("score", "--table", "bad.tsv", "-m", "m.json").fault == message
    assert cli("evaluate", "bad.tsv", "-m", "m.json").fault == message
    outcome = cli("score", "--table", "bad.tsv", "-m", "m.json", "-o", "bad", "--partition-size", "1K")
    assert message in outcome.err
    assert outcome.status == 2


def test_adequacy_and_fluency_of_several_judges(cli: Cli, write: Write) -> None:
    """The score is the sum in the mean over judges (Giménez and Màrquez 2009, section 3.2), in every command."""
    random = np.random.default_rng(3)
    marks = random.integers(1, 6, size=(30, 3, 2))
    lines = [
        f"{row[0]}\t{row[1]}\t{k}\tA\tj{judge}\t{adequacy}\t{fluency}\n"
        for judge in range(3)
        for k, row in enumerate(ROWS)
        for adequacy, fluency in [marks[k, judge]]
    ]
    header = "reference\thypothesis\tsegment_id\tsystem\trater\tadequacy\tfluency\n"
    write("judged.tsv", header + "".join(lines))
    means = marks.sum(axis=2).mean(axis=1)
    report = json.loads(cli("evaluate", "judged.tsv", "--metric", "chrf", "-f", "json").out)
    found = report["correlation"]["groups"][0]
    chrf = get_metric("chrf").score_pairs([row[1] for row in ROWS], [row[0] for row in ROWS])
    r = np.corrcoef(chrf, means)[0, 1]
    assert (found["n"], found["pearson"]["value"]) == (30, pytest.approx(r, abs=1e-9))
    assert cli("data", "convert", "judged.tsv", "-o", "plain.tsv").status == 0
    plain = read_judgments("plain.tsv")
    assert plain.scores.tolist() == pytest.approx(means)
    assert plain.columns["adequacy"] == tuple(repr(float(mean)) for mean in marks[:, :, 0].mean(axis=1))
    assert set(plain.columns["n_raters"]) == {"3"}
    # Translations with equal marks in all stay equal, to the last digit.
    assert len({*plain.scores.tolist()}) == len({*marks.sum(axis=(1, 2)).tolist()})
    write("bad.tsv", header + lines[0] + "\t".join([*lines[1].split("\t")[:-2], "good", "1\n"]))
    fault = cli("evaluate", "bad.tsv", "--metric", "chrf").fault
    assert fault == "bad.tsv:3: adequacy is 'good', a finite number is needed"
