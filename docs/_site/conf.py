"""Settings of Sphinx for the documentation site: ``make docs`` builds it from ``docs``."""

import html
import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes

from pfsm.version import __version__

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import results  # isort: skip

project = "pfsm"
author = "The pfsm developers"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
exclude_patterns = ["_site"]
# Curly quotes would come with dashes: `--config` in a heading or a table cell would lose a hyphen.
smartquotes = False
root_doc = "index"
default_role = "code"
nitpicky = False

# Headings have the anchors that GitHub gives them, so that a link works in both places.
myst_heading_anchors = 4

napoleon_use_ivar = True
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"
# scikit-learn adds methods to a regressor, whose texts link to its own pages.
autodoc_default_options = {
    "members": True,
    "exclude-members": "set_fit_request, set_score_request, set_predict_request",
}
maximum_signature_line_length = 72
python_display_short_literal_types = True
python_use_unqualified_type_names = True

html_theme = "pydata_sphinx_theme"
html_title = "pfsm"
html_favicon = "static/favicon.svg"
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
    "navigation_depth": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    # The first page is wide enough for its code and tables without a list of its few headings.
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
}

# The navigation. It stands here, not in index.md, which GitHub shows as it is.
_PARTS = {
    "Start": ("install", "guides/five-minutes", "tutorial"),
    "Guides": (
        "guides/compare",
        "guides/gate",
        "guides/explanations",
        "guides/rerank",
        "guides/train",
        "guides/own-judgments",
        "guides/little-data",
        "guides/research",
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
        "reference/python-evaluation",
        "reference/metrics",
        "metrics",
        "settings",
        "data",
        "resources",
        "syntax",
        "model",
        "extending",
    ),
    "Results": ("results", "papers", "comparison", "performance"),
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
    source[0] = text + _TREE if page == root_doc else text


# Annotations as Python spells them out, and the names that people know them by.
_SPELLED_OUT = (
    (re.compile(r"(?:[~\w.]+ \| )?[~\w.]*_SupportsArray\[.*?complex \| bytes \| str\]"), "ArrayLike"),
    (re.compile(r"[~\w.]*ndarray\[tuple\[[~\w.]*Any, \.\.\.\], [~\w.]*dtype\[[^\]]*\]\]"), "ndarray"),
    (
        re.compile(r"~?\b(?:collections\.abc|typing|pathlib|numpy\.typing|numpy|pfsm(?:\.\w+)*)\.(?=[A-Z])"),
        "",
    ),
)


def _short(text: str) -> str:
    for pattern, name in _SPELLED_OUT:
        text = pattern.sub(name, text)
    return text


def _signature(*parts: Any) -> tuple[str | None, str | None]:
    """A signature and the annotation of what is returned, in short names."""
    shown, returned = (text and _short(text) for text in parts[-2:])
    return shown, returned


def _docstring(*parts: Any) -> None:
    """The types of attributes, in short names."""
    lines = parts[-1]
    lines[:] = [_short(line) if line.startswith(":vartype") else line for line in lines]


def _dashes(_: Any, doctree: nodes.document) -> None:
    """What stands between a parameter and its description; Sphinx leaves it to curly quotes."""
    for node in list(doctree.findall(nodes.Text)):
        if node.astext() == " -- ":
            node.parent.replace(node, nodes.Text(" – "))


def setup(app: Any) -> None:
    """Connects the handlers of page sources, signatures and docstrings."""
    app.connect("source-read", _on_site)
    app.connect("autodoc-process-signature", _signature)
    app.connect("autodoc-process-docstring", _docstring, priority=900)  # after napoleon
    app.connect("doctree-read", _dashes)
