"""The page and its files: shipped resources, served from the same origin, under a content security policy."""

from importlib.resources import files

from pfsm.io.html_page import digest
from pfsm.model.explain.page import page_script, page_style

FOLDER = "workbench"
TYPES = {"js": "text/javascript", "css": "text/css", "html": "text/html"}
FILES = (
    "workbench.css", "workbench.js", "client.js", "texts.js", "results.js", "laboratory.js", "training.js", "models.js",
    "rows.js", "elements.js",
)  # fmt: skip
PLACE = "PAGE-TOKEN"


def resource(name: str) -> str:
    """A file of the page."""
    return (files("pfsm.resources") / FOLDER / name).read_text(encoding="utf-8")


def page_html(token: str) -> str:
    """The page with the token that its calls send."""
    return resource("workbench.html").replace(PLACE, token)


def policy() -> str:
    """The policy of the page: its own files, and the explanations that it shows in frames without an origin."""
    style, script = digest(page_style()), digest(page_script())
    return (
        f"default-src 'none'; script-src 'self' {script}; style-src 'self' {style}; connect-src 'self'; img-src data:; "
        "frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    )
