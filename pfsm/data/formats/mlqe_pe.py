"""MLQE-PE: direct assessments of NMT output, and post-edits of the same sentences.

``direct-assessments`` has ``SPLIT.LP.df.short.tsv`` with ``index original translation scores mean z_scores
z_mean model_scores`` and perhaps ``SPLIT.doc_ids``; ``post-editing`` has ``SPLIT.src``, ``.mt``, ``.pe`` and
``.hter``, parallel to it and tokenised. The reference is the post-edit of the translation itself.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import zip_longest
from pathlib import Path

from pfsm.data.formats.parallel_text import side_by_side
from pfsm.data.formats.records import Judgment, Options, Reading, layout, number_text
from pfsm.data.formats.rows import Row, Rows, language_code, pair_in_name
from pfsm.data.formats.texts import check_parallel, segments_of
from pfsm.data.table import finite_number, shown
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name, read_lines, reading_explained

SYSTEM = "mlqe-nmt"
TEST_SET = "mlqe-pe"
POST_EDITS, OUTPUT, SOURCES, EDIT_RATES, DOCUMENTS, TABLE = ".pe", ".mt", ".src", ".hter", ".doc_ids", ".tsv"
_KINDS = (POST_EDITS, OUTPUT, SOURCES, EDIT_RATES, DOCUMENTS, TABLE)
_TABLE_COLUMNS = ("index", "original", "translation", "scores", "mean", "z_mean")
_MODEL_SCORE = "model_scores"
_PAIR_IN_TABLE_NAME = re.compile(r"\.([a-z]{2})([a-z]{2})\.")
_NUMBER = re.compile(r"[^\[\],\s]+")


def read_mlqe_pe(paths: Sequence[StrPath], options: Options) -> Reading:
    """Reads one language pair and split: its folders of direct assessments and of post-edits, or their files.

    The score is ``da_raw`` (the mean, 0 to 100; the default where there is a table), ``da_z`` or ``hter`` (its
    negative, so that higher is better). Texts are taken from the post-editing files if they have them.
    """
    files = _files(paths)
    if POST_EDITS not in files:
        raise PfsmError(
            f"{display_name(paths[0])}: no post-edits (*.pe), which serve as references; give their folder too"
        )
    reader = _Reader(files, options)
    columns = layout(Judgment, reader.present, 1, reader.further)
    return Reading(Judgment, columns, reader.judgments(), reader.notes)


def _files(paths: Sequence[StrPath]) -> dict[str, Path]:
    """The files by kind."""
    files: dict[str, Path] = {}
    for path in paths:
        root = Path(path)
        with reading_explained(path):
            root.stat()
            found = sorted(each for each in root.rglob("*") if each.is_file()) if root.is_dir() else [root]
        for each in found:
            kind = Path(each.name.removesuffix(".gz")).suffix
            if kind not in _KINDS:
                continue
            if kind in files:
                raise PfsmError(
                    f"{each}: a second *{kind} after {files[kind]}; give one language pair and split"
                )
            files[kind] = each
    return files


@dataclass(frozen=True, slots=True)
class _Lines:
    """The same line of all the files."""

    post_edit: str
    output: str
    source: str
    edit_rate: str


class _Reader:
    """Reads the files side by side."""

    def __init__(self, files: Mapping[str, Path], options: Options) -> None:
        self.notes: Counter[str] = Counter()
        self._files = files
        self._scores = (["da_raw", "da_z"] if TABLE in files else []) + (
            ["hter"] if EDIT_RATES in files else []
        )
        self._score = options.score_column or next(iter(self._scores), "")
        if self._score not in self._scores:
            there = ", ".join(self._scores) or "none: give the table (*.tsv) or the edit rates (*.hter)"
            raise PfsmError(f"{files[POST_EDITS]}: no score {self._score!r}; there is {there}")
        if OUTPUT not in files and TABLE not in files:
            raise PfsmError(f"{files[POST_EDITS]}: no translations (*.mt or the table *.tsv); give them too")
        self._table = Rows(files[TABLE]) if TABLE in files else None
        if self._table is not None:
            self._table.need(_TABLE_COLUMNS)
        self._has_model_score = self._table is not None and _MODEL_SCORE in self._table.header
        self._pair = _languages(files, options)
        self._test_set = options.test_set or TEST_SET
        self._documents = _documents(files)

    @property
    def present(self) -> list[str]:
        """The named columns that are filled."""
        known = [
            ("source_lang", self._pair[0]),
            ("target_lang", self._pair[1]),
            ("document", self._documents),
        ]
        source = ["source"] if self._table is not None or SOURCES in self._files else []
        return ["test_set", "segment_id", "system", *source, *(name for name, there in known if there)]

    @property
    def further(self) -> list[str]:
        """The additional columns of MLQE-PE."""
        table = [] if self._table is None else ["n_raters"] + ["nmt_logprob"] * self._has_model_score
        return [*self._scores, *table]

    def judgments(self) -> Iterator[Judgment]:
        """The judgments, in the order of the files."""
        count = differ = 0
        for count, (row, line) in enumerate(self._aligned(), start=1):
            if row is not None and OUTPUT in self._files:
                differ += _bare(row["translation"]) != _bare(line.output)
            yield self._judgment(count - 1, row, line)
        if differ:
            self.notes["translations that differ between table and *.mt"] = differ
        if 2 * differ > count:
            raise PfsmError(
                f"{self._files[TABLE]}: {differ} translations differ from those of {self._files[OUTPUT]}; give files "
                "of the same split"
            )

    def _aligned(self) -> Iterator[tuple[Row | None, _Lines]]:
        """Each row of the table, if there is one, with its lines."""
        if self._table is None:
            yield from ((None, line) for line in self._lines())
            return
        for row, line in zip_longest(self._table, self._lines()):
            if row is None or line is None:
                rows = sum(1 for _ in Rows(self._files[TABLE]))
                lines = len(read_lines(self._files[POST_EDITS]))
                raise PfsmError(
                    f"{self._files[TABLE]}: {rows} rows, but {self._files[POST_EDITS]} has {lines} lines; give "
                    "files of the same split"
                )
            yield row, line

    def _lines(self) -> Iterator[_Lines]:
        kinds = [kind for kind in (POST_EDITS, OUTPUT, SOURCES, EDIT_RATES) if kind in self._files]
        for texts in side_by_side([(self._files[kind], "system") for kind in kinds]):
            line = dict(zip(kinds, texts, strict=True))
            yield _Lines(
                line[POST_EDITS], line.get(OUTPUT, ""), line.get(SOURCES, ""), line.get(EDIT_RATES, "")
            )

    def _judgment(self, at: int, row: Row | None, line: _Lines) -> Judgment:
        numbers = self._numbers(at, row, line)
        further = {name: number_text(value) for name, value in numbers.items()}
        if row is not None:
            further["n_raters"] = str(len(_NUMBER.findall(row["scores"])))
            if self._has_model_score:
                further["nmt_logprob"] = row[_MODEL_SCORE]
        split = self._files[POST_EDITS].name.partition(".")[0]
        table_source, table_output = ("", "") if row is None else (row["original"], row["translation"])
        score = numbers[self._score]
        return Judgment(
            references=(line.post_edit,),
            source=line.source if SOURCES in self._files else table_source,
            test_set=self._test_set,
            source_lang=self._pair[0],
            target_lang=self._pair[1],
            document=self._documents[at] if self._documents else "",
            segment_id=f"{self._test_set}.{split}.{at if row is None else row['index'].strip()}",
            system=SYSTEM,
            hypothesis=line.output if OUTPUT in self._files else table_output,
            score=0.0 - score if self._score == "hter" else score,
            further=further,
            line=at + 1 if row is None else row.line,
        )

    def _numbers(self, at: int, row: Row | None, line: _Lines) -> dict[str, float]:
        numbers = {} if row is None else {"da_raw": row.number("mean"), "da_z": row.number("z_mean")}
        if EDIT_RATES in self._files:
            rate = finite_number(line.edit_rate)
            if rate is None or rate < 0:
                raise PfsmError(
                    f"{self._files[EDIT_RATES]}:{at + 1}: {shown(line.edit_rate)}, an edit rate of 0 or more is needed"
                )
            numbers["hter"] = rate
        return numbers


def _languages(files: Mapping[str, Path], options: Options) -> tuple[str, str]:
    found = ("", "")
    for path in files.values():
        match = _PAIR_IN_TABLE_NAME.search(path.name)
        pair = (match[1], match[2]) if match and path.name.endswith((TABLE, f"{TABLE}.gz")) else None
        found = pair or (found if all(found) else pair_in_name(path.absolute().parent.name) or found)
    return language_code(options.source_lang) or found[0], language_code(options.target_lang) or found[1]


def _documents(files: Mapping[str, Path]) -> tuple[str, ...]:
    """The document of each segment; a header line, which some of the files have, is dropped."""
    if DOCUMENTS not in files:
        return ()
    names = segments_of(files[DOCUMENTS], "source")
    count = len(read_lines(files[POST_EDITS]))
    names = names[1:] if len(names) == count + 1 else names
    check_parallel(files[DOCUMENTS], len(names), files[POST_EDITS], count)
    return names


def _bare(text: str) -> str:
    """A text without what tokenisers leave behind: blanks and escaped characters."""
    return "".join(unescape(text).split())
