"""Writes docs/results.md from the tables that `pfsm experiment` has written.

for name in wmt16 table1 …; do pfsm experiment configs/$name.yaml --data DIR --output OUT/$name; done
python scripts/build_results.py OUT
"""

import re
import sys
from pathlib import Path

from side_by_side import HEADING, side_by_side

CHECKOUT = Path(__file__).resolve().parent.parent
PAGE = CHECKOUT / "docs" / "results.md"
SOURCE = re.compile(r"^`configs/([\w-]+)\.yaml`\.", re.MULTILINE)
# In the order of the page.
NAMES = (
    "shipped",
    "shipped-preferences",
    "shipped-systems",
    "wmt16",
    "ablation",
    "dependency",
    "baselines",
    "syntax",
    "syntax-preferences",
    "syntax-hter",
    "syntax-mean-removed",
    "syntax-features",
    "model-based",
    "model-based-preferences",
    "gimenez-table2",
    "semantics",
    "semantics-systems",
    "semantics-preferences",
    "role-features",
    "yu-table6",
    "kahn-table5a",
    "syntax-as-published",
    "table1",
    "table3",
    "table4",
    "joint",
    "preferences",
    "preferences-gujarati",
    "round-robin-wmt15",
    "round-robin-wmt16",
    "hter-iwslt",
    "hter-mlqe",
    "learning-curve",
    "adaptation",
)
# The page has the tables of mistakes of these experiments only; the others have them in their own reports.
WITH_MISTAKES = ("shipped", "wmt16")
# The section that gets the table of several experiments side by side.
SIDE_BY_SIDE = "semantics-preferences"
MISTAKES = "\n## Where the mistakes are"
HEAD = """# Results

Every table is one command, `pfsm experiment configs/NAME.yaml --data DIR --output OUT`
([experiments.md](experiments.md)), on public data ([formats.md](formats.md)). Nothing was chosen on the
data it is tested on. This page is put together by `scripts/build_results.py`.
"""


def main() -> None:
    """Joins the tables of all experiments; one that has no table in the folder keeps the section that it has."""
    folder = Path(sys.argv[1])
    sections = earlier(PAGE.read_text(encoding="utf-8"))
    for name in NAMES:
        table = folder / name / "table.md"
        if table.exists():
            before = sections.get(name, "")
            sections[name] = section(name, table.read_text(encoding="utf-8"))
            if HEADING in before:
                sections[name] += "\n" + HEADING + before.partition(HEADING)[2]
    if together := side_by_side(folder):
        last = SIDE_BY_SIDE
        sections[last] = sections[last].partition("\n" + HEADING)[0] + "\n" + together
    there = (name for name in NAMES if (CHECKOUT / "configs" / f"{name}.yaml").exists())
    PAGE.write_text(
        "\n".join([HEAD, *(sections[name] for name in there if name in sections)]), encoding="utf-8"
    )


def earlier(page: str) -> dict[str, str]:
    """The sections of the page by the names of their experiments."""
    sections = (f"## {text.rstrip()}\n" for text in page.split("\n## ")[1:])
    found = ((SOURCE.search(text), text) for text in sections)
    return {match[1]: text for match, text in found if match is not None}


def section(name: str, text: str) -> str:
    """The section of an experiment: its tables with intervals, and headings one level lower than in its report."""
    if name not in WITH_MISTAKES:
        text = text.partition(MISTAKES)[0]
    blocks = text.split("\n## ")
    kept = [block for block in blocks[1:] if f"{block.splitlines()[0]}: intervals" not in text]
    kept = [block for block in kept if not _says_nothing(block)]
    title, _, description = blocks[0].partition("\n")
    head = f"## {title.removeprefix('# ')}\n\n`configs/{name}.yaml`.{description.rstrip()}\n"
    return "\n".join([head, *(f"### {block.rstrip()}\n".replace(": intervals\n", "\n", 1) for block in kept)])


def _says_nothing(block: str) -> bool:
    """Whether a table has rows, all without a number, as systems have where the data name one only."""
    rows = [line for line in block.splitlines() if line.startswith("| ")][2:]
    rows = [line for line in rows if not line.startswith("| n |")]
    return bool(rows) and all(set(line.strip("|").split(" | ")[1:]) <= {"–", "– "} for line in rows)


if __name__ == "__main__":
    main()
