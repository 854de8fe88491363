"""The model card of a parser: what it learned from, how good it is, where it is weak."""

from collections.abc import Mapping
from typing import Any

from pfsm.analysis.parser_evaluation import ParserEvaluation
from pfsm.analysis.scoring import N_BINS

_SOURCES = {
    "treebank": "UD English EWT (Universal Dependencies), training part; CC BY-SA 4.0",
    "constituents": "English Web Treebank trees of the PropBank release over the same sentences; CC BY-SA 4.0",
    "vectors": "word co-occurrence in English sides of WMT12, WMT13, WMT19, WMT21, MLQE-PE, IWSLT19 and RealSumm "
    "test sets and of the treebank's training part; no judgment was used; WMT15 and WMT16 direct assessment left out",
}
_WEAK = """\
- Written American English of the web: mail, blogs, reviews, answers. Spoken language, verse and code are not in it.
- One sentence has one root. Sentences are parted inside a line by the network, not by rules; lines of fragments without
  punctuation are often parted wrongly.
- Translations that are no English any more get trees all the same; look at the probabilities, which are lower there.
- Words of other scripts are known by nothing but their neighbours.
- Constituents carry neither function tags nor traces.
"""


def card_of(trials: Mapping[str, ParserEvaluation], passes: int) -> dict[str, Any]:
    """What the weights file says about itself.

    Args:
        trials: On the test part: ``words`` (gold tokens), ``text`` (untokenised), ``joined`` (two lines joined).
        passes: Times through the training part.
    """
    return {
        "sources": dict(_SOURCES),
        "passes": passes,
        "test": {name: _numbers(trial) for name, trial in trials.items()},
    }


def _numbers(trial: ParserEvaluation) -> dict[str, float]:
    scores = trial.scores
    found = {
        "words": scores.words.f1,
        "upos": scores.upos.f1,
        "xpos": scores.xpos.f1,
        "uas": scores.uas.f1,
        "las": scores.las.f1,
    }
    if trial.brackets is not None:
        found["brackets"] = trial.brackets.f1
    return {name: round(value, 2) for name, value in found.items()}


def card_text(name: str, size: int, card: Mapping[str, Any], trial: ParserEvaluation) -> str:
    """The card as Markdown.

    Args:
        name: Of the parser.
        size: Of its file, in bytes.
        card: From `card_of`.
        trial: With gold tokens, for the calibration table.
    """
    lines = [
        f"# {name}",
        "",
        "Dependency and constituency parser and tagger for English. One bidirectional LSTM encoder over words,",
        "fixed word vectors and characters; biaffine arcs and labels, trained with the likelihood of the tree",
        "(matrix-tree theorem); spans trained with the likelihood of the bracketing (inside algorithm); UPOS, XPOS",
        "and sentence starts jointly.",
        f"Weights: int8 with one scale a row, {size / 1e6:.1f} MB. {card['passes']} passes through the training part.",
        "",
        "Built by `python scripts/build_parsers.py`, from `configs/parsers.yaml`.",
        "",
        "## Sources and licence",
        "",
        *(f"- {kind}: {text}" for kind, text in card["sources"].items()),
        "",
        "The weights are under CC BY-SA 4.0, as the treebanks are: see the LICENSE file beside them.",
        "",
        "## Scores on the test part (UD English EWT), percent",
        "",
        "| input | words | UPOS | XPOS | UAS | LAS | brackets |",
        "|---|---|---|---|---|---|---|",
        *(_row(kind, values) for kind, values in card["test"].items()),
        "",
        "Words, tags and attachment as in the CoNLL 2018 shared task (labels without subtypes), brackets as evalb.",
        "",
        "## Calibration of arc probabilities (test part, gold tokens, arcs of at least 1 %)",
        "",
        "| probability | arcs | mean | right |",
        "|---|---|---|---|",
        *_bins(trial),
        "",
        "## Where it is weak",
        "",
        _WEAK,
    ]
    return "\n".join(lines)


_INPUTS = {"words": "words of the treebank", "text": "text, a line each", "joined": "text, two lines joined"}


def _row(kind: str, values: Mapping[str, float]) -> str:
    cells = [
        f"{values[key]:.2f}" if key in values else ""
        for key in ("words", "upos", "xpos", "uas", "las", "brackets")
    ]
    return f"| {_INPUTS.get(kind, kind)} | {' | '.join(cells)} |"


def _bins(trial: ParserEvaluation) -> list[str]:
    found = trial.calibration
    if found is None:
        return []
    edges = [f"{k / N_BINS:.1f}" for k in range(N_BINS + 1)]
    return [
        f"| {edges[k]} to {edges[k + 1]} | {found.arcs[k]} | {found.mean[k]:.3f} | {found.accuracy[k]:.3f} |"
        for k in range(N_BINS)
        if found.arcs[k]
    ]
