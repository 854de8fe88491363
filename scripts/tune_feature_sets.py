"""Which features help TERp: Figure 4 of Kahn, Snover and Ostendorf (2009) on judgments of several systems.

The segments are divided into two random halves. The weights of each set of features are tuned on one half, by hill
climbing on length-weighted, mean-removed Pearson's r, and tested on the other; alignments are those of the default
costs. The table also has EDPM, BLEU, TER, METEOR, TERp and DPMF without tuning, and ridge regressions by pfsm's trainer
(``edits: false``). Intervals are bootstrap percentiles over segments. BLEU has add-one smoothing, and E is expected
over the 50 likeliest constituent trees with gamma = .25 and labels A/B, as in the paper; ``--edpm`` takes other options
of `edpm`, such as ``n=all,labels=ud``.

    python scripts/tune_feature_sets.py DATA.tsv.gz… [--score-column hter --negate] [--edpm OPTIONS] [--plot figure.svg]
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pfsm import Metric
from pfsm.commands.arguments import check_output
from pfsm.data import Judgments, read_judgments
from pfsm.errors import PfsmError
from pfsm.evaluation.bootstrap import by_appearance, default_seed, percentile_interval
from pfsm.evaluation.measure import CentredPearson
from pfsm.features.values import feature_values
from pfsm.metrics import get_metric
from pfsm.metrics.terp.metric import SEQUENTIAL, SYNTACTIC, feature_set
from pfsm.metrics.terp.options import P, T
from pfsm_training import train
from pfsm_training.config import config_from_dict
from pfsm_training.tuning.hill_climbing import Target, climb

sys.path.insert(0, str(Path(__file__).resolve().parent))
from real_data import explained

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]
PUBLISHED = "n=50,gamma=0.25,labels=ab"
# TER with these options equals sacrebleu's to the last digit and is forty times as fast.
UNTUNED = {
    "BLEU": "bleu(smooth_method=add-k)",
    "TER": "terp-base(costs=ter,tokeniser=ter,edits=none)",
    "METEOR": "meteor-base",
    "TERp, TER's costs": "terp-base(costs=ter)",
    "TERp": "terp-base",
    "DPMF": "dpmf-base",
}
SETS = {
    "T": tuple(f"terp-base.{kind}" for kind in T),
    "P": tuple(f"terp-base.{kind}" for kind in P),
    "B": ("terp-base.longer", "terp-base.shorter"),
    "D": ("dpm-model", "dpmf-base"),
}
COMBINATIONS = (
    "E",
    "N",
    "NE",
    "NEB",
    "T",
    "TE",
    "TEB",
    "TP",
    "TPE",
    "TPEB",
    "TPN",
    "TPNE",
    "TPNEB",
    "TPNEBD",
)
PICTURES = (".svg", ".png", ".pdf")
TRAINED = ("TPNEB", "TPNEBD")
RESAMPLES = 1000
Row = tuple[str, list[tuple[float, float, float]]]


def main() -> None:
    """Prints the table and draws the figure."""
    options = arguments()
    if options.plot is not None:
        check_plot(options.plot, options.data)
    judgments = Judgments.join([read_judgments(path, options.score_column) for path in options.data]).sorted()
    if options.negate:
        judgments = replace(judgments, scores=0.0 - judgments.scores)
    rows = []
    print("| features | half 1 | half 2 | mean |\n|---|---|---|---|", flush=True)
    for row in results(judgments, f"({options.edpm})"):
        rows.append(row)
        halves = " | ".join(f"{value:.3f} [{low:.3f}, {high:.3f}]" for value, low, high in row[1])
        print(f"| {row[0]} | {halves} | {np.mean([half[0] for half in row[1]]):.3f} |", flush=True)
    if options.plot is not None:
        draw(rows, options.plot)


def arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", nargs="+", metavar="DATA.tsv")
    parser.add_argument("--score-column", default="score")
    parser.add_argument("--negate", action="store_true")
    parser.add_argument("--edpm", metavar="OPTIONS", default=PUBLISHED)
    parser.add_argument("--plot", metavar="FILE.svg")
    return parser.parse_args()


def check_plot(path: str, data: list[str]) -> None:
    """Checks before the work begins that the figure can be written.

    Raises:
        PfsmError: If it cannot, or its name does not end like that of a picture.
    """
    if Path(path).suffix not in PICTURES:
        raise PfsmError(f"--plot is {path!r}, its name must end in one of {', '.join(PICTURES)}")
    check_output(path, data)


def results(judgments: Judgments, options: str = f"({PUBLISHED})") -> Iterator[Row]:
    """Every row of the table.

    Args:
        judgments: The data.
        options: Options of `edpm`, in parentheses.

    Raises:
        PfsmError: If `edpm` has no such option.
    """
    sets = {"E": feature_set(SYNTACTIC, options), "N": feature_set(SEQUENTIAL, options), **SETS}
    halves = halves_of(Target.of(judgments).segments)
    pairs = judgments.hypotheses, judgments.references
    for label, name in {"EDPM": f"edpm{options}", **UNTUNED}.items():
        scores = get_metric(name).score_pairs(*pairs)
        yield label, [tested(judgments, half, scores[half]) for half in halves]
    # All features at once, so that sets share alignments and parses.
    values = feature_values([name for names in sets.values() for name in names], *pairs)
    ends = np.cumsum([len(names) for names in sets.values()])
    columns = dict(zip(sets, np.split(values, ends[:-1], axis=1), strict=True))
    for combination in COMBINATIONS:
        chosen = np.concatenate([columns[key] for key in combination], axis=1)
        yield combination, crossed(judgments, halves, partial(tuned, judgments, chosen))
    for combination in TRAINED:
        features = [name for key in combination for name in sets[key]]
        yield f"{combination}, pfsm train", crossed(judgments, halves, partial(trained, judgments, features))


def halves_of(segments: Int64) -> tuple[Int64, Int64]:
    """The rows of two random halves of the segments.

    Raises:
        PfsmError: If there is only one segment.
    """
    if not segments.any():
        raise PfsmError(
            "the data has only one segment; at least one to tune on and one to test on are needed"
        )
    order = np.random.default_rng(default_seed()).permutation(segments.max() + 1)
    first = np.isin(segments, order[: order.size // 2])
    return np.flatnonzero(first), np.flatnonzero(~first)


def crossed(
    judgments: Judgments, halves: tuple[Int64, Int64], learn: Callable[[Int64, Int64], Float]
) -> list[tuple[float, float, float]]:
    """The result on each half with scores learned from the other half."""
    return [
        tested(judgments, test, learn(rest, test))
        for test, rest in ((halves[0], halves[1]), (halves[1], halves[0]))
    ]


def tuned(judgments: Judgments, values: Float, half: Int64, test: Int64) -> Float:
    """Scores of the test rows, with weights tuned on the rows of the other half."""
    moments = Target.of(judgments.select(half)).moments(values[half])
    size = values.shape[1]
    random = np.random.default_rng(default_seed())
    weights, _ = climb(moments, np.zeros(size), np.full(size, -np.inf), 20, random)
    return np.asarray(values[test] @ weights)


def trained(judgments: Judgments, features: list[str], half: Int64, test: Int64) -> Float:
    """Scores of the test rows, by a model trained on the rows of the other half."""
    config = config_from_dict({"edits": False, "features": features, "lambda": 5.0}, "trained")
    model = train(judgments.select(half), config=config, threads=1)
    tests = judgments.select(test)
    return Metric(model, 1).score_pairs(tests.hypotheses, tests.references)


def tested(judgments: Judgments, half: Int64, scores: Float) -> tuple[float, float, float]:
    """The correlation on some rows, with its interval."""
    target = Target.of(judgments.select(half))
    measure = CentredPearson(target.scores, target.segments, target.weights, by_appearance(target.segments))
    interval = percentile_interval(measure.resampled(scores, RESAMPLES, default_seed()))
    return measure.value(scores), interval.low, interval.high


def draw(rows: list[Row], path: str) -> None:
    """Draws both halves of every row with intervals; vertical lines separate the groups of rows (`group_of`)."""
    from matplotlib import pyplot  # noqa: PLC0415 - only where there is something to draw

    from pfsm_experiments.report.pictures import STYLE  # noqa: PLC0415 - brings matplotlib

    with pyplot.rc_context(STYLE):
        figure, axes = pyplot.subplots(figsize=(10, 4.5))
        for half, marker in enumerate("os"):
            values, low, high = np.array([row[1][half] for row in rows]).T
            places = np.arange(len(rows)) + 0.3 * half - 0.15
            axes.errorbar(
                places,
                values,
                [values - low, high - values],
                fmt=marker,
                markersize=5,
                label=f"half {half + 1}",
            )
        groups = [group_of(row[0]) for row in rows]
        for k in range(1, len(rows)):
            if groups[k] != groups[k - 1]:
                axes.axvline(k - 0.5, color="#888888", linewidth=0.8)
        axes.grid(visible=False, axis="x")
        axes.set_xticks(
            range(len(rows)), [row[0] for row in rows], rotation=50, ha="right", rotation_mode="anchor"
        )
        axes.set_xlim(-0.6, len(rows) - 0.4)
        axes.set_ylabel("Pearson's r, mean-removed,\nlength-weighted")
        axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2, ncols=2)
        figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)
        pyplot.close(figure)


def group_of(label: str) -> str:
    """The group of a row: untuned, pfsm's trainer, or the sets other than E, B and a final D."""
    if label in {"EDPM", *UNTUNED}:
        return "untuned"
    return "trained" if label.endswith("train") else label.rstrip("D").replace("E", "").replace("B", "")


if __name__ == "__main__":
    explained(main)
