"""A self-contained HTML page that explains the scores of segments: aligned words, edits, and points.

The page needs no network: it contains style, script and data, and its content security policy admits nothing else. The
data are JSON in a script element. The parts of the page are resource files of the package.
"""

from collections.abc import Sequence
from importlib.resources import files

from pfsm.io.html_page import embedded, filled, html_page
from pfsm.model.explain.page_data import System, page_data
from pfsm.runtime.html_table import text as escaped

# In the order in which they are joined: each file uses only what earlier files define.
SCRIPTS = (
    "names.js",
    "segments.js",
    "layout.js",
    "detail.js",
    "figure.js",
    "ledger.js",
    "card.js",
    "page.js",
)

# Those that draw single explanations: what another page needs to show some of its own.
FIGURE_SCRIPTS = SCRIPTS[:6]


def render_page(
    systems: Sequence[System], title: str, signature: str, numbers: Sequence[int] | None = None
) -> str:
    """The page of a file of segments, as translated by one system or by two side by side.

    Args:
        systems: One or two of (name, explanations); explanation i of either belongs to segment i.
        title: Heading of the page.
        signature: What produced the scores, as returned by ``Metric.get_signature``.
        numbers: Number of each segment in its file, from 1; None: 1, 2, 3 …

    Returns:
        The HTML document; the same arguments give the same text. It can be encoded as UTF-8 even if tokens contain lone
        surrogates.

    Raises:
        ValueError: If there are no systems or more than two, or their numbers of segments differ.
        PfsmError: If a number is not finite, because it can then be neither written nor drawn.
    """
    if not 1 <= len(systems) <= 2:
        raise ValueError(f"the page shows one system or two, not {len(systems)}")
    if len({len(explanations) for _, explanations in systems}) > 1:
        first, second = (f"{len(explanations)} of {name!r}" for name, explanations in systems)
        raise ValueError(f"two systems must have the same segments; there are {first} and {second}")
    slots = {"title": escaped(title), "signature": escaped(signature).replace("|", "|<wbr>")}
    data = embedded(page_data(systems, numbers))
    return html_page(slots["title"], page_style(), page_script(), filled(asset("page.html"), slots), data)


def page_style() -> str:
    """The page's style sheet, the same of every page."""
    return asset("page.css")


def page_script() -> str:
    """The page's script, the same of every page."""
    script = "\n".join(asset(name) for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{script}}})();\n'


def asset(name: str) -> str:
    """A shipped file of the page."""
    return (files("pfsm.resources") / "page" / name).read_bytes().decode("utf-8")
