"""How sure the parser must be before it parts a line: what helps most where lines hold one, two or three sentences.

The network learns sentence starts on lines as a treebank has them. A start that is missed costs more heads than one
too many, and segments of several sentences are common in translation, so the log-odds are moved by what gives the
highest mean LAS over such lines of held-out text.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from pfsm.analysis.conllu import ConlluSentence
from pfsm.analysis.parser.parameters import ParserWeights
from pfsm.analysis.parser_evaluation import Analyse, evaluate_on_text

BIAS = "starts.bias"
MOVES = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
SENTENCES_A_LINE = (1, 2, 3)


def parted(
    weights: ParserWeights,
    sentences: Sequence[ConlluSentence],
    analyser_of: Callable[[ParserWeights], Analyse],
) -> tuple[ParserWeights, float]:
    """The same weights with the log-odds of sentence starts moved, and by how much.

    Args:
        weights: Of a parser.
        sentences: Held-out, as they follow each other in the treebank.
        analyser_of: From weights to what analyses lines of text.
    """

    def mean_las(move: float) -> float:
        analyse = analyser_of(moved(weights, move))
        return float(
            np.mean([evaluate_on_text(analyse, sentences, k).scores.las.f1 for k in SENTENCES_A_LINE])
        )

    best = max(MOVES, key=lambda move: (mean_las(move), -move))
    return moved(weights, best), best


def moved(weights: ParserWeights, move: float) -> ParserWeights:
    """The same weights with so much added to every log-odds of a sentence start."""
    arrays = dict(weights.arrays)
    arrays[BIAS] = arrays[BIAS] + np.float32(move)
    return replace(weights, arrays=arrays)
