"""The chosen constant is the best one, for an analyser whose best constant is known."""

from pathlib import Path

import numpy as np
import pytest

from pfsm.analysis.conllu import analysis_of, read_conllu
from pfsm.analysis.parser_evaluation import Analyse
from pfsm.analysis.sentence import Analysis
from pfsm.english.parser.weights import ParserWeights
from pfsm_training.parsing.export import BIAS, with_tuned_starts
from tests.analysis.samples import random_weights

TREEBANK = """\
# text = Yes it is
1\tYes\t_\t_\t_\t_\t3\tdiscourse\t_\t_
2\tit\t_\t_\t_\t_\t3\tnsubj\t_\t_
3\tis\t_\t_\t_\t_\t0\troot\t_\t_

"""


@pytest.mark.parametrize("wanted", [0.0, 1.5, 3.0])
def test_the_best_move_is_found(wanted: float, tmp_path: Path) -> None:
    path = tmp_path / "gold.conllu"
    path.write_text(TREEBANK * 6, encoding="utf-8")
    sentences = list(read_conllu(path))
    tree = analysis_of(sentences[0]).trees[0]
    weights = random_weights()

    def analyser_of(changed: ParserWeights) -> Analyse:
        off = abs(float((changed.arrays[BIAS] - weights.arrays[BIAS])[0]) - wanted)

        def one(line: str) -> Analysis:
            """Correct labels for lines that are short enough; the further off the bias, the shorter."""
            words = tuple(line.split())
            starts = tuple(range(0, len(words), 3))
            heads = tuple(
                head + 3 * (word // 3) if head else 0 for word, head in enumerate(tree.heads * len(starts))
            )
            labels = tree.labels * len(starts) if len(words) < 10 - 6 * off else ("dep",) * len(words)
            return Analysis(words, starts, trees=(type(tree)(heads, labels),))

        return lambda lines: [one(line) for line in lines]

    changed, move = with_tuned_starts(weights, sentences, analyser_of)
    assert move == wanted
    np.testing.assert_allclose(changed.arrays[BIAS], weights.arrays[BIAS] + np.float32(wanted))


def test_the_smallest_of_equally_good_moves_is_chosen(tmp_path: Path) -> None:
    path = tmp_path / "gold.conllu"
    path.write_text(TREEBANK, encoding="utf-8")
    nothing = Analysis(("Yes", "it", "is"), (0,))
    _, move = with_tuned_starts(
        random_weights(), list(read_conllu(path)), lambda _: lambda lines: [nothing] * len(lines)
    )
    assert move == 0.0
