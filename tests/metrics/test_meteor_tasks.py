"""METEOR's parameters for other tasks and languages: the numbers of METEOR 1.5's own program, without paraphrases.

The sentences are ours, and such that METEOR's lists of function words and ours agree on them. So the numbers hold
without METEOR's files (`scripts/meteor_reference.py` writes them).
"""

from pathlib import Path

import pytest

from pfsm.data import read_table
from pfsm.metrics import get_metric
from pfsm.metrics.meteor.options import parameters

TABLE = read_table(Path(__file__).parent / "meteor_tasks.tsv")
ROWS = list(
    zip(
        *(TABLE.column(name) for name in ("language", "task", "reference", "hypothesis", "score")),
        strict=True,
    )
)
SETS = sorted({(language, task) for language, task, *_ in ROWS})


@pytest.mark.parametrize(("language", "task"), SETS)
def test_agrees_with_the_program(language: str, task: str) -> None:
    rows = [row for row in ROWS if row[:2] == (language, task)]
    references, hypotheses, wanted = ([row[k] for row in rows] for k in (2, 3, 4))
    scores = get_metric("meteor-base", language=language, task=task).score_pairs(hypotheses, references)
    assert scores.tolist() == pytest.approx([float(score) for score in wanted], abs=1e-9)


def test_there_are_fragmentations_that_tell_exponents_apart() -> None:
    """beta above 1 is what most of them have; the fragmentation is neither 0 nor 1 there."""
    assert {pair for pair in SETS if parameters(*pair).beta > 1} == {
        *(("en", "adq"), ("en", "hter"), ("en", "li"), ("es", "li"), ("es", "rank"), ("fr", "rank"))
    }
    assert min(sum(row[:2] == pair for row in ROWS) for pair in SETS) >= 4
