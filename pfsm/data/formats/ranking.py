"""Rankings of the WMT translation tasks, 2012 to 2016, unrolled into pairs.

A row ranks the outputs of up to five systems for one segment (in 2016: two systems). Rank 1 is the best, equal ranks
are ties, and -1 is a blank. Every two outputs of a row with different ranks give one vote for the better one. The
columns are ``srclang, trglang, srcIndex, judgeId, system1Id, system1rank …``; others (``documentId``, ``segmentId``,
``system1Number``, ``rankingID``) are ignored. ``srcIndex`` counts the lines of the test set from 1.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from pfsm.data.formats.records import Options, Preference, Reading, layout
from pfsm.data.formats.rows import Row, Rows, language_code
from pfsm.data.formats.texts import SegmentTexts, SystemOutputs, load_texts, set_name_of, unknown_system
from pfsm.data.table import shown
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name

_SYSTEM = re.compile(r"system([1-9][0-9]*)id")
_REFERENCE_SYSTEM = "_ref"
_BLANK = -1


@dataclass(frozen=True, slots=True)
class RankedPair:
    """Two systems of one ranking."""

    better: str
    worse: str
    tie: bool
    """Whether the ranks are equal; `better` is then the first of the two names."""


def unroll(ranks: Sequence[tuple[str, int]]) -> Iterator[RankedPair]:
    """The pairs of one ranking: a smaller rank is better; systems without a rank (-1) are left out.

    Args:
        ranks: systems and their ranks; rank 1 is the best.
    """
    ranked = [(rank, system) for system, rank in ranks if rank != _BLANK]
    for (rank, system), (other_rank, other) in combinations(sorted(ranked), 2):
        if system != other:
            yield RankedPair(system, other, rank == other_rank)


@dataclass
class _Votes:
    """Votes for pairs of systems by segment; the rater is ``""`` unless raters are counted separately."""

    wins: Counter[tuple[int, str, str, str]] = field(default_factory=Counter)
    """By segment (from 0), better, worse, rater."""
    ties: Counter[tuple[int, str, str, str]] = field(default_factory=Counter)
    """By segment, first name, second name, rater."""
    lines: dict[int, int] = field(default_factory=dict)
    """The line of the first ranking of a segment."""

    def pairs(self, with_ties: bool) -> list[tuple[int, str, str, str]]:
        """Pairs with a vote, sorted by segment and then by name; ``with_ties`` adds pairs that have only ties."""
        chosen = set(self.wins)
        if with_ties:
            chosen |= {(at, a, b, rater) for at, a, b, rater in self.ties if not self.votes(at, a, b, rater)}
        return sorted(chosen)

    def votes(self, at: int, a: str, b: str, rater: str) -> int:
        return self.wins[at, a, b, rater] + self.wins[at, b, a, rater]

    def ties_of(self, at: int, a: str, b: str, rater: str) -> int:
        first, second = sorted((a, b))
        return self.ties[at, first, second, rater]


def read_rankings(paths: Sequence[StrPath], options: Options) -> Reading:
    """Reads ranking CSVs and the plain texts that they rank.

    Contradictory pairs appear in both directions. Votes are summed over raters unless `Options.per_rater` is set. Ties
    are left out unless `Options.keep_ties` is set: then a column counts them, and a pair that was always tied gets a
    row without votes. Pairs are sorted by segment, then by the names of the better and the worse system. This function
    counts the votes; memory grows with the pairs, not with the rankings.
    """
    reader = _RankingReader(load_texts(options, f"{display_name(paths[0])} (wmt-ranking)"), options)
    for path in paths:
        reader.count(Rows(path))
    return reader.reading()


@dataclass(frozen=True)
class _Columns:
    """A file's names for the columns: in 2016 judgeID, elsewhere judgeId."""

    source_lang: str
    target_lang: str
    index: str
    rater: str
    ranked: tuple[tuple[str, str], ...]
    """For each system the columns of its name and its rank."""


def _columns(table: Rows) -> _Columns:
    names = {name.lower(): name for name in table.header}

    def name_of(column: str) -> str:
        table.need([names.get(column.lower(), column)])
        return names[column.lower()]

    systems = sum(_SYSTEM.fullmatch(name) is not None for name in names)
    ranked = [(name_of(f"system{n}Id"), name_of(f"system{n}rank")) for n in range(1, max(systems, 2) + 1)]
    return _Columns(
        name_of("srclang"), name_of("trglang"), name_of("srcIndex"), name_of("judgeId"), tuple(ranked)
    )


class _RankingReader:
    """Sums votes, then yields pairs."""

    def __init__(self, texts: SegmentTexts, options: Options) -> None:
        self._texts = texts
        self._options = options
        self._wanted = (language_code(options.source_lang), language_code(options.target_lang))
        self._pair: tuple[str, str] | None = None
        self._outputs: SystemOutputs | None = None
        self._test_set = options.test_set
        self._votes = _Votes()
        self._notes: Counter[str] = Counter()

    def count(self, table: Rows) -> None:
        """Adds the rankings of one file."""
        columns = _columns(table)
        for row in table:
            outputs = self._chosen_outputs(row, columns)
            if outputs is not None:
                self._count_row(row, columns, outputs)

    def reading(self) -> Reading:
        """The votes counted so far, as preferences."""
        if self._outputs is None or self._pair is None:
            raise PfsmError("no rankings of this language pair; check --source-lang and --target-lang")
        present = [
            "source_lang",
            "target_lang",
            "segment_id",
            "better_system",
            "worse_system",
            "votes_against",
        ]
        present += self._texts.present + ["test_set"] * bool(self._test_set)
        present += ["rater"] * self._options.per_rater + ["ties"] * self._options.keep_ties
        columns = layout(Preference, present, len(self._texts.references))
        return Reading(Preference, columns, self._records(self._outputs, self._pair), self._notes)

    def _records(self, outputs: SystemOutputs, pair: tuple[str, str]) -> Iterator[Preference]:
        votes = self._votes
        for at, better, worse, rater in votes.pairs(self._options.keep_ties):
            yield Preference(
                references=self._texts.references_of(at),
                source=self._texts.source_of(at),
                test_set=self._test_set,
                source_lang=pair[0],
                target_lang=pair[1],
                document=self._texts.document_of(at),
                segment_id=f"{self._test_set}.{at + 1}" if self._test_set else str(at + 1),
                rater=rater,
                better=outputs.lines_of(better)[at],
                worse=outputs.lines_of(worse)[at],
                better_system=better,
                worse_system=worse,
                votes=float(votes.wins[at, better, worse, rater]),
                votes_against=float(votes.wins[at, worse, better, rater]),
                ties=float(votes.ties_of(at, better, worse, rater)),
                line=votes.lines[at],
            )

    def _chosen_outputs(self, row: Row, columns: _Columns) -> SystemOutputs | None:
        """The outputs that a row ranks; None if the row is of another language pair than the one asked for."""
        pair = (language_code(row[columns.source_lang]), language_code(row[columns.target_lang]))
        if any(wanted and wanted != there for wanted, there in zip(self._wanted, pair, strict=True)):
            self._notes["rankings of other language pairs left out"] += 1
            return None
        if self._outputs is None or self._pair is None:
            self._pair = pair
            self._outputs = SystemOutputs(self._options.system_outputs, self._texts, *pair)
        elif pair != self._pair:
            raise row.fault(
                f"{'-'.join(pair)} after rankings of {'-'.join(self._pair)}; choose one language pair with "
                "--source-lang and --target-lang"
            )
        return self._outputs

    def _count_row(self, row: Row, columns: _Columns, outputs: SystemOutputs) -> None:
        at = row.whole(columns.index) - 1
        self._texts.check_index(at, row, columns.index)
        ranks = [(_rank(row, rank), row[system]) for system, rank in columns.ranked]
        known = [
            (name, rank)
            for rank, identifier in ranks
            if rank != _BLANK and (name := self._known(identifier, row, outputs)) is not None
        ]
        rater = row[columns.rater] if self._options.per_rater else ""
        self._votes.lines.setdefault(at, row.line)
        for pair in unroll(known):
            counter = self._votes.ties if pair.tie else self._votes.wins
            counter[at, pair.better, pair.worse, rater] += 1

    def _known(self, identifier: str, row: Row, outputs: SystemOutputs) -> str | None:
        """The name of a ranked system; None for the reference and for an unknown system that is to be left out."""
        if identifier == _REFERENCE_SYSTEM:
            return None
        name = outputs.find(identifier)
        if name is None and not self._options.skip_unknown_systems:
            raise row.fault(unknown_system(identifier, outputs.names))
        if name is None:
            self._notes["ranked translations of systems without output left out"] += 1
        elif not self._test_set:
            self._test_set = set_name_of(identifier)
        return name


def _rank(row: Row, column: str) -> int:
    text = row[column].strip()
    if text == str(_BLANK):
        return _BLANK
    if not (text.isascii() and text.isdigit() and len(text) < 4) or int(text) < 1:
        raise row.fault(f"{column} is {shown(row[column])}, a rank from 1 or -1 for none is needed")
    return int(text)
