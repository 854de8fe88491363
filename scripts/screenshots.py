"""Pictures of comparison pages and of the workbench, for the documentation: ``python scripts/screenshots.py``.

They show the demonstration corpus in Chromium, which must be installed, as must the extra ``serve``. Fonts differ
between machines, and the pictures with them.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from demo import SYSTEMS

from pfsm.data import read_table

CHECKOUT = Path(__file__).resolve().parent.parent
IMAGES = CHECKOUT / "docs" / "images"
# What the workbench is given: systems, the first with human scores, segments, and the one that is explained.
GIVEN, SHOWN, EXPLAINED = ("dune", "birch"), 40, 4
# Seconds until the workbench is drawn; nothing tells from outside.
SETTLING = 2.0
# Name, width, height, dark, phone, what the address says, and the element at the top of the window.
VIEWS = (
    ("compare", 1180, 860, False, False, "#b=3", ""),
    ("compare-segment", 1180, 900, False, False, "#b=3&segment=88", ""),
    ("compare-dark", 1180, 760, True, False, "#b=3", "segments"),
    ("compare-phone", 390, 800, False, False, "#b=3", "systems"),
)


def main() -> None:
    """Writes the pictures."""
    sys.path.insert(0, str(CHECKOUT))
    from tests.studio.browser.devtools import Browser, find_chromium  # noqa: PLC0415 - stands beside this folder

    binary = find_chromium()
    if binary is None:
        sys.exit("screenshots.py: no Chromium here")
    with tempfile.TemporaryDirectory() as folder, Browser(binary) as browser:
        page = comparison(Path(folder))
        for name, width, height, dark, phone, where, top in VIEWS:
            browser.size(width, height, dark, phone)
            browser.open(page.as_uri() + where)
            if top:
                browser.evaluate(f"document.getElementById('{top}').scrollIntoView()")
            browser.check()
            save(browser, IMAGES / f"{name}.png")
        from tests.studio.serve.running import Running  # noqa: PLC0415 - needs the extra serve

        with Running("--model", "en") as server:
            workbench(browser, f"http://127.0.0.1:{server.port}/", IMAGES)


def demonstration() -> list[tuple[str, ...]]:
    """System, reference, translation and score of every judgment of the demonstration corpus."""
    tables = [
        read_table(str(resources.files("pfsm.resources") / "demo" / name))
        for name in ("train.tsv", "test.tsv")
    ]
    columns = ("system", "reference", "hypothesis", "score")
    return [row for one in tables for row in zip(*(one.columns[name] for name in columns), strict=True)]


def comparison(folder: Path) -> Path:
    """The page that compares the four translations of the demonstration corpus."""
    rows = demonstration()
    files = {system: [line for name, _, line, _ in rows if name == system] for system in SYSTEMS}
    files["reference.txt"] = [reference for name, reference, _, _ in rows if name == SYSTEMS[0]]
    grades = [[score for name, _, _, score in rows if name == system] for system in SYSTEMS]
    heading = "\t".join(f"human:{system}" for system in SYSTEMS)
    files["segments.tsv"] = [heading, *map("\t".join, zip(*grades, strict=True))]
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command = [
        *(sys.executable, "-m", "pfsm", "compare", "reference.txt", "-i", *SYSTEMS),
        *("--model", "en", "--metric", "chrf", "--html", "page.html", "--segments", "segments.tsv", "-q"),
    ]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder / "page.html"


def save(browser: Any, path: Path) -> None:
    """Takes a picture of the window."""
    browser.frame()
    browser.screenshot(path)
    print(f"{path}: {path.stat().st_size:,} bytes")


def workbench(browser: Any, address: str, folder: Path) -> None:
    """Pictures of the workbench: scores, an explanation, weights, a small dark window."""
    rows = demonstration()
    browser.size(1180, 860)
    browser.open(address)
    browser.wait("document.body.dataset.ready")
    fill(browser, "references", [reference for name, reference, _, _ in rows if name == SYSTEMS[0]][:SHOWN])
    fill(browser, "human", [score for name, _, _, score in rows if name == GIVEN[0]][:SHOWN])
    click(browser, "#add-system")
    for place, system in enumerate(GIVEN):
        fill(browser, f"system-{place}", [line for name, _, line, _ in rows if name == system][:SHOWN])
        fill(browser, f"system-{place}-name", [system])
    click(browser, "#score")
    browser.wait("document.querySelector('#status').textContent.includes('scored')")
    take(browser, "#results", folder / "workbench-scores.png")
    click(browser, f"#segments tr[data-segment='{EXPLAINED - 1}']")
    browser.wait("document.querySelectorAll('#explanations .figure').length === 2")
    take(browser, "#explained", folder / "workbench-explanation.png")
    click(browser, "#tab-weights")
    browser.wait("document.querySelector('#lab-segments tr[data-segment]')")
    browser.evaluate(
        "(() => { const slider = document.querySelector('.weight[data-name=Delete] input');"
        "slider.valueAsNumber -= 0.5; slider.dispatchEvent(new Event('input', {bubbles: true}));"
        "slider.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )
    take(browser, "body", folder / "workbench-weights.png")
    browser.size(390, 800, dark=True, phone=True)
    click(browser, "#tab-texts")
    take(browser, "#segments-title", folder / "workbench-phone.png")


def fill(browser: Any, field: str, lines: Sequence[str]) -> None:
    """Gives a field its lines."""
    browser.evaluate(f"document.getElementById('{field}').value = {json.dumps(chr(10).join(lines))}")


def click(browser: Any, selector: str) -> None:
    """Clicks on an element."""
    browser.evaluate(f"document.querySelector({json.dumps(selector)}).click()")


def take(browser: Any, selector: str, path: Path) -> None:
    """Takes a picture of the window, scrolled to an element."""
    time.sleep(SETTLING)
    browser.evaluate(f"document.querySelector('{selector}').scrollIntoView({{block: 'start'}})")
    save(browser, path)


if __name__ == "__main__":
    main()
