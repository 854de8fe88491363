"""The files of an experiment's output folder."""

import json
import re
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pfsm.errors import PfsmError
from pfsm.io.files import atomic_write, content_checksum, decode, read_bytes
from pfsm.model.file import save_model
from pfsm_experiments.report.contrasts import contrast_tables, contrasts_latex, contrasts_markdown
from pfsm_experiments.report.document import results_document
from pfsm_experiments.report.html import render_report
from pfsm_experiments.report.mistakes_text import mistakes_markdown
from pfsm_experiments.report.plots import draw_plots
from pfsm_experiments.report.tables import latex, markdown, result_tables
from pfsm_experiments.store import make_folder

if TYPE_CHECKING:
    from pfsm_experiments.report.results import Results

RESULTS = "results.json"
# What an earlier run may have left: nothing else is ever deleted.
_OURS = re.compile(r"(plots|models)/[^/\\]+\.(svg|png|json)")


def write_output(results: "Results", config: Path, output: Path) -> None:
    """Writes tables, plots, models, report and, last, ``results.json``; deletes what an earlier run has left.

    Raises:
        PfsmError: If something cannot be written.
    """
    content = read_bytes(config)
    text = decode(content, str(config))
    tables = result_tables(results.entries)
    earlier = _earlier_files(output)
    plots = draw_plots(results, tables, output)
    models = _write_models(results, output)
    files = sorted([*(f"plots/{plot.name}.{kind}" for plot in plots for kind in ("svg", "png")), *models])
    for name in earlier - set(files):
        (output / name).unlink(missing_ok=True)
    _write(output / "config.yaml", text)
    experiment, compared = results.experiment, contrast_tables(results.contrasts)
    contrasts = contrasts_markdown(experiment, compared)
    mistakes = mistakes_markdown(experiment, results.mistakes)
    _write(output / "table.md", markdown(experiment, tables, results.plan.notes, contrasts, mistakes))
    _write(output / "table.tex", latex(experiment, tables) + contrasts_latex(experiment, compared))
    document = results_document(results, content_checksum(content), files)
    _write(output / "report.html", render_report(results, tables, plots, document, text))
    _write(output / RESULTS, json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def _earlier_files(output: Path) -> set[str]:
    """Plots and models that an earlier run into the same folder has written."""
    try:
        document: Any = json.loads(decode(read_bytes(output / RESULTS), RESULTS))
        return {name for name in document["files"] if isinstance(name, str) and _OURS.fullmatch(name)}
    except (PfsmError, ValueError, KeyError, TypeError):
        return set()


def _write_models(results: "Results", output: Path) -> list[str]:
    """Every trained model under a name that says what it is."""
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
    """A model's file name; numbered where two labels become the same."""
    names = (f"models/{stem}{f'-{number}' if number > 1 else ''}.json" for number in count(1))
    return next(name for name in names if name not in taken)


def plain_name(text: str) -> str:
    """Text in letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9+]+", "-", text.lower()).strip("-") or "row"


def _write(path: Path, text: str) -> None:
    with atomic_write(path) as handle:
        # A name in the data may hold what UTF-8 has not.
        handle.write(text.encode("utf-8", "backslashreplace").decode())
