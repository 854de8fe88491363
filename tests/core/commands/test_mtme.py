"""`pfsm evaluate --mtme` on a folder of mt-metrics-eval, against its statistics written out, and its package."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from tests.command_runs import Cli, Write, text

SYSTEMS, N = ("A", "B", "C", "D", "refB"), 24
MISSING = 3
"""Every so many-th segment has no score of people."""
ASKED = "acc-t,item-kendall,item-tau23,item-acc23,kendall,kendall-c"

Float = NDArray[np.float64]


def scores() -> tuple[Float, Float]:
    """People's scores and a metric's, float64 [n_systems, n_segments]; both tie often."""
    draw = np.random.default_rng(3)
    human = -draw.integers(0, 5, size=(len(SYSTEMS), N)).astype(np.float64)
    return human, np.round(human + draw.normal(0, 2, size=human.shape))


@pytest.fixture(autouse=True)
def folder(write: Write, tmp_path: Path) -> None:
    """Two raters, whose mean is people's score, and a metric; rated spans; a score of the only reference."""
    human, metric = scores()
    outputs = {name: [f"{name} said {number}" for number in range(N)] for name in (*SYSTEMS, "refA")}
    human_files: dict[str, list[str]] = {"rater1": [], "rater2": []}
    machine, ratings = [], []
    for system, people, found in zip(SYSTEMS, human, metric, strict=True):
        for at in range(N):
            there = at % MISSING > 0
            for rater, change in (("rater1", 0.5), ("rater2", -0.5)):
                human_files[rater].append(f"{system}\t{people[at] + change if there else None}")
            mark = {"start": 0, "end": 1, "severity": "Major", "category": "x", "score": 5.0}
            other = {**mark, "is_source_error": True, "end": 99}
            ratings.append(f"{system}\t{json.dumps({'errors': [mark, other]}) if there else None}\tann")
            machine.append(f"{system} {found[at]}")
    base = "wmt24"
    files = {
        "sources/en-de.txt": [f"source {number}" for number in range(N)],
        "documents/en-de.docs": [f"news d{number // 4}" for number in range(N)],
        "references/en-de.refA.txt": outputs["refA"],
        "references/en-de.refB.txt": outputs["refB"],
        **{f"system-outputs/en-de/{name}.txt": lines for name, lines in outputs.items()},
        **{f"human-scores/en-de.esa.{name}.seg.score": lines for name, lines in human_files.items()},
        "human-scores/en-de.esa.merged.seg.rating": ratings,
        "human-scores/en-de.esa.sys.score": [
            f"{system} {value}" for system, value in zip(SYSTEMS, people_of_systems(human), strict=True)
        ],
        "metric-scores/en-de/Match-refA.seg.score": machine,
        "metric-scores/en-de/Pooled-refA.sys.score": [f"{one} {at}" for at, one in enumerate(SYSTEMS)],
    }
    for name, lines in files.items():
        (tmp_path / base / name).parent.mkdir(parents=True, exist_ok=True)
        write(f"{base}/{name}", text(lines))


def people_of_systems(human: Float) -> Float:
    return np.asarray(human[:, [at for at in range(N) if at % MISSING]].mean(axis=1))


def evaluated(cli: Cli, *arguments: str) -> dict[str, float]:
    found = cli("evaluate", "--mtme", ".", "wmt24", "en-de", *arguments, "-f", "json", "--confidence-n", "20")
    assert found.status == 0, found
    (group,) = json.loads(found.out)["correlation"]["groups"]
    return {name: one["value"] for name, one in group.items() if isinstance(one, dict)}


def by_item(human: Float, metric: Float, threshold: float = 0.0) -> dict[str, float]:
    """Averages over segments: of tau-b where it is defined, of acc-23 and tau-23."""
    taus, shares = [], []
    for people, machine in zip(human.T, metric.T, strict=True):
        pairs = list(combinations(range(len(people)), 2))
        gaps = [(people[i] - people[j], machine[i] - machine[j]) for i, j in pairs]
        signs = [(np.sign(h), np.sign(m) if abs(m) > threshold else 0.0) for h, m in gaps]
        shares.append(np.mean([h == m for h, m in signs]))
        taus.append(stats.kendalltau(people, machine).statistic)
    acc = float(np.mean(shares))
    return {"item_kendall": float(np.nanmean(taus)), "item_acc23": acc, "item_tau23": 2 * acc - 1}


def test_segments(cli: Cli) -> None:
    human, metric = (side[:, [at for at in range(N) if at % MISSING]] for side in scores())
    found = evaluated(cli, "--column", "Match", "--statistics", ASKED)
    expected = by_item(human, metric)
    thresholds = {abs(a - b) for row in metric.T for a, b in combinations(row, 2)}
    expected["acc_t"] = max(by_item(human, metric, one)["item_acc23"] for one in thresholds | {0.0})
    expected["kendall_tau_b"] = stats.kendalltau(human.ravel(), metric.ravel()).statistic
    expected["kendall_c"] = stats.kendalltau(human.ravel(), metric.ravel(), variant="c").statistic
    assert found == pytest.approx(expected, abs=1e-12)


def p_values(matrix: Float) -> Float:
    """Of pairs of systems, by the swaps that mt-metrics-eval draws; equal leads count half, whichever comes first."""
    swaps = np.rint(np.random.default_rng(4).random((1000, matrix.shape[1]), dtype=np.float32)) * 2.0 - 1.0
    found = []
    for a, b in combinations(matrix, 2):
        lead, drawn = (a - b).sum(), swaps @ (a - b)
        found.append(((drawn >= lead).mean() + 1.0 - (-drawn >= -lead).mean()) / 2.0)
    return np.array(found)


def test_systems(cli: Cli) -> None:
    """A metric's score is over all segments, also those that nobody scored; SPA is of those that somebody did."""
    human, metric = scores()
    found = evaluated(
        cli, "--column", "Match", "--level", "system", "--statistics", "pearson,spa,accuracy,kendall"
    )
    people, machine = people_of_systems(human), metric.mean(axis=1)
    scored = [at for at in range(N) if at % MISSING]
    pairs = list(combinations(range(len(SYSTEMS)), 2))
    same = [np.sign(people[i] - people[j]) == np.sign(machine[i] - machine[j]) for i, j in pairs]
    assert found == pytest.approx(
        {
            "pearson": stats.pearsonr(people, machine).statistic,
            "kendall_tau_b": stats.kendalltau(people, machine).statistic,
            "accuracy": np.mean(same),
            "spa": 1.0 - np.abs(p_values(human[:, scored]) - p_values(metric[:, scored])).mean(),
        }
    )
    pooled = evaluated(cli, "--column", "Pooled", "--level", "system", "--statistics", "pearson")
    assert pooled["pearson"] == pytest.approx(stats.pearsonr(people, range(len(SYSTEMS))).statistic)


def test_a_metric_is_scored_against_the_reference_and_spans_are_there(cli: Cli) -> None:
    out = cli("evaluate", "--mtme", ".", "wmt24", "en-de", "refB", "--metric", "chrf", "--confidence-n", "20")
    assert out.status == 0
    assert "pfsm: wmt24 en-de: esa.rater1.seg.score, esa.rater2.seg.score; refB" in out.err
    assert f"{(len(SYSTEMS) - 1) * (N - N // MISSING)}" in out.out  # without the reference itself
    made = cli("data", "convert", "wmt24", "-o", "x.tsv", "--references", "refA", "--metric-scores", "Match")
    assert "marks of the source" in made.err
    header, first = (line.split("\t") for line in Path("x.tsv").read_text("utf-8").splitlines()[:2])
    row = dict(zip(header, first, strict=True))
    human, metric = scores()
    assert row["errors"] == '[[0, 1, "major", "x", "ann"]]'
    assert (float(row["score"]), float(row["Match"])) == (human[0, 1], metric[0, 1])


def test_texts_may_be_json(cli: Cli) -> None:
    """As those of later years are."""
    asked = ("data", "convert", "wmt24", "--references", "refA", "-o")
    assert cli(*asked, "plain.tsv").status == 0
    for part, name in (
        ("sources", "source"),
        ("references", "target"),
        ("system-outputs/en-de", "hypothesis"),
    ):
        for path in Path("wmt24", part).glob("*.txt"):
            lines = [json.dumps({name: line, "doc_id": "d"}) for line in path.read_text("utf-8").splitlines()]
            path.with_name(f"{path.stem}.jsonl").write_text(text(lines), encoding="utf-8")
            path.unlink()
    assert cli(*asked, "json.tsv").status == 0
    assert Path("json.tsv").read_bytes() == Path("plain.tsv").read_bytes()
    output = Path("wmt24/system-outputs/en-de/A.jsonl")
    output.write_text(
        output.read_text("utf-8").replace('A said 1"', '[No translation supplied]"'), encoding="utf-8"
    )
    assert cli(*asked, "none.tsv").status == 0
    assert "\trefA said 1\tsource 1\t\t" in Path("none.tsv").read_text("utf-8")


def test_scores_that_are_submitted_are_read(cli: Cli) -> None:
    outputs = [f"wmt24/system-outputs/en-de/{name}.txt" for name in SYSTEMS]
    made = cli(
        *("submit", "wmt24/references/en-de.refA.txt", "-i", *outputs, "--metric", "chrf"),
        *("--metric-name", "ours", "--language-pair", "en-de", "--testset", "wmt24", "-f", "mtme"),
        *("--documents", "wmt24/documents/en-de.docs", "-o", "wmt24/metric-scores/en-de"),
    )
    assert made.status == 0
    names = {path.name for path in Path("wmt24/metric-scores/en-de").glob("ours*")}
    assert names == {f"ours-refA.{level}.score" for level in ("seg", "sys", "domain", "doc")}
    assert len(Path("wmt24/metric-scores/en-de/ours-refA.doc.score").read_text("utf-8").split()) == (
        2 * len(SYSTEMS) * N // 4
    )
    for level in ("segment", "system"):
        shared = "--level", level, "--statistics", "pearson"
        assert evaluated(cli, "--column", "ours", *shared) == pytest.approx(
            evaluated(cli, "--metric", "chrf", *shared)
        )


def test_what_is_not_there_is_one_line(cli: Cli) -> None:
    faults = {
        (): "--mtme DIR: give the test set and the language pair, such as wmt24 en-de",
        ("en-fr",): "wmt24: no sources/en-fr.txt; there are en-de",
        ("en-de", "refC"): "wmt24: no reference 'refC' of en-de, only refA, refB",
        ("en-de", "--column", "BLEU"): "wmt24/metric-scores/en-de: no scores of metric 'BLEU' against these "
        "references; there are Match-refA",
        ("en-de", "--column", "../x"): "wmt24/metric-scores/en-de: '../x' names a file outside the folder",
    }
    for arguments, expected in faults.items():
        assert cli("evaluate", "--mtme", ".", "wmt24", *arguments).fault == expected


@pytest.mark.parametrize(("line", "level", "said"), [(1, "segment", 2), (0, "segment", 0), (1, "system", 2)])
def test_a_missing_score_of_a_metric_is_named(
    line: int, level: str, said: int, cli: Cli, tmp_path: Path
) -> None:
    """Where people did not judge a translation, no score of a metric is missed."""
    path = tmp_path / "wmt24/metric-scores/en-de/Match-refA.seg.score"
    rows = path.read_text(encoding="utf-8").splitlines()
    rows[line] = "A None"
    path.write_text(text(rows), encoding="utf-8")
    found = cli("evaluate", "--mtme", ".", "wmt24", "en-de", "--column", "Match", "--level", level)
    needed = f"wmt24/{path.relative_to(tmp_path / 'wmt24')}:{said}: None, a score of every judged translation is needed"
    assert found.fault == needed if said else found.status == 0
