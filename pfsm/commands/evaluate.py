"""``pfsm evaluate``: how well a metric's scores agree with human judgments."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from pfsm.commands import evaluate_spans
from pfsm.commands.arguments import (
    Sharing,
    add_format,
    add_resamples,
    add_scheduler,
    add_signature,
    add_threads,
    given_scorers,
    note_skipped,
    sharing,
)
from pfsm.commands.evaluation_sources import (
    DEFAULT_GROUPING,
    Inputs,
    Scorer,
    Source,
    add_source,
    check_one_source,
    open_named,
    open_source,
    pools,
    read_inputs,
    read_mtme,
    signatures_at_level,
    take_language,
)
from pfsm.commands.evaluation_tasks import (
    BOOTSTRAP,
    CORRELATIONS,
    KING,
    PERM_BOTH,
    Task,
    check_level,
    level_of,
    scorer_for_likeness,
    statistic_names,
    statistics_document,
    tasks_of,
    versus_document,
)
from pfsm.commands.evaluation_text import print_document
from pfsm.commands.parsers import add_skipping
from pfsm.data import Table, overlap
from pfsm.data.judgments import all_references
from pfsm.errors import PfsmError
from pfsm.evaluation import canonical, default_seed, preference_counts
from pfsm.evaluation.catalogue import LEVELS, PREFERENCES, SYSTEM
from pfsm.evaluation.people import FITS, SYSTEM_SCORES
from pfsm.evaluation.questions import PREFERENCE, RESAMPLES, SEGMENTS

OF_SEGMENTS = ("spa", "significant", "ceiling", "accuracy-50", "accuracy-100", "accuracy-200")
"""Statistics of systems that people's scores of segments tell, not those of systems."""
USUAL = {"kendall_tau": "Kendall tau"}
TESTS = {BOOTSTRAP: "paired bootstrap", PERM_BOTH: "PERM-BOTH"}


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "data", nargs="+", metavar="DATA.tsv",
        help="reference, hypothesis and a score, or reference, better and worse; .gz is read",
    )  # fmt: skip
    parser.add_argument(
        "--mtme",
        metavar="DIR",
        help="folder of mt-metrics-eval; DATA is a test set, a language pair and maybe references (wmt24 en-de refA), "
        "--column and --versus column: name metrics of metric-scores",
    )
    add_source(parser)
    add_skipping(parser)
    parser.add_argument(
        "--score-column",
        metavar="NAME",
        help="column with the human scores (default: score); with --mtme their name (default: mqm, esa, …)",
    )
    parser.add_argument(
        "--by",
        metavar="COLUMN",
        help=f"for each value of this column (default: {DEFAULT_GROUPING} if every file has it)",
    )
    parser.add_argument(
        "--tau", type=canonical, choices=("wmt12", "wmt13"),
        help="of preferences: ties of the metric count against it (wmt12, the default) or are left out (wmt13)",
    )  # fmt: skip
    parser.add_argument(
        "--statistics",
        metavar="LIST",
        help="such as pearson,acc-t, instead of the default ones (docs/evaluation.md)",
    )
    parser.add_argument(
        "--level", choices=LEVELS, metavar="LEVEL",
        help="agreement about translations of a segment (default) or a document, or about a system (columns document, "
        "system; of preferences better_system, worse_system)",
    )  # fmt: skip
    parser.add_argument(
        "--system-scores", choices=(*FITS, *SYSTEM_SCORES), metavar="KIND",
        help="people's, of systems: least-squares (default) or means of scores; of preferences won (WMT12) or "
        "expected-wins (WMT13; default)",
    )  # fmt: skip
    parser.add_argument(
        "--versus",
        metavar="SCORES",
        help="test against another MODEL, metric:NAME, column:NAME or scores:FILE: who agrees more with people?",
    )
    parser.add_argument(
        "--test", choices=tuple(TESTS), metavar="TEST",
        help="for --versus: paired bootstrap (default), or perm-both for absolute scores",
    )  # fmt: skip
    parser.add_argument(
        "--resample", choices=RESAMPLES, metavar="UNIT",
        help="what is drawn: segments (default; of documents and systems, documents), judgments, documents or systems",
    )  # fmt: skip
    parser.add_argument(
        "--spans", nargs="?", const="", metavar="FILE",
        help="instead: how well the model, or FILE of `pfsm score --spans`, finds the errors that experts marked",
    )  # fmt: skip
    add_signature(parser)
    add_format(parser, "text", "json")
    add_resamples(parser)
    add_threads(parser)
    add_scheduler(parser)


def run(options: Namespace) -> None:
    """Reads, scores, measures, prints."""
    given = given_scorers(options)
    if options.spans is not None:
        if len(given) > 1:
            raise PfsmError("--spans is about one model; give one")
        evaluate_spans.run(_of(options, given))
        return
    with sharing(options.scheduler) as shared:
        _run(options, given, shared)


def _of(options: Namespace, scorer: Sequence[tuple[str, str]]) -> Namespace:
    """The options for one model or metric."""
    return Namespace(**vars(options) | dict(scorer))


def _run(options: Namespace, given: Sequence[tuple[str, str]], shared: Sharing) -> None:
    several = [_of(options, [one]) for one in given] or [options]
    for one in several:
        check_one_source(one)
    level = level_of(options.statistics, options.level)
    inputs = _read(options, level)
    # Everything is read, opened and checked before the long work begins.
    for one in several:
        take_language(one, inputs)
    sources = [open_source(one, shared) for one in several]
    found = [
        _evaluated(one, inputs, level, source, shared) for one, source in zip(several, sources, strict=True)
    ]
    if options.format == "json":
        documents = [document for document, _ in found]
        print(
            json.dumps(
                documents if given[1:] else documents[0], indent=1, ensure_ascii=False, allow_nan=False
            )
        )
        return
    for place, (document, headings) in enumerate(found):
        if place:
            print()
        print_document(document, headings, long=options.signature == "long")


def _evaluated(
    options: Namespace, inputs: Inputs, level: str, source: Source, shared: Sharing
) -> tuple[dict[str, Any], dict[str, dict[str, str]]]:
    """What is found about one model, metric, column or file of scores, and what text calls its statistics."""
    seed = default_seed()
    other = None if options.versus is None else open_named(options.versus, options, shared)
    _check_fit(options, inputs)
    check_level(inputs, level)
    _check_ranked(options, inputs, level)
    names = None if options.statistics is None else statistic_names(options.statistics, inputs, level)
    parts = _parts(options, inputs, level, names)
    for part, one in product([part for part, _ in parts], filter(None, (source, other))):
        one.check(part)
        if isinstance(one, Scorer):
            one.check_text(part, options)
    _check_measured(options, inputs, names, (source, other))
    _check_swapped(options, level, (source, other))
    tasks = [
        task
        for part, asked in parts
        for task in tasks_of(part, level, asked, options.tau, options.resample, options.system_scores)
    ]
    warnings = _warnings(source, inputs)
    for warning in warnings + ([] if other is None else _warnings(other, inputs)):
        print(f"pfsm: warning: {warning}", file=sys.stderr)
    document: dict[str, Any] = {
        "name": source.name,
        **signatures_at_level(source, inputs, level),
        "by": inputs.by,
        "seed": seed,
        "resamples": options.confidence_n,
        "warnings": warnings,
        **({"segments_left_out": list(inputs.left_out)} if inputs.left_out else {}),
    }
    scores = [task.scores(source) for task in tasks]
    for task, metric in zip(tasks, scores, strict=True):
        found = statistics_document(task.question, task.statistics, metric, options.confidence_n, seed)
        if names is None and task.question.kind == PREFERENCE:
            found = _usual_pairs(found, task, metric, options.tau)
        kind = task.question.kind
        document[kind] = _joined(document[kind], found) if kind in document else found
    if other is not None:
        signatures = signatures_at_level(other, inputs, level)
        document["versus"] = _versus(options, tasks, scores, other, signatures, seed)
    headings = {
        task.question.kind: {key: name for one in tasks for key, name in one.headings.items()} | USUAL
        for task in tasks
    }
    return document, headings


def _read(options: Namespace, level: str) -> Inputs:
    if options.mtme is not None:
        found = read_mtme(options, systems=level == SYSTEM)
    else:
        column, anywhere = options.score_column or "score", options.scheduler is not None
        skip = options.skip_missing_references
        found = read_inputs(options.data, column, options.by, anywhere=anywhere, skip=skip)
    note_skipped(len(found.left_out), sum(map(len, found.tables)) + len(found.left_out), options)
    return found


def _parts(
    options: Namespace, inputs: Inputs, level: str, names: list[str] | None
) -> list[tuple[Inputs, list[str] | None]]:
    """What is read, each with the statistics of it; None: the usual ones."""
    if options.mtme is None or level != SYSTEM:
        return [(inputs, names)]
    # Its numbers are of segments, whatever documents there are.
    options.resample = options.resample or SEGMENTS
    asked = [*CORRELATIONS, "accuracy"] if names is None else names
    of_segments = [name for name in asked if name in OF_SEGMENTS]
    rest = [name for name in asked if name not in of_segments]
    found: list[tuple[Inputs, list[str] | None]] = [(inputs, rest)] if rest else []
    return [*found, (read_mtme(options, systems=False), of_segments)] if of_segments else found


def _versus(
    options: Namespace,
    tasks: Sequence[Task],
    scores: Sequence[Any],
    other: Source,
    signatures: Mapping[str, str | None],
    seed: int,
) -> dict[str, Any]:
    document: dict[str, Any] = {"name": other.name, **signatures, "test": TESTS[options.test]}
    for task, metric in zip(tasks, scores, strict=True):
        metrics = metric, task.scores(other)
        found = versus_document(
            task.question, task.statistics, metrics, options.test, options.confidence_n, seed
        )
        document[task.question.kind] = document.get(task.question.kind, {}) | found
    return document


def _joined(document: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Statistics of two tasks about the same groups, as one document; what they are of is told by the first."""
    groups = zip(document["groups"], other["groups"], strict=True)
    mean = other["mean"] | document["mean"]
    return document | {"groups": [more | group for group, more in groups], "mean": mean}


def _usual_pairs(document: dict[str, Any], task: Task, metric: Any, tau: str) -> dict[str, Any]:
    """The usual table of preferences: whichever tau it is stands under one key, and votes are counted."""
    votes = task.question.items.votes
    for entry in (*document["groups"], document["mean"]):
        entry["kendall_tau"] = entry.pop(tau)
    for entry in document["groups"]:
        rows = task.question.members[entry["group"]]
        better, worse = metric[rows].T
        counts = preference_counts(better, worse, votes[rows])
        entry |= {"concordant": counts.concordant, "discordant": counts.discordant, "ties": counts.ties}
    return {"tau": tau, **document}


def training_overlap(training: Mapping[str, Any], tables: Sequence[Table]) -> list[str]:
    """Sentences about files, or references in files, that the model was trained on."""
    known = {str(entry.get("sha256")) for entry in training.get("data", []) if isinstance(entry, Mapping)}
    digests = str(training.get("reference_digests", ""))
    warnings = []
    for table in tables:
        named = table.columns.get("reference", ())
        references = {line for several in all_references(named, table.columns) for line in several}
        if table.checksum in known:
            warnings.append(
                f"{table.path}: the model was trained on this very file; its agreement here says little"
            )
        elif seen := overlap(references, digests):
            warnings.append(
                f"{table.path}: {seen} of its {len(references)} references {'is' if seen == 1 else 'are'} in the "
                "model's training data"
            )
    return warnings


def _warnings(source: Source, inputs: Inputs) -> list[str]:
    if not isinstance(source, Scorer) or source.model is None:
        return []
    return training_overlap(source.model.model.training, inputs.tables)


def _check_swapped(options: Namespace, level: str, sources: Sequence[Source | None]) -> None:
    for source in sources:
        if options.test == PERM_BOTH and level == SYSTEM and source is not None and pools(source, level):
            raise PfsmError(
                f"--test perm-both swaps scores of segments between metrics, but {source.name} pools counts to score "
                "systems; take the bootstrap, or give scores of segments with --scores or --column"
            )


def _check_fit(options: Namespace, inputs: Inputs) -> None:
    if options.mtme is not None and options.scheduler is not None:
        raise PfsmError("--mtme reads a folder of this machine; leave --scheduler out")
    if options.score_column is not None and inputs.absolute is None:
        raise PfsmError(f"--score-column {options.score_column}: preferences have no scores; leave it out")
    if options.tau is not None and inputs.pairwise is None:
        raise PfsmError(
            f"--tau needs pairwise preferences, but {inputs.absolute_tables[0].path} has absolute scores; "
            "see --statistics kendall"
        )
    if options.test is not None and options.versus is None:
        raise PfsmError(f"--test {options.test}: give what to test against with --versus")
    options.tau = options.tau or "wmt12"
    options.test = options.test or BOOTSTRAP


def _check_ranked(options: Namespace, inputs: Inputs, level: str) -> None:
    scores = options.system_scores
    data, kind = (inputs.absolute, "scores") if scores in FITS else (inputs.pairwise, "preferences")
    if scores is not None and (data is None or level != SYSTEM):
        raise PfsmError(f"--system-scores {scores}: is for {kind} at --level system; leave it out")


def _check_measured(
    options: Namespace, inputs: Inputs, names: Sequence[str] | None, sources: Sequence[Source | None]
) -> None:
    swapped = options.versus is not None and options.test == PERM_BOTH
    if (
        swapped
        and inputs.pairwise is not None
        and (names is None or any(name in PREFERENCES for name in names))
    ):
        raise PfsmError("--test perm-both is for absolute scores; preferences take the bootstrap")
    if KING in (names or ()):
        for source in sources:
            if source is not None:
                scorer_for_likeness(source)
        if swapped:
            raise PfsmError(f"--test perm-both swaps scores of translations; {KING} takes the bootstrap")
