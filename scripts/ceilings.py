"""Fails where a room is more than 3% above its ceiling in pyproject.toml; ``make lint`` runs it.

    python scripts/ceilings.py            # one line for each room that is too large
    python scripts/ceilings.py --all      # every room with its lines and files

Lines are those of Python files that git knows, blank ones included; of ``docs``, words of Markdown except the generated
``docs/reference``. A file counts in the room with the longest matching path. The ceilings are in
``[tool.pfsm.ceilings]``.
"""

import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

ROOM = 1.03
CHECKOUT = Path(__file__).resolve().parent.parent


def sizes(rooms: list[str]) -> tuple[Counter[str], Counter[str]]:
    """Lines (of docs, words) and files of each room; what lies in no room belongs to ``pfsm``."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "*.py", "README.md", "docs/*.md"],
        cwd=CHECKOUT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    amounts: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for name in sorted(set(filter(None, listed.split("\0")))):
        path = CHECKOUT / name
        if not path.is_file() or name.startswith("docs/reference/"):
            continue
        text = path.read_text(encoding="utf-8")
        is_page = name.endswith(".md")
        fits = [room for room in rooms if name.startswith(f"{room}/")]
        room = "docs" if is_page else max(fits, key=len, default="pfsm")
        amounts[room] += len(text.split()) if is_page else text.count("\n")
        files[room] += is_page or name.endswith(".py")
    return amounts, files


def main() -> int:
    """Prints what is too large; returns 1 if anything is."""
    document = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    ceilings: dict[str, int] = document["tool"]["pfsm"]["ceilings"]
    amounts, files = sizes(list(ceilings))
    too_large = 0
    for room, ceiling in ceilings.items():
        unit = "words" if room == "docs" else "lines"
        over = amounts[room] > ROOM * ceiling
        too_large += over
        if over or "--all" in sys.argv[1:]:
            told = ": more than 3% above it; raise it in the same commit and say why" if over else ""
            print(f"{room}: {amounts[room]:,} {unit} in {files[room]} files, ceiling {ceiling:,}{told}")
    return int(too_large > 0)


if __name__ == "__main__":
    sys.exit(main())
