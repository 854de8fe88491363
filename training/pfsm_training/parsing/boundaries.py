"""Calibrates how readily the parser splits a line into sentences.

The network learns sentence starts on lines with the mix of sentences used in training. A missed start costs more heads
than a false one, and translation segments often have several sentences. So a constant is added to the log-odds of a
start: the one with the highest mean LAS on held-out lines of one, two and three sentences.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from pfsm.analysis.conllu import ConlluSentence
from pfsm.analysis.parser_evaluation import Analyse, evaluate_on_text
from pfsm.english.parser.weights import ParserWeights
from pfsm.runtime.choice import simplest_within_noise

BIAS = "starts.bias"
MOVES = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
SENTENCES_A_LINE = (1, 2, 3)


def with_tuned_starts(
    weights: ParserWeights,
    sentences: Sequence[ConlluSentence],
    analyser_of: Callable[[ParserWeights], Analyse],
) -> tuple[ParserWeights, float]:
    """The same weights with the best constant added to the log-odds of a sentence start, and that constant.

    Args:
        weights: Weights of a parser.
        sentences: Held-out sentences in the order of the treebank.
        analyser_of: Makes an analyser of lines of text from weights.
    """

    def mean_las(move: float) -> float:
        analyse = analyser_of(moved(weights, move))
        return float(
            np.mean([evaluate_on_text(analyse, sentences, k).scores.las.f1 for k in SENTENCES_A_LINE])
        )

    best = MOVES[simplest_within_noise(list(map(mean_las, MOVES)))]
    return moved(weights, best), best


def moved(weights: ParserWeights, move: float) -> ParserWeights:
    """The same weights with a constant added to the log-odds of a sentence start."""
    arrays = dict(weights.arrays)
    arrays[BIAS] = arrays[BIAS] + np.float32(move)
    return replace(weights, arrays=arrays)
