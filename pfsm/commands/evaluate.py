"""``pfsm evaluate``: how well a metric's scores agree with human judgments."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.commands.arguments import add_format, add_resamples, add_scheduler, add_threads
from pfsm.commands.clusters import Sharing, sharing
from pfsm.commands.evaluation_inputs import DEFAULT_GROUPING, Inputs, read_inputs
from pfsm.commands.evaluation_likeness import (
    HEADING,
    KING,
    Cases,
    likeness_cases,
    likeness_document,
    likeness_versus,
    scorer_for_likeness,
)
from pfsm.commands.evaluation_sources import Scorer, Source, add_source, open_named, open_source
from pfsm.commands.evaluation_statistics import (
    BY_LEVEL,
    Task,
    absolute_task,
    check_level,
    pairwise_task,
    statistic_names,
    statistics_document,
)
from pfsm.commands.evaluation_text import print_document
from pfsm.commands.evaluation_usual import HEADINGS, usual_correlation, usual_preference
from pfsm.commands.evaluation_versus import BOOTSTRAP, PERM_BOTH, versus_document
from pfsm.data import Table, overlap
from pfsm.errors import PfsmError
from pfsm.evaluation import default_seed
from pfsm.evaluation.catalogue import DOCUMENT_LEVEL, PREFERENCES, SEGMENT_LEVEL, SYSTEM_LEVEL

TESTS = {BOOTSTRAP: "paired bootstrap", PERM_BOTH: "PERM-BOTH"}


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "data",
        nargs="+",
        metavar="DATA.tsv",
        help="files with reference, hypothesis and a score, or with reference, better and worse; .gz is read",
    )
    add_source(parser)
    parser.add_argument("--score-column", metavar="NAME", help="people's; default: score")
    parser.add_argument(
        "--by",
        metavar="COLUMN",
        help=f"group by this column (default: {DEFAULT_GROUPING} where every file has it)",
    )
    parser.add_argument(
        "--tau",
        choices=("wmt12", "wmt13"),
        help="Kendall tau of preferences: metric ties count as discordant (wmt12, the default) or are left out (wmt13)",
    )
    parser.add_argument(
        "--statistics",
        metavar="NAME[,NAME…]",
        help=f"instead of the usual ones; absolute scores: {', '.join(SEGMENT_LEVEL)}, {KING}; documents: "
        f"{', '.join(DOCUMENT_LEVEL)}; systems: {', '.join(SYSTEM_LEVEL)}; preferences: {', '.join(PREFERENCES)}",
    )
    parser.add_argument(
        "--level",
        choices=tuple(BY_LEVEL),
        default="segment",
        help="agreement about translations of segments (default), of documents (columns document, system), or about "
        "systems (column system)",
    )
    parser.add_argument(
        "--versus",
        metavar="MODEL|metric:NAME|column:NAME|scores:FILE",
        help="test the difference to another metric",
    )
    parser.add_argument(
        "--test",
        choices=tuple(TESTS),
        help="of --versus: paired bootstrap (default), or PERM-BOTH, for absolute scores",
    )
    add_format(parser, "text", "json")
    add_resamples(parser)
    add_threads(parser)
    add_scheduler(parser)


def run(options: Namespace) -> None:
    """Reads, scores, measures, prints."""
    with sharing(options.scheduler) as shared:
        _run(options, shared)


def _run(options: Namespace, shared: Sharing) -> None:
    seed = default_seed()
    source = open_source(options, shared)
    other = None if options.versus is None else open_named(options.versus, options.threads, shared)
    # Everything is read and checked before the long work begins.
    inputs = read_inputs(
        options.data, options.score_column or "score", options.by, anywhere=options.scheduler is not None
    )
    _check_fit(options, inputs)
    check_level(inputs, options.level)
    for one in (source, other):
        if one is not None:
            one.check(inputs)
    tasks, cases = _tasks(options, inputs), _cases(options, inputs, (source, other))
    warnings = _warnings(source, inputs)
    for warning in warnings + ([] if other is None else _warnings(other, inputs)):
        print(f"pfsm: warning: {warning}", file=sys.stderr)
    scores = _scores(source, inputs)
    document: dict[str, Any] = {
        "name": source.name,
        "signature": source.signature,
        "by": inputs.by,
        "seed": seed,
        "resamples": options.confidence_n,
        "warnings": warnings,
    }
    headings: dict[str, Mapping[str, str]] = {"likeness": HEADING}
    if _is_usual(options):
        document |= _usual(options, inputs, scores, seed)
        headings |= {"correlation": HEADINGS, "preference": HEADINGS}
    else:
        document |= {
            task.kind: statistics_document(task, scores[task.kind], options.confidence_n, seed)
            for task in tasks
        }
        headings |= {task.kind: task.headings for task in tasks}
    if other is not None:
        document["versus"] = _versus(options, inputs, scores, other, tasks, seed)
        headings |= {f"versus {task.kind}": task.headings for task in tasks}
    if cases is not None:
        _add_likeness(document, cases, source, other, options.confidence_n)
    if options.format == "json":
        print(json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False))
    else:
        print_document(document, headings)


def training_overlap(training: Mapping[str, Any], tables: Sequence[Table]) -> list[str]:
    """Sentences about files, or references in files, that the model was trained on."""
    known = {str(entry.get("sha256")) for entry in training.get("data", []) if isinstance(entry, Mapping)}
    digests = str(training.get("reference_digests", ""))
    warnings = []
    for table in tables:
        references = set(table.columns.get("reference", ()))
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


def _check_fit(options: Namespace, inputs: Inputs) -> None:
    """Refuses options that say something about data, or a test, that there is none of; fills in defaults."""
    if options.score_column is not None and inputs.absolute is None:
        raise PfsmError(f"--score-column {options.score_column}: preferences have no scores; leave it out")
    if options.tau is not None and inputs.pairwise is None:
        raise PfsmError(
            "--tau is of preferences (better, worse), and there are none; see --statistics kendall"
        )
    if options.test is not None and options.versus is None:
        raise PfsmError(f"--test {options.test}: give what to test against with --versus")
    options.tau = options.tau or "wmt12"
    options.test = options.test or BOOTSTRAP


def _is_usual(options: Namespace) -> bool:
    return options.statistics is None and options.level == "segment"


def _tasks(options: Namespace, inputs: Inputs) -> list[Task[Any]]:
    """What is to be measured: the statistics asked for, or those of the usual tables."""
    correlations = ["pearson", "spearman", "kendall", *(["accuracy"] if options.level == "system" else [])]
    agreement = ["accuracy", options.tau]
    if options.statistics is not None:
        correlations = agreement = statistic_names(options.statistics, inputs, options.level, [KING])
    found = [absolute_task(inputs, options.level, correlations), pairwise_task(inputs, agreement)]
    tasks: list[Task[Any]] = [task for task in found if task is not None and task.statistics]
    if options.versus is not None and options.test == PERM_BOTH:
        for task in tasks:
            if task.kind == "preference":
                raise PfsmError("--test perm-both is for absolute scores; preferences take the bootstrap")
    return tasks


def _cases(options: Namespace, inputs: Inputs, sources: Sequence[Source | None]) -> Cases | None:
    """The test cases of KING, where it is asked for."""
    if options.statistics is None or KING not in statistic_names(
        options.statistics, inputs, options.level, [KING]
    ):
        return None
    for source in sources:
        if source is not None:
            scorer_for_likeness(source)
    if options.versus is not None and options.test == PERM_BOTH:
        raise PfsmError(f"--test perm-both swaps scores of translations; {KING} takes the bootstrap")
    return likeness_cases(inputs)


def _add_likeness(
    document: dict[str, Any], cases: Cases, source: Source, other: Source | None, n_resamples: int
) -> None:
    one = cases.scores(scorer_for_likeness(source))
    two = one if other is None else cases.scores(scorer_for_likeness(other))
    contests, pooled = cases.contests(one, two)
    document["likeness"] = likeness_document(contests, n_resamples, document["seed"])
    if other is not None:
        document["versus"]["likeness"] = likeness_versus(contests, pooled, n_resamples, document["seed"])


def _scores(source: Source, inputs: Inputs) -> dict[str, NDArray[np.float64]]:
    """A metric's scores of each kind of data there is."""
    scores = {}
    if inputs.absolute is not None:
        scores["correlation"] = source.absolute(inputs)
    if inputs.pairwise is not None:
        scores["preference"] = source.pairwise(inputs)
    return scores


def _usual(
    options: Namespace, inputs: Inputs, scores: Mapping[str, NDArray[np.float64]], seed: int
) -> dict[str, Any]:
    document = {}
    if inputs.absolute is not None:
        document["correlation"] = usual_correlation(
            inputs, inputs.absolute, scores["correlation"], options.confidence_n, seed
        )
    if inputs.pairwise is not None:
        document["preference"] = usual_preference(
            inputs, inputs.pairwise, scores["preference"], options.tau, options.confidence_n, seed
        )
    return document


def _versus(
    options: Namespace,
    inputs: Inputs,
    scores: Mapping[str, NDArray[np.float64]],
    other: Source,
    tasks: Sequence[Task[Any]],
    seed: int,
) -> dict[str, Any]:
    others = _scores(other, inputs)
    return {
        "name": other.name,
        "signature": other.signature,
        "test": TESTS[options.test],
        **{
            task.kind: versus_document(
                task, scores[task.kind], others[task.kind], options.test, options.confidence_n, seed
            )
            for task in tasks
        },
    }
