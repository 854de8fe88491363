"""The results of an experiment, and the files of its output folder."""

import json
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from pfsm.data import Judgments
from pfsm.errors import PfsmError
from pfsm.evaluation import Interval
from pfsm.io.files import atomic_write, content_checksum, decode, read_bytes
from pfsm.model.file import Model, save_model
from pfsm.model.training_record import cautions
from pfsm.version import __version__
from pfsm_experiments.data import DataFolder
from pfsm_experiments.estimates import Contrast, Difference, Entry, Prediction
from pfsm_experiments.plan import Plan
from pfsm_experiments.report.pictures import bars, curve, write_picture
from pfsm_experiments.report.tables import (
    ResultTable,
    contrast_tables,
    contrasts_latex,
    contrasts_markdown,
    latex,
    markdown,
    numbered,
    result_tables,
)
from pfsm_experiments.spec import Experiment
from pfsm_experiments.task import Finished, make_folder
from pfsm_training.data.moments import finite

FORMAT = "pfsm-experiment-1"
PACKAGES = ("numpy", "numba", "scipy", "torch", "sacrebleu", "PyStemmer", "matplotlib")
RESULTS = "results.json"
# Files that an earlier run may have left; no other file is ever deleted.
_OURS = re.compile(r"(plots|models)/[^/\\]+\.(svg|png|pdf|json)")


@dataclass(frozen=True, eq=False)
class Results:
    """An experiment with its data, its plan and everything computed from them."""

    experiment: Experiment
    folder: DataFolder
    plan: Plan
    cells: tuple[Finished, ...]
    predictions: tuple[Prediction, ...]
    entries: tuple[Entry, ...]
    contrasts: tuple[Contrast, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """Those of the plan; for each row with doubtful trainings the words on the first, and how many there are."""
        found: dict[str, list[str]] = {}
        for one in self.cells:
            if one.trained is not None:
                found.setdefault(one.cell.row.name, []).append("; ".join(cautions(one.trained.training)))
        doubtful = {row: [*filter(None, lines)] for row, lines in found.items()}
        return (
            *self.plan.notes,
            *(
                f"{row}: {lines[0]}"
                if len(found[row]) == 1
                else f"{row}: in {len(lines)} of {len(found[row])} trainings: {lines[0]}"
                for row, lines in doubtful.items()
                if lines
            ),
        )


def write_output(results: Results, config: Path, output: Path) -> None:
    """Writes tables, pictures, models and, last, ``results.json``; deletes outdated files of an earlier run.

    Raises:
        PfsmError: If a file cannot be written.
    """
    content = read_bytes(config)
    text = decode(content, str(config))
    tables = result_tables(results.entries)
    earlier = _earlier_files(output)
    files = sorted([*_draw(results, tables, output), *_write_models(results, output)])
    for name in earlier - set(files):
        (output / name).unlink(missing_ok=True)
    experiment, compared = results.experiment, contrast_tables(results.contrasts)
    contrasts = contrasts_markdown(experiment, compared)
    summary = results_summary(results, content_checksum(content), files)
    for name, written in (
        ("config.yaml", text),
        ("table.md", markdown(experiment, tables, results.notes, contrasts)),
        ("table.tex", latex(experiment, tables) + contrasts_latex(experiment, compared)),
        (RESULTS, json.dumps(summary, indent=1, ensure_ascii=False, allow_nan=False) + "\n"),
    ):
        with atomic_write(output / name) as handle:
            # A name in the data may contain a lone surrogate, which UTF-8 cannot encode.
            handle.write(written.encode("utf-8", "backslashreplace").decode())


def _earlier_files(output: Path) -> set[str]:
    """Plots and models that an earlier run has written into the folder."""
    try:
        summary: Any = json.loads(decode(read_bytes(output / RESULTS), RESULTS))
        return {name for name in summary["files"] if isinstance(name, str) and _OURS.fullmatch(name)}
    except (PfsmError, ValueError, KeyError, TypeError, RecursionError):
        return set()


def _draw(results: Results, tables: Sequence[ResultTable], output: Path) -> list[str]:
    """Draws every table into the kinds of files that the experiment asks for; returns their names."""
    if not results.experiment.pictures:
        return []
    make_folder(output / "plots")
    draw, shown = (curve, "curve") if results.plan.sizes else (bars, "bars")
    names = []
    for number, table in enumerate(tables, 1):
        for kind in results.experiment.pictures:
            names.append(f"plots/{shown}-{number}-{table.statistic.replace('_', '-')}.{kind}")
            write_picture(output / names[-1], partial(draw, table))
    return names


def _write_models(results: Results, output: Path) -> list[str]:
    """Writes every trained model, named after its row and fold; returns the names of the files."""
    make_folder(output / "models")
    names: list[str] = []
    for one in results.cells:
        if one.trained is not None:
            stem = re.sub(r"[^a-z0-9+]+", "-", one.cell.label.lower()).strip("-") or "row"
            names.append(numbered(f"models/{stem}", names, ".json"))
            save_model(one.trained, output / names[-1])
    return names


def results_summary(results: Results, config_checksum: str, files: list[str]) -> dict[str, Any]:
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
        "data": results.folder.files,
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
        "results": [
            {
                "row": entry.row,
                **_place(entry, {"samples": list(entry.samples)}),
                "value": entry.value,
                "interval": _interval(entry.interval),
                "difference": _difference(entry.difference),
            }
            for entry in results.entries
        ],
        "contrasts": [
            {
                "row": contrast.row,
                "other": contrast.other,
                **_place(contrast, {}),
                "values": list(contrast.values),
                "difference": _difference(contrast.difference),
            }
            for contrast in results.contrasts
        ],
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


def _scheme(experiment: Experiment, results: Results) -> dict[str, Any]:
    scheme: dict[str, Any] = {"name": experiment.scheme}
    if experiment.by is not None:
        scheme["by"] = experiment.by
    if experiment.scheme == "k-fold":
        scheme["folds"] = experiment.folds
    if results.plan.sizes:
        scheme |= {"sizes": list(results.plan.sizes), "repeats": experiment.repeats}
    return scheme


def _cell(one: Finished) -> dict[str, Any]:
    cell = one.cell
    signatures: dict[str, dict[str, str]] = {}
    for corpora, signature in zip(one.task.corpora, one.outcome.corpus_signatures, strict=True):
        signatures.setdefault(corpora.test, {})[corpora.level] = signature
    return {
        "row": cell.row.name,
        "fold": cell.fold,
        "key": one.task.key,
        "signature": one.outcome.signature,
        "training": None if one.trained is None else training_summary(one.trained),
        "tested_on": {name: int(rows.size) for name, rows in cell.tests.items()},
        **({"corpus_signatures": signatures} if signatures else {}),
    }


_FACTS = (
    *("judgments", "preferences", "objective", "lambda", "lambda_choice", "mixture", "converged", "start"),
    *("starts", "lambda_rule", "lambda_tried", "lambda_intervals", "lambda_at_edge"),
)


def training_summary(model: Model) -> dict[str, Any]:
    """The main facts of a training; the model file has the whole record."""
    training = model.training
    validated = training.get("cross_validated") or {}
    return {
        "weights": len(model.weights),
        **{key: training[key] for key in _FACTS if key in training},
        "cross_validated": {key: validated[key] for key in ("by", "pearson") if key in validated},
    }


def _place(one: Entry | Contrast, of_sizes: dict[str, Any]) -> dict[str, Any]:
    """Where a number stands, with what is told besides in a learning curve."""
    column = one.column
    return {
        "statistic": one.statistic,
        "test": column.test,
        "group": column.group,
        **({} if column.size is None else {"size": column.size, **of_sizes}),
        "n": column.n,
    }


def _difference(difference: Difference | None) -> dict[str, Any] | None:
    if difference is None:
        return None
    return {
        "value": difference.value,
        "interval": _interval(difference.interval),
        "p_value": finite(difference.p_value),
        "p_holm": finite(difference.p_holm),
    }


def _interval(interval: Interval | None) -> list[float | None] | None:
    return None if interval is None else [finite(interval.low), finite(interval.high)]
