"""Writes the files of an experiment's output folder."""

import json
import re
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pfsm.errors import PfsmError
from pfsm.io.files import atomic_write, content_checksum, decode, read_bytes
from pfsm.model.file import save_model
from pfsm_experiments.report.contrasts import contrast_tables, contrasts_latex, contrasts_markdown
from pfsm_experiments.report.html import render_report
from pfsm_experiments.report.mistakes_text import mistakes_markdown
from pfsm_experiments.report.plots import KINDS, draw_plots
from pfsm_experiments.report.summary import results_summary
from pfsm_experiments.report.tables import latex, markdown, result_tables
from pfsm_experiments.store import make_folder

if TYPE_CHECKING:
    from pfsm_experiments.report.results import Results

RESULTS = "results.json"
# Files that an earlier run may have left; no other file is ever deleted.
_OURS = re.compile(r"(plots|models)/[^/\\]+\.(svg|png|pdf|json)")


def write_output(results: "Results", config: Path, output: Path) -> None:
    """Writes tables, plots, models, report and, last, ``results.json``; deletes outdated files of an earlier run.

    Raises:
        PfsmError: If a file cannot be written.
    """
    content = read_bytes(config)
    text = decode(content, str(config))
    tables = result_tables(results.entries)
    earlier = _earlier_files(output)
    plots = draw_plots(results, tables, output)
    models = _write_models(results, output)
    files = sorted([*(f"plots/{plot.name}.{kind}" for plot in plots for kind in KINDS), *models])
    for name in earlier - set(files):
        (output / name).unlink(missing_ok=True)
    _write(output / "config.yaml", text)
    experiment, compared = results.experiment, contrast_tables(results.contrasts)
    contrasts = contrasts_markdown(experiment, compared)
    mistakes = mistakes_markdown(experiment, results.mistakes)
    _write(output / "table.md", markdown(experiment, tables, results.notes, contrasts, mistakes))
    _write(output / "table.tex", latex(experiment, tables) + contrasts_latex(experiment, compared))
    summary = results_summary(results, content_checksum(content), files)
    _write(output / "report.html", render_report(results, tables, plots, summary, text))
    _write(output / RESULTS, json.dumps(summary, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def _earlier_files(output: Path) -> set[str]:
    """Plots and models that an earlier run has written into the folder."""
    try:
        summary: Any = json.loads(decode(read_bytes(output / RESULTS), RESULTS))
        return {name for name in summary["files"] if isinstance(name, str) and _OURS.fullmatch(name)}
    except (PfsmError, ValueError, KeyError, TypeError, RecursionError):
        return set()


def _write_models(results: "Results", output: Path) -> list[str]:
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
