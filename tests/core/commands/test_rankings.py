"""Systems that people ranked: from the command line, in experiments, in the official way and by expected wins."""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from pfsm.data import Preferences, read_preferences
from pfsm.metrics import get_metric
from tests.command_runs import Cli, Write
from tests.judgment_cases import rows

FAST = ("--format", "json", "--confidence-n", "50")
SYSTEMS = "abcde"
LANGUAGES = ("cs", "de")


@pytest.fixture
def rankings(write: Write, tmp_path: Path) -> Preferences:
    """Of each segment some systems, compared two by two, some of them both ways round; in two languages."""
    rng = np.random.default_rng(4)
    texts = iter(rows(400, seed=8))
    lines = []
    for number in range(40):
        reference = next(texts)[0]
        second = next(texts)[0] if number % 3 else ""
        quality = dict(zip(SYSTEMS, (0.0, 0.2, 0.5, 0.6, 1.0), strict=True))
        made = {}
        for system in rng.permutation(list(SYSTEMS))[:4].tolist():
            words = reference.split()
            kept = [word for word in words if rng.random() < 0.4 + 0.5 * quality[system]]
            made[system] = " ".join(kept) or "nothing"
        names = list(made)
        for k, one in enumerate(names):
            for other in names[k + 1 :]:
                better, worse = (one, other) if quality[one] + rng.normal() > quality[other] else (other, one)
                sides = [(better, worse, 1 + number % 2)] + (
                    [(worse, better, 1)] if rng.random() < 0.2 else []
                )
                row = [LANGUAGES[number % 2], f"s{number}", reference, second]
                lines += [[*row, made[x], made[y], x, y, f"{votes}"] for x, y, votes in sides]
    names = ["source_lang", "segment_id", "reference", "reference_2", "better", "worse"]
    header = [*names, "better_system", "worse_system", "votes"]
    order = rng.permutation(len(lines))
    write("p.tsv", "".join("\t".join(line) + "\n" for line in [header, *(lines[k] for k in order)]))
    return read_preferences(tmp_path / "p.tsv")


def people(data: Preferences, language: str, kind: str) -> dict[str, float]:
    wins: dict[tuple[str, str], float] = defaultdict(float)
    for row in range(len(data)):
        if data.columns["source_lang"][row] == language:
            pair = data.columns["better_system"][row], data.columns["worse_system"][row]
            wins[pair] += data.votes[row]
    found = {}
    for one in SYSTEMS:
        others = [other for other in SYSTEMS if wins[one, other] + wins[other, one]]
        if kind == "won":
            won = sum(wins[one, other] for other in others)
            found[one] = won / sum(wins[one, other] + wins[other, one] for other in others)
        else:
            found[one] = float(
                np.mean([wins[one, other] / (wins[one, other] + wins[other, one]) for other in others])
            )
    return found


def translations(data: Preferences, language: str) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """Every translation of each system once."""
    found: dict[tuple[str, str], tuple[str, tuple[str, ...]]] = {}
    for side, texts in (("better", data.better), ("worse", data.worse)):
        for row, text in enumerate(texts):
            if data.columns["source_lang"][row] == language:
                key = data.columns[f"{side}_system"][row], data.columns["segment_id"][row]
                found[key] = text, data.all_references[row]
    return {system: [found[key] for key in sorted(found) if key[0] == system] for system in SYSTEMS}


def metrics_scores(name: str, data: Preferences, language: str) -> list[float]:
    metric = get_metric(name)
    scores = []
    for made in translations(data, language).values():
        hypotheses, references = zip(*made, strict=True)
        if metric.averages:
            scores.append(float(metric.score_segments(hypotheses, references).mean()))
        else:
            streams = [[several[k] if k < len(several) else None for several in references] for k in range(2)]
            score = float(metric.corpus_score(hypotheses, streams))
            scores.append(-score if metric.lower_is_better else score)
    return scores


STATISTICS: dict[str, Callable[[list[float], list[float]], float]] = {
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "kendall_tau_b": lambda x, y: stats.kendalltau(x, y).statistic,
    "accuracy": lambda x, y: float(
        np.mean([(x[i] > x[j]) == (y[i] > y[j]) for i in range(len(x)) for j in range(i)])
    ),
}


@pytest.mark.parametrize("kind", ["won", "expected-wins"])
@pytest.mark.parametrize("metric", ["ol", "ter", "nist"])
def test_against_plain_counts(metric: str, kind: str, rankings: Preferences, cli: Cli) -> None:
    command = ("evaluate", "p.tsv", "--metric", metric, "--level", "system", "--system-scores", kind)
    found = cli(*command, *FAST).document
    assert found["ranking"]["system_scores"] == kind
    assert found["ranking"]["resampled"] == "segments"
    assert found["signature"] == get_metric(metric).get_signature("var", "corpus")
    for group in found["ranking"]["groups"]:
        human = list(people(rankings, group["group"], kind).values())
        scores = metrics_scores(metric, rankings, group["group"])
        assert group["n"] == sum(map(len, translations(rankings, group["group"]).values()))
        for name, statistic in STATISTICS.items():
            assert group[name]["value"] == pytest.approx(statistic(human, scores), abs=1e-9), name
            low, high = group[name]["interval"]
            assert low <= high
    text = cli(*command, "--confidence-n", "20").out
    assert ("(WMT12)" if kind == "won" else "(WMT13)") in text
