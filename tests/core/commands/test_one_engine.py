"""The same question, asked in every way there is: `pfsm evaluate` with and without --statistics and --versus,
experiments, the functions over arrays, and a bootstrap written plainly. Numbers, intervals and p-values are the same.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from pfsm.data import read_judgments
from pfsm.metrics import get_metric
from pfsm_experiments import run_experiment
from pfsm_experiments.report.output import results_summary
from tests.command_runs import Cli, Write
from tests.experiments.experiment_cases import run_here, write_experiment
from tests.judgment_cases import rows
from tests.oracles import resampling

METRIC, OTHER = "chrf", "length_ratio"
COUNT, SEED = 80, 7
Float = NDArray[np.float64]
Row = dict[str, str]


@dataclass(frozen=True)
class Shape:
    """Files of rows, and what the experiment says about them."""

    files: Mapping[str, Sequence[Row]]
    group: str | None = None
    """The column to group by."""


def judged(n_segments: int, systems: str, languages: Sequence[str], seed: int) -> list[Row]:
    """Every system's translation of every segment in every language, in an order of its own."""
    texts = iter(rows(n_segments * len(systems) * len(languages), seed))
    made = []
    for language in languages:
        for number in range(n_segments):
            reference, _, _ = first = next(texts)
            for place, system in enumerate(systems):
                _, hypothesis, score = first if place == 0 else next(texts)
                made.append(
                    {
                        "source_lang": language,
                        "segment_id": f"{number}",
                        "system": system,
                        "document": f"talk {number // 3}",
                        "reference": reference,
                        "hypothesis": hypothesis,
                        "score": score,
                    }
                )
    order = np.random.default_rng(seed).permutation(len(made))
    return [made[at] for at in order]


def without(made: Sequence[Row], *columns: str) -> list[Row]:
    return [{name: field for name, field in row.items() if name not in columns} for row in made]


def preferences(n_segments: int, seed: int) -> list[Row]:
    """Pairs of translations, several a segment, some of them in both directions."""
    rng = np.random.default_rng(seed)
    made = []
    for row in judged(n_segments, "abcd", ["cs", "de"], seed):
        worse = " ".join(word for word in row["reference"].split() if rng.random() < 0.6)
        sides = [row["hypothesis"], worse] if rng.random() < 0.7 else [worse, row["hypothesis"]]
        kept = {name: row[name] for name in ("source_lang", "segment_id", "document", "reference")}
        made.append({**kept, "better": sides[0], "worse": sides[1], "votes": f"{rng.integers(1, 4)}"})
    return made


SEVERAL = judged(7, "abcd", ["cs", "de"], 1)
SHAPES = {
    "several systems": Shape({"a.tsv": SEVERAL}, "source_lang"),
    "no identifiers": Shape({"a.tsv": without(SEVERAL, "segment_id")}, "source_lang"),
    "two files with the same identifiers": Shape(
        {
            name: without(judged(6, "abc", ["cs"], seed), "source_lang")
            for name, seed in (("a.tsv", 3), ("b.tsv", 4))
        }
    ),
    "a group of one segment": Shape(
        {"a.tsv": [*SEVERAL, *({**row, "source_lang": "fi"} for row in SEVERAL if row["segment_id"] == "3")]},
        "source_lang",
    ),
}


@pytest.fixture
def place(tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> Callable[[Shape], list[str]]:
    """Writes the files of a shape; returns their names."""
    monkeypatch.setattr("pfsm_experiments.run.run_tasks", run_here)
    monkeypatch.setattr("pfsm_experiments.run.write_output", lambda *_: None)
    monkeypatch.setenv("PFSM_SEED", f"{SEED}")

    def put(shape: Shape) -> list[str]:
        for name, made in shape.files.items():
            lines = [list(made[0]), *(list(row.values()) for row in made)]
            write(name, "".join("\t".join(line) + "\n" for line in lines))
        return list(shape.files)

    return put


Found = dict[tuple[str, str], tuple[float | None, list[float | None]]]
"""By statistic and group (or "mean"): value and interval."""
Tested = dict[tuple[str, str], tuple[float | None, list[float | None], float | None]]
"""The same of differences, with p-values."""


def evaluated(document: Mapping[str, Any], names: Sequence[str]) -> Found:
    """What `pfsm evaluate` says."""
    found: Found = {}
    for entry in [*document["groups"], {"group": "mean", **document["mean"]}]:
        for name in names:
            found[name, entry["group"]] = entry[name]["value"], entry[name]["interval"]
    return found


def contested(document: Mapping[str, Any], names: Sequence[str]) -> Tested:
    """What `pfsm evaluate --versus` says of the differences."""
    found: Tested = {}
    for name in names:
        for entry in [*document[name]["groups"], {"group": "mean", **document[name]["mean"]}]:
            found[name, entry["group"]] = entry["difference"], entry["interval"], entry["p_value"]
        if "pooled" in document[name]:
            entry = document[name]["pooled"]
            found[name, "pooled"] = entry["difference"], entry["interval"], entry["p_value"]
    return found


def unpooled(found: Tested) -> Tested:
    """Without the results over all items, which experiments do not have."""
    return {where: one for where, one in found.items() if where[1] != "pooled"}


def experiment(shape: Shape, folder: Path, names: Sequence[str], **keys: Any) -> tuple[Found, Tested]:
    """What an experiment says, in its JSON."""
    values = {
        "title": "t",
        "test": {"name": "made", "files": [*shape.files]},
        "rows": [{"name": one, "metric": one} for one in (METRIC, OTHER)],
        "statistics": list(names),
        "versus": OTHER,
        "resamples": COUNT,
        "seed": SEED,
        **({"group_by": shape.group} if shape.group else {}),
        **keys,
    }
    results = run_experiment(write_experiment(folder, values), folder, folder / "out")
    document = json.loads(json.dumps(results_summary(results, "", [])))
    found: Found = {}
    differences: Tested = {}
    for entry in document["results"]:
        if entry["row"] == METRIC:
            where = entry["statistic"], entry["group"]
            found[where] = entry["value"], entry["interval"] or [None, None]
            one = entry["difference"] or {"value": None, "interval": [None, None], "p_value": None}
            differences[where] = one["value"], one["interval"], one["p_value"]
    return found, differences


def renamed(found: dict[tuple[str, str], Any], names: Mapping[str, str]) -> dict[tuple[str, str], Any]:
    """Under the names of the JSON of `pfsm evaluate`; of one group, the mean is that group."""
    named = {(names[statistic], group): value for (statistic, group), value in found.items()}
    if not any(group == "mean" for _, group in named):
        named |= {(statistic, "mean"): value for (statistic, _), value in named.items()}
    return named


USUAL = ("pearson", "spearman", "kendall_tau_b")
NAMES = {
    **dict(zip(USUAL, USUAL, strict=True)),
    "mean-removed": "mean_removed",
    "length-weighted": "length_weighted",
    "mean-removed-weighted": "mean_removed_weighted",
    "acc-t": "acc_t",
}


@pytest.mark.parametrize(
    ("kind", "resample"),
    [*((kind, None) for kind in SHAPES), *(("several systems", one) for one in ("judgments", "documents", "systems"))],
)  # fmt: skip
def test_absolute_scores(
    kind: str, resample: str | None, place: Callable[[Shape], list[str]], cli: Cli, tmp_path: Path
) -> None:
    shape = SHAPES[kind]
    whole = resample in {None, "documents"}
    names = {key: name for key, name in NAMES.items() if whole or key in USUAL}
    command = ["evaluate", *place(shape), "--metric", METRIC, "-f", "json", "--confidence-n", f"{COUNT}"]
    command += [] if resample is None else ["--resample", resample]
    command += ["--by", shape.group] if shape.group else []
    usual = cli(*command).document
    listed = cli(*command, "--statistics", ",".join(names)).document
    versus = cli(*command, "--statistics", ",".join(names), "--versus", f"metric:{OTHER}").document
    found = evaluated(listed["correlation"], list(names.values()))
    assert listed["correlation"] == versus["correlation"]
    assert evaluated(usual["correlation"], USUAL).items() <= found.items()
    keys = {} if resample is None else {"resample": resample}
    theirs, differences = experiment(shape, tmp_path, list(names), **keys)
    assert renamed(theirs, names) == found
    assert renamed(differences, names) == unpooled(
        contested(versus["versus"]["correlation"], list(names.values()))
    )
    tested = contested(versus["versus"]["correlation"], ["pearson"])
    plainly(shape, tmp_path, resample or "segments", found, tested)


def loaded(shape: Shape, folder: Path) -> tuple[list[Row], dict[str, Float], Float]:
    """All rows with the number of their file, both metrics' scores of them, and people's."""
    made = [{**row, "file": name} for name, part in shape.files.items() for row in part]
    texts = [row["hypothesis"] for row in made], [row["reference"] for row in made]
    scores = {name: get_metric(name).score_pairs(*texts) for name in (METRIC, OTHER)}
    human = np.concatenate([read_judgments(folder / name).scores for name in shape.files])
    return made, scores, human


def segments_of(made: Sequence[Row]) -> list[tuple[str, ...]]:
    """The segment of every row: by identifier in files where one stands twice, else by reference."""
    keys = [(row["file"], row.get("source_lang", ""), row.get("segment_id", "")) for row in made]
    twice = {key[0] for key in keys if key[2] and keys.count(key) > 1}
    return [
        (*key[:2], key[2] if key[0] in twice else row["reference"])
        for key, row in zip(keys, made, strict=True)
    ]


def plainly(shape: Shape, folder: Path, resample: str, found: Found, differences: Tested) -> None:
    """The bootstrap of the oracle, and SciPy's correlations."""
    made, scores, human = loaded(shape, folder)
    segments = segments_of(made)
    key: dict[str, Callable[[int], Any]] = {
        "segments": lambda row: segments[row],
        "judgments": lambda row: row,
        "documents": lambda row: (made[row].get("source_lang"), made[row]["document"]),
        "systems": lambda row: made[row]["system"],
    }
    groups = sorted({row[shape.group] if shape.group else "all" for row in made})

    def correlation(metric: str, taken: Sequence[int]) -> float:
        x, y = scores[metric][taken], human[taken]
        if len(taken) < 2 or np.ptp(x) == 0.0 or np.ptp(y) == 0.0:
            return math.nan
        return float(stats.pearsonr(x, y)[0])

    def resampled(units: list[list[int]], name: str) -> dict[str, list[float]]:
        both = {one: partial(correlation, one) for one in (METRIC, OTHER)}
        return {one: resampling.resamples(units, both[one], COUNT, SEED, name) for one in both}

    by_group = {}
    for group in groups:
        inside = [at for at, row in enumerate(made) if not shape.group or row[shape.group] == group]
        units = [
            [inside[at] for at in unit] for unit in resampling.units_of([key[resample](at) for at in inside])
        ]
        values = resampled(units, group)
        by_group[group] = values[METRIC]
        check(found["pearson", group], correlation(METRIC, inside), values[METRIC])
        apart = [a - b for a, b in zip(values[METRIC], values[OTHER], strict=True)]
        observed = correlation(METRIC, inside) - correlation(OTHER, inside)
        difference, interval, p_value = differences["pearson", group]
        check((difference, interval), observed, apart)
        if len(units) > 1:
            assert p_value == resampling.p_value(apart, observed, len(units))
    if len(groups) > 1:
        everything = resampling.units_of([key[resample](at) for at in range(len(made))])
        whole = resampled(everything, "pooled")
        apart = [a - b for a, b in zip(*whole.values(), strict=True)]
        every = range(len(made))
        observed = correlation(METRIC, every) - correlation(OTHER, every)
        difference, interval, p_value = differences["pearson", "pooled"]
        check((difference, interval), observed, apart)
        if len(everything) > 1:
            assert p_value == resampling.p_value(apart, observed, len(everything))
    if len(groups) > 1 and not any(all(map(math.isnan, values)) for values in by_group.values()):
        means = resampling.mean_over_groups(list(by_group.values()))
        value = float(np.mean([found["pearson", group][0] for group in groups]))
        check(found["pearson", "mean"], value, means)


def check(ours: tuple[float | None, list[float | None]], value: float, resampled: Sequence[float]) -> None:
    found = [ours[0], *ours[1]]
    expected = [value, *resampling.interval(resampled)]
    assert [math.nan if one is None else one for one in found] == pytest.approx(
        expected, abs=1e-9, nan_ok=True
    )


def test_preferences(place: Callable[[Shape], list[str]], cli: Cli, tmp_path: Path) -> None:
    shape = Shape({"a.tsv": preferences(6, 6)}, "source_lang")
    names = {"accuracy": "accuracy", **{f"tau_{tau}": tau for tau in ("wmt12", "wmt13", "wmt14", "darr")}}
    command = ["evaluate", *place(shape), "--metric", METRIC, "-f", "json", "--confidence-n", f"{COUNT}"]
    listed = cli(*command, "--statistics", ",".join(names), "--versus", f"metric:{OTHER}").document
    theirs, differences = experiment(shape, tmp_path, list(names))
    found = evaluated(listed["preference"], list(names.values()))
    assert renamed(theirs, names) == found
    assert renamed(differences, names) == unpooled(
        contested(listed["versus"]["preference"], list(names.values()))
    )
    for tau in ("wmt12", "wmt13"):
        usual = cli(*command, "--tau", tau).document["preference"]
        assert evaluated(usual, ["accuracy"]).items() <= found.items()
        for entry in [*usual["groups"], {"group": "mean", **usual["mean"]}]:
            value = entry["kendall_tau"]["value"], entry["kendall_tau"]["interval"]
            assert value == found[tau, entry["group"]]
