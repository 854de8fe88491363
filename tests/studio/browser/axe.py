"""What axe finds wrong with a page: names, roles, contrast, landmarks, headings, tables (WCAG 2 and good practice)."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.studio.browser.devtools import Browser

# What axe leaves to people: contrast over pictures, which other tests compute; frames, which are looked at as pages.
LEFT_TO_PEOPLE = ("color-contrast", "frame-tested")
RUN = """
axe.run({...ONLY, resultTypes: ['violations', 'incomplete'], selectors: false, elementRef: true}).then((found) => {
  // What lies dimmed behind an open dialog is not read.
  const open = document.querySelector('dialog[open]');
  for (const rule of found.violations) {
    if (open && rule.id === 'color-contrast') rule.nodes = rule.nodes.filter(({ element }) => open.contains(element));
  }
  found.violations = found.violations.filter(({ nodes }) => nodes.length);
  const told = (rules) => rules.map((rule) =>
    `${rule.id}: ${rule.help}: ${rule.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' ; ')}`);
  return {
    passed: found.passes.length,
    wrong: told(found.violations),
    unsure: told(found.incomplete.filter((rule) => !LEFT.includes(rule.id))),
  };
})
"""


@cache
def source() -> str:
    """The script, which a package of the development environment carries."""
    spec = find_spec("axe_core_python")
    if spec is None or spec.origin is None:
        pytest.skip("the package axe-core-python is not installed")
    return (Path(spec.origin).parent / "axe.min.js").read_text(encoding="utf-8")


def axe_faults(browser: Browser, *, colours: bool = False) -> list[str]:
    """A line for each rule that the open page breaks, or may break; ``colours``: of contrast alone."""
    if not browser.evaluate("'axe' in window"):
        browser.evaluate(f"{source()};undefined")
    only = "{runOnly: ['color-contrast']}" if colours else "{}"
    found = browser.evaluate(RUN.replace("LEFT", str(list(LEFT_TO_PEOPLE))).replace("ONLY", only))
    # A page on which nothing could be checked is a fault of the test.
    assert found["passed"] > (0 if colours else 20), found
    lines: list[str] = [*found["wrong"], *found["unsure"]]
    return lines
