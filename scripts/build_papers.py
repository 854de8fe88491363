"""Writes the tables of docs/papers.md: figures of the papers beside ours, which are read from docs/results.md.

python scripts/build_papers.py            # prints the page as it should be
python scripts/build_papers.py --write
"""

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
PAGE = CHECKOUT / "docs" / "papers.md"
RESULTS = CHECKOUT / "docs" / "results.md"
_PART = re.compile(r"(<!-- table (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class Beside:
    """A table: rows with the paper's figures, and where ours stand.

    Attributes:
        theirs: Headings of the paper's columns.
        ours: Heading of our column, and the headings of the section and of the table in docs/results.md.
        rows: Label, the paper's figures, the row in our table; no row: we have none.
    """

    theirs: tuple[str, ...]
    ours: tuple[tuple[str, str, str], ...]
    rows: tuple[tuple[str, tuple[str, ...], str | None], ...]


_OPENMT = ("paper, Urdu", "paper, Chinese", "paper, Arabic")
_WMT16 = "ours, WMT16, mean of six"
TABLES = {
    "wang-1": Beside(
        _OPENMT,
        ((_WMT16, "Block edits and jumps", "Spearman's ρ, WMT16"),),
        (
            ("pFSM, blocks of one token", (".546", ".599", ".612"), "pFSM n1"),
            ("pFSM, blocks of two", (".548", ".598", ".612"), "pFSM n2"),
            ("pPDA, jumps of 1", (".556", ".580", ".602"), "pPDA j1"),
            ("pPDA, jumps of 2", (".550", ".614", ".599"), "pPDA j2"),
            ("pPDA, jumps of 5", (".553", ".638", ".604"), "pPDA j5"),
            ("pPDA, jumps of 10", (".553", ".640", ".602"), "pPDA j10"),
        ),
    ),
    "wang-3": Beside(
        _OPENMT,
        ((_WMT16, "Linguistic features of the pushdown machine", "Spearman's ρ, WMT16"),),
        (
            ("pPDA", (".553", ".638", ".604"), "pPDA"),
            ("+ synonyms", (".556", ".637", ".607"), "+ synonyms"),
            ("+ trees", (".553", ".638", ".603"), "+ trees"),
            ("+ paraphrases", (".571", ".654", ".600"), "+ paraphrases"),
            ("+ all (pPDA+f)", (".572", ".658", ".598"), "+ all (pPDA+f)"),
        ),
    ),
    "wang-4": Beside(
        ("paper, WMT06+07 to WMT08",),
        (
            (
                "ours, WMT15+16 to WMT12",
                "Pairwise preferences, by models of absolute scores",
                "accuracy, WMT12",
            ),
        ),
        tuple(
            (name, (figure,), f"{name} of WMT15+16")
            for name, figure in (
                ("pPDA+f", ".520"),
                ("BLEUR", ".496"),
                ("METEORR", ".515"),
                ("NISTR", ".502"),
                ("TERR", ".512"),
                ("MTR", ".515"),
                ("RTER", ".519"),
                ("MT+RTER", ".525"),
            )
        ),
    ),
    "kahn-5a": Beside(
        ("paper, GALE 2.5, all",),
        (
            (
                "ours, WMT21, mean of three",
                "EDPM, TER and BLEU of documents",
                "Mean-removed r of documents, WMT21",
            ),
        ),
        (("TER", (".44",), "TER"), ("BLEU", (".37",), "BLEU"), ("EDPM", (".50",), "EDPM")),
    ),
    "yu-6": Beside(
        ("paper, WMT12", "paper, WMT13"),
        tuple(
            (
                f"ours, {year}",
                "Parsing models of the reference, on rankings of systems",
                f"Spearman's ρ of systems, {year}",
            )
            for year in ("WMT12", "WMT13")
        ),
        (
            ("BLEU", (".811", ".877"), "BLEU"),
            ("TER", (".812", ".798"), "TER"),
            ("METEOR", (".834", ".935"), "METEOR 1.5"),
            ("DPM", (".847", ".903"), "DPM"),
            ("DPMF", (".913", ".958"), "DPMF"),
        ),
    ),
    "gimenez-2": Beside(
        ("paper, KING, CRR", "paper, R_snt, CRR"),
        tuple(
            (f"ours, {shown}", "Human likeness and acceptability of metrics over words and syntax", table)
            for shown, table in (
                ("KING", "KING, human likeness, WMT21 ru"),
                ("r of segments", "Pearson's r, WMT21 ru"),
            )
        ),
        tuple(
            (name, figures, ours)
            for name, figures, ours in (
                ("BLEU", (".69", ".54"), "BLEU"),
                ("NIST", (".79", ".53"), "NIST"),
                ("GTM, e = 2", (".72", ".62"), "GTM (e = 2)"),
                ("ROUGE-W", (".74", ".58"), "ROUGE-W"),
                ("O_l", (".74", ".57"), "O_l"),
                ("SP-Op-*", (".75", ".54"), "SP-Op-*"),
                ("SP-NISTc", (".55", ".24"), "SP-NISTc"),
                ("CP-Oc-*", (".74", ".60"), "CP-Oc-*"),
                ("DP-Or-*", (".75", ".51"), "DP-Or-*"),
                ("DP-HWCw", (".54", ".29"), "DP-HWCw"),
                ("CP-STM", (".71", ".53"), "CP-STM"),
            )
        ),
    ),
    "gimenez-3": Beside(
        ("paper, KING, CRR", "paper, R_snt, CRR"),
        (
            *(
                (
                    f"ours, KING, {name}",
                    "Metrics over words, syntax, roles and discourse, with two references",
                    f"KING, human likeness, {name}",
                )
                for name in ("WMT21 ru", "MLQE et")
            ),
            *(
                (
                    f"ours, r of segments, {name}",
                    "Metrics over words, syntax, roles and discourse, on segments",
                    f"Pearson's r, {name}",
                )
                for name in ("WMT15", "WMT16")
            ),
        ),
        (
            ("O_l", (".74", ".57"), "O_l"),
            ("SR-Mr-*", (".40", ".29"), "SR-Mr-*"),
            ("SR-Mr-*_b", (".68", ".31"), "SR-Mr-*_b"),
            ("SR-Mr-*_i", (".84", ".34"), "SR-Mr-*_i"),
            ("SR-Or-*", (".45", ".35"), "SR-Or-*"),
            ("SR-Or-*_b", (".71", ".38"), "SR-Or-*_b"),
            ("SR-Or-*_i", (".84", ".41"), "SR-Or-*_i"),
            ("SR-Or", (".31", ".16"), "SR-Or"),
            ("SR-Or_b", (".54", ".19"), "SR-Or_b"),
            ("SR-Or_i", (".72", ".26"), "SR-Or_i"),
            ("SR-Mrv-*", (".38", ".33"), "SR-Mrv-*"),
            ("SR-Mrv-*_b", (".70", ".34"), "SR-Mrv-*_b"),
            ("SR-Mrv-*_i", (".88", ".36"), "SR-Mrv-*_i"),
            ("SR-Orv-*", (".40", ".36"), "SR-Orv-*"),
            ("SR-Orv-*_b", (".72", ".38"), "SR-Orv-*_b"),
            ("SR-Orv-*_i", (".88", ".40"), "SR-Orv-*_i"),
            ("SR-Orv", (".36", ".27"), "SR-Orv"),
            ("SR-Orv_b", (".66", ".29"), "SR-Orv_b"),
            ("SR-Orv_i", (".83", ".33"), "SR-Orv_i"),
            ("DR-Or-*", (".67", ".48"), "DR-Or-*"),
            ("DR-Or-*_b", (".69", ".50"), "DR-Or-*_b"),
            ("DR-Or-*_i", (".83", ".53"), "DR-Or-*_i"),
            ("DR-Orp-*", (".59", ".34"), "DR-Orp-*"),
            ("DR-Orp-*_b", (".61", ".35"), "DR-Orp-*_b"),
            ("DR-Orp-*_i", (".80", ".43"), "DR-Orp-*_i"),
            ("DR-STM", (".58", ".23"), "DR-STM"),
            ("DR-STM_b", (".64", ".23"), "DR-STM_b"),
            ("DR-STM_i", (".83", ".33"), "DR-STM_i"),
        ),
    ),
}


def figure(results: str, section: str, table: str, row: str) -> str:
    """Our figure: the last column of a row, without interval and marks.

    Raises:
        KeyError: docs/results.md has no such section, table or row.
    """
    for kind, heading in (("## ", section), ("### ", table)):
        _, found, results = results.partition(f"\n{kind}{heading}\n")
        if not found:
            raise KeyError(f"{RESULTS.name} has no heading {heading!r}")
    for line in results.partition("\n#")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == row:
            return cells[-1].replace("*", "").partition(" ")[0].rstrip("▲▼")
    raise KeyError(f"{RESULTS.name}: {table!r} has no row {row!r}")


def table(beside: Beside, results: str) -> str:
    """The table as Markdown."""
    headings = ["", *beside.theirs, *(heading for heading, _, _ in beside.ours)]
    lines = [f"| {' | '.join(headings)} |", "|---|" + "--:|" * (len(headings) - 1)]
    for label, theirs, row in beside.rows:
        ours = [
            "" if row is None else figure(results, section, heading, row)
            for _, section, heading in beside.ours
        ]
        lines.append(f"| {label.replace('*', chr(92) + '*')} | {' | '.join([*theirs, *ours])} |")
    return "\n".join(lines) + "\n"


def made(page: str, results: str) -> str:
    """The page with its tables."""
    return _PART.sub(lambda part: f"{part[1]}\n{table(TABLES[part['name']], results)}\n{part[3]}", page)


def main() -> None:
    """Prints or writes the page."""
    parser = argparse.ArgumentParser(description="Writes the tables of docs/papers.md.")
    parser.add_argument("--write", action="store_true", help=f"write them into {PAGE.name}")
    page = made(PAGE.read_text(encoding="utf-8"), RESULTS.read_text(encoding="utf-8"))
    if parser.parse_args().write:
        PAGE.write_text(page, encoding="utf-8")
    else:
        print(page, end="")


if __name__ == "__main__":
    main()
