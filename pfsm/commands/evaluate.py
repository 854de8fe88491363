"""``pfsm evaluate``: how well a metric's scores agree with human judgments."""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from itertools import chain, product
from typing import Any

from pfsm.commands import spans
from pfsm.commands.arguments import note_skipped
from pfsm.commands.evaluation_sources import (
    DEFAULT_GROUPING,
    SOURCES,
    Inputs,
    Scorer,
    Source,
    given_sources,
    open_source,
    pools,
    read_inputs,
    read_mtme,
    signatures_at_level,
    source_named,
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
from pfsm.commands.options import declare
from pfsm.commands.output import print_json, tell
from pfsm.data import Table, overlap
from pfsm.data.segments import all_references
from pfsm.errors import PfsmError
from pfsm.evaluation import canonical, default_seed, preference_counts
from pfsm.evaluation.catalogue import LEVELS, PREFERENCES, SYSTEM
from pfsm.evaluation.people import FITS, SYSTEM_SCORES
from pfsm.evaluation.questions import PREFERENCE, RESAMPLES, SEGMENTS
from pfsm.model.metric import Metric

OF_SEGMENTS = ("spa", "significant", "ceiling")
"""Statistics of systems that people's scores of segments tell, not those of systems."""
USUAL = {"kendall_tau": "Kendall tau"}
TESTS = {BOOTSTRAP: "paired bootstrap", PERM_BOTH: "PERM-BOTH"}


OPTIONS = f"""
data DATA.tsv+  reference, hypothesis and a score, or reference, better and worse; .gz is read
--mtme DIR  folder of mt-metrics-eval; DATA is a test set, a language pair and maybe references (wmt24 en-de refA),
  --column and --versus column: name metrics of metric-scores
{SOURCES.strip()}
@skipping
--score-column NAME  column with the human scores (default: score); with --mtme their name (default: mqm, esa, …)
--by COLUMN  for each value of this column (default: {DEFAULT_GROUPING} if every file has it)
--tau {{wmt12,wmt13}}  of preferences: ties of the metric count against it (wmt12, the default) or are left out (wmt13)
--statistics LIST  such as pearson,acc-t, instead of the default ones (docs/evaluation.md)
--level LEVEL  agreement about translations of a segment (default) or a document, or about a system (columns document,
  system; of preferences better_system, worse_system)
--system-scores KIND  people's, of systems: least-squares (default) or means of scores; of preferences won (WMT12) or
  expected-wins (WMT13; default)
--versus SCORES  test against another MODEL, metric:NAME, column:NAME or scores:FILE: who agrees more with people?
--test TEST  for --versus: paired bootstrap (default), or perm-both for absolute scores
--resample UNIT  what is drawn: segments (default; of documents and systems, documents), judgments, documents or systems
--spans FILE?  instead: how well the model, or FILE of `pfsm score --spans`, finds the errors that experts marked
@signature
@format text json
@resamples
@threads
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    declare(
        parser,
        OPTIONS,
        tau=canonical,
        level=LEVELS,
        system_scores=(*FITS, *SYSTEM_SCORES),
        test=tuple(TESTS),
        resample=RESAMPLES,
        spans={"const": ""},
    )


def run(options: Namespace) -> None:
    """Reads, scores, measures, prints."""
    if options.spans is not None:
        spans.evaluate(options)
        return
    given = given_sources(options)
    level = level_of(options.statistics, options.level)
    inputs = read_inputs(options) if options.mtme is None else read_mtme(options, systems=level == SYSTEM)
    note_skipped(len(inputs.left_out), sum(map(len, inputs.tables)) + len(inputs.left_out), options)
    # Everything is read, opened and checked before the long work begins.
    sources = [open_source(*one, options) for one in take_language(options, inputs, given)]
    other = None if options.versus is None else open_source(*source_named(options.versus), options)
    opened = sources if other is None else [*sources, other]
    _check_fit(options, inputs, level)
    check_level(inputs, level)
    names = None if options.statistics is None else statistic_names(options.statistics, inputs, level)
    parts = _parts(options, inputs, level, names)
    for (part, _), one in product(parts, opened):
        one.check(part, options)
    _check_test(options, inputs, level, names, opened)
    tasks = [
        task
        for part, asked in parts
        for task in tasks_of(part, level, asked, options.tau, options.resample, options.system_scores)
    ]
    found = [_document(options, inputs, level, tasks, source, other) for source in sources]
    if options.format == "json":
        print_json(found if len(given) > 1 else found[0])
        return
    headings = {
        task.question.kind: {key: name for one in tasks for key, name in one.headings.items()} | USUAL
        for task in tasks
    }
    for place, document in enumerate(found):
        if place:
            print()
        print_document(document, headings, long=options.signature == "long")


def _document(
    options: Namespace,
    inputs: Inputs,
    level: str,
    tasks: Sequence[Task],
    source: Source,
    other: Source | None,
) -> dict[str, Any]:
    """What is found about one model, metric, column or file of scores."""
    seed, n = default_seed(), options.confidence_n
    told = [_warnings(one, inputs) for one in (source, other) if one is not None]
    for warning in chain(*told):
        tell(f"warning: {warning}")
    document: dict[str, Any] = {
        "name": source.name,
        **signatures_at_level(source, inputs, level),
        "by": inputs.by,
        "seed": seed,
        "resamples": n,
        "warnings": told[0],
        **({"segments_left_out": list(inputs.left_out)} if inputs.left_out else {}),
    }
    scores = [task.scores(source) for task in tasks]
    for task, metric in zip(tasks, scores, strict=True):
        found = statistics_document(task, metric, n, seed)
        kind = task.question.kind
        if options.statistics is None and kind == PREFERENCE:
            found = _usual_pairs(found, task, metric, options.tau)
        document[kind] = _joined(document[kind], found) if kind in document else found
    if other is not None:
        signatures = signatures_at_level(other, inputs, level)
        versus: dict[str, Any] = {"name": other.name, **signatures, "test": TESTS[options.test]}
        for task, metric in zip(tasks, scores, strict=True):
            metrics = metric, task.scores(other)
            found = versus_document(task, metrics, options.test, n, seed)
            versus[task.question.kind] = versus.get(task.question.kind, {}) | found
        document["versus"] = versus
    return document


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
    if not isinstance(source, Scorer) or not isinstance(source.metric, Metric):
        return []
    return training_overlap(source.metric.model.training, inputs.tables)


def _check_fit(options: Namespace, inputs: Inputs, level: str) -> None:
    """Refuses options that do not go with the data."""
    if options.score_column is not None and inputs.absolute is None:
        raise PfsmError(f"--score-column {options.score_column}: preferences have no scores; leave it out")
    if options.tau is not None and inputs.pairwise is None:
        raise PfsmError(
            f"--tau needs pairwise preferences, but {inputs.tables[0].path} has absolute scores; "
            "see --statistics kendall"
        )
    if options.test is not None and options.versus is None:
        raise PfsmError(f"--test {options.test}: give what to test against with --versus")
    options.tau = options.tau or "wmt12"
    options.test = options.test or BOOTSTRAP
    scores = options.system_scores
    data, kind = (inputs.absolute, "scores") if scores in FITS else (inputs.pairwise, "preferences")
    if scores is not None and (data is None or level != SYSTEM):
        raise PfsmError(f"--system-scores {scores}: is for {kind} at --level system; leave it out")


def _check_test(
    options: Namespace, inputs: Inputs, level: str, names: Sequence[str] | None, sources: Sequence[Source]
) -> None:
    """Refuses what cannot be measured or tested of these scores."""
    swapped = options.versus is not None and options.test == PERM_BOTH
    ranked = inputs.pairwise is not None and (names is None or any(name in PREFERENCES for name in names))
    if swapped and ranked:
        raise PfsmError("--test perm-both is for absolute scores; preferences take the bootstrap")
    if KING in (names or ()):
        for source in sources:
            scorer_for_likeness(source)
        if swapped:
            raise PfsmError(f"--test perm-both swaps scores of translations; {KING} takes the bootstrap")
    for source in sources:
        if swapped and level == SYSTEM and pools(source, level):
            raise PfsmError(
                f"--test perm-both swaps scores of segments between metrics, but {source.name} pools counts to score "
                "systems; take the bootstrap, or give scores of segments with --scores or --column"
            )
