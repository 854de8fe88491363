"""What does not fit on a page: boxes that stick out of the window, and texts that lie on one another."""

from tests.studio.browser.devtools import Browser

A4 = 717
FAULTS = """
(() => {
  const LEFT = "script, style, noscript, svg, .unseen, .skip, dialog, [aria-hidden=true], .rows, textarea, select";
  const found = [];
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide > 0) found.push(`the page is ${wide} pixels too wide`);
  const seen = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode;
    const parent = node.parentElement;
    if (!node.data.trim() || !parent.checkVisibility({ visibilityProperty: true })) continue;
    if (parent.closest(LEFT)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    let scrolls = false;
    for (let one = parent; one && one !== document.body; one = one.parentElement) {
      scrolls ||= ["auto", "scroll", "hidden"].includes(getComputedStyle(one).overflowX);
    }
    for (const box of range.getClientRects()) {
      if (box.width < 1 || box.height < 1) continue;
      const told = node.data.trim().slice(0, 40);
      if (!scrolls && (box.left < -1 || box.right > innerWidth + 1)) found.push(`sticks out: ${told}`);
      seen.push({ box, told, parent, scrolls });
    }
  }
  seen.sort((p, q) => p.box.top - q.box.top);
  for (let i = 0; i < seen.length; i += 1) {
    for (let j = i + 1; j < seen.length && seen[j].box.top < seen[i].box.bottom - 4; j += 1) {
      const [p, q] = [seen[i], seen[j]];
      if (p.scrolls || q.scrolls) continue;
      const across = Math.min(p.box.right, q.box.right) - Math.max(p.box.left, q.box.left);
      const down = Math.min(p.box.bottom, q.box.bottom) - q.box.top;
      if (across > 2 && down > 6) found.push(`overlap: ${p.told} / ${q.told}`);
    }
  }
  return found.slice(0, 5);
})()
"""


def layout_faults(browser: Browser, height: int = 900) -> list[str]:
    """What does not fit on the open page at the width of a phone, of a desk, and of a sheet of A4."""
    found: list[str] = []
    for width, media in ((360, ""), (1280, ""), (A4, "print")):
        browser.size(width, height)
        browser.call("Emulation.setEmulatedMedia", media=media)
        if media:
            browser.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        browser.frame()
        browser.frame()
        found += [f"{width} {media}: {line}" for line in browser.evaluate(FAULTS)]
    browser.evaluate("window.dispatchEvent(new Event('afterprint'))")
    browser.call("Emulation.setEmulatedMedia", media="")
    return found
