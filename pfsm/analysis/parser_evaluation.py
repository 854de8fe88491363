"""A parser tried on a treebank: which of its choices are right, and whether its probabilities are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pfsm.analysis.analysers import OwnAnalyser
from pfsm.analysis.conllu import ConlluSentence
from pfsm.analysis.conllu_lines import analysis_of
from pfsm.analysis.constituents import BracketedSentence, Constituent
from pfsm.analysis.parser.parse import Wanted
from pfsm.analysis.scoring import (
    Agreement,
    Calibration,
    ParsingScores,
    calibration,
    score_brackets,
    score_parses,
)
from pfsm.analysis.sentence import Analysis, joined

_PORTION = 256
Line = TypeVar("Line")
Analyse = Callable[[Sequence[str]], list[Analysis]]


@dataclass(frozen=True, eq=False)
class Trial:
    """What came of it.

    Attributes:
        lines: Lines parsed.
        scores: Words, tags, heads and labels.
        calibration: Of the arcs; None where the parser gives no probabilities or words are its own.
        brackets: Labelled brackets; None without gold trees.
        trees: Sentences with a gold tree.
    """

    lines: int
    scores: ParsingScores
    calibration: Calibration | None
    brackets: Agreement | None
    trees: int


def try_on_words(
    analyser: OwnAnalyser, sentences: Sequence[ConlluSentence], trees: Sequence[BracketedSentence] | None
) -> Trial:
    """Each sentence by itself with the words of the treebank."""
    wanted = Wanted(marginals=True, constituents=trees is not None, one_sentence=True)
    gold = [analysis_of(sentence) for sentence in sentences]
    found = _in_portions(
        [sentence.forms for sentence in sentences], lambda part: analyser.analyse_words(part, wanted)
    )
    by_words = _first_of_each(trees or ())
    bracketed = [
        (system.constituents[0], by_words[system.tokens]) for system in found if system.tokens in by_words
    ]
    pairs = list(zip(found, gold, strict=True))
    return Trial(
        len(pairs),
        score_parses(pairs),
        calibration(pairs),
        None if trees is None else sum((score_brackets(*pair) for pair in bracketed), Agreement()),
        len(bracketed),
    )


def try_on_text(analyse: Analyse, sentences: Sequence[ConlluSentence], joined_lines: int) -> Trial:
    """The text of so many sentences at a time, put on one line with a space between, words left to the parser."""
    groups = [sentences[first : first + joined_lines] for first in range(0, len(sentences), joined_lines)]
    gold = [joined([analysis_of(sentence) for sentence in group]) for group in groups]
    found = _in_portions([" ".join(sentence.text for sentence in group) for group in groups], analyse)
    return Trial(len(groups), score_parses(zip(found, gold, strict=True)), None, None, 0)


def _in_portions(
    lines: Sequence[Line], analyse: Callable[[Sequence[Line]], list[Analysis]]
) -> list[Analysis]:
    found: list[Analysis] = []
    for first in range(0, len(lines), _PORTION):
        found += analyse(lines[first : first + _PORTION])
    return found


def _first_of_each(trees: Sequence[BracketedSentence]) -> dict[tuple[str, ...], Constituent]:
    """A tree for each sequence of words; of several the first."""
    found: dict[tuple[str, ...], Constituent] = {}
    for bracketed in trees:
        found.setdefault(bracketed.words, bracketed.tree)
    return found
