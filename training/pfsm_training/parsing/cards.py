"""The model cards of a parser and of a labeller: training data, accuracy and limits."""

from collections.abc import Mapping
from typing import Any

from pfsm.analysis.parser_evaluation import ParserEvaluation
from pfsm.analysis.scoring import N_BINS, Agreement, Calibration, RoleScores
from pfsm.english.labeller.weights import RoleWeights

_SOURCES = {
    "treebank": "UD English EWT (Universal Dependencies), training part; CC BY-SA 4.0",
    "constituents": "English Web Treebank trees of the PropBank release over the same sentences; CC BY-SA 4.0",
    "vectors": "word co-occurrence in English sides of WMT12, WMT13, WMT19, WMT21, MLQE-PE, IWSLT19 and RealSumm "
    "test sets and of the treebank's training part; no judgments are used; WMT15 and WMT16 direct assessment left out",
}
_WEAK = """\
- The training text is written American English of the web: mail, blogs, reviews, answers. It has no spoken language,
  verse or code.
- Every sentence has one root. The network, not a set of rules, splits a line into sentences; it often splits fragments
  without punctuation in the wrong places.
- Text that is hardly English still gets trees. Their probabilities are lower.
- For words in other scripts the parser knows nothing but their neighbours.
- Constituents have neither function tags nor traces.
"""


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
    scores = result.scores
    found = {
        "words": scores.words.f1,
        "upos": scores.upos.f1,
        "xpos": scores.xpos.f1,
        "uas": scores.uas.f1,
        "las": scores.las.f1,
    }
    if result.brackets is not None:
        found["brackets"] = result.brackets.f1
    return {name: round(value, 2) for name, value in found.items()}


def card_text(name: str, size: int, card: Mapping[str, Any], result: ParserEvaluation) -> str:
    """The card as Markdown.

    Args:
        name: Name of the parser.
        size: Size of its file in bytes.
        card: A card from `card_of`.
        result: The result with gold tokens, for the calibration table.
    """
    lines = [
        f"# {name}",
        "",
        "Dependency and constituency parser and tagger for English. A bidirectional LSTM encodes words, fixed word",
        "vectors and characters. Biaffine arcs and labels are trained with the likelihood of the tree (matrix-tree",
        "theorem), spans with the likelihood of the bracketing (inside algorithm), jointly with UPOS, XPOS and",
        "sentence starts.",
        f"Weights: int8, one scale per row, {size / 1e6:.1f} MB. {card['passes']} passes through the training part.",
        "",
        "Built by `python scripts/build_parsers.py` from `configs/parsers.yaml`.",
        "",
        "## Sources and licence",
        "",
        *(f"- {kind}: {text}" for kind, text in card["sources"].items()),
        "",
        "The weights are under CC BY-SA 4.0, like the treebanks: see the LICENSE file in the same folder.",
        "",
        "## Scores on the test part (UD English EWT), percent",
        "",
        "| input | words | UPOS | XPOS | UAS | LAS | brackets |",
        "|---|---|---|---|---|---|---|",
        *(_row(kind, values) for kind, values in card["test"].items()),
        "",
        "Words, tags and attachment are scored as in the CoNLL 2018 shared task (labels without subtypes), brackets as",
        "by evalb.",
        "",
        "## Calibration of arc probabilities (test part, gold tokens, arcs of at least 1 %)",
        "",
        "| probability | arcs | mean | correct |",
        "|---|---|---|---|",
        *calibration_rows(result.calibration),
        "",
        "## Where it is weak",
        "",
        _WEAK,
    ]
    return "\n".join(lines)


_INPUTS = {
    "words": "words of the treebank",
    "text": "text, one sentence per line",
    "joined": "text, two per line",
}


def _row(kind: str, values: Mapping[str, float]) -> str:
    cells = [
        f"{values[key]:.2f}" if key in values else ""
        for key in ("words", "upos", "xpos", "uas", "las", "brackets")
    ]
    return f"| {_INPUTS.get(kind, kind)} | {' | '.join(cells)} |"


def calibration_rows(found: Calibration | None) -> list[str]:
    """Rows of a table: bins of probabilities, how many are in each, their mean, and the share of right ones."""
    if found is None:
        return []
    edges = [f"{k / N_BINS:.1f}" for k in range(N_BINS + 1)]
    return [
        f"| {edges[k]} to {edges[k + 1]} | {found.arcs[k]} | {found.mean[k]:.3f} | {found.accuracy[k]:.3f} |"
        for k in range(N_BINS)
        if found.arcs[k]
    ]


_ROLE_SOURCES = {
    "roles": "PropBank release (frames 3.1) over the words of UD English EWT, training part; CC BY-SA 4.0",
    "trees": "UD English EWT and the constituent trees of the PropBank release; CC BY-SA 4.0",
    "text without roles": "references and post-edits of WMT12, WMT13, WMT19, WMT21, MLQE-PE, IWSLT19, RealSumm test "
    "sets; no judgments are used; WMT15 and WMT16 direct assessment left out",
}
Results = Mapping[str, RoleScores]
"""Results on the test part by kind of input: ``text``, ``words``, ``trees``."""
_SHOWN = 20
_ROLE_INPUTS = {
    "text": "text, one sentence per line",
    "words": "words of the treebank, predicted trees",
    "trees": "gold tags and trees",
}
_WEAK_OF_ROLES = """\
- Predicates are the words that the parser tags VERB and, with `--nominal`, likely ones among those that it tags NOUN.
  Adjectives and auxiliaries (the copula, too) are none.
- Senses are not told apart: a frame has a lemma, not a roleset.
- A span can be an argument only if the parser's trees offer it.
- Rare roles (AM-PRD, AM-GOL, R-AM-…) are often missed.
"""


def role_card_of(
    results: Results, nominal: Results, weights: RoleWeights, folds: tuple[int, int]
) -> dict[str, Any]:
    """The card as it is stored in the labeller's file.

    Args:
        results: Results for verbs.
        nominal: Results for nominal predicates; empty if the labeller does not know them.
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


def role_card_text(name: str, size: int, card: Mapping[str, Any], results: Results, nominal: Results) -> str:
    """The card as Markdown.

    Args:
        name: Name of the parser that the labeller reads.
        size: Size of the labeller's file in bytes.
        card: A card from `role_card_of`.
        results: The results for verbs that it is made of.
        nominal: Those for nominal predicates.
    """
    folds, passes = card["folds"]
    lines = [
        f"# Semantic roles for {name}",
        "",
        "Labeller of the arguments of verbs and, as an option, of nouns. For each predicate, spans from the dependency",
        "tree and the constituent tree are candidates. A network scores them from the states of an LSTM over words,",
        "parents, tags and relations, and from hashed features (path, tags, relations, words, constituents, lemma of",
        "the predicate, voice, siblings). Probabilities are sums over all sets of spans that do not overlap; the set",
        "with the largest sum of probabilities, each less a threshold, is given. A logistic layer over the states and",
        "over features of nouns says how likely a noun is a predicate.",
        f"Weights: int8, one scale per row, {size / 1e6:.1f} MB. Trained on trees of {folds} parsers that had not",
        f"seen the sentence ({passes} passes each), and on gold trees. Two networks with more features were trained",
        "first: it learned from the average of their probabilities, too, also for text without roles. Temperature",
        f"{card['temperature']:g} and threshold {card['threshold']:g}, fitted on the development part.",
        "",
        "Built by `python scripts/build_parsers.py --roles` from `configs/parsers.yaml`.",
        "",
        "## Sources and licence",
        "",
        *(f"- {kind}: {text}" for kind, text in card["sources"].items()),
        "",
        "The weights are under CC BY-SA 4.0: see the LICENSE file in the same folder.",
        "",
        "## Arguments of verbs, exact spans, test part, percent",
        "",
        "| input | precision | recall | F1 |",
        "|---|---|---|---|",
        *(
            f"| {_INPUTS[kind]} | {one['precision']:.2f} | {one['recall']:.2f} | {one['f1']:.2f} |"
            for kind, one in card["test"].items()
        ),
        "",
        "| role | gold | F1 from text | F1 on gold trees |",
        "|---|---|---|---|",
        *_by_role(results),
        "",
        "## Calibration of probabilities of arguments (test part, from text)",
        "",
        "| probability | arguments | mean | correct |",
        "|---|---|---|---|",
        *calibration_rows(results["text"].calibration),
        "",
        *(_of_nouns(card["nominal"], nominal) if nominal else ()),
        "## Where it is weak",
        "",
        _WEAK_OF_ROLES,
    ]
    return "\n".join(lines)


def _of_nouns(test: Mapping[str, Mapping[str, Mapping[str, float]]], results: Results) -> list[str]:
    return [
        "## Nominal predicates (`--nominal`), exact spans, test part, percent",
        "",
        "An argument counts only if its noun is found to be a predicate.",
        "",
        "| input | | precision | recall | F1 |",
        "|---|---|---|---|---|",
        *(
            f"| {_INPUTS[kind]} | {what} | {one['precision']:.2f} | {one['recall']:.2f} | {one['f1']:.2f} |"
            for kind, both in test.items()
            for what, one in both.items()
        ),
        "",
        "| role | gold | F1 from text | F1 on gold trees |",
        "|---|---|---|---|",
        *_by_role(results),
        "",
        "Calibration of probabilities of arguments, each with that of its predicate, from text:",
        "",
        "| probability | arguments | mean | correct |",
        "|---|---|---|---|",
        *calibration_rows(results["text"].calibration),
        "",
    ]


def _by_role(results: Results) -> list[str]:
    text, trees = results["text"].by_role, results["trees"].by_role
    return [
        f"| {role} | {one.gold} | {text.get(role, Agreement()).f1:.1f} | {one.f1:.1f} |"
        for role, one in list(trees.items())[:_SHOWN]
    ]
