"""Segment scores of WMT's direct assessment: ``SYS SID RAW.SCR Z.SCR N``, separated by spaces.

``SID`` counts segments from 1. Up to 2020 it counts the lines of the test set. In 2021 and 2022 it counts the segments
document by document, with the documents in the order of their names. That is not the order in the files (checked
against the published Icelandic-English scores of 2021).
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from pfsm.data.formats.records import Judgment, Options, Reading, layout, number_text
from pfsm.data.formats.rows import Row, Rows, language_code, pair_in_name
from pfsm.data.formats.texts import SegmentTexts, SystemOutputs, load_texts, unknown_system
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name

_SYSTEM, _SEGMENT, _RAW, _STANDARD, _COUNT = "SYS", "SID", "RAW.SCR", "Z.SCR", "N"
_SCORES = {"da_raw": _RAW, "da_z": _STANDARD}
_BY_DOCUMENT = re.compile(r"(?:wmt|test)(?:20)?2[12](?![0-9])", re.IGNORECASE)


def read_direct_assessments(paths: Sequence[StrPath], options: Options) -> Reading:
    """Reads segment scores of direct assessment and the texts that they refer to.

    The score is ``da_raw`` (0 to 100, the default) or ``da_z``, chosen by `Options.score_column`. Both become columns,
    and so does ``n_raters``. Language pairs not given by the options are taken from the names of the files.
    """
    column = options.score_column or "da_raw"
    if column not in _SCORES:
        raise PfsmError(f"--score-column {column}: direct assessments have da_raw and da_z")
    texts = load_texts(options, f"{display_name(paths[0])} (wmt-da)")
    order = _order(texts, paths, options)
    tables = [Rows(path, "space") for path in paths]
    for table in tables:
        table.need([_SYSTEM, _SEGMENT, _RAW, _STANDARD, _COUNT])
    pairs = [_pair(path, options) for path in paths]
    present = ["segment_id", "system", *texts.present, *["test_set"] * bool(options.test_set)]
    present += ["source_lang"] * any(pair[0] for pair in pairs) + ["target_lang"] * any(
        pair[1] for pair in pairs
    )
    columns = layout(Judgment, present, len(texts.references), [*_SCORES, "n_raters"])
    notes: Counter[str] = Counter()

    def records() -> Iterator[Judgment]:
        for table, pair in zip(tables, pairs, strict=True):
            outputs = SystemOutputs(options.system_outputs, texts, *pair)
            for row in table:
                found = _system(row, outputs, options, notes)
                if found is not None:
                    yield _judgment(row, found, outputs.lines_of(found), texts, order, pair, options)

    return Reading(Judgment, columns, records(), notes)


def document_order(documents: Sequence[str]) -> list[int]:
    """Segments document by document, sorted by document name (by code point), and in file order within a document.

    Args:
        documents: the document of each segment.

    Returns:
        For each position in that order the segment's number, both counted from 0.
    """
    return sorted(range(len(documents)), key=lambda index: documents[index])


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
    return document_order(documents)


def _pair(path: StrPath, options: Options) -> tuple[str, str]:
    found = pair_in_name(display_name(path)) or ("", "")
    return language_code(options.source_lang) or found[0], language_code(options.target_lang) or found[1]


def _system(row: Row, outputs: SystemOutputs, options: Options, notes: Counter[str]) -> str | None:
    found = outputs.find(row[_SYSTEM])
    if found is None:
        if not options.skip_unknown_systems:
            raise row.fault(unknown_system(row[_SYSTEM], outputs.names))
        notes["judgments of systems without output left out"] += 1
    return found


def _judgment(
    row: Row,
    system: str,
    output: Sequence[str],
    texts: SegmentTexts,
    order: Sequence[int],
    pair: tuple[str, str],
    options: Options,
) -> Judgment:
    number = row.whole(_SEGMENT)
    texts.check_index(number - 1, row, _SEGMENT)
    at = order[number - 1]
    scores = {name: row.number(column) for name, column in _SCORES.items()}
    further = {name: number_text(score) for name, score in scores.items()}
    return Judgment(
        references=texts.references_of(at),
        source=texts.source_of(at),
        test_set=options.test_set,
        source_lang=pair[0],
        target_lang=pair[1],
        document=texts.document_of(at),
        segment_id=f"{options.test_set}.{at + 1}" if options.test_set else str(at + 1),
        system=system,
        hypothesis=output[at],
        score=scores[options.score_column or "da_raw"],
        further=further | {"n_raters": str(row.whole(_COUNT))},
        line=row.line,
    )
