"""The results of an experiment, and the files of its output folder."""

import json
import platform
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from itertools import count
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
    result_tables,
)
from pfsm_experiments.spec import Experiment
from pfsm_experiments.store import make_folder
from pfsm_experiments.task import Finished
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
        """Those of the plan, and what is doubtful about the trainings of a row."""
        return (*self.plan.notes, *_of_trainings(self.cells))


def _of_trainings(cells: Sequence[Finished]) -> list[str]:
    """A line for each row with doubtful trainings: the first one's words, and how many more there are."""
    found: dict[str, list[str]] = {}
    trained: Counter[str] = Counter()
    for one in cells:
        model = one.outcome.model
        if model is None or one.cell.row.training is None:
            continue
        trained[one.cell.row.name] += 1
        if lines := cautions(model.training):
            found.setdefault(one.cell.row.name, []).append("; ".join(lines))
    return [
        f"{row}: {lines[0]}"
        if trained[row] == 1
        else f"{row}: in {len(lines)} of {trained[row]} trainings: {lines[0]}"
        for row, lines in found.items()
    ]


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
    _write(output / "config.yaml", text)
    experiment, compared = results.experiment, contrast_tables(results.contrasts)
    contrasts = contrasts_markdown(experiment, compared)
    _write(output / "table.md", markdown(experiment, tables, results.notes, contrasts))
    _write(output / "table.tex", latex(experiment, tables) + contrasts_latex(experiment, compared))
    summary = results_summary(results, content_checksum(content), files)
    _write(output / RESULTS, json.dumps(summary, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


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
        if one.cell.train is None or one.outcome.model is None:
            continue
        name = _free(plain_name(one.cell.label), names)
        save_model(one.outcome.model, output / name)
        names.append(name)
    return names


def _free(stem: str, taken: list[str]) -> str:
    """A free file name for a model; numbered if another label has given the same name."""
    names = (f"models/{stem}{f'-{number}' if number > 1 else ''}.json" for number in count(1))
    return next(name for name in names if name not in taken)


def plain_name(text: str) -> str:
    """Text reduced to lower-case letters, digits, plus signs and hyphens."""
    return re.sub(r"[^a-z0-9+]+", "-", text.lower()).strip("-") or "row"


def _write(path: Path, text: str) -> None:
    with atomic_write(path) as handle:
        # A name in the data may contain a lone surrogate, which UTF-8 cannot encode.
        handle.write(text.encode("utf-8", "backslashreplace").decode())


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


def _corpus_signatures(one: Finished) -> dict[str, Any]:
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


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "value": difference.value,
        "interval": _interval(difference.interval),
        "p_value": finite(difference.p_value),
        "p_holm": finite(difference.p_holm),
    }


def _interval(interval: Interval) -> list[float | None]:
    return [finite(interval.low), finite(interval.high)]
