"""Plain files that are parallel line by line: system outputs, references, scores."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING

from pfsm.data.formats.records import Judgment, Options, Reading, layout
from pfsm.data.formats.rows import language_code
from pfsm.data.formats.texts import check_parallel, document_names, segments_of, system_name
from pfsm.data.table import finite_number, shown
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name

if TYPE_CHECKING:
    from pfsm.data.formats.markup import Role

_MISSING = "None"


def read_parallel_text(paths: Sequence[StrPath], options: Options) -> Reading:
    """Reads system outputs, one file per system, each with a file of scores.

    A segment whose score is ``None`` is left out.
    """
    if not options.references:
        raise PfsmError("plain files hold no references; give them with --references FILE")
    if len(options.scores) != len(paths):
        raise PfsmError(
            f"{len(paths)} files of translations and {len(options.scores)} of scores; give a file of scores with "
            "--scores for each, in the same order"
        )
    documents = document_names(options.documents) if options.documents else ()
    names = [(name, bool(getattr(options, name))) for name in ("test_set", "source_lang", "target_lang")]
    present = ["segment_id", "system", *(name for name, there in names if there)]
    present += ["document"] * bool(documents) + ["source"] * bool(options.sources)
    notes: Counter[str] = Counter()

    def records() -> Iterator[Judgment]:
        for path, scores in zip(paths, options.scores, strict=True):
            yield from _judgments(path, scores, documents, options, notes)

    return Reading(Judgment, layout(Judgment, present, len(options.references)), records(), notes)


def side_by_side(files: Sequence[tuple[StrPath, "Role"]]) -> Iterator[tuple[str, ...]]:
    """Segment i of every file, for every i."""
    streams = list(starmap(segments_of, files))
    for (path, _), found in zip(files[1:], streams[1:], strict=True):
        check_parallel(path, len(found), files[0][0], len(streams[0]))
    yield from zip(*streams, strict=True)


def _judgments(
    path: StrPath,
    scores: StrPath,
    documents: Sequence[tuple[str, str]],
    options: Options,
    notes: Counter[str],
) -> Iterator[Judgment]:
    pair = (language_code(options.source_lang), language_code(options.target_lang))
    system = system_name(Path(path).name, *pair)
    prefix = f"{options.test_set}." if options.test_set else ""
    sources = [options.sources] if options.sources else []
    number = 0
    for number, (*references, hypothesis, score, source) in enumerate(_lines(path, scores, options), start=1):
        if number > len(documents) > 0:
            break
        value = finite_number(score)
        if score.strip() == _MISSING:
            notes["segments without a score left out"] += 1
            continue
        if value is None:
            raise PfsmError(
                f"{display_name(scores)}:{number}: score is {shown(score)}, a finite number (or None) is needed"
            )
        yield Judgment(
            references=tuple(references),
            source=source if sources else "",
            test_set=options.test_set,
            source_lang=pair[0],
            target_lang=pair[1],
            document=documents[number - 1][1] if documents else "",
            segment_id=f"{prefix}{number}",
            system=system,
            hypothesis=hypothesis,
            score=value + 0.0,
            line=number,
        )
    if documents:
        check_parallel(options.documents, len(documents), path, number)


def _lines(path: StrPath, scores: StrPath, options: Options) -> Iterator[tuple[str, ...]]:
    """References, hypothesis, score and source (the hypothesis again if there is no source)."""
    files: list[tuple[StrPath, Role]] = [(file, "reference") for file in options.references]
    files += [(path, "system"), (scores, "system")]
    if not options.sources:
        return ((*lines, "") for lines in side_by_side(files))
    return side_by_side([*files, (options.sources, "source")])
