"""``pfsm probe``: tests on minimal pairs whether models and metrics notice what people notice."""

import math
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pfsm.commands.arguments import check_text, heading, open_scorers, signatures
from pfsm.commands.options import check_output, declare
from pfsm.commands.output import NO_INTERVAL, bracketed, print_columns, print_json
from pfsm.data.minimal_pairs import KINDS, SEVERITIES, MinimalPairs, read_minimal_pairs, shipped_minimal_pairs
from pfsm.errors import NotInstalledError, PfsmError
from pfsm.evaluation import default_seed
from pfsm.evaluation.bootstrap import Estimate
from pfsm.evaluation.comparison import estimate_entry, number
from pfsm.evaluation.probe import ALL, KindResult, ProbeResult, SeverityResult, probe
from pfsm.io.files import STANDARD_INPUT
from pfsm.metrics import SegmentMetric, metric_names
from pfsm.model.shipped import shipped_models
from pfsm.perturbation.catalogue import all_kinds

HEADINGS = ("kind", "n", "worse is lower", "mean difference", "what is worse")
MEAN = "mean of kinds"


@dataclass(frozen=True)
class Tested:
    """A model or metric with its outcome; ``heading`` is what text calls it, its short or its long signature."""

    metric: SegmentMetric
    heading: str
    result: ProbeResult

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.metric.name


def print_one(tested: Tested, note: str) -> None:
    """Prints every kind with its intervals, then what severity makes of the losses."""
    result = tested.result
    print(tested.heading)
    print()
    print_columns([HEADINGS, *map(_cells, result.kinds)])
    if result.severity is not None:
        print()
        print_columns([(name, *cells) for name, cells in _severity_rows(result.severity)])
        print(f"{MEAN}: {result.mean_of_kinds:.1%}")
    print(f"[{note}]")


def print_several(tested: Sequence[Tested], note: str) -> None:
    """Prints a column for each model or metric: the share of pairs whose worse version scores lower, by kind."""
    for one in tested:
        print(one.heading)
    print()
    names = [one.name for one in tested]
    rows = [
        (kinds[0].kind, f"{kinds[0].n:>4}", *(_share(kind.lower) for kind in kinds))
        for kinds in zip(*(one.result.kinds for one in tested), strict=True)
    ]
    means = (MEAN, "", *(f"{one.result.mean_of_kinds:6.1%}" for one in tested))
    print_columns([("kind", "n", *names), *rows, means])
    severities = [one.result.severity for one in tested if one.result.severity is not None]
    if severities:
        print()
        columns = zip(*map(_severity_rows, severities), strict=True)
        print_columns([("", *names), *((row[0][0], *(cells[-1] for _, cells in row)) for row in columns)])
    print(f"[{note}]")


def _cells(result: KindResult) -> tuple[str, ...]:
    # What is changed: as `pfsm data perturb` has it where the file tells severities, else as in the shipped pairs.
    about = KINDS.get(result.kind, "")
    if result.severity and result.kind in all_kinds():
        about = all_kinds()[result.kind].about
    notes = [
        "" if result.kind == ALL else about,
        _harmless(result.severity),
        f"{result.ties} tied" * bool(result.ties),
    ]
    difference = _shown(result.difference, "+9.4f", "+.3f")
    return result.kind, f"{result.n:>4}", _share(result.lower), difference, "; ".join(filter(None, notes))


def _harmless(severity: str) -> str:
    return "harmless" if severity == SEVERITIES[0] else severity


def _severity_rows(result: SeverityResult) -> list[tuple[str, tuple[str, ...]]]:
    rows: list[tuple[str, tuple[str, ...]]] = [
        (
            f"median loss, {_harmless(one.severity)}",
            (f"{one.n:>4}", _shown(one.median, "+9.4f", "+.3f")),
        )
        for one in result.losses
    ]
    for name, estimate, form in (
        ("rank correlation of severity and loss", result.correlation, "+.3f"),
        ("a critical error loses more than a minor one", result.critical_above_minor, ".1%"),
        ("median loss: harmless / critical", result.harmless_share, ".1%"),
    ):
        value = NO_INTERVAL if math.isnan(estimate.value) else f"{estimate.value:{form}}"
        rows.append((name, ("", f"{value:>9} {bracketed(estimate.interval, form)}")))
    return rows


def _share(estimate: Estimate) -> str:
    return _shown(estimate, "6.1%", ".0%")


def _shown(estimate: Estimate, form: str, ends: str) -> str:
    return f"{estimate.value:{form}} {bracketed(estimate.interval, ends)}"


OPTIONS = """
pairs FILE.tsv?  minimal pairs: columns kind, reference, better, worse, and severity if you like, as
  `pfsm data perturb` writes them (default: the shipped ones)
@scorers
--list  print every pair with its two scores
--plot FILE  draw the table as a picture too: a name on .svg, .png or .pdf
@signature
@format text json
@resamples
@threads
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    declare(parser, OPTIONS)


def run(options: Namespace) -> None:
    """Reads, scores, counts, prints."""
    seed = default_seed()
    if options.plot is not None:
        _check_plot(options)
    metrics = open_scorers(options)
    _check_repeated(options)
    if options.list and len(metrics) > 1:
        raise PfsmError("--list prints the scores of one model or metric; give one")
    pairs = read_minimal_pairs(options.pairs) if options.pairs is not None else _shipped(metrics)
    for metric in metrics:
        check_text(metric, pairs.references, options)
    results = [
        Tested(
            metric,
            heading(metric, 1, "segment", options),
            probe(metric, pairs, n_resamples=options.confidence_n, seed=seed),
        )
        for metric in metrics
    ]
    if options.plot is not None:
        _draw(results, options.plot)
    note = f"95% intervals: Wilson; of differences {options.confidence_n} bootstrap resamples, seed {seed}"
    if options.format == "json":
        documents = [_document(one, pairs, options, seed) for one in results]
        print_json(documents[0] if len(documents) == 1 else {"metrics": documents})
    elif options.list:
        _print_pairs(pairs, results[0].result)
    elif len(results) == 1:
        print_one(results[0], note)
    else:
        print_several(results, note)


def _check_repeated(options: Namespace) -> None:
    """Refuses ``-m A B`` for what it means."""
    name = options.pairs
    if not options.scorers or name is None or name == STANDARD_INPUT or Path(name).exists():
        return
    for kind, names in (
        ("model", {model.name for model in shipped_models()}),
        ("metric", set(metric_names())),
    ):
        if name in names:
            raise PfsmError(
                f"{name}: is a {kind}, a file of minimal pairs is needed; repeat the option: --{kind} {name}"
            )


def _shipped(metrics: Sequence[SegmentMetric]) -> MinimalPairs:
    """The shipped pairs for the metrics' language; the English pairs for metrics without a language."""
    codes = [metric.language.replace("_", "-").partition("-")[0].lower() for metric in metrics]
    languages = dict.fromkeys({"eng": "en"}.get(code, code) for code in codes if code)
    if len(languages) > 1:
        raise PfsmError(
            f"the models are for {', '.join(languages)}; give a FILE.tsv with pairs of one language"
        )
    return shipped_minimal_pairs(next(iter(languages), "en"))


def _check_plot(options: Namespace) -> None:
    if find_spec("matplotlib") is None:
        raise NotInstalledError(
            "--plot needs matplotlib, which is not installed", ["matplotlib"], ["experiment"]
        )
    from pfsm_experiments.report.pictures import check_picture  # noqa: PLC0415 - takes time to import

    check_picture(options.plot)
    check_output(options.plot, [options.pairs])


def _draw(results: Sequence[Tested], path: str) -> None:
    from pfsm_experiments.report.pictures import probe_figure, write_picture  # noqa: PLC0415 - brings matplotlib

    write_picture(Path(path), lambda: probe_figure([(one.name, one.result) for one in results]))


def _document(one: Tested, pairs: MinimalPairs, options: Namespace, seed: int) -> dict[str, Any]:
    document = {
        "name": one.name,
        **signatures(one.metric, 1, "segment"),
        "pairs": pairs.source.name,
        "sha256": pairs.source.checksum,
        "kinds": [_kind_document(kind) for kind in one.result.kinds],
        "mean_of_kinds": number(one.result.mean_of_kinds),
        "resamples": options.confidence_n,
        "seed": seed,
    }
    if one.result.severity is not None:
        document["severity"] = _severity_document(one.result.severity)
    if options.list:
        document["scores"] = _pair_documents(pairs, one.result)
    return document


def _kind_document(result: KindResult) -> dict[str, Any]:
    return {
        "kind": result.kind,
        **({"severity": result.severity} if result.severity else {}),
        "n": result.n,
        "worse_is_lower": estimate_entry(result.lower),
        "ties": result.ties,
        "difference": estimate_entry(result.difference),
    }


def _severity_document(result: SeverityResult) -> dict[str, Any]:
    return {
        "median_loss": {one.severity: {"n": one.n, **estimate_entry(one.median)} for one in result.losses},
        "rank_correlation": estimate_entry(result.correlation),
        "critical_above_minor": estimate_entry(result.critical_above_minor),
        "harmless_share": estimate_entry(result.harmless_share),
    }


def _pair_documents(pairs: MinimalPairs, result: ProbeResult) -> list[dict[str, Any]]:
    rows = zip(
        pairs.kinds, pairs.references, pairs.better, pairs.worse, result.better, result.worse, strict=True
    )
    keys = ("kind", "reference", "better", "worse", "better_score", "worse_score")
    documents = [dict(zip(keys, (*row[:4], float(row[4]), float(row[5])), strict=True)) for row in rows]
    for document, severity in zip(documents, pairs.severities, strict=False):
        document["severity"] = severity
    return documents


def _print_pairs(pairs: MinimalPairs, result: ProbeResult) -> None:
    """Prints a TSV that `pfsm probe` can read again, with the scores as two more columns."""
    documents = _pair_documents(pairs, result)
    print("\t".join(documents[0]))
    for document in documents:
        cells = [f"{cell:.4f}" if isinstance(cell, float) else cell for cell in document.values()]
        print("\t".join(cells))
