"""Files that are parallel line by line: system outputs with references and scores, and those of MLQE-PE.

*MLQE-PE*, direct assessments of NMT output and post-edits of the same sentences: ``direct-assessments`` has
``SPLIT.LP.df.short.tsv`` with ``index original translation scores mean z_scores z_mean model_scores`` and perhaps
``SPLIT.doc_ids``; ``post-editing`` has ``SPLIT.src``, ``.mt``, ``.pe`` and ``.hter``, parallel to it and tokenised. The
reference is the post-edit of the translation itself.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from pathlib import Path

from pfsm.data.formats.records import Judgment, Options, Reading, gathered, number_text
from pfsm.data.formats.rows import Row, language_code, need, pair_in_name, rows_of
from pfsm.data.formats.texts import SegmentTexts, load_texts, system_name
from pfsm.data.segments import check_parallel, segments_of
from pfsm.data.table import read_table
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name, reading_explained

_MISSING = "None"


def read_parallel_text(paths: Sequence[StrPath], options: Options) -> Reading:
    """Reads system outputs, one file per system, each with a file of scores.

    A segment whose score is ``None`` is left out.
    """
    if len(options.scores) != len(paths):
        raise PfsmError(
            f"{len(paths)} files of translations and {len(options.scores)} of scores; give a file of scores with "
            "--scores for each, in the same order"
        )
    texts = load_texts(options, f"{display_name(paths[0])} (parallel)")
    notes: Counter[str] = Counter()
    records = (
        record
        for path, scores in zip(paths, options.scores, strict=True)
        for record in _of_system(path, scores, texts, options, notes)
    )
    return gathered(Judgment, records, notes)


def _of_system(
    path: StrPath, scores: StrPath, texts: SegmentTexts, options: Options, notes: Counter[str]
) -> Iterator[Judgment]:
    pair = (language_code(options.source_lang), language_code(options.target_lang))
    streams = [segments_of(file, "system") for file in (path, scores)]
    for file, stream in zip((path, scores), streams, strict=True):
        check_parallel(file, len(stream), texts.first_path, len(texts))
    for at, (hypothesis, score) in enumerate(zip(*streams, strict=True)):
        if score.strip() == _MISSING:
            notes["segments without a score left out"] += 1
            continue
        row = Row(display_name(scores), at + 1, {"score": score})
        yield Judgment(
            **texts.of(at, options.test_set),
            source_lang=pair[0],
            target_lang=pair[1],
            system=system_name(Path(path).name, *pair),
            hypothesis=hypothesis,
            score=row.number("score"),
            line=at + 1,
        )


SYSTEM, TEST_SET = "mlqe-nmt", "mlqe-pe"
POST_EDITS, OUTPUT, SOURCES, EDIT_RATES, DOCUMENTS, TABLE = ".pe", ".mt", ".src", ".hter", ".doc_ids", ".tsv"
_KINDS = (POST_EDITS, OUTPUT, SOURCES, EDIT_RATES, DOCUMENTS, TABLE)
_TABLE_COLUMNS = ("index", "original", "translation", "scores", "mean", "z_mean")
_MODEL_SCORE = "model_scores"
_PAIR_IN_TABLE_NAME = re.compile(r"\.([a-z]{2})([a-z]{2})\.")
_NUMBER = re.compile(r"[^\[\],\s]+")
Line = Mapping[str, str]
"""The same line of all the files, by kind."""


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
    scores = ["da_raw", "da_z"] * (TABLE in files) + ["hter"] * (EDIT_RATES in files)
    chosen = options.score_column or next(iter(scores), "")
    if chosen not in scores:
        there = ", ".join(scores) or "none: give the table (*.tsv) or the edit rates (*.hter)"
        raise PfsmError(f"{files[POST_EDITS]}: no score {chosen!r}; there is {there}")
    if OUTPUT not in files and TABLE not in files:
        raise PfsmError(f"{files[POST_EDITS]}: no translations (*.mt or the table *.tsv); give them too")
    lines = {
        kind: segments_of(files[kind], "system")
        for kind in (POST_EDITS, OUTPUT, SOURCES, EDIT_RATES)
        if kind in files
    }
    count = len(lines[POST_EDITS])
    for kind, stream in lines.items():
        check_parallel(files[kind], len(stream), files[POST_EDITS], count)
    rows: Sequence[Row | None] = _rows(files, count) if TABLE in files else [None] * count
    notes: Counter[str] = Counter()
    differ = sum(
        row is not None and _bare(row["translation"]) != _bare(text)
        for row, text in zip(rows, lines.get(OUTPUT, ()), strict=False)
    )
    if differ:
        notes["translations that differ between table and *.mt"] = differ
    if 2 * differ > count:
        raise PfsmError(
            f"{files[TABLE]}: {differ} translations differ from those of {files[OUTPUT]}; give files "
            "of the same split"
        )
    place = {"test_set": options.test_set or TEST_SET, **_languages(files, options)}
    documents = _documents(files, count)
    records = (
        _judgment(
            at,
            row,
            {kind: stream[at] for kind, stream in lines.items()},
            files,
            chosen,
            {**place, **({"document": documents[at]} if documents else {})},
        )
        for at, row in enumerate(rows)
    )
    return gathered(Judgment, records, notes)


def _rows(files: Mapping[str, Path], count: int) -> list[Row]:
    """The rows of the table, one for each segment."""
    table = read_table(files[TABLE])
    need(table, _TABLE_COLUMNS)
    if len(table) != count:
        raise PfsmError(
            f"{files[TABLE]}: {len(table)} rows, but {files[POST_EDITS]} has {count} lines; give "
            "files of the same split"
        )
    return list(rows_of(table))


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


def _judgment(
    at: int, row: Row | None, line: Line, files: Mapping[str, Path], chosen: str, place: Mapping[str, str]
) -> Judgment:
    numbers = {} if row is None else {"da_raw": row.number("mean"), "da_z": row.number("z_mean")}
    if EDIT_RATES in line:
        rate = Row(display_name(files[EDIT_RATES]), at + 1, {"hter": line[EDIT_RATES]})
        numbers["hter"] = rate.number("hter", 0.0)
    further = {name: number_text(value) for name, value in numbers.items()}
    if row is not None:
        further["n_raters"] = str(len(_NUMBER.findall(row["scores"])))
        if _MODEL_SCORE in row.fields:
            further["nmt_logprob"] = row[_MODEL_SCORE]
    fields: Mapping[str, str] = {} if row is None else row.fields
    number = str(at) if row is None else row["index"].strip()
    return Judgment(
        **place,
        references=(line[POST_EDITS],),
        source=line.get(SOURCES, fields.get("original", "")),
        segment_id=f"{place['test_set']}.{files[POST_EDITS].name.partition('.')[0]}.{number}",
        system=SYSTEM,
        hypothesis=line.get(OUTPUT, fields.get("translation", "")),
        score=0.0 - numbers["hter"] if chosen == "hter" else numbers[chosen],
        further=further,
        line=at + 1 if row is None else row.line,
    )


def _languages(files: Mapping[str, Path], options: Options) -> dict[str, str]:
    """Those that are known, by the name of the column."""
    found = ("", "")
    for path in files.values():
        match = _PAIR_IN_TABLE_NAME.search(path.name)
        pair = (match[1], match[2]) if match and path.name.endswith((TABLE, f"{TABLE}.gz")) else None
        found = pair or (found if all(found) else pair_in_name(path.absolute().parent.name) or found)
    languages = {
        "source_lang": language_code(options.source_lang) or found[0],
        "target_lang": language_code(options.target_lang) or found[1],
    }
    return {name: code for name, code in languages.items() if code}


def _documents(files: Mapping[str, Path], count: int) -> tuple[str, ...]:
    """The document of each segment; a header line, which some of the files have, is dropped."""
    if DOCUMENTS not in files:
        return ()
    names = segments_of(files[DOCUMENTS], "source")
    names = names[1:] if len(names) == count + 1 else names
    check_parallel(files[DOCUMENTS], len(names), files[POST_EDITS], count)
    return names


def _bare(text: str) -> str:
    """A text without what tokenisers leave behind: blanks and escaped characters."""
    return "".join(unescape(text).split())
