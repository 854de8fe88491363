"""Evaluation of a parser on a treebank: the accuracy of its choices and the calibration of its probabilities."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pfsm.analysis.conllu import ConlluSentence, analysis_of
from pfsm.analysis.constituents import BracketedSentence, Constituent
from pfsm.analysis.scoring import (
    Agreement,
    Calibration,
    ParsingScores,
    calibration,
    score_brackets,
    score_parses,
)
from pfsm.analysis.sentence import Analysis, joined
from pfsm.analysis.wanted import Wanted
from pfsm.analysis.watched import TrainedAnalyser

_PORTION = 256
Line = TypeVar("Line")
Analyse = Callable[[Sequence[str]], list[Analysis]]


@dataclass(frozen=True, eq=False)
class ParserEvaluation:
    """The result of an evaluation.

    Attributes:
        lines: Lines parsed.
        scores: Words, tags, heads and labels.
        calibration: Calibration of the arcs; None if the parser gives no probabilities or splits the words itself.
        brackets: Labelled brackets; None without gold trees.
        trees: Sentences with a gold tree.
    """

    lines: int
    scores: ParsingScores
    calibration: Calibration | None
    brackets: Agreement | None
    trees: int


def evaluate_on_words(
    analyser: TrainedAnalyser, sentences: Sequence[ConlluSentence], trees: Sequence[BracketedSentence] | None
) -> ParserEvaluation:
    """Evaluates on the words of the treebank, one sentence at a time."""
    wanted = Wanted(marginals=True, constituents=trees is not None, one_sentence=True)
    gold = [analysis_of(sentence) for sentence in sentences]
    found = in_portions(
        [sentence.forms for sentence in sentences], lambda part: analyser.analyse_words(part, wanted)
    )
    by_words = first_of_each(trees or ())
    bracketed = [
        (system.constituents[0], by_words[system.tokens]) for system in found if system.tokens in by_words
    ]
    pairs = list(zip(found, gold, strict=True))
    return ParserEvaluation(
        len(pairs),
        score_parses(pairs),
        calibration(pairs),
        None if trees is None else sum((score_brackets(*pair) for pair in bracketed), Agreement()),
        len(bracketed),
    )


def evaluate_on_text(
    analyse: Analyse, sentences: Sequence[ConlluSentence], joined_lines: int
) -> ParserEvaluation:
    """Evaluates on raw text with so many sentences joined by spaces on each line; the parser splits the words."""
    groups = [sentences[first : first + joined_lines] for first in range(0, len(sentences), joined_lines)]
    gold = [joined([analysis_of(sentence) for sentence in group]) for group in groups]
    found = in_portions([" ".join(sentence.text for sentence in group) for group in groups], analyse)
    return ParserEvaluation(len(groups), score_parses(zip(found, gold, strict=True)), None, None, 0)


def in_portions(lines: Sequence[Line], analyse: Callable[[Sequence[Line]], list[Analysis]]) -> list[Analysis]:
    """Analyses of lines, so many at a time that a batch stays small."""
    found: list[Analysis] = []
    for first in range(0, len(lines), _PORTION):
        found += analyse(lines[first : first + _PORTION])
    return found


def first_of_each(trees: Sequence[BracketedSentence]) -> dict[tuple[str, ...], Constituent]:
    """A tree for each sequence of words; the first if there are several."""
    found: dict[tuple[str, ...], Constituent] = {}
    for bracketed in trees:
        found.setdefault(bracketed.words, bracketed.tree)
    return found
