"""Does a model gain from the judgments of further campaigns? Each campaign in turn is held out and tested on.

    PFSM_DATA=… python scripts/benchmarks/campaigns.py [--model en-small] [--encoder head] [MIX …]

A mix is ``da`` (WMT15 and WMT16 segment-level direct assessment), or that and more: ``da+da21:10`` adds every tenth
direct assessment of WMT21, ``da+mqm21:3`` every third judgment of experts of WMT21, ``da+rank:1000`` 1,000 rankings of
each language pair of WMT12, WMT13 and WMT19, which have the share ``--mixture`` of the objective. Scores are
standardised file by file, so that a campaign's scale does not count. Printed are, for each mix and held-out campaign,
the mean of Pearson's r (of rankings Kendall's tau, ties against the metric) over language pairs, and the pairs of
systems in the order of people's, by means over segments. ``--thin N`` tests on every Nth row of the large sets. With
``--rater-noise K`` judgments are weighted by their number of raters, see the option ``weights`` of a training.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import numpy as np
import yaml
from numpy.typing import NDArray
from real_data import CHECKOUT, data_folder, into_english
from refusals import explained

from pfsm.data import Judgments, Preferences, read_judgments, read_preferences
from pfsm.evaluation import pearson, preference_counts
from pfsm.model.metric import Metric
from pfsm_training import train
from pfsm_training.config import config_from_dict

Float = NDArray[np.float64]
# Folder and column of the scores; None: rankings.
CAMPAIGNS: Mapping[str, tuple[str, str | None]] = {
    "wmt15": ("wmt15-daseg", "score"),
    "wmt16": ("wmt16-daseg", "score"),
    "da21": ("wmt21-da", "da_z"),
    "mqm21": ("wmt21-mqm", "score"),
    "wmt12": ("wmt12-rr", None),
    "wmt13": ("wmt13-rr", None),
    "wmt19": ("wmt19-darr", None),
}
ALWAYS, RANKINGS = ("wmt15", "wmt16"), "rank"
LARGE = tuple(name for name in CAMPAIGNS if name not in ALWAYS)
MIXES = ("da", "da+da21:10", "da+mqm21:3", "da+rank:1000")
# Of a row where the files do not say it: direct assessments of WMT15 and WMT16 have at least so many, other rows one.
RATERS = {"wmt15": "15", "wmt16": "15"}
COLUMN = "n_raters"
# Fewer comparisons of two systems say little about which is better.
FEWEST_COMPARED = 30


@dataclass(frozen=True)
class Campaign:
    """A set of judgments or of rankings by language pair, scores standardised."""

    parts: tuple[Judgments | Preferences, ...]

    @property
    def ranked(self) -> bool:
        """Whether these are rankings."""
        return isinstance(self.parts[0], Preferences)

    def every(self, step: int) -> "Campaign":
        """Every so many rows."""
        return Campaign(tuple(part.select(np.arange(0, len(part), step)) for part in self.parts))

    def rows(self, number: int) -> "Campaign":
        """So many rows of each language pair, evenly spread."""
        return Campaign(
            tuple(
                part.select(np.linspace(0, len(part) - 1, min(number, len(part))).astype(np.int64))
                for part in self.parts
            )
        )


def main() -> None:
    """Trains, tests, prints a row for each mix."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument(
        "mixes", nargs="*", default=MIXES, metavar="MIX", help=f"(default: {' '.join(MIXES)})"
    )
    parser.add_argument("--model", default="en-small", help="settings in configs/models (default: en-small)")
    parser.add_argument("--encoder", choices=("head", "lora", "full"), help="what to learn over the encoder")
    parser.add_argument("--mixture", type=float, default=0.3, help="share of rankings (default: 0.3)")
    parser.add_argument(
        "--held-out", nargs="*", default=list(CAMPAIGNS), choices=CAMPAIGNS, metavar="CAMPAIGN"
    )
    parser.add_argument(
        "--thin", type=int, default=1, metavar="N", help="test on every Nth row of large sets"
    )
    parser.add_argument(
        "--rater-noise", type=float, metavar="K", help="weigh judgments by their number of raters"
    )
    options = parser.parse_args()
    settings = yaml.safe_load((CHECKOUT / "configs" / "models" / f"{options.model}.yaml").read_text("utf-8"))
    # One lambda: it is the judgments that are compared. Pairs made of them would blur that.
    settings |= {"lambda": 5, "minimal_pairs": False, "mixture": options.mixture}
    if options.encoder or "encoder" in settings:
        tune = options.encoder or "head"
        # Layers are tuned as those of `en` are.
        settings["encoder"] = {"tune": tune} | ({} if tune == "head" else {"precision": "bfloat16"})
    if options.rater_noise is not None:
        settings["weights"] = {"column": COLUMN, "rater_noise": options.rater_noise}
    campaigns = {
        name: _read(data_folder() / folder, column, RATERS.get(name, "1"))
        for name, (folder, column) in CAMPAIGNS.items()
    }
    print("| judgments | " + " | ".join(options.held_out) + " |\n|---|" + "--:|" * len(options.held_out))
    for mix in options.mixes:
        trained: dict[str, Metric] = {}
        cells = []
        for name in options.held_out:
            used = _mixed(campaigns, mix, name)
            key = " ".join(used)
            if key not in trained:
                trained[key] = _trained(used.values(), settings)
            step = options.thin if name in LARGE else 1
            cells.append(_cell(trained[key], campaigns[name].every(step)))
        print(f"| {mix} | " + " | ".join(cells) + " |", flush=True)


def _read(folder: Path, column: str | None, raters: str) -> Campaign:
    if column is None:
        return Campaign(tuple(read_preferences(path) for path in into_english(folder)))
    return Campaign(
        tuple(_standardised(read_judgments(path, column), raters) for path in into_english(folder))
    )


def _standardised(part: Judgments, raters: str) -> Judgments:
    """The judgments with standardised scores and a number of raters on every row."""
    columns = {COLUMN: (raters,) * len(part), **part.columns}
    return replace(part, scores=(part.scores - part.scores.mean()) / part.scores.std(), columns=columns)


def _mixed(campaigns: Mapping[str, Campaign], mix: str, held_out: str) -> dict[str, Campaign]:
    """The campaigns of a mix but the one that is held out."""
    found = {name: campaigns[name] for name in ALWAYS}
    for more in mix.split("+")[1:]:
        name, _, number = more.partition(":")
        if name == RANKINGS:
            found |= {
                one: campaign.rows(int(number)) for one, campaign in campaigns.items() if campaign.ranked
            }
        else:
            found[name] = campaigns[name].every(int(number or 1))
    return {name: campaign for name, campaign in found.items() if name != held_out}


def _trained(used: Iterable[Campaign], settings: Mapping[str, Any]) -> Metric:
    parts = [part for campaign in used for part in campaign.parts]
    judged = [part for part in parts if isinstance(part, Judgments)]
    ranked = [part for part in parts if isinstance(part, Preferences)]
    model = train(
        Judgments.join(judged),
        preferences=Preferences.join(ranked) if ranked else None,
        config=config_from_dict(dict(settings), "settings"),
        name="campaigns",
    )
    return Metric(model)


def _cell(metric: Metric, campaign: Campaign) -> str:
    """Agreement, and how many pairs of systems are in the right order."""
    agreements, right, pairs = [], 0, 0
    for part in campaign.parts:
        agreement, margins = _tested(metric, part)
        agreements.append(agreement)
        right += sum(margin > 0 for margin in margins)
        pairs += len(margins)
    systems = f"; {right} of {pairs}" if pairs else ""
    return f"{np.mean(agreements):.3f}{systems}"


def _tested(metric: Metric, part: Judgments | Preferences) -> tuple[float, list[float]]:
    """Agreement, and of each pair of systems the metric's difference times people's."""
    if isinstance(part, Judgments):
        scores = metric.score_pairs(part.hypotheses, part.references)
        systems = np.array(part.columns["system"])
        if np.unique(systems).size * 30 > len(part):
            return pearson(scores, part.scores), []
        means = [
            (part.scores[systems == name].mean(), scores[systems == name].mean())
            for name in np.unique(systems)
        ]
        return pearson(scores, part.scores), [
            (a[0] - b[0]) * (a[1] - b[1]) for a, b in combinations(means, 2)
        ]
    better, worse = (metric.score_pairs(side, part.references) for side in (part.better, part.worse))
    tau = preference_counts(better, worse, part.votes).kendall_tau("wmt12")
    return tau, _ranked_systems(part, better - worse)


def _ranked_systems(part: Preferences, differences: Float) -> list[float]:
    """Of each pair of systems that were often compared: votes for the first times the metric's mean difference."""
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    rows: Sequence[tuple[str, str]] = list(
        zip(part.columns["better_system"], part.columns["worse_system"], strict=True)
    )
    for (one, other), votes, difference in zip(rows, part.votes.tolist(), differences.tolist(), strict=True):
        sign = 1.0 if one < other else -1.0
        found.setdefault((min(one, other), max(one, other)), []).append((sign * votes, sign * difference))
    sums = [np.sum(values, axis=0) for values in found.values() if len(values) >= FEWEST_COMPARED]
    return [float(votes * difference) for votes, difference in sums if votes]


if __name__ == "__main__":
    explained(main)
