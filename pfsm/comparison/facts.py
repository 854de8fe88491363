"""What is known of segments besides references and translations: documents, sources, human scores.

And tables of judgments with the systems side by side.
"""

import math
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import PurePath

import numpy as np

from pfsm.arrays import Float
from pfsm.data.judgments import SEGMENT_ID, WITHIN, segment_places
from pfsm.data.parallel import ParallelText, SystemOutput, pairs_from_table
from pfsm.data.segments import others, rows_with_references
from pfsm.data.table import Table, mean_of_judges, read_table, shown
from pfsm.errors import PfsmError, PfsmWarning
from pfsm.io.files import StrPath

SOURCE, DOCUMENT, LANGUAGE, TEST_SET = "source", "document", "source_lang", "test_set"
KNOWN = (SOURCE, DOCUMENT, LANGUAGE, TEST_SET)
HUMAN = "human:"


@dataclass(frozen=True, eq=False)
class SegmentFacts:
    """Facts of the segments of a test set, each optional.

    Attributes:
        source: The source text of each segment.
        groups: By the name of a column, such as ``document``, the name that each segment has there.
        human: By system, the human scores of its segments, float64 [n_segments], higher is better; NaN where a segment
            was not judged.
    """

    source: Sequence[str] | None = None
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    human: Mapping[str, Float] = field(default_factory=dict)

    def check(self, systems: Sequence[str], n_segments: int) -> None:
        """Makes sure that the facts belong to these systems and segments.

        Raises:
            ValueError: If they do not.
        """
        series: list[Sized] = [
            *([] if self.source is None else [self.source]),
            *self.groups.values(),
            *self.human.values(),
        ]
        if any(len(one) != n_segments for one in series):
            lengths = sorted({len(one) for one in series})
            raise ValueError(f"facts of {lengths} segments, there are {n_segments}")
        for name in self.human:
            if name not in systems:
                raise ValueError(f"human scores of {name!r}, which is not a system here")

    def select(self, segments: Sequence[int]) -> "SegmentFacts":
        """The facts of some segments, by their numbers from 0."""
        return SegmentFacts(
            None if self.source is None else [self.source[segment] for segment in segments],
            {name: [of[segment] for segment in segments] for name, of in self.groups.items()},
            {name: scores[np.array(segments)] for name, scores in self.human.items()},
        )


def read_facts(path: StrPath, systems: Sequence[str], n_segments: int) -> SegmentFacts:
    """Facts from a table with a row for each segment, in order.

    Columns are ``source``, ``document``, ``source_lang``, ``test_set``, and ``human:SYSTEM`` with the human scores of a
    system: its name, or the name of its file without the folder, with or without ``.txt``. An empty field is a segment
    without a judgment. Columns of other names are left alone.

    Raises:
        PfsmError: What `pfsm.data.table.read_table` raises; another number of rows; none of these columns; a system
            that is not there, or is not clear; a score that is not a finite number.
    """
    table = read_table(path)
    if len(table) != n_segments:
        rows = "1 row" if len(table) == 1 else f"{len(table)} rows"
        raise PfsmError(f"{table.path}: {rows}, but there are {n_segments} segments; row i must be segment i")
    human = {
        name: _system(name.removeprefix(HUMAN), systems, table.path)
        for name in table.header
        if name.startswith(HUMAN)
    }
    twice = [name for name, system in human.items() if list(human.values()).count(system) > 1]
    if twice:
        raise PfsmError(f"{table.path}: {' and '.join(twice)} belong to the same system; leave one out")
    groups = {name: tuple(table.columns[name]) for name in KNOWN[1:] if name in table.columns}
    source = tuple(table.columns[SOURCE]) if SOURCE in table.columns else None
    if not (human or groups or source):
        columns = ", ".join(map(shown, table.header))
        raise PfsmError(
            f"{table.path}: no column of use; the columns are {columns}; known are {', '.join(KNOWN)} and "
            f"{HUMAN}SYSTEM"
        )
    return SegmentFacts(source, groups, {system: _scores(table, name) for name, system in human.items()})


def _system(wanted: str, systems: Sequence[str], path: str) -> str:
    if wanted in systems:
        return wanted
    named = [(system, PurePath(system).name.removesuffix(".gz")) for system in systems]
    found = [system for system, name in named if wanted in {PurePath(system).name, name.removesuffix(".txt")}]
    if len(found) == 1:
        return found[0]
    if found:
        raise PfsmError(f"{path}: {HUMAN}{wanted} may be {' or '.join(found)}; give the name as after -i")
    raise PfsmError(f"{path}: {HUMAN}{wanted} names no system; the systems are {', '.join(systems)}")


def _scores(table: Table, name: str) -> Float:
    scores = np.full(len(table), math.nan)
    rows = [row for row, text in enumerate(table.columns[name]) if text.strip()]
    scores[rows] = table.select(rows).numbers(name, needed="a finite number or an empty field")
    return scores


def side_by_side(
    table: Table, wanted: Sequence[str] = (), *, skip_missing_references: bool = False
) -> tuple[ParallelText, SegmentFacts]:
    """The systems of a table of judgments, side by side.

    Segments are told apart by ``document`` and ``segment_id``, else by source, references and order. Those that a
    system lacks are left out with a `pfsm.errors.PfsmWarning`. Human scores of a translation that several raters judged
    are their mean.

    Args:
        table: With the columns ``reference``, ``hypothesis`` and ``system``; `pfsm.data.formats.read_judged` reads one.
        wanted: The systems, the first of them the baseline; none: all, in the order of the file.
        skip_missing_references: Leave out segments whose references are all blank.

    Returns:
        Outputs and references; and source, documents and human scores (the column ``score``) where there are any.

    Raises:
        PfsmError: A missing column or system; several language pairs; two translations of a segment by one system; no
            segment that all systems have.
    """
    table = mean_of_judges(table)
    pairs = pairs_from_table(table)
    table.need_rows()
    of_rows = table.column("system", "; compare needs to know whose translation each row is")
    there = list(dict.fromkeys(of_rows))
    names = list(wanted) or there
    unknown = [name for name in names if name not in there]
    if unknown or len(names) < 2:
        fault = f"no system {shown(unknown[0])}" if unknown else "two systems or more are needed"
        raise PfsmError(f"{table.path}: {fault}; the systems are {', '.join(there)}")
    rows_of: dict[tuple[object, ...], dict[str, list[int]]] = {}
    for row, (key, name) in enumerate(zip(_segments(table, pairs.references), of_rows, strict=True)):
        rows = rows_of.setdefault(key, {}).setdefault(name, [])
        if rows and pairs.hypotheses[rows[0]] != pairs.hypotheses[row]:
            where = f"{table.path}:{table.line_numbers[row]}"
            raise PfsmError(
                f"{where}: another translation of a segment that {shown(name)} has already; if segments are numbered "
                f"anew in every document, a column {DOCUMENT!r} must name it"
            )
        rows.append(row)
    chosen = [of for of in rows_of.values() if of.keys() >= {*names}]
    if not chosen:
        raise PfsmError(
            f"{table.path}: no segment has translations by all of {', '.join(names)}; name some with -i"
        )
    if len(chosen) < len(rows_of):
        left_out = (
            f"{len(rows_of) - len(chosen)} of {len(rows_of)} segments left out, which not all systems have"
        )
        warnings.warn(f"{table.path}: {left_out}", PfsmWarning, stacklevel=2)
    firsts = [of[names[0]][0] for of in chosen]
    kept = list(range(len(chosen)))
    if skip_missing_references:
        kept = rows_with_references([pairs.references[row] for row in firsts], table.path)
    missing = others(kept, len(chosen))
    chosen, firsts = [chosen[at] for at in kept], [firsts[at] for at in kept]
    columns = {name: [table.columns[name][row] for row in firsts] for name in KNOWN if name in table.columns}
    human = {}
    if "score" in table.columns:
        scores = table.numbers("score")
        human = {name: np.array([scores[of[name]].mean() for of in chosen]) for name in names}
    outputs = [SystemOutput(name, tuple(pairs.hypotheses[of[name][0]] for of in chosen)) for name in names]
    text = ParallelText(
        tuple(zip_longest(*(pairs.references[row] for row in firsts))), tuple(outputs), missing
    )
    return text, SegmentFacts(columns.pop(SOURCE, None), columns, human)


def _segments(table: Table, references: Sequence[tuple[str, ...]]) -> list[tuple[object, ...]]:
    """What tells the segment of each row; refuses several language pairs."""
    within = list(zip(*(table.columns.get(name, [""] * len(table)) for name in WITHIN), strict=True))
    languages = sorted({f"{source}-{target}" for _, source, target in within})
    if len(languages) > 1:
        source, _, target = languages[0].partition("-")
        raise PfsmError(
            f"{table.path}: {len(languages)} language pairs ({', '.join(languages)}); take one, as "
            f"`pfsm data convert {table.path} --source-lang {source} --target-lang {target} -o {languages[0]}.tsv`"
        )
    if all(table.columns.get(SEGMENT_ID, [""])):
        places = segment_places(table.columns, len(table))
        return [(*place, one) for place, one in zip(places, table.columns[SEGMENT_ID], strict=True)]
    blank = [""] * len(table)
    texts = [table.columns.get(name, blank) for name in (DOCUMENT, SOURCE)]
    own = [table.columns.get(name, blank) for name in ("system", "rater")]
    keys = list(zip(within, *texts, references, strict=True))
    seen: Counter[tuple[object, ...]] = Counter()
    found: list[tuple[object, ...]] = []
    for row in zip(keys, *own, strict=True):  # a sentence may occur again, and be translated again
        seen[row] += 1
        found.append((*row[0], seen[row]))
    return found
