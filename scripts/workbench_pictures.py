"""Draws the pictures of the workbench in ``docs/images``: its main views in a real browser, with sentences of its own.

    python scripts/workbench_pictures.py [FOLDER]

It needs Chromium, and the extra ``serve``. Written are ``workbench-scores.png``, ``workbench-explanation.png`` and
``workbench-weights.png``.
"""

import sys
import time
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(CHECKOUT))

from tests.browser.devtools import Browser, find_chromium  # noqa: E402
from tests.browser.test_workbench import click, give, opened, scored  # noqa: E402
from tests.serve.running import Running  # noqa: E402

REFERENCES = [
    "The committee rejected the proposal on Monday .",
    "He bought three red apples at the market .",
    "Prices rose by 5 % last year .",
    "She did not answer the letter .",
    "The old bridge will be closed until spring .",
]
FIRST = [
    "On Monday , the committee rejected the proposal .",
    "He bought three apples at the market .",
    "Prices rose by 5 % in the last year .",
    "She answered the letter .",
    "The old bridge is closed until spring .",
]
SECOND = [
    "The committee has refused proposal Monday .",
    "He bought three red apples on market .",
    "Prices fell by 5 % last year .",
    "She did not reply to the letter .",
    "The old bridge will be shut until the spring .",
]
HUMAN = [92.0, 74.0, 95.0, 20.0, 81.0]
WIDTH, SECONDS = 1280, 2.0


def main() -> None:
    """Opens the page, and takes a picture of every view."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else CHECKOUT / "docs" / "images"
    binary = find_chromium()
    if binary is None:
        raise SystemExit("no Chromium here")
    with Browser(binary) as browser, Running("--model", "en-small") as server:
        opened(browser, server, width=WIDTH)
        give(browser, REFERENCES, FIRST, SECOND, human=HUMAN)
        scored(browser)
        taken(browser, "#results", folder / "workbench-scores.png")
        click(browser, "#segments tr[data-segment='3']")
        browser.wait("document.querySelectorAll('#explanations iframe').length === 2")
        taken(browser, "#explanations", folder / "workbench-explanation.png")
        click(browser, "#tab-weights")
        browser.wait("document.querySelector('#lab-segments tr[data-segment]')")
        browser.evaluate(
            "(() => { const slider = document.querySelector('.weight[data-name=Delete] input');"
            "slider.valueAsNumber -= 0.5; slider.dispatchEvent(new Event('input', {bubbles: true}));"
            "slider.dispatchEvent(new Event('change', {bubbles: true})); })()"
        )
        taken(browser, "body", folder / "workbench-weights.png")


def taken(browser: Browser, selector: str, path: Path) -> None:
    """A picture of the window, scrolled to an element, when all frames are drawn."""
    time.sleep(SECONDS)
    browser.evaluate(f"document.querySelector('{selector}').scrollIntoView({{block: 'start'}})")
    browser.frame()
    browser.screenshot(path)


if __name__ == "__main__":
    main()
