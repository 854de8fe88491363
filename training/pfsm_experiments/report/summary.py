"""The content of ``results.json``: every number with its n and interval, and everything that they depend on."""

import math
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from pfsm.data import Judgments
from pfsm.evaluation import Interval
from pfsm.model.file import Model
from pfsm.version import __version__
from pfsm_experiments.differences import Difference
from pfsm_experiments.estimates import Contrast, Entry
from pfsm_experiments.report.mistakes import MistakeTable
from pfsm_experiments.report.worst import WorstSegments
from pfsm_experiments.spec import Experiment

if TYPE_CHECKING:
    from pfsm_experiments.cells import Finished
    from pfsm_experiments.report.results import Results

FORMAT = "pfsm-experiment-1"
PACKAGES = ("numpy", "numba", "scipy", "torch", "sacrebleu", "PyStemmer", "matplotlib")


def results_summary(results: "Results", config_checksum: str, files: list[str]) -> dict[str, Any]:
    """The content of ``results.json``; undefined numbers are null."""
    experiment = results.experiment
    return {
        "format": FORMAT,
        "title": experiment.title,
        "description": experiment.description,
        "config_sha256": config_checksum,
        "scheme": _scheme(experiment, results),
        "seed": experiment.seed,
        "resamples": experiment.resamples,
        "resampled": experiment.resample,
        "versus": experiment.versus,
        "data": [
            {"file": file.path, "rows": file.rows, "sha256": file.checksum} for file in results.folder.files
        ],
        "tests": [
            {
                "name": test.name,
                "kind": "scores" if isinstance(test.data, Judgments) else "preferences",
                "n": len(test.data),
            }
            for test in results.plan.tests
        ],
        "notes": list(results.notes),
        "versions": versions(),
        "cells": [_cell(one) for one in results.cells],
        "results": [_entry(entry) for entry in results.entries],
        "contrasts": [_contrast(contrast) for contrast in results.contrasts],
        "mistakes": {
            "tables": [entry for table in results.mistakes for entry in _mistakes(table)],
            "segments": [entry for worst in results.worst for entry in _segments(worst)],
        },
        "files": files,
    }


def versions() -> dict[str, str]:
    """Versions of Python, of pfsm and of the packages that compute."""
    found = {"python": platform.python_version(), "pfsm": __version__}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # an unusual installation; the other versions are still worth reporting
            found[package] = "unknown"
    return found


def _scheme(experiment: Experiment, results: "Results") -> dict[str, Any]:
    scheme: dict[str, Any] = {"name": experiment.scheme}
    if experiment.by is not None:
        scheme["by"] = experiment.by
    if experiment.scheme == "k-fold":
        scheme["folds"] = experiment.folds
    if results.plan.sizes:
        scheme |= {"sizes": list(results.plan.sizes), "repeats": experiment.repeats}
    return scheme


def _cell(one: "Finished") -> dict[str, Any]:
    cell = one.cell
    return {
        "row": cell.row.name,
        "fold": cell.fold,
        "key": one.task.key,
        "signature": one.outcome.signature,
        "training": None
        if cell.train is None or one.outcome.model is None
        else training_summary(one.outcome.model),
        "tested_on": {name: int(rows.size) for name, rows in cell.tests.items()},
        **_corpus_signatures(one),
    }


def _corpus_signatures(one: "Finished") -> dict[str, Any]:
    """Signatures of scores of systems and documents, by test set and level, if they are pooled."""
    found: dict[str, dict[str, str]] = {}
    for corpora, signature in zip(one.task.corpora, one.outcome.corpus_signatures, strict=True):
        found.setdefault(corpora.test, {})[corpora.level] = signature
    return {"corpus_signatures": found} if found else {}


def training_summary(model: Model) -> dict[str, Any]:
    """The main facts of a training; the model file has the whole record."""
    training = model.training
    validated = training.get("cross_validated") or {}
    return {
        "weights": len(model.weights),
        **{
            key: training[key]
            for key in (
                "judgments",
                "preferences",
                "objective",
                "lambda",
                "lambda_choice",
                "mixture",
                "converged",
                "start",
                "starts",
                "lambda_rule",
                "lambda_tried",
                "lambda_intervals",
                "lambda_at_edge",
            )
            if key in training
        },
        "cross_validated": {key: validated[key] for key in ("by", "pearson") if key in validated},
    }


def _entry(entry: Entry) -> dict[str, Any]:
    column = entry.column
    return {
        "row": entry.row,
        "statistic": entry.statistic,
        "test": column.test,
        "group": column.group,
        **({} if column.size is None else {"size": column.size, "samples": list(entry.samples)}),
        "n": column.n,
        "value": entry.value,
        "interval": None if entry.interval is None else _interval(entry.interval),
        "difference": None if entry.difference is None else _difference(entry.difference),
    }


def _contrast(contrast: Contrast) -> dict[str, Any]:
    column = contrast.column
    return {
        "row": contrast.row,
        "other": contrast.other,
        "statistic": contrast.statistic,
        "test": column.test,
        "group": column.group,
        **({} if column.size is None else {"size": column.size}),
        "n": column.n,
        "values": list(contrast.values),
        "difference": None if contrast.difference is None else _difference(contrast.difference),
    }


def _mistakes(table: MistakeTable) -> list[dict[str, Any]]:
    return [
        {
            "row": entry.row,
            "statistic": entry.statistic,
            "test": entry.column.test,
            "by": table.by,
            "bin": one.label,
            **({} if one.low is None else {"low": one.low, "high": one.high}),
            "n": entry.column.n,
            "value": entry.value,
            "interval": None if entry.interval is None else _interval(entry.interval),
        }
        for line in table.lines
        for one, entry in zip(table.bins, line.entries, strict=True)
    ]


def _segments(worst: WorstSegments) -> list[dict[str, Any]]:
    """The numbers alone: the licence of the data may not allow passing on its text."""
    return [
        {
            "row": worst.row,
            "test": worst.test,
            "judgment": one.judgment,
            "group": one.group,
            "human": one.human,
            "predicted": one.predicted,
            "error": one.error,
        }
        for one in (*worst.overrated, *worst.underrated)
    ]


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "value": difference.value,
        "interval": _interval(difference.interval),
        "p_value": _finite(difference.p_value),
        "p_holm": _finite(difference.p_holm),
    }


def _interval(interval: Interval) -> list[float | None]:
    return [_finite(interval.low), _finite(interval.high)]


def _finite(value: float) -> float | None:
    """The value if JSON can represent it, else None."""
    return value if math.isfinite(value) else None
