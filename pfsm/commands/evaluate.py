"""``pfsm evaluate``: how well the metric's scores agree with human judgments."""

import json
import math
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.commands.arguments import add_format, add_model, add_resamples, add_threads
from pfsm.data import (
    Judgments,
    Preferences,
    Table,
    is_preferences,
    judgments_from_table,
    overlap,
    preferences_from_table,
    read_table,
)
from pfsm.data.table import COMET_NAMES
from pfsm.errors import PfsmError
from pfsm.evaluation import (
    Estimate,
    GroupEvaluation,
    Interval,
    MeanEstimate,
    PreferenceGroupEvaluation,
    default_seed,
    evaluate_groups,
    evaluate_preference_groups,
)
from pfsm.metric import Metric
from pfsm.models import load

DEFAULT_GROUPING = "source_lang"
ONE_GROUP = "all"


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "data",
        nargs="+",
        metavar="DATA.tsv",
        help="files with reference, hypothesis and a score, or with reference, better and worse; .gz is read",
    )
    add_model(parser)
    parser.add_argument("--score-column", default="score", metavar="NAME", help="default: score")
    parser.add_argument(
        "--by",
        metavar="COLUMN",
        help=f"group by this column (default: {DEFAULT_GROUPING} where every file has it)",
    )
    parser.add_argument(
        "--tau",
        choices=("wmt12", "wmt13"),
        default="wmt12",
        help="Kendall tau of preferences: metric ties count as discordant (wmt12, the default) or are left out (wmt13)",
    )
    add_format(parser, "text", "json")
    add_resamples(parser)
    add_threads(parser)


def run(options: Namespace) -> None:
    """Reads, scores, measures, prints."""
    seed = default_seed()
    metric = load(options.model, options.threads)
    tables = [read_table(path) for path in options.data]
    # Everything is read and checked before the long work begins.
    absolute = [
        judgments_from_table(table, options.score_column) for table in tables if not is_preferences(table)
    ]
    pairwise = [preferences_from_table(table) for table in tables if is_preferences(table)]
    by = _grouping(options.by, tables)
    warnings = training_overlap(metric.model.training, tables)
    for warning in warnings:
        print(f"pfsm: warning: {warning}", file=sys.stderr)
    document: dict[str, Any] = {
        "name": metric.name,
        "signature": metric.get_signature(1),
        "by": by,
        "seed": seed,
        "resamples": options.confidence_n,
        "warnings": warnings,
    }
    if absolute:
        document["correlation"] = _correlation(
            metric, Judgments.join(absolute), by, options.confidence_n, seed
        )
    if pairwise:
        document["preference"] = _preference(metric, Preferences.join(pairwise), by, options, seed)
    if options.format == "json":
        print(json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False))
    else:
        _print_text(document)


def training_overlap(training: Mapping[str, Any], tables: Sequence[Table]) -> list[str]:
    """Sentences about files, or references in files, that the model was trained on."""
    known = {str(entry.get("sha256")) for entry in training.get("data", []) if isinstance(entry, Mapping)}
    digests = str(training.get("reference_digests", ""))
    warnings = []
    for table in tables:
        references = set(table.columns.get("reference", ()))
        if table.checksum in known:
            warnings.append(
                f"{table.path}: the model was trained on this very file; its agreement here says little"
            )
        elif seen := overlap(references, digests):
            warnings.append(
                f"{table.path}: {seen} of its {len(references)} references are in the model's training data"
            )
    return warnings


def score_distinct(
    metric: Metric, hypotheses: Sequence[str], references: Sequence[str]
) -> NDArray[np.float64]:
    """Scores of all pairs; a pair that is there many times, as in rankings, is scored once."""
    place: dict[tuple[str, str], int] = {}
    rows = [place.setdefault(pair, len(place)) for pair in zip(hypotheses, references, strict=True)]
    scores = metric.score_pairs(
        [hypothesis for hypothesis, _ in place], [reference for _, reference in place]
    )
    return scores[np.array(rows, dtype=np.int64)]


def _grouping(wanted: str | None, tables: Sequence[Table]) -> str | None:
    if wanted is None:
        return DEFAULT_GROUPING if all(DEFAULT_GROUPING in table.columns for table in tables) else None
    for table in tables:
        if wanted not in table.columns:
            raise PfsmError(
                f"{table.path}: no column {wanted!r} to group by; the columns are {', '.join(table.header)}"
            )
    return wanted


def _groups(data: Judgments | Preferences, by: str | None) -> Sequence[str]:
    if by is None:
        return [ONE_GROUP] * len(data)
    by = by if by in data.columns else COMET_NAMES.get(by, by)
    if by not in data.columns:
        raise PfsmError(f"{by!r} holds what is measured; group by another column")
    return data.columns[by]


def _correlation(
    metric: Metric, data: Judgments, by: str | None, resamples: int, seed: int
) -> dict[str, Any]:
    predicted = score_distinct(metric, data.hypotheses, data.references)
    result = evaluate_groups(predicted, data.scores, _groups(data, by), n_resamples=resamples, seed=seed)
    return _document(result, ("pearson", "spearman", "kendall_tau_b"))


def _preference(
    metric: Metric, data: Preferences, by: str | None, options: Namespace, seed: int
) -> dict[str, Any]:
    scores = score_distinct(metric, [*data.better, *data.worse], [*data.references, *data.references])
    better, worse = scores[: len(data)], scores[len(data) :]
    result = evaluate_preference_groups(
        better, worse, _groups(data, by), data.votes, n_resamples=options.confidence_n, seed=seed
    )
    document = _document(result, ("accuracy", f"tau_{options.tau}"))
    for group, entry in zip(result.groups, document["groups"], strict=True):
        counts = group.counts
        entry |= {"concordant": counts.concordant, "discordant": counts.discordant, "ties": counts.ties}
    for entry in (*document["groups"], document["mean"]):
        entry["kendall_tau"] = entry.pop(f"tau_{options.tau}")
    return {"tau": options.tau, **document}


def _document(
    result: GroupEvaluation | PreferenceGroupEvaluation, statistics: Sequence[str]
) -> dict[str, Any]:
    """Groups and means as plain values; undefined numbers are null."""
    groups = [
        {"group": group.name, "n": group.n, **{name: _estimate(getattr(group, name)) for name in statistics}}
        for group in result.groups
    ]
    return {"groups": groups, "mean": {name: _estimate(getattr(result, name)) for name in statistics}}


def _estimate(estimate: Estimate | MeanEstimate) -> dict[str, Any]:
    entry: dict[str, Any] = {"value": _number(estimate.value), "interval": _interval(estimate.interval)}
    if isinstance(estimate, MeanEstimate) and estimate.left_out:
        entry["left_out"] = list(estimate.left_out)
    return entry


def _interval(interval: Interval) -> list[float | None]:
    return [_number(interval.low), _number(interval.high)]


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


HEADINGS = {
    "pearson": "Pearson r",
    "spearman": "Spearman rho",
    "kendall_tau_b": "Kendall tau-b",
    "accuracy": "accuracy",
    "kendall_tau": "Kendall tau",
}


def _print_text(document: dict[str, Any]) -> None:
    print(f"{document['name']}|{document['signature']}")
    for kind in ("correlation", "preference"):
        if kind in document:
            _print_table(document[kind], document["by"])
    print(f"[95% intervals: {document['resamples']} bootstrap resamples, seed {document['seed']}]")


def _print_table(result: dict[str, Any], by: str | None) -> None:
    statistics = list(result["mean"])
    rows = [(entry["group"], f"{entry['n']}", entry) for entry in result["groups"]]
    if len(rows) > 1:
        rows.append(("mean", "", result["mean"]))
    width = max(len(name) for name in [by or "", *(row[0] for row in rows)])
    print()
    print(
        f"{by or '':{width}}  {'n':>7}  " + "  ".join(f"{HEADINGS[name]:<23}" for name in statistics).rstrip()
    )
    for name, n, entry in rows:
        print(
            f"{name:{width}}  {n:>7}  " + "  ".join(f"{_cell(entry[key]):<23}" for key in statistics).rstrip()
        )
    if "tau" in result:
        print(f"Kendall tau as in {result['tau'].upper()}: metric ties "
              f"{'count as discordant' if result['tau'] == 'wmt12' else 'are left out'}")  # fmt: skip


def _cell(estimate: dict[str, Any]) -> str:
    if estimate["value"] is None:
        return "undefined"
    low, high = estimate["interval"]
    interval = "" if low is None else f" [{low:+.3f}, {high:+.3f}]"
    return f"{estimate['value']:+.3f}{interval}"
