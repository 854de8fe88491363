"""The TSV of pfsm and the CSV of COMET: one judgment per row, including its texts."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pfsm.data.formats.records import (
    JUDGMENT_COLUMNS,
    PREFERENCE_COLUMNS,
    Judgment,
    Options,
    Preference,
    Reading,
    Record,
    layout,
)
from pfsm.data.formats.rows import Row, language_code, need, rows_of
from pfsm.data.formats.texts import pair_columns
from pfsm.data.table import COMET_NAMES, Table, mean_of_judges, read_table
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath

_REFERENCE = re.compile(r"reference_([1-9][0-9]{0,5})", re.ASCII)
_LANGUAGE_PAIR = "lp"
_TEXT_FIELDS = ("test_set", "source_lang", "target_lang", "document", "segment_id", "rater", "source")
OLD_SCORE = "score_before"
"""The name that the column ``score`` gets when another column becomes the score."""


@dataclass(frozen=True)
class _Plan:
    """How the columns of a file are used."""

    kind: type[Judgment] | type[Preference]
    of: Mapping[str, str]
    """Our names of columns, each with the file's name for it."""
    references: tuple[str, ...]
    score: str
    further: Mapping[str, str]
    """Columns carried along: the names they get, each with the file's name for it."""
    constants: Mapping[str, str]

    def record(self, row: Row) -> Record:
        """The judgment or preference of a row."""
        first, *others = (row[name] for name in self.references)
        while others and not others[-1]:  # empty ones at the end are none
            others.pop()

        def count(column: str, default: float) -> float:
            return row.number(column, 0.0) if column in self.of else default

        texts: dict[str, Any] = {
            "references": (first, *others),
            "further": {name: row[theirs] for name, theirs in self.further.items()},
            "line": row.line,
        }
        if self.kind is Judgment:
            hypothesis, score = row[self.of["hypothesis"]], row.number(self.score)
            system = row.fields.get(self.of.get("system", ""), "")
            return Judgment(**texts, **self._segment(row), hypothesis=hypothesis, score=score, system=system)
        return Preference(
            **texts,
            better=row["better"],
            worse=row["worse"],
            better_system=row.fields.get("better_system", ""),
            worse_system=row.fields.get("worse_system", ""),
            votes=count("votes", 1.0),
            votes_against=count("votes_against", 0.0),
            ties=count("ties", 0.0),
            **self._segment(row),
        )

    def _segment(self, row: Row) -> dict[str, Any]:
        found: dict[str, Any] = dict(self.constants)
        if _LANGUAGE_PAIR in self.of:
            source, dash, target = row[_LANGUAGE_PAIR].strip().partition("-")
            if not (source and dash and target):
                raise row.fault(
                    f"{_LANGUAGE_PAIR} is {row[_LANGUAGE_PAIR]!r}, a language pair such as cs-en is needed"
                )
            found |= {"source_lang": language_code(source), "target_lang": language_code(target)}
        return found | {name: row[self.of[name]] for name in _TEXT_FIELDS if name in self.of}


def read_tables(paths: Sequence[StrPath], options: Options) -> Reading:
    """Reads TSV and CSV tables of judgments or of preferences.

    A table with ``better`` and ``worse`` holds preferences, one with ``hypothesis`` (COMET: ``mt``) absolute judgments,
    whose score is in ``score`` or in `Options.score_column`. COMET's ``lp`` (``cs-en``) is split. Unknown columns are
    carried along.
    """
    tables = [mean_of_judges(read_table(path)) for path in paths]
    plans = [_plan(table, options) for table in tables]
    kind = plans[0].kind
    present: set[str] = set()
    for table, plan in zip(tables, plans, strict=True):
        if plan.kind is not kind:
            other = "preferences" if kind is Preference else "absolute judgments"
            raise PfsmError(
                f"{table.path}:1: does not hold {other} as {tables[0].path} does; convert one alone"
            )
        pair = ["source_lang", "target_lang"] if _LANGUAGE_PAIR in plan.of else []
        present.update(plan.of, pair, plan.constants)
    further = dict.fromkeys(name for plan in plans for name in plan.further)
    columns = layout(kind, present, max(len(plan.references) for plan in plans), further)
    records = (plan.record(row) for table, plan in zip(tables, plans, strict=True) for row in rows_of(table))
    return Reading(kind, columns, records, Counter())


def _plan(table: Table, options: Options) -> _Plan:
    header = list(table.header)
    of = {name: name for name in header}
    of |= {ours: theirs for theirs, ours in COMET_NAMES.items() if theirs in header and ours not in header}
    preferences = {"better", "worse"} <= of.keys()
    score = options.score_column or "score"
    needed = ["better", "worse"] if preferences else ["hypothesis", score]
    need(table, [of.get(name, name) for name in ("reference", *needed)])
    references = sorted(
        (name for name in header if (match := _REFERENCE.fullmatch(name)) and int(match[1]) > 1),
        key=lambda name: int(name.removeprefix("reference_")),
    )
    named = PREFERENCE_COLUMNS if preferences else JUDGMENT_COLUMNS
    kept = {name: theirs for name, theirs in of.items() if name in named or name == _LANGUAGE_PAIR}
    if not preferences:
        kept.pop("score", None)
    used = {*kept.values(), *references}
    further = {name: name for name in header if name not in used and name != "score"}
    if not preferences and score != "score" and "score" in header:
        further[OLD_SCORE] = "score"
    constants = {name: value for name, value in pair_columns(options).items() if name not in kept}
    kind = Preference if preferences else Judgment
    return _Plan(kind, kept, (of["reference"], *references), score, further, constants)
