"""Judgments of the WMT translation tasks that count segments by their lines: rankings, and direct assessments.

*Rankings*, 2012 to 2016, are unrolled into pairs. A row ranks the outputs of up to five systems for one segment (in
2016: two systems). Rank 1 is the best, equal ranks are ties, and -1 is a blank. Every two outputs of a row with
different ranks give one vote for the better one. The columns are ``srclang, trglang, srcIndex, judgeId, system1Id,
system1rank …``; others are ignored. ``srcIndex`` counts the lines of the test set from 1.

*Segment scores of direct assessment*: ``SYS SID RAW.SCR Z.SCR N``, separated by spaces. ``SID`` counts segments from 1.
Up to 2020 it counts the lines of the test set. In 2021 and 2022 it counts the segments document by document, with the
documents in the order of their names. That is not the order in the files (checked against the published
Icelandic-English scores of 2021).
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, groupby
from pathlib import Path

from pfsm.data.formats.records import Judgment, Options, Preference, Reading, gathered, number_text
from pfsm.data.formats.rows import Row, language_code, need, pair_in_name, rows_of
from pfsm.data.formats.texts import SegmentTexts, SystemOutputs, load_texts, set_name_of
from pfsm.data.table import Table, read_table, shown
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name

_SYSTEM_COLUMN = re.compile(r"system([1-9][0-9]*)id")
_REFERENCE_SYSTEM = "_ref"
_BLANK = -1

_SYSTEM, _SEGMENT, _RAW, _STANDARD, _COUNT = "SYS", "SID", "RAW.SCR", "Z.SCR", "N"
_SCORES = {"da_raw": _RAW, "da_z": _STANDARD}
_BY_DOCUMENT = re.compile(r"(?:wmt|test)(?:20)?2[12](?![0-9])", re.IGNORECASE)


def read_rankings(paths: Sequence[StrPath], options: Options) -> Reading:
    """Reads ranking CSVs and the plain texts that they rank.

    Contradictory pairs appear in both directions. Votes are summed over raters unless `Options.per_rater` is set. Ties
    are left out unless `Options.keep_ties` is set: then a column counts them, and a pair that was always tied gets a
    row without votes. Pairs are sorted by segment, then by the names of the better and the worse system. This function
    counts the votes; memory grows with the pairs, not with the rankings.
    """
    votes = _Votes(load_texts(options, f"{display_name(paths[0])} (wmt-ranking)"), options)
    for path in paths:
        votes.count(read_table(path))
    return votes.reading()


class _Votes:
    """Votes for pairs of systems by segment; the rater is ``""`` unless raters are counted separately."""

    def __init__(self, texts: SegmentTexts, options: Options) -> None:
        self._texts, self._options, self._test_set = texts, options, options.test_set
        self._wanted = (language_code(options.source_lang), language_code(options.target_lang))
        self._pair = ("", "")
        self._outputs: SystemOutputs | None = None
        # By segment (from 0), the better and the worse system, or of ties the two in order, and rater.
        self._wins: Counter[tuple[int, str, str, str]] = Counter()
        self._ties: Counter[tuple[int, str, str, str]] = Counter()
        self._lines: dict[int, int] = {}  # of the first ranking of a segment
        self._notes: Counter[str] = Counter()

    def count(self, table: Table) -> None:
        """Adds the rankings of one file."""
        names = {name.lower(): name for name in table.header}

        def name_of(column: str) -> str:  # in 2016 judgeID, elsewhere judgeId
            table.column(names.get(column.lower(), column))
            return names[column.lower()]

        systems = sum(_SYSTEM_COLUMN.fullmatch(name) is not None for name in names)
        ranked = [(name_of(f"system{n}Id"), name_of(f"system{n}rank")) for n in range(1, max(systems, 2) + 1)]
        source, target, index, judge = map(name_of, ("srclang", "trglang", "srcIndex", "judgeId"))
        for row in rows_of(table):
            outputs = self._chosen_outputs(row, (language_code(row[source]), language_code(row[target])))
            if outputs is None:
                continue
            at = row.whole(index) - 1
            self._texts.check_index(at, row, index)
            ranks = [(_rank(row, rank), row[system]) for system, rank in ranked]
            known = sorted(
                (rank, name)
                for rank, identifier in ranks
                if rank != _BLANK and (name := self._known(identifier, row, outputs)) is not None
            )
            rater = row[judge] if self._options.per_rater else ""
            self._lines.setdefault(at, row.line)
            for (rank, system), (other_rank, other) in combinations(known, 2):
                if system != other:
                    (self._ties if rank == other_rank else self._wins)[at, system, other, rater] += 1

    def _chosen_outputs(self, row: Row, pair: tuple[str, str]) -> SystemOutputs | None:
        """The outputs that a row ranks; None if the row is of another language pair than the one asked for."""
        if any(wanted and wanted != there for wanted, there in zip(self._wanted, pair, strict=True)):
            self._notes["rankings of other language pairs left out"] += 1
            return None
        if self._outputs is None:
            self._pair = pair
            self._outputs = SystemOutputs(self._options.system_outputs, self._texts, *pair)
        elif pair != self._pair:
            raise row.fault(
                f"{'-'.join(pair)} after rankings of {'-'.join(self._pair)}; choose one language pair with "
                "--source-lang and --target-lang"
            )
        return self._outputs

    def _known(self, identifier: str, row: Row, outputs: SystemOutputs) -> str | None:
        """The name of a ranked system; None for the reference and for an unknown system that is to be left out."""
        if identifier == _REFERENCE_SYSTEM:
            return None
        name = outputs.find(identifier, row.fault, self._options.skip_unknown_systems)
        if name is None:
            self._notes["ranked translations of systems without output left out"] += 1
        elif not self._test_set:
            self._test_set = set_name_of(identifier)
        return name

    def reading(self) -> Reading:
        """The votes counted so far, as preferences."""
        if self._outputs is None:
            raise PfsmError("no rankings of this language pair; check --source-lang and --target-lang")
        always = ["votes_against", *["rater"] * self._options.per_rater, *["ties"] * self._options.keep_ties]
        return gathered(Preference, self._records(self._outputs), self._notes, always)

    def _records(self, outputs: SystemOutputs) -> Iterator[Preference]:
        wins, ties = self._wins, self._ties
        chosen = {*wins}
        if self._options.keep_ties:
            chosen |= {
                (at, a, b, rater)
                for at, a, b, rater in ties
                if not wins[at, a, b, rater] + wins[at, b, a, rater]
            }
        for at, better, worse, rater in sorted(chosen):
            first, second = sorted((better, worse))
            yield Preference(
                **self._texts.of(at, self._test_set),
                source_lang=self._pair[0],
                target_lang=self._pair[1],
                rater=rater,
                better=outputs.lines_of(better)[at],
                worse=outputs.lines_of(worse)[at],
                better_system=better,
                worse_system=worse,
                votes=float(wins[at, better, worse, rater]),
                votes_against=float(wins[at, worse, better, rater]),
                ties=float(ties[at, first, second, rater]),
                line=self._lines[at],
            )


def _rank(row: Row, column: str) -> int:
    text = row[column].strip()
    if text == str(_BLANK):
        return _BLANK
    if not (text.isascii() and text.isdigit() and len(text) < 4) or int(text) < 1:
        raise row.fault(f"{column} is {shown(row[column])}, a rank from 1 or -1 for none is needed")
    return int(text)


def read_direct_assessments(paths: Sequence[StrPath], options: Options) -> Reading:
    """Reads segment scores of direct assessment and the texts that they refer to.

    The score is ``da_raw`` (0 to 100, the default) or ``da_z``, chosen by `Options.score_column`. Both become columns,
    and so does ``n_raters``. Language pairs not given by the options are taken from the names of the files.
    """
    chosen = options.score_column or "da_raw"
    if chosen not in _SCORES:
        raise PfsmError(f"--score-column {chosen}: direct assessments have da_raw and da_z")
    texts = load_texts(options, f"{display_name(paths[0])} (wmt-da)")
    order = _order(texts, paths, options)
    tables = [read_table(path, "space") for path in paths]
    for table in tables:
        need(table, [_SYSTEM, _SEGMENT, _RAW, _STANDARD, _COUNT])
    named = [pair_in_name(display_name(path)) or ("", "") for path in paths]
    pairs = [
        (language_code(options.source_lang) or source, language_code(options.target_lang) or target)
        for source, target in named
    ]
    notes: Counter[str] = Counter()

    def records() -> Iterator[Judgment]:
        for table, pair in zip(tables, pairs, strict=True):
            outputs = SystemOutputs(options.system_outputs, texts, *pair)
            for row in rows_of(table):
                system = outputs.find(row[_SYSTEM], row.fault, options.skip_unknown_systems)
                if system is None:
                    notes["judgments of systems without output left out"] += 1
                    continue
                output = outputs.lines_of(system)
                number = row.whole(_SEGMENT)
                texts.check_index(number - 1, row, _SEGMENT)
                at = order[number - 1]
                scores = {name: row.number(column) for name, column in _SCORES.items()}
                further = {name: number_text(score) for name, score in scores.items()}
                yield Judgment(
                    **texts.of(at, options.test_set),
                    source_lang=pair[0],
                    target_lang=pair[1],
                    system=system,
                    hypothesis=output[at],
                    score=scores[chosen],
                    further=further | {"n_raters": str(row.whole(_COUNT))},
                    line=row.line,
                )

    return gathered(Judgment, records(), notes)


def _order(texts: SegmentTexts, paths: Sequence[StrPath], options: Options) -> Sequence[int]:
    """The segment that each SID means, both counted from 0."""
    names = [options.test_set, *(part for path in paths for part in Path(path).parts[-2:])]
    if options.sid_order is None and any(_BY_DOCUMENT.search(name) for name in names):
        raise PfsmError(
            f"{display_name(paths[0])}: in WMT21 and WMT22, SID counts segments by document; give --sid-order "
            "document and --documents FILE (or --sid-order file if it counts the lines of the test set)"
        )
    if options.sid_order != "document":
        return range(len(texts))
    if not texts.documents:
        raise PfsmError("--sid-order document: give the document of each segment with --documents FILE")
    documents = [document for _, document in texts.documents]
    if len(list(groupby(documents))) != len(set(documents)):
        raise PfsmError(
            f"{display_name(options.documents)}: a document that is not in one piece; put its lines together"
        )
    # By code point; segments of one document stay in the order of the file.
    return sorted(range(len(documents)), key=documents.__getitem__)
