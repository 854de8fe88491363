"""``pfsm parse``: tags and parses text, with semantic roles and discourse structures, or evaluates a parser."""

import json
import math
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from pfsm.commands.options import check_output, declare, refuse_without
from pfsm.commands.output import tell
from pfsm.errors import PfsmError
from pfsm.io.files import STANDARD_INPUT, atomic_write, display_name, read_lines
from pfsm.runtime.terminal import Stage
from pfsm_linguistics.analysers.programs import is_bracketed, parsed_text
from pfsm_linguistics.analysers.registry import DEFAULT_PARSER, Analyser, TrainedAnalyser, get_analyser
from pfsm_linguistics.analysers.scoring import (
    Agreement,
    Calibration,
    RoleScores,
    evaluate_on_text,
    evaluate_on_words,
    first_of_each,
    in_portions,
    score_roles,
)
from pfsm_linguistics.analysers.service import PORTION, analyse_lines
from pfsm_linguistics.analysis.clause_files import clause_lines
from pfsm_linguistics.analysis.conllu import conllu_lines, parse_conllu, read_conllu
from pfsm_linguistics.analysis.constituents import format_brackets, read_brackets
from pfsm_linguistics.analysis.role_files import is_propbank, role_lines
from pfsm_linguistics.analysis.roles import NOUN, VERB
from pfsm_linguistics.analysis.sentence import Analysis, joined, moved
from pfsm_linguistics.analysis.wanted import MOST_TREES, Wanted
from pfsm_linguistics.discourse.building import structure_of

# Kinds of predicates by their tag, as they are printed.
_KINDS = {VERB: "verbs", NOUN: "nominal predicates"}
# Portions that each of several processes gets at a time.
EACH = 16
FORMATS = ("conllu", "ptb", "nbest", "roles")


OPTIONS = f"""
files FILE*  text, one segment per line (default: standard input)
--parser, -p NAME [{DEFAULT_PARSER}]  a shipped parser, a weights file, spacy:PIPELINE, command:PROGRAM or file:PATH
  (default: {DEFAULT_PARSER})
--format, -f {{{",".join(FORMATS)}}}  conllu: dependencies (default); ptb: constituents; nbest: several trees with
  probabilities; roles: one line for every predicate
--trees, -n N  with --format nbest: number of trees per line, at most {MOST_TREES} (default: 50)
--roles  with --format conllu: write semantic roles to the last column; with --evaluate: evaluate them
--nominal  with --roles or --format roles: nouns can be predicates, too, as decision in 'made a decision'; with
  --evaluate: evaluate both kinds
--drs  print discourse representation structures: boxes and clauses
--one-sentence  treat every line as one sentence
--output, -o FILE  output file (default: standard output)
--processes N [1]  number of processes (default: 1)
@no-cache
--evaluate GOLD  evaluate the parser on a treebank in CoNLL-U, using the treebank's words
--brackets FILE  with --evaluate: gold constituent trees over the same words
--gold-roles FILE  with --evaluate --roles: gold roles over the same words, if GOLD has none
--gold-trees  with --evaluate --roles: use the tags and trees of GOLD, and those of --brackets, not the parser's
--raw  with --evaluate: parse the treebank's untokenised text
--join N [1]  with --raw: put N sentences on each line (default: 1)
--json  with --evaluate: print JSON
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    declare(parser, OPTIONS)


def run(options: Namespace) -> None:
    """Parses and writes, or evaluates."""
    if options.drs and (options.format or options.roles or options.nominal or options.evaluate is not None):
        raise PfsmError("--drs prints clauses; leave --format, --roles, --nominal and --evaluate out")
    if options.evaluate is not None:
        _evaluate(options)
        return
    refuse_without(options, ("brackets", "gold_roles", "gold_trees", "raw", "json"), "--evaluate GOLD")
    if options.roles and options.format not in {None, "conllu", "roles"}:
        raise PfsmError("--roles goes with --format conllu or roles")
    if options.nominal and not (options.roles or options.format == "roles"):
        raise PfsmError("--nominal goes with --roles or --format roles")
    if options.trees is not None and options.format != "nbest":
        raise PfsmError("--trees goes with --format nbest")
    if (options.trees or 0) > MOST_TREES:
        raise PfsmError(f"--trees is {options.trees}, at most {MOST_TREES} can be computed")
    check_output(options.output, options.files)
    lines = [line for path in options.files or [STANDARD_INPUT] for line in read_lines(path)]
    # A bar among the lines of the output would spoil both.
    patience = math.inf if options.output is None and sys.stdout.isatty() else 0.5
    with (
        nullcontext(sys.stdout) if options.output is None else atomic_write(options.output) as out,
        Stage("parse", "parsing", len(lines), "lines", patience=patience) as stage,
    ):
        for text in _formatted(lines, options, stage):
            out.write(f"{text}\n")


def _formatted(lines: Sequence[str], options: Namespace, stage: Stage) -> Iterator[str]:
    """Lines of output, one portion of the text at a time, so that a pipe receives them early."""
    chosen = "drs" if options.drs else options.format or FORMATS[0]
    wanted = Wanted(
        trees=(options.trees or 50) if chosen == "nbest" else 1,
        constituents=chosen == "ptb",
        one_sentence=options.one_sentence,
        roles=options.roles or chosen in {"drs", "roles"},
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
            if analysis.tokens:
                _check_given(analysis, chosen, wanted, options.parser)
            yield from _texts(analysis, number, chosen)
        stage.advance(len(found))


def _check_given(analysis: Analysis, chosen: str, wanted: Wanted, parser: str) -> None:
    """Refuses what a parser does not give, of a line with words."""
    if chosen == "drs" and not (analysis.trees or analysis.drs or analysis.is_failed):
        raise PfsmError(
            f"parser {parser!r}: gives no dependency trees, which structures are built from; use {DEFAULT_PARSER}"
        )
    if chosen != "drs" and wanted.roles and analysis.frames is None and not analysis.is_failed:
        raise PfsmError(f"parser {parser!r}: gives no semantic roles; use {DEFAULT_PARSER} or a file")
    if chosen == "ptb" and not analysis.constituents:
        raise PfsmError(
            f"parser {parser!r}: gives no constituents; use {DEFAULT_PARSER}, or another --format"
        )


def _texts(analysis: Analysis, number: int, chosen: str) -> Iterator[str]:
    if chosen == "drs":
        yield from clause_lines(analysis, structure_of(analysis), number)
    elif chosen == "roles":
        yield from role_lines(analysis, number)
    elif chosen == "ptb":
        # One output line for every input line, even an empty one.
        yield " ".join(
            format_brackets(analysis.tokens[tree.start : tree.end], moved(tree, -tree.start))
            for tree in analysis.constituents
        )
    else:
        yield from conllu_lines(analysis, number, n_best=chosen == "nbest")


def _evaluate(options: Namespace) -> None:
    if options.files or options.format or options.output or options.trees or options.one_sentence:
        raise PfsmError(
            "with --evaluate give only GOLD, --parser, --brackets, --roles, --nominal, --gold-roles, --gold-trees, "
            "--raw, --join and --json"
        )
    if options.roles:
        _evaluate_roles(options)
    else:
        _evaluate_trees(options)


def _evaluate_trees(options: Namespace) -> None:
    refuse_without(options, ("nominal", "gold_roles", "gold_trees"), "--roles")
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
    scores, words = result.scores, result.scores.words
    measures = {"UAS": scores.uas.f1, "LAS": scores.las.f1, "UPOS": scores.upos.f1, "XPOS": scores.xpos.f1}
    if words.system != words.gold or words.correct != words.gold:
        measures = {"words": words.f1} | measures
    if result.brackets is not None:
        measures["brackets"] = result.brackets.f1
    if options.json:
        figures = {name: None if math.isnan(value) else value for name, value in measures.items()}
        about = {"parser": analyser.label, "lines": result.lines, "words": words.gold}
        print(json.dumps(about | figures | _calibration(result.calibration, "arcs"), indent=2))
        return
    print(f"{analyser.label}: {result.lines} lines, {words.gold} words")
    for name, value in measures.items():
        note = f"  ({result.trees} trees)" if name == "brackets" else ""
        print(f"{name:9} {value:6.2f}{note}")
    _print_calibration(result.calibration, "arcs")


def _calibration(found: Calibration | None, counted: str) -> dict[str, Any]:
    return {} if found is None else {"calibration": found.rows(counted)}


def _print_calibration(found: Calibration | None, counted: str) -> None:
    if found is None:
        return
    width = max(8, len(counted))
    print(f"\n{'probability':12} {counted:>{width}} {'mean':>7} {'right':>7}")
    for row in found.rows(counted):
        ends = f"{row['from']:.1f} to {row['to']:.1f}"
        print(f"{ends}   {row[counted]:{width}d} {row['mean']:7.3f} {row['right']:7.3f}")


def _evaluate_roles(options: Namespace) -> None:
    if options.brackets is not None and not options.gold_trees:
        raise PfsmError("with --roles, --brackets goes with --gold-trees")
    # Standard input can be read only once.
    lines_of_gold = read_lines(options.evaluate)
    gold = gold_roles(options.evaluate, options.gold_roles, lines_of_gold)
    if options.nominal and not all(one.upos or one.xpos or not one.tokens for one in gold):
        raise PfsmError(f"{options.evaluate}: --nominal needs tags, which tell nouns from verbs")
    analyser = get_analyser(options.parser)
    wanted = Wanted(roles=True, nominal=options.nominal)
    if options.gold_trees:
        found = _on_gold_trees(analyser, gold, options)
    elif options.raw or not isinstance(analyser, TrainedAnalyser):
        texts = _line_texts(lines_of_gold, display_name(options.evaluate), gold)
        parts = [slice(first, first + options.join) for first in range(0, len(gold), options.join)]
        gold, lines = [joined(gold[part]) for part in parts], [" ".join(texts[part]) for part in parts]
        found = in_portions(lines, lambda part: analyser.analyse(part, wanted))
    else:
        if options.join > 1:
            raise PfsmError("--join goes with --raw")
        own, words_wanted = analyser, replace(wanted, one_sentence=True)
        found = in_portions([one.tokens for one in gold], lambda part: own.analyse_words(part, words_wanted))
    if any(one.frames is None and one.tokens and not one.is_failed for one in found):
        raise PfsmError(f"parser {options.parser!r}: gives no semantic roles")
    scores = {
        kind: score_roles(zip(found, gold, strict=True), of=kind)
        for kind in (_KINDS if options.nominal else (VERB,))
    }
    if options.json:
        nominal = {"nominal": _scores_json(scores[NOUN])} if NOUN in scores else {}
        about = {"parser": analyser.label, "lines": len(gold), **_scores_json(scores[VERB])}
        print(json.dumps(about | nominal, indent=2))
    else:
        _print_roles(scores, f"{analyser.label}: {len(gold)} lines")


def _on_gold_trees(analyser: Analyser, gold: Sequence[Analysis], options: Namespace) -> list[Analysis]:
    if options.raw or options.join > 1:
        raise PfsmError("--gold-trees goes with the words of the gold standard; leave --raw and --join out")
    if not isinstance(analyser, TrainedAnalyser) or not analyser.roles_label:
        raise PfsmError(f"parser {options.parser!r}: has no labeller of semantic roles")
    if any(one.tree is None or not one.upos or not one.xpos for one in gold):
        raise PfsmError(
            f"{options.evaluate}: --gold-trees needs tags and a dependency tree of every sentence"
        )
    trees = first_of_each(() if options.brackets is None else read_brackets(options.brackets))
    with_constituents = [
        replace(one, constituents=(trees[one.tokens],) if one.tokens in trees else ()) for one in gold
    ]
    return analyser.labelled(with_constituents, given=True, nominal=options.nominal)


def _line_texts(lines: Sequence[str], name: str, gold: Sequence[Analysis]) -> list[str]:
    """The text of each sentence where the file has it, as CoNLL-U does, else its words between spaces."""
    known: dict[tuple[str, ...], str] = {}
    if not is_propbank(lines) and not is_bracketed(lines):
        known = {one.forms: one.text for one in parse_conllu(lines, name)}
    return [known.get(one.tokens) or " ".join(one.tokens) for one in gold]


def gold_roles(path: str, roles: str | None, lines: Sequence[str]) -> list[Analysis]:
    """The sentences of a file that has roles, or of two files: tags and trees from one, roles from the other.

    Sentences that only one of the two files has are left out, and standard error says how many.

    Args:
        path: The name of the file.
        roles: The name of the file of roles; None if the first has them.
        lines: The lines of the first.
    """
    sentences = parsed_text(lines, display_name(path))
    if roles is None:
        if all(one.frames is None for one in sentences):
            raise PfsmError(f"{path}: has no semantic roles; name the file that has them with --gold-roles")
        return sentences
    known: dict[tuple[str, ...], list[Analysis]] = {}
    for one in parsed_text(read_lines(roles), display_name(roles)):
        known.setdefault(one.tokens, []).append(one)
    found = [
        replace(one, frames=several.pop(0).frames) for one in sentences if (several := known.get(one.tokens))
    ]
    if not found:
        raise PfsmError(f"{roles}: has none of the sentences of {path}")
    rest = sum(map(len, known.values()))
    for name, number, left_out, other in (
        (path, len(sentences), len(sentences) - len(found), roles),
        (roles, len(found) + rest, rest, path),
    ):
        if left_out:
            tell(
                f"note: {display_name(name)}: {left_out} of {number} sentences are left out; {display_name(other)} "
                "does not have their words"
            )
    return found


def _scores_json(scores: RoleScores) -> dict[str, Any]:
    return {
        "predicates": _figures(scores.predicates),
        "arguments": _figures(scores.arguments),
        "roles": {role: _figures(one) for role, one in scores.by_role.items()},
        **_calibration(scores.calibration, "arguments"),
    }


def _figures(one: Agreement) -> dict[str, float | int | None]:
    return {
        "precision": 100.0 * one.correct / one.system if one.system else None,
        "recall": 100.0 * one.correct / one.gold if one.gold else None,
        "f1": one.f1 if one.system + one.gold else None,
        "gold": one.gold,
    }


def _print_roles(scores: Mapping[str, RoleScores], opening: str) -> None:
    both = len(scores) > 1
    if both:
        print(opening)
    for kind, one in scores.items():
        head = f"\n{_KINDS[kind]}: " if both else f"{opening}, "
        print(f"{head}{one.predicates.gold} predicates, {one.arguments.gold} arguments")
        print(f"{'':12} {'precision':>9} {'recall':>7} {'F1':>7} {'gold':>7}")
        for name, of in (("predicates", one.predicates), ("arguments", one.arguments), *one.by_role.items()):
            figures = (_figures(of)[key] for key in ("precision", "recall", "f1"))
            cells = ("–" if value is None else f"{value:.2f}" for value in figures)
            print(f"{name:12} {'{:>9} {:>7} {:>7}'.format(*cells)} {of.gold:7d}")
        _print_calibration(one.calibration, "arguments")
