"""``report.html``: one self-contained page that needs no network, and JavaScript only to sort tables."""

import base64
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from pfsm.io.html_page import filled, html_page
from pfsm_experiments.report.contrasts import (
    HEADINGS,
    ContrastTable,
    contrast_tables,
    contrasts_explanation,
)
from pfsm_experiments.report.markup import escaped, fact_list, plain_table, result_table
from pfsm_experiments.report.mistakes_page import mistakes_section
from pfsm_experiments.report.plots import Plot
from pfsm_experiments.report.tables import NOTHING, ResultTable, explanation
from pfsm_experiments.spec import Experiment

if TYPE_CHECKING:
    from pfsm_experiments.report.results import Results

_POINTS = {side: re.compile(rf'<svg [^>]*?\b{side}="([0-9.]+)pt"') for side in ("width", "height")}


def render_report(
    results: "Results",
    tables: Sequence[ResultTable],
    plots: Sequence[Plot],
    summary: Mapping[str, Any],
    config: str,
) -> str:
    """The page.

    Args:
        results: Results of the experiment.
        tables: Tables of the results.
        plots: Plots of the results.
        summary: Content of ``results.json``.
        config: Text of the experiment's YAML file.
    """
    experiment, contrasts = results.experiment, contrast_tables(results.contrasts)
    slots = {
        "title": escaped(experiment.title),
        "description": "".join(
            f"<p>{escaped(part)}</p>" for part in experiment.description.split("\n\n") if part
        ),
        "facts": _facts(summary),
        "notes": _notes(summary["notes"]),
        "tables": "\n".join([*map(result_table, tables), *map(_contrasts, contrasts)]),
        "reading": "".join(f"<p>{escaped(line)}</p>" for line in _reading(experiment, tables, contrasts)),
        "mistakes": mistakes_section(experiment, results.mistakes, results.worst),
        "plots": "\n".join(map(_figure, plots)),
        "training": _training(summary["cells"]),
        "data": _data(summary["data"]),
        "versions": fact_list(summary["versions"]),
        "config": escaped(config),
        "checksum": summary["config_sha256"],
    }
    body = filled(_asset("report.html"), slots)
    return html_page(slots["title"], _asset("report.css"), _asset("report.js"), body)


def _asset(name: str) -> str:
    return (files("pfsm_experiments") / "page" / name).read_bytes().decode("utf-8")


def _facts(summary: Mapping[str, Any]) -> str:
    scheme = summary["scheme"]
    details = ", ".join(f"{key} {_listed(value)}" for key, value in scheme.items() if key != "name")
    facts = {
        "Scheme": scheme["name"] + (f" ({details})" if details else ""),
        "Tested on": "; ".join(f"{test['name']}, {test['n']:,} {test['kind']}" for test in summary["tests"]),
        "Compared with": summary["versus"] or NOTHING,
    }
    return fact_list(facts)


def _listed(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _contrasts(table: ContrastTable) -> str:
    return plain_table(HEADINGS, table.rows, table.title, "plain contrasts")


def _reading(
    experiment: Experiment, tables: Sequence[ResultTable], contrasts: Sequence[ContrastTable]
) -> list[str]:
    lines = explanation(experiment, tables)
    return [*lines, contrasts_explanation(experiment, contrasts)] if contrasts else lines


def _notes(notes: Sequence[str]) -> str:
    if not notes:
        return ""
    items = "".join(f"<li>{escaped(note)}</li>" for note in notes)
    summary = f"{len(notes)} {'note' if len(notes) == 1 else 'notes'} on training and test data"
    return (
        '<section class="notes" aria-labelledby="notes-title"><h2 id="notes-title">Notes</h2>'
        f"<details{' open' if len(notes) <= 6 else ''}><summary>{summary}</summary><ul>{items}</ul></details>"
        "</section>"
    )


def _figure(plot: Plot) -> str:
    source = base64.b64encode(plot.svg.encode("utf-8")).decode("ascii")
    return (
        f'<figure id="{plot.name}"><div class="scroll" tabindex="0" role="region" aria-label="{escaped(plot.caption)}">'
        f'<img {_size(plot.svg)} src="data:image/svg+xml;base64,{source}" alt="{escaped(plot.alternative)}"></div>'
        f"<figcaption>{escaped(plot.caption)}</figcaption></figure>"
    )


def _size(svg: str) -> str:
    """Attributes of width and height; the letters of a plot are then as large as small print."""
    width, height = (float(_POINTS[side].search(svg)[1]) for side in ("width", "height"))  # type: ignore[index]
    return f'width="{width:.0f}" height="{height:.0f}"'


def _training(cells: Sequence[Mapping[str, Any]]) -> str:
    """A table with one line per cell: the training of its model, and its signature."""
    rows = []
    for cell in cells:
        training = cell["training"]
        if training is None:
            rows.append((cell["row"], cell["fold"], "", "", "", "", _signatures(cell)))
            continue
        validated = training["cross_validated"].get("pearson")
        judgments = training.get("judgments") or training.get("preferences") or ""
        chosen = " (chosen)" if training.get("lambda_choice") == "by cross-validation" else ""
        penalty = f"{training['lambda']:g}{chosen}" if "lambda" in training else ""
        r = "" if validated is None else f"{validated:.3f}"
        rows.append(
            (cell["row"], cell["fold"], judgments, penalty, training["weights"], r, cell["signature"])
        )
    headings = ("row", "part", "judgments", "lambda", "weights", "cross-validated r", "signature")
    return plain_table(headings, rows, "Training and signatures")


def _signatures(cell: Mapping[str, Any]) -> str:
    """The signature of segment scores, and those of scores of systems and documents if they are pooled."""
    of_corpora = (
        signature for levels in cell.get("corpus_signatures", {}).values() for signature in levels.values()
    )
    return "; ".join(dict.fromkeys((cell["signature"], *of_corpora)))


def _data(data: Sequence[Mapping[str, Any]]) -> str:
    rows = [(entry["file"], f"{entry['rows']:,}", entry["sha256"]) for entry in data]
    return plain_table(("file", "rows", "SHA-256 of the content"), rows, "Data files")
