"""Do metrics rank systems as people do? Table 6 of Yu et al. (2015) on the rankings of WMT12 and WMT13, with intervals.

The human score of a system is the share of its comparisons that it wins, without ties (as in WMT12), or the mean of
that share over its opponents (as in WMT13). A metric's score of a system is one of

* ``mean``: the mean over the segments in which the system was ranked, which differ between systems; for BLEU, it is
  corpus BLEU;
* ``fit``: the effect of the system in the least-squares fit score = system + segment, so that difficult segments do not
  count against the systems ranked in them;
* ``words``: the same, with each segment weighted by the number of words of its reference.

The human ranking is that of all comparisons. Intervals are bootstrap percentiles over the metric's segments. With
``--per-system N`` the metric has only N segments of each system, drawn 200 times; the numbers are then the mean and the
percentiles of these draws.

    PFSM_DATA=… python scripts/system_level.py [--year wmt13] [--per-system 330]
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pfsm import load
from pfsm.commands.arguments import positive
from pfsm.data import Preferences, read_preferences
from pfsm.errors import PfsmError
from pfsm.evaluation.bootstrap import default_seed
from pfsm.evaluation.correlation import spearman
from pfsm.metrics import get_metric

sys.path.insert(0, str(Path(__file__).resolve().parent))
from real_data import data_folder, explained

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]
BLEU, MODEL = "bleu", "en"
LANGUAGES = ("cs", "de", "es", "fr")
TER = "terp-base(costs=ter,tokeniser=ter,edits=none)"
METRICS = (BLEU, TER, "meteor", "dpm-model", "dpm-model(actions=all)", "dpmf", "dpmf(actions=all)", MODEL)
PUBLISHED = {
    "wmt12": {
        "bleu": (0.886, 0.671, 0.874, 0.811),
        TER: (0.886, 0.624, 0.916, 0.821),
        "meteor": (0.657, 0.885, 0.951, 0.843),
        "dpm-model": (0.943, 0.735, 0.888, 0.821),
        "dpmf": (0.943, 0.909, 0.951, 0.850),
    },
    "wmt13": {
        "bleu": (0.946, 0.851, 0.902, 0.989),
        TER: (0.800, 0.833, 0.825, 0.951),
        "meteor": (0.964, 0.961, 0.979, 0.984),
        "dpm-model": (0.945, 0.880, 0.937, 0.951),
        "dpmf": (0.991, 0.975, 0.993, 0.984),
    },
}
RESAMPLES, THINNED = 1000, 200
COLUMNS = ("segment_id", "better_system", "worse_system")


@dataclass(frozen=True, eq=False)
class Rankings:
    """The comparisons of a language pair.

    Attributes:
        systems: Names of the k systems.
        wins: float64 [n_segments, k, k], votes for the row's system over the column's.
        rows: int64 [n_segments, k], index in `hypotheses` and `references`; -1 if the system was not ranked.
        hypotheses: Distinct translations.
        references: Their references.
    """

    systems: tuple[str, ...]
    wins: Float
    rows: Int64
    hypotheses: tuple[str, ...]
    references: tuple[str, ...]

    @property
    def words(self) -> Float:
        """Number of words of each segment's reference, float64 [n_segments]."""
        lengths = np.array([len(reference.split()) for reference in self.references], dtype=np.float64)
        return np.asarray(lengths[self.rows.max(axis=1)])

    @staticmethod
    def of(data: Preferences) -> "Rankings":
        """Counts the votes; the data must have the columns `COLUMNS`."""
        columns = [data.columns[name] for name in COLUMNS]
        segments = {name: k for k, name in enumerate(sorted(set(columns[0])))}
        systems = sorted({*columns[1], *columns[2]})
        number = {name: k for k, name in enumerate(systems)}
        wins = np.zeros((len(segments), len(systems), len(systems)))
        rows = np.full(wins.shape[:2], -1)
        pairs: dict[tuple[str, str], int] = {}
        for k, (segment, better, worse) in enumerate(zip(*columns, strict=True)):
            place, ours, theirs = segments[segment], number[better], number[worse]
            wins[place, ours, theirs] += data.votes[k]
            for system, text in ((ours, data.better[k]), (theirs, data.worse[k])):
                rows[place, system] = pairs.setdefault((text, data.references[k]), len(pairs))
        hypotheses, references = zip(*pairs, strict=True)
        return Rankings(tuple(systems), wins, rows, hypotheses, references)


def read_rankings(path: Path) -> Rankings:
    """The rankings in a file of preferences.

    Raises:
        PfsmError: If the file cannot be read, or has no columns for the segment and the two systems.
    """
    data = read_preferences(path)
    for name in COLUMNS:
        if name not in data.columns:
            raise PfsmError(f"{path}: no column {name!r}; rankings of systems need {', '.join(COLUMNS)}")
    return Rankings.of(data)


Scores = Callable[[Float], Float]
"""Scores of the systems, float64 [m, k], from m sums over segments."""


def won(wins: Float) -> Float:
    """The share of a system's comparisons that it wins (WMT12)."""
    return np.asarray(wins.sum(axis=2) / (wins + wins.swapaxes(1, 2)).sum(axis=2))


def won_by_opponent(wins: Float) -> Float:
    """The mean over opponents of the share of comparisons won (expected wins, WMT13)."""
    compared = wins + wins.swapaxes(1, 2)
    shares = np.divide(wins, compared, out=np.zeros(wins.shape), where=compared > 0.0)
    return np.asarray(shares.sum(axis=2) / (compared > 0.0).sum(axis=2))


HUMAN: dict[str, Scores] = {"wmt12": won, "wmt13": won_by_opponent}


def parts_of_mean(values: Float, there: Float) -> Float:
    """Sums and counts, float64 [n_segments, k, 2]."""
    return np.stack([values * there, there], axis=2)


def mean(sums: Float) -> Float:
    """The mean score."""
    return np.asarray(sums[..., 0] / sums[..., 1])


def parts_of_fit(values: Float, there: Float) -> Float:
    """Terms of the normal equations after eliminating the effects of segments, float64 [n_segments, k, k + 1]."""
    ranked = np.maximum(there.sum(axis=1), 1.0)[:, np.newaxis]
    right = (values - (values * there).sum(axis=1, keepdims=True) / ranked) * there
    left = there[:, :, np.newaxis] * (np.eye(there.shape[1]) - (there / ranked)[:, np.newaxis])
    return np.concatenate([left, right[:, :, np.newaxis]], axis=2)


def fit(sums: Float) -> Float:
    """The effects of systems; the equations leave a constant open, and adding ones makes the effects sum to 0."""
    return np.asarray(np.linalg.solve(sums[..., :-1] + 1.0, sums[..., -1:])[..., 0])


def counts_of_bleu(rankings: Rankings) -> Float:
    """Numbers of matching n-grams, of all n-grams and of words of both sides, float64 [n_segments, k, 10]."""
    from sacrebleu.metrics import BLEU as SACREBLEU  # noqa: PLC0415 - takes a tenth of a second

    bleu = SACREBLEU(effective_order=True)
    pairs = zip(rankings.hypotheses, rankings.references, strict=True)
    found = [bleu.sentence_score(hypothesis, [reference]) for hypothesis, reference in pairs]
    counts = [[*one.counts, *one.totals, one.sys_len, one.ref_len] for one in found]
    return np.array(counts, dtype=np.float64)[rankings.rows]


def corpus_bleu(sums: Float) -> Float:
    """The logarithm of corpus BLEU."""
    brevity = np.minimum(0.0, 1.0 - sums[..., 9] / sums[..., 8])
    return np.asarray(np.log(sums[..., :4] / sums[..., 4:8]).mean(axis=2) + brevity)


@dataclass(frozen=True, eq=False)
class Way:
    """A way to score systems.

    Attributes:
        name: ``mean``, ``fit`` or ``words``.
        parts: Terms to be summed, float64 [n_segments, …], given the cells that count, float64 [n_segments, k] of 0
            and 1.
        scores: Scores of the systems, float64 [m, k], given m sums of terms, float64 [m, …].
    """

    name: str
    parts: Callable[[Float], Float]
    scores: Scores


def ways(metric: str, rankings: Rankings) -> tuple[Way, Way, Way]:
    """All three ways for a metric."""
    score = load(metric).score_pairs if metric == MODEL else get_metric(metric).score_pairs
    values = score(rankings.hypotheses, rankings.references)[rankings.rows]
    if metric == BLEU:
        counts = counts_of_bleu(rankings)
        first = Way("mean", lambda there: counts * there[..., np.newaxis], corpus_bleu)
    else:
        first = Way("mean", lambda there: parts_of_mean(values, there), mean)
    words = rankings.words[:, np.newaxis, np.newaxis]
    return (
        first,
        Way("fit", lambda there: parts_of_fit(values, there), fit),
        Way("words", lambda there: words * parts_of_fit(values, there), fit),
    )


def of_all(way: Way, there: Float) -> Float:
    """Scores of the systems on all segments, float64 [1, k]."""
    return way.scores(way.parts(there).sum(axis=0, keepdims=True))


def resampled(way: Way, there: Float) -> Float:
    """Scores of the systems on segments drawn with replacement, float64 [m, k]."""
    n = len(there)
    counts = np.random.default_rng(default_seed()).multinomial(n, np.full(n, 1.0 / n), RESAMPLES)
    parts = way.parts(there)
    sums = counts.astype(np.float64) @ parts.reshape(n, -1)
    return way.scores(sums.reshape(-1, *parts.shape[1:]))


def thinned(way: Way, there: Float, per_system: int) -> Float:
    """Scores of the systems on random subsets of at most ``per_system`` segments each, float64 [m, k]."""
    random = np.random.default_rng(default_seed())
    size = min(per_system, len(there))
    found = []
    for _ in range(THINNED):
        keys = np.where(there > 0.0, random.random(there.shape), np.inf)
        chosen = keys <= np.sort(keys, axis=0)[size - 1]
        found.append(of_all(way, there * chosen))
    return np.concatenate(found)


def correlations(human: Float, metric: Float) -> Float:
    """Spearman's rho of human scores, float64 [1, k], with each row of a metric's; rounding errors count as ties."""
    return np.array([spearman(np.round(human[0], 12), np.round(row, 12)) for row in metric])


def cells(
    year: str, metric: str, rankings: Rankings, per_system: int | None
) -> Iterator[tuple[str, float, str]]:
    """For each way: its name, rho, and rho with its interval as text."""
    human = HUMAN[year](rankings.wins.sum(axis=0, keepdims=True))
    there = (rankings.rows >= 0).astype(np.float64)
    for way in ways(metric, rankings):
        drawn = thinned(way, there, per_system) if per_system else resampled(way, there)
        found = correlations(human, drawn)
        rho = float(found.mean() if per_system else correlations(human, of_all(way, there))[0])
        low, high = np.percentile(found, [2.5, 97.5])
        yield way.name, rho, f"{rho:.3f} [{low:.2f}, {high:.2f}]"


def table(year: str, per_system: int | None) -> Iterator[str]:
    """The lines of a year's table."""
    folder = data_folder() / f"{year}-rr"
    pairs = [read_rankings(folder / f"{language}-en-test.tsv.gz") for language in LANGUAGES]
    yield f"| {year} | " + " | ".join(LANGUAGES) + " | mean |\n" + "|---" * (len(LANGUAGES) + 2) + "|"
    yield "| systems | " + " | ".join(str(len(pair.systems)) for pair in pairs) + " | |"
    sizes = ((pair.rows >= 0).sum() / len(pair.systems) for pair in pairs)
    yield "| segments per system | " + " | ".join(f"{size:.0f}" for size in sizes) + " | |"
    for metric in METRICS:
        published = PUBLISHED[year].get(metric)
        if published:
            shown = " | ".join(f"{rho:.3f}" for rho in published)
            yield f"| {metric}, published | {shown} | {np.mean(published):.3f} |"
        for column in zip(*(cells(year, metric, pair, per_system) for pair in pairs), strict=True):
            average = np.mean([rho for _, rho, _ in column])
            shown = " | ".join(text for _, _, text in column)
            yield f"| {metric}, {column[0][0]} | {shown} | {average:.3f} |"


def main() -> None:
    """Prints one table per year."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--year", choices=sorted(PUBLISHED), action="append")
    parser.add_argument("--per-system", type=positive, metavar="N")
    options = parser.parse_args()
    for year in options.year or sorted(PUBLISHED):
        for text in table(year, options.per_system):
            print(text, flush=True)
        print()


if __name__ == "__main__":
    explained(main)
