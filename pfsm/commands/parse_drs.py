"""``pfsm parse --drs``: discourse representation structures of text, and how well they agree with a gold standard."""

import json
from argparse import Namespace
from collections.abc import Iterator, Sequence

from pfsm.analysis.analysers import DEFAULT_PARSER, get_analyser
from pfsm.analysis.clause_files import clause_lines, read_clauses
from pfsm.analysis.clause_matching import ClauseCounts, count_matches
from pfsm.analysis.sentence import Analysis
from pfsm.analysis.service import PORTION
from pfsm.analysis.wanted import Wanted
from pfsm.english.discourse.building import structure_of
from pfsm.errors import PfsmError
from pfsm.io.files import display_name, read_lines

DRS_WANTED = Wanted(roles=True)


def check_drs(options: Namespace) -> None:
    """Refuses options that do not go with ``--drs``.

    Raises:
        PfsmError: If there is one.
    """
    if options.format is not None or options.roles or options.nominal:
        raise PfsmError("--drs prints clauses; leave --format, --roles and --nominal out")
    if options.evaluate is None:
        return
    for name in ("brackets", "gold_roles", "gold_trees", "raw", "one_sentence"):
        if getattr(options, name):
            raise PfsmError(
                f"with --drs, GOLD is a file of clauses, whose texts are parsed; leave --{name.replace('_', '-')} out"
            )
    if options.join > 1:
        raise PfsmError("with --drs, GOLD is a file of clauses, whose texts are parsed; leave --join out")


def drs_lines(analysis: Analysis, number: int, parser: str) -> Iterator[str]:
    """Boxes and clauses of a line.

    Raises:
        PfsmError: If the parser gives no dependency trees.
    """
    _check_tree(analysis, parser)
    yield from clause_lines(analysis, structure_of(analysis), number)


def _check_tree(analysis: Analysis, parser: str) -> None:
    if analysis.tokens and not (analysis.trees or analysis.drs or analysis.is_failed):
        raise PfsmError(
            f"parser {parser!r}: gives no dependency trees, which structures are built from; use {DEFAULT_PARSER}"
        )


def evaluate_drs(options: Namespace) -> None:
    """Compares the structures of a parser's trees with those of a clause file, and prints Counter's figures.

    Raises:
        PfsmError: If the file has no clauses, or the parser no dependency trees.
    """
    gold = read_clauses(read_lines(options.evaluate), display_name(options.evaluate))
    if not gold:
        raise PfsmError(f"{options.evaluate}: holds no clauses")
    analyser = get_analyser(options.parser)
    found: list[Analysis] = []
    for first in range(0, len(gold), PORTION):
        found += analyser.analyse([one.text for one in gold[first : first + PORTION]], DRS_WANTED)
    for one in found:
        _check_tree(one, options.parser)
    figures = {
        name: _total(found, [one.analysis for one in gold], plain=plain)
        for name, plain in (("all", False), ("plain", True))
    }
    if options.json:
        print(json.dumps(_as_json(figures, analyser.label, len(gold)), indent=2))
        return
    print(f"{analyser.label}: {len(gold)} texts, {figures['all'].gold} clauses")
    print(f"{'clauses':32} {'P':>6} {'R':>6} {'F1':>6}")
    notes = {"all": "as they are", "plain": "without senses and role names"}
    for name, counts in figures.items():
        shares = " ".join(f"{100 * value:6.2f}" for value in (counts.precision, counts.recall, counts.f1))
        print(f"{notes[name]:32} {shares}")


def _total(found: Sequence[Analysis], gold: Sequence[Analysis], *, plain: bool) -> ClauseCounts:
    total = ClauseCounts()
    for ours, theirs in zip(found, gold, strict=True):
        total += count_matches(structure_of(ours), structure_of(theirs), plain=plain)
    return total


def _as_json(figures: dict[str, ClauseCounts], label: str, texts: int) -> dict[str, object]:
    return {
        "parser": label,
        "texts": texts,
        **{
            name: {
                "precision": 100 * one.precision,
                "recall": 100 * one.recall,
                "f1": 100 * one.f1,
                "clauses": one.ours,
                "gold_clauses": one.gold,
            }
            for name, one in figures.items()
        },
    }
