"""The model cards of a parser and of a labeller: training data, accuracy and limits; ``cards`` has their text."""

from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from string import Template
from typing import Any

from pfsm_linguistics.analysers.scoring import N_BINS, Agreement, Calibration, ParserEvaluation, RoleScores
from pfsm_linguistics.labeller.weights import RoleWeights

_SOURCES = {
    "treebank": "UD English EWT (Universal Dependencies), training part; CC BY-SA 4.0",
    "constituents": "English Web Treebank trees of the PropBank release over the same sentences; CC BY-SA 4.0",
    "vectors": "word co-occurrence in English sides of WMT12, WMT13, WMT19, WMT21, MLQE-PE, IWSLT19 and RealSumm "
    "test sets and of the treebank's training part; no judgments are used; WMT15 and WMT16 direct assessment left out",
}
_ROLE_SOURCES = {
    "roles": "PropBank release (frames 3.1) over the words of UD English EWT, training part; CC BY-SA 4.0",
    "trees": "UD English EWT and the constituent trees of the PropBank release; CC BY-SA 4.0",
    "text without roles": "references and post-edits of WMT12, WMT13, WMT19, WMT21, MLQE-PE, IWSLT19, RealSumm test "
    "sets; no judgments are used; WMT15 and WMT16 direct assessment left out",
}
_COLUMNS = ("words", "upos", "xpos", "uas", "las", "brackets")
_INPUTS = {
    "words": "words of the treebank",
    "text": "text, one sentence per line",
    "joined": "text, two per line",
}
_ROLE_INPUTS = {
    "text": "text, one sentence per line",
    "words": "words of the treebank, predicted trees",
    "trees": "gold tags and trees",
}
# Roles with a line of their own.
_SHOWN = 20
Results = Mapping[str, RoleScores]
"""Results on the test part by kind of input: ``text``, ``words``, ``trees``."""


def card_of(results: Mapping[str, ParserEvaluation], passes: int) -> dict[str, Any]:
    """The card as it is stored in the weights file.

    Args:
        results: Results on the test part: ``words`` (gold tokens), ``text`` (untokenised), ``joined`` (pairs of lines).
        passes: Number of passes through the training part.
    """
    return {
        "sources": dict(_SOURCES),
        "passes": passes,
        "test": {name: _numbers(result) for name, result in results.items()},
    }


def _numbers(result: ParserEvaluation) -> dict[str, float]:
    found = {name: getattr(result.scores, name).f1 for name in _COLUMNS[:-1]}
    if result.brackets is not None:
        found["brackets"] = result.brackets.f1
    return {name: round(value, 2) for name, value in found.items()}


def role_card_of(
    results: Results, nominal: Results, weights: RoleWeights, folds: tuple[int, int]
) -> dict[str, Any]:
    """The card as it is stored in the labeller's file.

    Args:
        results: Results for verbs.
        nominal: Results for nominal predicates.
        weights: The labeller.
        folds: Number of folds, and passes of each fold's parser.
    """
    return {
        "sources": dict(_ROLE_SOURCES),
        "temperature": weights.temperature,
        "threshold": weights.threshold,
        "folds": list(folds),
        "test": {name: _role_numbers(scores.arguments) for name, scores in results.items()},
        "nominal": {
            name: {
                "predicates": _role_numbers(scores.predicates),
                "arguments": _role_numbers(scores.arguments),
            }
            for name, scores in nominal.items()
        },
    }


def _role_numbers(one: Agreement) -> dict[str, float]:
    return {
        "precision": round(100.0 * one.correct / max(1, one.system), 2),
        "recall": round(100.0 * one.correct / max(1, one.gold), 2),
        "f1": round(one.f1, 2),
    }


def card_text(name: str, size: int, card: Mapping[str, Any], result: ParserEvaluation) -> str:
    """The card as Markdown.

    Args:
        name: Name of the parser.
        size: Size of its file in bytes.
        card: A card from `card_of`.
        result: The result with gold tokens, for the calibration table.
    """
    return _filled(
        "parser",
        name=name,
        size=f"{size / 1e6:.1f}",
        passes=card["passes"],
        sources=_sources(card),
        test=_table(
            (_INPUTS[kind], *(f"{values[key]:.2f}" if key in values else "" for key in _COLUMNS))
            for kind, values in card["test"].items()
        ),
        calibration=_calibration(result.calibration),
    )


def role_card_text(name: str, size: int, card: Mapping[str, Any], results: Results, nominal: Results) -> str:
    """The card as Markdown.

    Args:
        name: Name of the parser that the labeller reads.
        size: Size of the labeller's file in bytes.
        card: A card from `role_card_of`.
        results: The results for verbs that it is made of.
        nominal: Those for nominal predicates.
    """
    nouns = _filled(
        "nouns",
        test=_table(
            (_ROLE_INPUTS[kind], what, *_percent(one))
            for kind, both in card["nominal"].items()
            for what, one in both.items()
        ),
        by_role=_by_role(nominal),
        calibration=_calibration(nominal["text"].calibration),
    )
    folds, passes = card["folds"]
    return _filled(
        "roles",
        name=name,
        size=f"{size / 1e6:.1f}",
        folds=folds,
        passes=passes,
        temperature=f"{card['temperature']:g}",
        threshold=f"{card['threshold']:g}",
        sources=_sources(card),
        test=_table((_ROLE_INPUTS[kind], *_percent(one)) for kind, one in card["test"].items()),
        by_role=_by_role(results),
        calibration=_calibration(results["text"].calibration),
        nouns=nouns,
    )


def _filled(card: str, **values: object) -> str:
    text = files("pfsm_training").joinpath("cards", f"{card}.md").read_text(encoding="utf-8")
    return Template(text).substitute(values)


def _table(rows: Iterable[Sequence[object]]) -> str:
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows)


def _sources(card: Mapping[str, Any]) -> str:
    return "\n".join(f"- {kind}: {text}" for kind, text in card["sources"].items())


def _percent(one: Mapping[str, float]) -> list[str]:
    return [f"{one[name]:.2f}" for name in ("precision", "recall", "f1")]


def _calibration(found: Calibration | None) -> str:
    """Bins of probabilities, how many are in each, their mean, and the share of right ones."""
    if found is None:
        return ""
    return _table(
        (f"{k / N_BINS:.1f} to {(k + 1) / N_BINS:.1f}", n, f"{found.mean[k]:.3f}", f"{found.accuracy[k]:.3f}")
        for k, n in enumerate(found.arcs)
        if n
    )


def _by_role(results: Results) -> str:
    text, trees = results["text"].by_role, results["trees"].by_role
    return _table(
        (role, one.gold, f"{text.get(role, Agreement()).f1:.1f}", f"{one.f1:.1f}")
        for role, one in list(trees.items())[:_SHOWN]
    )
