"""``pfsm parse``: tags and parses text, or evaluates a parser."""

import json
import math
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Any

from pfsm.analysis.analysers import DEFAULT_PARSER, get_analyser
from pfsm.analysis.conllu import conllu_lines, read_conllu
from pfsm.analysis.constituents import format_brackets, read_brackets
from pfsm.analysis.parser_evaluation import ParserEvaluation, evaluate_on_text, evaluate_on_words
from pfsm.analysis.role_files import role_lines
from pfsm.analysis.sentence import Analysis, moved
from pfsm.analysis.service import PORTION, analyse_lines
from pfsm.analysis.wanted import MOST_TREES, Wanted
from pfsm.analysis.watched import TrainedAnalyser
from pfsm.commands.arguments import check_output, positive
from pfsm.commands.parse_drs import check_drs, drs_lines, evaluate_drs
from pfsm.commands.parse_roles import evaluate_roles
from pfsm.errors import PfsmError
from pfsm.io.files import STANDARD_INPUT, atomic_write, read_lines

# Portions that each of several processes gets at a time.
EACH = 16
FORMATS = ("conllu", "ptb", "nbest", "roles")


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="text, one segment per line (default: standard input)"
    )
    parser.add_argument(
        "--parser",
        "-p",
        default=DEFAULT_PARSER,
        metavar="NAME",
        help="a shipped parser, a weights file, spacy:PIPELINE, stanza:LANGUAGE, command:PROGRAM or file:PATH "
        f"(default: {DEFAULT_PARSER})",
    )
    parser.add_argument(
        "--format",
        "-f",
        choices=FORMATS,
        help="conllu: dependencies (default); ptb: constituents; nbest: several trees with probabilities; roles: one "
        "line for every predicate",
    )
    parser.add_argument(
        "--trees",
        "-n",
        type=positive,
        metavar="N",
        help=f"with --format nbest: number of trees per line, at most {MOST_TREES} (default: 50)",
    )
    parser.add_argument(
        "--roles",
        action="store_true",
        help="with --format conllu: write semantic roles to the last column; with --evaluate: evaluate them",
    )
    parser.add_argument(
        "--nominal",
        action="store_true",
        help="with --roles or --format roles: nouns can be predicates, too, as decision in 'made a decision'; with "
        "--evaluate: evaluate both kinds",
    )
    parser.add_argument(
        "--drs",
        action="store_true",
        help="print discourse representation structures: boxes and clauses; with --evaluate: GOLD is a clause file",
    )
    parser.add_argument("--one-sentence", action="store_true", help="treat every line as one sentence")
    parser.add_argument("--output", "-o", metavar="FILE", help="output file (default: standard output)")
    parser.add_argument(
        "--processes", type=positive, default=1, metavar="N", help="number of processes (default: 1)"
    )
    parser.add_argument(
        "--no-cache", action="store_true", help="neither read nor write the cache of analyses"
    )
    parser.add_argument(
        "--evaluate",
        metavar="GOLD",
        help="evaluate the parser on a treebank in CoNLL-U, using the treebank's words",
    )
    parser.add_argument(
        "--brackets", metavar="FILE", help="with --evaluate: gold constituent trees over the same words"
    )
    parser.add_argument(
        "--gold-roles",
        metavar="FILE",
        help="with --evaluate --roles: gold roles over the same words, if GOLD has none",
    )
    parser.add_argument(
        "--gold-trees",
        action="store_true",
        help="with --evaluate --roles: use the tags and trees of GOLD, and those of --brackets, not the parser's",
    )
    parser.add_argument(
        "--raw", action="store_true", help="with --evaluate: parse the treebank's untokenised text"
    )
    parser.add_argument(
        "--join",
        type=positive,
        default=1,
        metavar="N",
        help="with --raw: put N sentences on each line (default: 1)",
    )
    parser.add_argument("--json", action="store_true", help="with --evaluate: print JSON")


def run(options: Namespace) -> None:
    """Parses and writes, or evaluates."""
    if options.drs:
        check_drs(options)
    if options.evaluate is not None:
        _evaluate(options)
        return
    for name in ("brackets", "gold_roles", "gold_trees", "raw", "json"):
        if getattr(options, name):
            raise PfsmError(f"--{name.replace('_', '-')} goes with --evaluate GOLD")
    _check_roles(options)
    if options.trees is not None and options.format != "nbest":
        raise PfsmError("--trees goes with --format nbest")
    if (options.trees or 0) > MOST_TREES:
        raise PfsmError(f"--trees is {options.trees}, at most {MOST_TREES} can be computed")
    if options.output is not None:
        check_output(options.output, options.files)
    lines = [line for path in options.files or [STANDARD_INPUT] for line in read_lines(path)]
    with nullcontext(sys.stdout) if options.output is None else atomic_write(options.output) as out:
        for text in _formatted(lines, options):
            out.write(f"{text}\n")


def _check_roles(options: Namespace) -> None:
    if options.roles and options.format not in {None, "conllu", "roles"}:
        raise PfsmError("--roles goes with --format conllu or roles")
    if options.nominal and not (options.roles or options.format == "roles"):
        raise PfsmError("--nominal goes with --roles or --format roles")


def _formatted(lines: Sequence[str], options: Namespace) -> Iterator[str]:
    """Lines of output, one portion of the text at a time, so that a pipe receives them early."""
    chosen = options.format or FORMATS[0]
    wanted = Wanted(
        trees=(options.trees or 50) if chosen == "nbest" else 1,
        constituents=chosen == "ptb",
        one_sentence=options.one_sentence,
        roles=options.roles or options.drs or chosen == "roles",
        nominal=options.nominal,
    )
    # Processes take a second or two to start, so they get more at a time.
    size = PORTION if options.processes == 1 else PORTION * EACH * options.processes
    for first in range(0, len(lines), size):
        found = analyse_lines(
            lines[first : first + size],
            options.parser,
            wanted,
            processes=options.processes,
            cache=not options.no_cache,
        )
        for number, analysis in enumerate(found, first + 1):
            if options.drs:
                yield from drs_lines(analysis, number, options.parser)
                continue
            if wanted.roles and analysis.frames is None and not analysis.is_failed and analysis.tokens:
                raise PfsmError(
                    f"parser {options.parser!r}: gives no semantic roles; use {DEFAULT_PARSER} or a file"
                )
            yield from _texts(analysis, number, chosen, options.parser)


def _texts(analysis: Analysis, number: int, chosen: str, parser: str) -> Iterator[str]:
    if chosen == "roles":
        yield from role_lines(analysis, number)
        return
    if chosen != "ptb":
        yield from conllu_lines(analysis, number, n_best=chosen == "nbest")
        return
    if analysis.tokens and not analysis.constituents:
        raise PfsmError(
            f"parser {parser!r}: gives no constituents; use {DEFAULT_PARSER}, or another --format"
        )
    # One output line for every input line, even an empty one.
    yield " ".join(
        format_brackets(analysis.tokens[tree.start : tree.end], moved(tree, -tree.start))
        for tree in analysis.constituents
    )


def _evaluate(options: Namespace) -> None:
    if options.files or options.format or options.output or options.trees or options.one_sentence:
        raise PfsmError(
            "with --evaluate give only GOLD, --parser, --brackets, --roles, --nominal, --gold-roles, --gold-trees, "
            "--raw, --join, --drs and --json"
        )
    if options.drs:
        evaluate_drs(options)
        return
    if options.roles:
        evaluate_roles(options)
        return
    _evaluate_trees(options)


def _evaluate_trees(options: Namespace) -> None:
    for name in ("nominal", "gold_roles", "gold_trees"):
        if getattr(options, name):
            raise PfsmError(f"--{name.replace('_', '-')} goes with --roles")
    if options.join > 1 and not options.raw:
        raise PfsmError("--join goes with --raw")
    if options.raw and options.brackets:
        raise PfsmError("--brackets compares trees over the same words; leave --raw out")
    sentences = read_conllu(options.evaluate)
    if not sentences:
        raise PfsmError(f"{options.evaluate}: holds no sentence")
    trees = None if options.brackets is None else read_brackets(options.brackets)
    analyser = get_analyser(options.parser)
    if options.raw:
        result = evaluate_on_text(lambda lines: analyser.analyse(lines, Wanted()), sentences, options.join)
    elif isinstance(analyser, TrainedAnalyser):
        result = evaluate_on_words(analyser, sentences, trees)
    else:
        raise PfsmError(f"parser {options.parser!r}: splits words itself; add --raw")
    if options.json:
        print(json.dumps(_as_json(result, analyser.label), indent=2))
    else:
        _print_result(result, analyser.label)


def _measures(result: ParserEvaluation) -> dict[str, float]:
    scores = result.scores
    found = {"UAS": scores.uas.f1, "LAS": scores.las.f1, "UPOS": scores.upos.f1, "XPOS": scores.xpos.f1}
    if scores.words.system != scores.words.gold or scores.words.correct != scores.words.gold:
        found = {"words": scores.words.f1} | found
    return found | ({} if result.brackets is None else {"brackets": result.brackets.f1})


def _print_result(result: ParserEvaluation, label: str) -> None:
    print(f"{label}: {result.lines} lines, {result.scores.words.gold} words")
    for name, value in _measures(result).items():
        note = f"  ({result.trees} trees)" if name == "brackets" else ""
        print(f"{name:9} {value:6.2f}{note}")
    if result.calibration is not None:
        print(f"\n{'probability':12} {'arcs':>8} {'mean':>7} {'right':>7}")
        for row in result.calibration.rows("arcs"):
            print(
                f"{row['from']:.1f} to {row['to']:.1f}   {row['arcs']:8d} {row['mean']:7.3f} {row['right']:7.3f}"
            )


def _as_json(result: ParserEvaluation, label: str) -> dict[str, Any]:
    measures = {name: None if math.isnan(value) else value for name, value in _measures(result).items()}
    found: dict[str, Any] = {
        "parser": label,
        "lines": result.lines,
        "words": result.scores.words.gold,
        **measures,
    }
    if result.calibration is not None:
        found["calibration"] = result.calibration.rows("arcs")
    return found
