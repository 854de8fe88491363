"""Minimal pairs: a faithful translation and one with a single fault, for contrast tests of metrics."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from pfsm.data.judgments import preferences_from_table
from pfsm.data.table import DataSource, Table, read_table, shown
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath

KINDS: Mapping[str, str] = {
    "negation": "a negation is dropped or reversed",
    "number": "a number is changed",
    "name": "a person, a place or a company is changed",
    "unit": "a unit, a day or a date is changed",
    "tense": "the tense is changed",
    "role": "who does what to whom is swapped",
    "order": "the words are scrambled",
    "word": "an important word is dropped (better: a minor word is changed)",
    "article": "an unrelated word replaces an article (better: the article is dropped)",
    "synonym": "an unrelated word replaces a word (better: a synonym does)",
}
"""What is wrong with the worse version, for each kind of the shipped pairs."""
SHIPPED = ("en",)
SEVERITIES = ("none", "minor", "major", "critical")
"""How grave the difference of a pair is, from harmless to grave; the column ``severity`` has one of them."""


@dataclass(frozen=True, eq=False)
class MinimalPairs:
    """Pairs of versions of a reference, one faithful and one damaged, with the kind of damage."""

    kinds: tuple[str, ...]
    """[n]"""
    references: tuple[str, ...]
    """[n]"""
    better: tuple[str, ...]
    """[n], faithful versions"""
    worse: tuple[str, ...]
    """[n], damaged ones"""
    source: DataSource
    """The file that the pairs came from."""
    all_references: tuple[tuple[str, ...], ...] = ()
    """[n][1 or more], where there are further references (``reference_2`` …); else empty."""
    severities: tuple[str, ...] = ()
    """[n], each one of `SEVERITIES`; empty where the file has no such column."""

    def __len__(self) -> int:
        return len(self.kinds)


def read_minimal_pairs(path: StrPath) -> MinimalPairs:
    """Reads minimal pairs from a TSV or CSV file (``-``: standard input).

    Args:
        path: A file with the columns ``kind``, ``reference``, ``better`` and ``worse``; ``severity`` and
            ``reference_2`` … are optional.
    """
    table = read_table(path)
    kinds = tuple(table.names("kind"))
    pairs = preferences_from_table(table)
    several = pairs.all_references if any(len(one) > 1 for one in pairs.all_references) else ()
    return MinimalPairs(
        kinds, pairs.references, pairs.better, pairs.worse, table.source, several, _severities(table)
    )


def _severities(table: Table) -> tuple[str, ...]:
    if "severity" not in table.columns:
        return ()
    found = tuple(field.strip().lower() for field in table.column("severity"))
    for severity, line in zip(found, table.line_numbers, strict=True):
        if severity not in SEVERITIES:
            raise PfsmError(
                f"{table.path}:{line}: severity is {shown(severity)}, one of {', '.join(SEVERITIES)} is needed"
            )
    return found


def shipped_minimal_pairs(language: str = "en") -> MinimalPairs:
    """The shipped minimal pairs of a language."""
    if language not in SHIPPED:
        raise PfsmError(
            f"there are no shipped minimal pairs for {language!r}, only for {', '.join(SHIPPED)}; give your own file "
            "with the columns kind, reference, better, worse"
        )
    return read_minimal_pairs(str(files("pfsm.resources") / "probe" / f"{language}.tsv"))
