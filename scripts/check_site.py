"""Checks a built site: nothing is loaded from a network, and what pages load is there.

    python scripts/check_site.py build/site

Sphinx itself refuses links to pages and headings that do not exist.
"""

import re
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser fetches by itself, unlike the address of a link.
_FETCHED = re.compile(r"<(?:script|img|iframe|source|link)\b[^>]*?\s(?:src|href)=\"([^\"#]+)")
_STYLE = re.compile(r"url\(\s*[\"']?(?:https?:)?//")


def faults(site: Path) -> list[str]:
    """A line for each address that a page would load from a network, and for each file that it lacks."""
    found = [] if (site / "searchindex.js").is_file() else ["no search index"]
    # `_modules` holds the sources.
    for path in (
        path for path in sorted(site.rglob("*.html")) if not {"_static", "_modules"} & {*path.parts}
    ):
        for address in _FETCHED.findall(path.read_text(encoding="utf-8")):
            if urlsplit(address).netloc:
                found.append(f"{path.relative_to(site)}: loads {address}")
            elif not (path.parent / unquote(urlsplit(address).path)).is_file():
                found.append(f"{path.relative_to(site)}: no file {address}")
    styles = (path for path in sorted(site.rglob("*.css")) if _STYLE.search(path.read_text(encoding="utf-8")))
    return found + [f"{path.relative_to(site)}: loads from a network" for path in styles]


def main() -> None:
    """Prints the faults; exit status 1 if there are any."""
    site = Path(sys.argv[1]).resolve()
    found = faults(site)
    print("\n".join(found) or f"{site.name}: nothing is loaded from a network")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
