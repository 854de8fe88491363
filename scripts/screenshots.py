"""Pictures of the pages that pfsm writes, for the documentation: ``python scripts/screenshots.py``.

The pages are made from the demonstration corpus and shown by Chromium, which must be installed. Fonts differ between
machines, and the pictures with them.
"""

import argparse
import subprocess
import sys
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

from pfsm.data import read_table

CHECKOUT = Path(__file__).resolve().parent.parent
SYSTEMS = ("amber", "birch", "cedar", "dune")
# Name, width, height, dark, phone, what the address says, and the element at the top of the window.
VIEWS = (
    ("compare", 1180, 860, False, False, "#b=3", ""),
    ("compare-segment", 1180, 900, False, False, "#b=3&segment=88", ""),
    ("compare-dark", 1180, 760, True, False, "#b=3", "segments"),
    ("compare-phone", 390, 800, False, False, "#b=3", "systems"),
)


def main() -> None:
    """Writes the pictures."""
    parser = argparse.ArgumentParser(description="Pictures of pages, for the documentation.")
    parser.add_argument("--output", type=Path, default=CHECKOUT / "docs" / "images", help="their folder")
    options = parser.parse_args()
    sys.path.insert(0, str(CHECKOUT))
    from tests.browser.devtools import Browser, find_chromium  # noqa: PLC0415 - stands beside this folder

    binary = find_chromium()
    if binary is None:
        parser.exit(2, "screenshots.py: no Chromium here\n")
    with tempfile.TemporaryDirectory() as name, Browser(binary) as browser:
        page = comparison(Path(name))
        for view in VIEWS:
            print(shown(browser, page, options.output, *view))


def comparison(folder: Path) -> Path:
    """The page that compares the four translations of the demonstration corpus."""
    tables = [read_table(str(files("pfsm.resources") / "demo" / name)) for name in ("train.tsv", "test.tsv")]
    columns = ("system", "reference", "hypothesis", "score")
    rows = [row for one in tables for row in zip(*(one.columns[name] for name in columns), strict=True)]
    for system in SYSTEMS:
        lines = [hypothesis for name, _, hypothesis, _ in rows if name == system]
        (folder / system).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    references = [reference for name, reference, _, _ in rows if name == SYSTEMS[0]]
    (folder / "reference.txt").write_text("".join(f"{line}\n" for line in references), encoding="utf-8")
    grades = [[score for name, _, _, score in rows if name == system] for system in SYSTEMS]
    table = ["\t".join(f"human:{system}" for system in SYSTEMS), *map("\t".join, zip(*grades, strict=True))]
    (folder / "segments.tsv").write_text("".join(f"{line}\n" for line in table), encoding="utf-8")
    command = [
        *(sys.executable, "-m", "pfsm", "compare", "reference.txt", "-i", *SYSTEMS),
        *("--model", "en", "--metric", "chrf", "--html", "page.html", "--segments", "segments.tsv", "-q"),
    ]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder / "page.html"


def shown(
    browser: Any,
    page: Path,
    folder: Path,
    name: str,
    width: int,
    height: int,
    dark: bool,
    phone: bool,
    where: str,
    top: str,
) -> str:
    """Takes one picture; returns its path."""
    browser.size(width, height, dark, phone)
    browser.open(page.as_uri() + where)
    if top:
        browser.evaluate(f"document.getElementById('{top}').scrollIntoView()")
    browser.frame()
    browser.check()
    path = folder / f"{name}.png"
    browser.screenshot(path)
    return f"{path}: {path.stat().st_size:,} bytes"


if __name__ == "__main__":
    main()
