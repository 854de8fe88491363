"""``pfsm parse --roles --evaluate``: evaluates semantic roles."""

import json
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pfsm.analysis.analysers import get_analyser
from pfsm.analysis.conllu import parse_conllu
from pfsm.analysis.constituents import read_brackets
from pfsm.analysis.parser_evaluation import first_of_each, in_portions
from pfsm.analysis.programs import is_bracketed, parsed_text
from pfsm.analysis.role_files import role_reader
from pfsm.analysis.roles import NOUN, VERB
from pfsm.analysis.scoring import Agreement, RoleScores, score_roles
from pfsm.analysis.sentence import Analysis, joined
from pfsm.analysis.wanted import Wanted
from pfsm.analysis.watched import Analyser, TrainedAnalyser
from pfsm.errors import PfsmError
from pfsm.io.files import display_name, read_lines

# Kinds of predicates by their tag, as they are printed.
_KINDS = {VERB: "verbs", NOUN: "nominal predicates"}


def evaluate_roles(options: Namespace) -> None:
    """Evaluates the roles that a parser gives, on the words of the gold standard or on text.

    Raises:
        PfsmError: If the gold standard or the parser has no roles.
    """
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
        groups = [gold[first : first + options.join] for first in range(0, len(gold), options.join)]
        texts = _texts(lines_of_gold, display_name(options.evaluate), gold)
        lines = [texts[first : first + options.join] for first in range(0, len(gold), options.join)]
        gold = [joined(group) for group in groups]
        found = in_portions([" ".join(line) for line in lines], lambda part: analyser.analyse(part, wanted))
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
        print(json.dumps(_as_json(scores, analyser.label, len(gold)), indent=2))
    else:
        _print(scores, analyser.label, len(gold))


def _on_gold_trees(analyser: Analyser, gold: Sequence[Analysis], options: Namespace) -> list[Analysis]:
    """The gold standard's trees with the labeller's roles."""
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


def _texts(lines: Sequence[str], name: str, gold: Sequence[Analysis]) -> list[str]:
    """The text of each sentence where the file has it, as CoNLL-U does, else its words between spaces."""
    known: dict[tuple[str, ...], str] = {}
    if role_reader(lines) is None and not is_bracketed(lines):
        known = {one.forms: one.text for one in parse_conllu(lines, name)}
    return [known.get(one.tokens) or " ".join(one.tokens) for one in gold]


def gold_roles(path: str, roles: str | None, lines: Sequence[str] | None = None) -> list[Analysis]:
    """The sentences of a file that has roles, or of two files: tags and trees from one, roles from the other.

    Sentences that only one of the two files has are left out, and standard error says how many.

    Args:
        path: The name of the file.
        roles: The name of the file of roles; None if the first has them.
        lines: The lines of the first, if they were read before.

    Raises:
        PfsmError: If there are no roles, or no sentence of the two files has the same words.
    """
    sentences = parsed_text(read_lines(path) if lines is None else lines, display_name(path))
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
    _note_left_out(path, len(sentences), len(sentences) - len(found), roles)
    rest = sum(map(len, known.values()))
    _note_left_out(roles, len(found) + rest, rest, path)
    return found


def _note_left_out(path: str, number: int, left_out: int, other: str) -> None:
    if left_out:
        print(
            f"pfsm: note: {display_name(path)}: {left_out} of {number} sentences are left out; {display_name(other)} "
            "does not have their words",
            file=sys.stderr,
        )


def _as_json(scores: Mapping[str, RoleScores], label: str, lines: int) -> dict[str, Any]:
    nominal = {"nominal": _scores_as_json(scores[NOUN])} if NOUN in scores else {}
    return {"parser": label, "lines": lines, **_scores_as_json(scores[VERB]), **nominal}


def _scores_as_json(scores: RoleScores) -> dict[str, Any]:
    found: dict[str, Any] = {
        "predicates": _figures(scores.predicates),
        "arguments": _figures(scores.arguments),
        "roles": {role: _figures(one) for role, one in scores.by_role.items()},
    }
    if scores.calibration is not None:
        found["calibration"] = scores.calibration.rows("arguments")
    return found


def _figures(one: Agreement) -> dict[str, float | int | None]:
    return {
        "precision": 100.0 * one.correct / one.system if one.system else None,
        "recall": 100.0 * one.correct / one.gold if one.gold else None,
        "f1": one.f1 if one.system + one.gold else None,
        "gold": one.gold,
    }


def _print(scores: Mapping[str, RoleScores], label: str, lines: int) -> None:
    both = len(scores) > 1
    if both:
        print(f"{label}: {lines} lines")
    for kind, one in scores.items():
        opening = f"\n{_KINDS[kind]}: " if both else f"{label}: {lines} lines, "
        print(f"{opening}{one.predicates.gold} predicates, {one.arguments.gold} arguments")
        _print_scores(one)


def _print_scores(scores: RoleScores) -> None:
    print(f"{'':12} {'precision':>9} {'recall':>7} {'F1':>7} {'gold':>7}")
    rows = [("predicates", scores.predicates), ("arguments", scores.arguments), *scores.by_role.items()]
    for name, one in rows:
        figures = (_figures(one)[key] for key in ("precision", "recall", "f1"))
        cells = ("–" if value is None else f"{value:.2f}" for value in figures)
        print(f"{name:12} {'{:>9} {:>7} {:>7}'.format(*cells)} {one.gold:7d}")
    if scores.calibration is not None:
        print(f"\n{'probability':12} {'arguments':>9} {'mean':>7} {'right':>7}")
        for row in scores.calibration.rows("arguments"):
            print(
                f"{row['from']:.1f} to {row['to']:.1f}   {row['arguments']:9d} {row['mean']:7.3f} {row['right']:7.3f}"
            )
