"""``pfsm compare``: which of two or more systems is better, and how sure that is."""

import math
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from pfsm.commands.arguments import check_text, heading, hush, note_skipped, open_scorers, reference_paths
from pfsm.commands.options import check_output, declare
from pfsm.commands.output import NO_INTERVAL, bracketed, print_columns, print_json, tell
from pfsm.comparison import (
    Compared,
    SegmentFacts,
    agreement,
    compare_outputs,
    read_facts,
    side_by_side,
    write_comparison,
)
from pfsm.data import ParallelText, read_parallel
from pfsm.data.formats import guess_format, read_judged
from pfsm.data.formats.texts import read_documents
from pfsm.data.judgments import target_languages
from pfsm.data.segments import check_parallel, others
from pfsm.errors import PfsmError
from pfsm.evaluation import Comparison, PairResult
from pfsm.evaluation.comparison import NO_PREFERENCE, p_text, people_agree, to_settle
from pfsm.io.files import STANDARD_INPUT, atomic_write
from pfsm.io.pages import page_maker
from pfsm.model.shipped import DEFAULT_MODEL, model_for
from pfsm.runtime.terminal import FAINT, GOOD, STRONG, painted

# XML 1.0 cannot hold these, escaped or not.
_NEVER = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


OPTIONS = """
references REF*  reference file(s), one segment a line; .gz is read
--input, -i SYS+  two or more outputs, parallel to REF, or of --table
--table FILE  instead: judgments or annotations of several systems, in any format of `pfsm data convert` that needs no
  options
@test-set
@scorers
@signature
@quiet
@skipping
@strict
@width
@format text json
--html FILE  write one self-contained page to look at, share, sort and search
--segments FILE  a table with a row for each segment: human:SYS for the human scores of a system, and for the page
  source, document (several are drawn whole), source_lang, test_set
--documents FILE  compare by document: a table with a column document, WMT's XML, or mt-metrics-eval's LP.docs, a row or
  segment for each line of REF
--title TITLE  of the page (default: the names of the systems)
--fail-if-worse  end with status 1 if any system is significantly worse than the first one, by any of the metrics
--margin POINTS  with --fail-if-worse or --junit: also if one is worse by more than so much, significantly or not
--junit FILE  write JUnit's XML: a test a system, failed if worse than the first
@resamples
@threads
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    declare(parser, OPTIONS, margin=float)


def run(options: Namespace) -> int:
    """Reads, scores, compares, prints and writes; 1 if ``--fail-if-worse`` finds a system that is."""
    hush(options)
    paths = reference_paths(options)
    if options.table is None and options.input is None and len(paths) == 1:
        options.table, paths = _table(paths[0]), []
    _check(options, paths)
    text, facts, documents = _read(paths, options)
    metrics = open_scorers(options)
    note_skipped(len(text.left_out), len(text.references[0]) + len(text.left_out), options)
    for metric in metrics:
        check_text(metric, text.reference_lines, options)
    outputs = {system.name: system.lines for system in text.systems}
    compared = compare_outputs(
        outputs, text.references, metrics, n_resamples=options.confidence_n, facts=facts, documents=documents
    )
    compared = replace(compared, left_out=text.left_out)
    worse = _worse_systems(compared, options.margin)
    options.status = int(bool(options.fail_if_worse and worse))
    if options.html is not None:
        write_comparison(compared, options.html, options.title or "")
    if options.junit is not None:
        _write_junit(compared, worse, options.junit)
    _print(compared, options)
    if options.html is not None and not options.quiet:
        tell(f"the page is {options.html}")
    for line in worse.values() if options.fail_if_worse else ():
        tell(line)
    return int(options.status)


def _read(
    paths: Sequence[str], options: Namespace
) -> tuple[ParallelText, SegmentFacts | None, list[str] | None]:
    """References and outputs, what else is known of the segments, and the documents that are drawn."""
    skip, facts, documents = options.skip_missing_references, None, None
    if options.table is not None:
        table = read_judged(options.table)
        found = side_by_side(table, options.input or (), skip_missing_references=skip)
        if options.language is None and not options.scorers:
            language = min(target_languages(table), default=None)
            if language is not None and model_for(language) != DEFAULT_MODEL:
                options.language = language
        return *found, None
    text = read_parallel(paths, options.input, skip_missing_references=skip)
    n = len(text.references[0]) + len(text.left_out)
    kept = others(text.left_out, n)
    if options.segments is not None:
        facts = read_facts(options.segments, [system.name for system in text.systems], n).select(kept)
        if options.html is None and not facts.human:
            raise PfsmError(
                f"{options.segments}: no human scores (human:SYSTEM); the other columns are for the page of --html FILE"
            )
    if options.documents is not None:
        documents = read_documents(options.documents)
        check_parallel(options.documents, len(documents), paths[0], n)
        documents = [documents[segment] for segment in kept]
    return text, facts, documents


def _table(path: str) -> str | None:
    """The file, where it is not text: judgments or annotations."""
    try:
        return None if guess_format(path) == "nist" else path
    except PfsmError:
        return None if Path(path).is_file() or path == STANDARD_INPUT else path


def _check(options: Namespace, paths: Sequence[str]) -> None:
    if options.table is not None:
        if paths or options.segments is not None or options.documents is not None:
            raise PfsmError(
                "--table has references, documents and human scores; leave REF, --segments, --documents out"
            )
        paths = [options.table]
    elif options.input is None or len(options.input) < 2:
        raise PfsmError("compare needs at least two system outputs after -i, or --table FILE")
    if not paths:
        raise PfsmError("no references to compare with; give a reference file, or --test-set NAME")
    if options.title is not None and options.html is None:
        raise PfsmError("--title is for the page of --html FILE")
    if options.html is not None:
        page_maker("comparison", "--html")
    gate = options.fail_if_worse or options.junit is not None
    if options.margin is not None and not (gate and 0.0 <= options.margin < math.inf):
        raise PfsmError("--margin is a number of points from 0, and goes with --fail-if-worse or --junit")
    inputs = [*paths, *(options.input or []), options.segments, options.documents]
    inputs += [name for kind, name in options.scorers or [] if kind == "model"]
    for output in (options.html, options.junit):
        check_output(output, inputs)


def _print(compared: Compared, options: Namespace) -> None:
    results = compared.results
    people = [agreement(result, compared) for result in results]
    if options.format == "json":
        left_out = {"segments_left_out": list(compared.left_out)} if compared.left_out else {}
        documents = [
            result.document | left_out | ({} if found is None else {"agreement": found})
            for result, found in zip(results, people, strict=True)
        ]
        print_json(documents if len(documents) > 1 else documents[0])
        return
    print(f"{compared.verdict}\n")
    _print_table(compared, options.width)
    for result, found in zip(results, people, strict=True):
        if found is not None:
            _print_agreement(result.metric.name, found[-1])
    for result in results:
        name = heading(result.metric, result.nrefs, "corpus", options)
        short = result.metric.get_short_signature(result.nrefs, "corpus")
        _print_text(result.comparison, name, options.width, short)


def _print_table(compared: Compared, places: int) -> None:
    """Systems by metrics; what differs significantly from the first system is marked, as sacrebleu does."""
    results = [result.comparison for result in compared.results]
    rows = [
        [name, *(_marked(result, place, places) for result in results)]
        for place, name in enumerate(compared.systems)
    ]
    print_columns([["system", *(result.metric.name for result in compared.results)], *rows])
    limit = f"p < {results[0].significance:g} after Holm's correction"
    print(f"*: significantly different from {compared.systems[0]} ({limit})")


def _marked(result: Comparison, place: int, places: int) -> str:
    # The pairs of the first system come first.
    pair = result.pairs[place - 1]
    p_value = p_text(pair, result)
    test = f" ({p_value}){'*' if pair.preferred else ''}" if place and p_value else ""
    return f"{result.systems[place].score:.{places}f}{test}"


def _print_agreement(name: str, found: Mapping[str, Any]) -> None:
    """How well a metric agrees with the human scores of all systems."""
    pearson, kendall = (
        "undefined" if found[key] is None else f"{found[key]:.3f}" for key in ("pearson", "kendall")
    )
    print(
        f"{name} and people: Pearson r {pearson}, Kendall tau-b {kendall} over {found['n']} translations; "
        f"{found['ordered_alike']} of {found['ordered']} pairs of systems ordered alike"
    )


def _print_text(result: Comparison, name: str, places: int, short: str) -> None:
    print(f"\n{name}\n")
    width = max(len("system"), *(len(system.name) for system in result.systems))
    column = max(places + 5, len("score"))
    print(f"{'system':{width}}  {'score':>{column}}  95% interval")
    decided = [pair for pair in result.pairs if pair.preferred]
    beaten = {name for pair in decided for name in (pair.system_a, pair.system_b) if name != pair.preferred}
    for system in result.systems:
        ends = bracketed(system.interval, f".{places}f")
        line = f"{system.name:{width}}  {system.score:>{column}.{places}f}  {ends}"
        # Bold are those that no other is significantly better than.
        print(line if system.name in beaten else painted(line, STRONG))
    tested = sum(not math.isnan(one.p_value) for one in result.pairs)
    for pair in result.pairs:
        _print_pair(pair, places, tested, result)
        needed = to_settle(pair, result)
        if needed is not None:
            print(f"  would settle    about {float(f'{needed:.2g}'):,.0f} segments, with 80% power")
        alike = people_agree(short, pair.difference, result.n_segments)
        if alike is not None:
            print(f"  people agreed   in {100 * alike:.0f}% of pairs of systems so far apart")
    print(f"\n[{result.drawn}; {result.method}; a system is preferred where p < {result.significance:g}]")


def _p_values(pair: PairResult, tested: int, result: Comparison) -> str:
    if math.isnan(pair.p_value):
        return f"p = {NO_INTERVAL}"
    own = p_text(replace(pair, p_holm=pair.p_value), result)
    return f"{own} ({pair.p_holm:.4f} after Holm correction for {tested} pairs)" if tested > 1 else own


def _print_pair(pair: PairResult, places: int, tested: int, result: Comparison) -> None:
    print(f"\n{pair.system_a} vs {pair.system_b}")
    interval = bracketed(pair.interval, f"+.{places}f")
    difference = f"{pair.difference:+.{places}f} {interval}, {_p_values(pair, tested, result)}"
    print(f"  difference      {painted(difference, GOOD if pair.preferred else FAINT)}")
    print(f"  {result.unit + 's':16}{pair.wins} better, {pair.losses} worse, {pair.ties} tied")
    print(
        f"  preferred       {painted(pair.preferred, GOOD) if pair.preferred else painted(NO_PREFERENCE, FAINT)}"
    )


def _worse_systems(compared: Compared, margin: float | None = None) -> dict[tuple[str, str], str]:
    """By metric and system, a sentence on each system that is worse than the first, or by more than the margin."""
    first, found = compared.systems[0], {}
    for result in compared.results:
        sign = -1.0 if result.comparison.lower_is_better else 1.0
        for pair in result.comparison.pairs:
            loss = sign * pair.difference
            if pair.system_a == first and (pair.preferred == first or (margin is not None and loss > margin)):
                name = result.metric.name
                found[name, pair.system_b] = f"{pair.system_b} is worse than {first} by {loss:.4f} ({name})"
    return found


def _write_junit(compared: Compared, worse: Mapping[tuple[str, str], str], path: str) -> None:
    """Writes JUnit's XML: a suite for each metric with a test for each system but the first, failed if it is worse."""
    tests = len(compared.results) * (len(compared.systems) - 1)
    suites = Element("testsuites", name="pfsm compare", tests=f"{tests}", failures=f"{len(worse)}")
    for result in compared.results:
        name, pairs = result.metric.name, result.comparison.pairs[: len(compared.systems) - 1]
        failures = sum((name, pair.system_b) in worse for pair in pairs)
        about = {"name": _clean(name), "tests": f"{len(pairs)}", "failures": f"{failures}"}
        suite = SubElement(suites, "testsuite", about)
        for pair in pairs:
            test = _clean(f"{pair.system_b} is not worse than {pair.system_a}")
            case = SubElement(suite, "testcase", classname=_clean(name), name=test)
            if (name, pair.system_b) in worse:
                SubElement(case, "failure", message=_clean(worse[name, pair.system_b]))
        SubElement(suite, "system-out").text = _clean(compared.verdict)
    indent(suites)
    with atomic_write(path) as handle:
        handle.write(f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, "unicode")}\n')


def _clean(value: str) -> str:
    return _NEVER.sub("\ufffd", value)
