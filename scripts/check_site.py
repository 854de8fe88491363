"""Checks a built site: every link inside it leads to a page and a place there, and nothing is loaded from a network.

python scripts/check_site.py build/site
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser fetches by itself, unlike the address of a link.
_FETCHED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}
_STYLE = re.compile(r"url\(\s*[\"']?(?:https?:)?//")


class _Page(HTMLParser):
    """Anchors and addresses of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if not value:
                continue
            if name == "id":
                self.anchors.add(value)
            elif (tag, name) in _FETCHED and value != "#":
                self.fetched.append(value)
            elif (tag, name) == ("a", "href"):
                self.links.append(value)


def faults(site: Path) -> list[str]:
    """A line for each link that leads nowhere and for each address that a page would load from a network."""
    # `_modules` holds the sources; their links back are hidden.
    paths = [path for path in sorted(site.rglob("*.html")) if not {"_static", "_modules"} & {*path.parts}]
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in paths}
    found = [] if (site / "searchindex.js").is_file() else ["no search index"]
    for path, page in pages.items():
        name = path.relative_to(site)
        for address in page.fetched:
            if urlsplit(address).netloc:
                found.append(f"{name}: loads {address}")
            elif not _target(path, address).is_file():
                found.append(f"{name}: no file {address}")
        found += [f"{name}: {link} leads nowhere" for link in page.links if not _leads(path, link, pages)]
    for path in sorted(site.rglob("*.css")):
        if _STYLE.search(path.read_text(encoding="utf-8")):
            found.append(f"{path.relative_to(site)}: loads from a network")
    return found


def _target(page: Path, address: str) -> Path:
    return (page.parent / unquote(urlsplit(address).path)).resolve()


def _leads(page: Path, link: str, pages: dict[Path, _Page]) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    target = _target(page, link) if parts.path else page
    if target.suffix != ".html" or "_modules" in target.parts:
        return target.is_file()
    return target in pages and (not parts.fragment or unquote(parts.fragment) in pages[target].anchors)


def main() -> None:
    """Prints the faults; exit status 1 if there are any."""
    site = Path(sys.argv[1]).resolve()
    found = faults(site)
    print("\n".join(found) or f"{site.name}: all links lead somewhere, nothing is loaded from a network")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
