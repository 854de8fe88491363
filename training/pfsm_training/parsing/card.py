"""The model card of a parser: its training data, its accuracy and its limits."""

from collections.abc import Mapping
from typing import Any

from pfsm.analysis.parser_evaluation import ParserEvaluation
from pfsm.analysis.scoring import N_BINS, Calibration

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
