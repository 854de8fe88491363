"""Settings of Sphinx for the documentation site: ``make docs`` builds it from ``docs``."""

import html
import re
import sys
from pathlib import Path
from typing import Any

from pfsm.version import __version__

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import results  # isort: skip

project = "pfsm"
author = "The pfsm developers"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_site"]
root_doc = "index"
default_role = "code"
nitpicky = False

# Headings have the anchors that GitHub gives them, so that a link works in both places.
myst_heading_anchors = 4

napoleon_use_ivar = True
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"
autodoc_default_options = {"members": True, "undoc-members": False, "show-inheritance": False}
python_display_short_literal_types = True
python_use_unqualified_type_names = True

html_theme = "pydata_sphinx_theme"
html_title = "pfsm"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["filter.js"]
html_copy_source = False
html_show_sourcelink = False
html_last_updated_fmt = None
# All pages stand at the left, by part; the bar at the top has the search alone.
html_sidebars = {"**": ["globaltoc.html"]}
html_theme_options = {
    "navbar_center": [],
    "logo": {"text": "pfsm"},
    "navbar_end": ["theme-switcher"],
    "navbar_align": "left",
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "secondary_sidebar_items": ["page-toc"],
}

# The navigation. It stands here, not in index.md, which GitHub shows as it is.
_PARTS = {
    "Start": ("install", "guides/five-minutes", "tutorial"),
    "Guides": (
        "guides/compare",
        "guides/explanations",
        "guides/train",
        "guides/preferences-and-mqm",
        "guides/little-data",
        "guides/languages",
        "guides/clusters",
        "guides/serve",
        "experiments",
        "evaluation",
        "probe",
        "integrations",
    ),
    "Reference": (
        "reference/commands",
        "reference/python",
        "reference/metrics",
        "metrics",
        "settings",
        "data",
        "resources",
        "syntax",
        "model",
        "extending",
    ),
    "Results": ("results", "performance"),
    "Project": ("structure", "stability", "security", "faults", "licences"),
}
_TREE = "".join(
    f"\n\n```{{toctree}}\n:hidden:\n:caption: {part}\n\n" + "\n".join(pages) + "\n```\n"
    for part, pages in _PARTS.items()
)
# Links to files of the checkout. The README's place is taken by the site's first page; of the others the text stays.
_README = re.compile(r"\]\((?:\.\./)+README\.md(?:#[^)]*)?\)")
_OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?:configs|examples|pfsm|scripts|tests)/[^)]*\)")
# A link to a table of results alone in its paragraph: the site shows the table. The text is the title of one table, or
# of all tables of an experiment.
_RESULTS = re.compile(r"^\[([^\]]+)\]\((?:\.\./)+configs/results/([\w-]+)\.tsv\)$", re.MULTILINE)


def _drawn(link: re.Match[str]) -> str:
    text, name = link.groups()
    if text == "Side by side":
        return results.side_by_side()
    if text in results.tables(name):
        return results.markdown(name, text)
    head = f"<details><summary>{html.escape(text)}</summary>\n\n`configs/{name}.yaml`: {results.about(name)}"
    return f"{head}\n\n{results.markdown(name)}\n</details>\n"


def _on_site(_: Any, page: str, source: list[str]) -> None:
    """Adds the navigation to the first page and turns links that leave the documentation into text."""
    home = "../" * page.count("/") + "index.md"
    text = _OUTSIDE.sub(r"\1", _README.sub(f"]({home})", _RESULTS.sub(_drawn, source[0])))
    text = text.replace("```mermaid\n", "```text\n")  # drawing it would take a script from a network
    source[0] = text + _TREE if page == root_doc else text


def setup(app: Any) -> None:
    """Connects the handler of page sources."""
    app.connect("source-read", _on_site)
