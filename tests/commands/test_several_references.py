"""Several references: one question has one number, whichever command, file, experiment or function is asked."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import pfsm
from pfsm.data import read_judgments, read_preferences
from pfsm.metrics import SegmentMetric, get_metric
from pfsm_experiments import run_experiment
from pfsm_experiments.report.output import results_summary
from tests.command_runs import Cli, Write
from tests.experiments.experiment_cases import run_here, write_experiment
from tests.judgment_cases import rows
from tests.model_cases import document

FAST = ("--format", "json", "--confidence-n", "20")
METRICS = ("bleu", "ter", "chrf", "wer", "terp-base", "hwcm", "stm", "nist", "mean.json", "hand.json")
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
    assert cli("score", "--table", "d.tsv", *asked(name), "-o", "out", "--partition-size", "1k").status == 0
    parts = sorted((tmp_path / "out").glob("*.parquet"))
    assert len(parts) > 1
    pq = pytest.importorskip("pyarrow.parquet")
    cut = np.concatenate([pq.read_table(part)["score"].to_numpy() for part in parts])
    np.testing.assert_array_equal(cut, wanted)
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


@pytest.mark.parametrize("name", METRICS)
def test_experiments_give_the_same(
    name: str, files: list[list[str]], cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pfsm_experiments.run.run_tasks", run_here)
    monkeypatch.setattr("pfsm_experiments.run.write_output", lambda *_: None)
    assert files
    statistics = {"segment": "pearson", "system": "system-pearson"}
    config = {
        "title": "t",
        "test": [{"name": "scores", "files": "d.tsv"}, {"name": "pairs", "files": "p.tsv"}],
        "rows": [{"name": "row", "model" if name.endswith(".json") else "metric": name}],
        "statistics": [*statistics.values(), "accuracy"],
        "resamples": 20,
        "seed": 12345,
    }
    results = run_experiment(write_experiment(tmp_path, config), tmp_path, tmp_path / "out")
    summary = results_summary(results, "", [])
    found = {(one["test"], one["statistic"]): one["value"] for one in summary["results"]}
    for level, statistic in statistics.items():
        command = ("evaluate", "d.tsv", *asked(name), "--level", level, "--statistics", "pearson", *FAST)
        (group,) = cli(*command).document["correlation"]["groups"]
        assert found["scores", statistic] == pytest.approx(group["pearson"]["value"], abs=1e-12)
    if name != "nist":  # which counts over the references of both test sets here
        (group,) = cli("evaluate", "p.tsv", *asked(name), "--statistics", "accuracy", *FAST).document[
            "preference"
        ]["groups"]
        assert found["pairs", "accuracy"] == pytest.approx(group["accuracy"]["value"], abs=1e-12)
    assert "|level:corpus" not in summary["cells"][0]["signature"]
    assert summary["cells"][0]["signature"] == scorer(name).get_signature("var")


def test_training_from_the_command_line(files: list[list[str]], cli: Cli, write: Write) -> None:
    write("mean.yaml", "references: mean\nlambda: 1\n")
    ran = cli("train", "d.tsv", "--config", "mean.yaml", "-o", "m.json", "--dev", "d.tsv")
    assert ran.status == 0, ran.err
    model = json.loads(Path("m.json").read_text(encoding="utf-8"))
    assert model["settings"]["references"] == "mean"
    data = read_judgments("d.tsv")
    metric = pfsm.load("m.json", 1)
    r = stats.pearsonr(metric.score_segments(data.hypotheses, data.all_references), data.scores).statistic
    assert model["training"]["pearson"] == pytest.approx(r)
    assert f"Pearson r, d.tsv: {r:.3f}" in ran.out
    write("bad.yaml", "references: all\n")
    fault = cli("train", "d.tsv", "--config", "bad.yaml", "-o", "x.json").fault
    assert fault == "bad.yaml: references is 'all', it must be best or mean"


def test_contrast_tests(cli: Cli, write: Write) -> None:
    lines = ["kind\treference\treference_2\tbetter\tworse"]
    lines += [f"word\tx y z\ta b c{k}\ta b c{k} d\tx q r{k}" for k in range(3)] + ["word\ta b\t\ta b\tz"]
    write("pairs.tsv", "\n".join(lines) + "\n")
    found = cli("probe", "pairs.tsv", "--metric", "ol", "--format", "json").document
    # Against the second references the better versions have 3 of 4 words, against the first ones none.
    assert found["kinds"][0]["difference"]["value"] == pytest.approx((3 * (3 / 4 - 1 / 5) + 1) / 4)


@pytest.mark.parametrize("name", ["bleu", "ter", "nist", "terp-base", "meteor-base", "mean.json"])
@pytest.mark.parametrize("count", [1, 3])
def test_explained_scores_are_those_of_score(
    cli: Cli, write: Write, files: list[list[str]], name: str, count: int
) -> None:
    full = [line for line in files if line[4]]
    paths = [write(f"r{k}.txt", "".join(f"{line[2 + k]}\n" for line in full)) for k in range(count)]
    write("h.txt", "".join(f"{line[5]}\n" for line in full))
    asking = (*paths, "-i", "h.txt", *asked(name), "-f", "json")
    scores = cli("score", *asking, "-sl").document["segment_scores"]
    for number in (2, 7):
        (document,) = cli("explain", *asking, "--segment", str(number)).document
        (segment,) = document["segments"]
        assert segment["score"] == pytest.approx(scores[number - 1], abs=1e-10)
        if name == "mean.json" and count > 1:
            assert segment["counted"].endswith(f"; mean score of all references {scores[number - 1]:.4f}")
            # What is explained is the score against the best reference, which the mean is not.
            points = [part["points"] for part in segment["contributions"] + segment["features"]]
            whole = segment["base"] + segment["entropy"] + sum(points)
            assert segment["score_of_reference"] == pytest.approx(whole)
            assert segment["score_of_reference"] > segment["score"]
        elif name == "mean.json":
            assert "score_of_reference" not in segment
        if name == "nist":
            parts = segment["parts"]
            assert parts["nist.upto_5"] == pytest.approx(scores[number - 1], abs=1e-10)
        if name == "ter":
            edits = sum(
                segment["parts"][f"ter.{kind}"]
                for kind in ("insertions", "deletions", "substitutions", "shifts")
            )
            assert segment["score_of_reference"] == pytest.approx(-100 * edits, abs=1e-10)
