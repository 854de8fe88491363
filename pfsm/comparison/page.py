"""The page of a comparison: one self-contained file, which needs no network."""

from pfsm.comparison.compared import Compared
from pfsm.comparison.page_data import comparison_data
from pfsm.io.files import StrPath, atomic_write
from pfsm.io.html_page import embedded, filled, html_page
from pfsm.model.explain.page import asset
from pfsm.runtime.html_table import text as escaped

# In the order in which they are joined: each file uses only what earlier files define.
SCRIPTS = (
    "names.js",
    "layout.js",
    "compare-data.js",
    "detail.js",
    "figure.js",
    "compare-charts.js",
    "compare-state.js",
    "compare-panels.js",
    "compare-table.js",
    "compare-detail.js",
    "compare-page.js",
)


def write_comparison(compared: Compared, path: StrPath, title: str) -> None:
    """Writes the page; the file is there whole or not at all.

    Raises:
        PfsmError: If it cannot be written.
    """
    text = render_comparison(compared, title)
    with atomic_write(path) as handle:
        handle.write(text)


def render_comparison(compared: Compared, title: str) -> str:
    """The page.

    Args:
        compared: What it shows.
        title: Its heading.

    Returns:
        The HTML document; the same arguments give the same text. It can be encoded as UTF-8 even if text contains lone
        surrogates.
    """
    script = "\n".join(map(asset, SCRIPTS))
    script = f'(() => {{\n"use strict";\n{script}}})();\n'
    style = asset("page.css") + asset("compare.css")
    slots = {"title": escaped(title)}
    data = embedded(comparison_data(compared), ascii_only=False)
    return html_page(slots["title"], style, script, filled(asset("compare.html"), slots), data)
