"""The matcher of similar spellings: which words it looks at, its bins, its options, its place among the others."""

from typing import Any

import numpy as np
import pytest

from pfsm.matchers.protocol import EncodedPairs
from pfsm.matchers.spelling import LONGEST, SpellingMatcher, check_options, learn_options
from pfsm.model.metric import Metric
from pfsm.text.vocabulary import Vocabulary
from tests.model_cases import model
from tests.oracles.enumeration import enumerate_all
from tests.oracles.log_linear import edit_lattice


def encoded(references: list[str], hypotheses: list[str], **options: Any) -> EncodedPairs:
    vocabulary = Vocabulary(**options)
    return EncodedPairs(vocabulary, vocabulary.encode(references), vocabulary.encode(hypotheses))


def matched(reference: str, hypothesis: str, **options: Any) -> dict[tuple[str, str], float]:
    """The similarities of the pairs of words that match; lines are split at spaces."""
    pairs = encoded([reference], [hypothesis], tokeniser="plain", stemmer="none")
    blocks, values = SpellingMatcher(**options).similar(pairs)
    left, right = reference.split(), hypothesis.split()
    assert set(blocks[:, 0].tolist()) <= {0}
    assert (blocks[:, [2, 4]] == 1).all()
    return {
        (left[i], right[j]): value
        for (_, i, _, j, _), value in zip(blocks.tolist(), values.tolist(), strict=True)
    }


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("1990s", "1980s"),  # another number is another thing
        ("COVID-19", "COVID-18"),
        ("ten", "tent"),  # one is shorter than four characters
        ("a" * (LONGEST + 1), "a" * LONGEST),
    ],
)
def test_words_that_are_not_compared(left: str, right: str) -> None:
    assert matched(left, right, minimum=0.1) == {}


def test_case_does_not_count_and_characters_are_those_in_lower_case() -> None:
    assert matched("HOUSES", "house") == {("HOUSES", "house"): 1 - 1 / 6}
    # İ is two characters in lower case, i and a dot above.
    assert matched("İzmir", "izmir") == {("İzmir", "izmir"): 1 - 1 / 6}


def test_characters_that_no_file_can_hold() -> None:
    _, values = SpellingMatcher().similar(encoded(["abcd\ud800"], ["abcd\udfff"], tokeniser="penn"))
    assert values.tolist() == [0.8]


def test_scores_are_those_of_all_edit_sequences() -> None:
    settings = {"matchers": ["word", "char"], "options": {"char": {"bins": [0.5, 0.8, 1.0]}}}
    weights = {
        "Insert": -0.5, "Delete": -1.0, "S_word": 1.5, "S_char": 0.25, "char:+0": 0.5, "char:+1": 1.0,
        "S_char>S_word": 0.5,
    }  # fmt: skip
    metric = Metric(model(settings=settings, weights=weights), 1)
    references = ["she walked home", "Petersburg river", "nothing alike"]
    hypotheses = ["he walks homes", "Peterburg rivers", "x y"]
    batch = metric._builder.build(references, hypotheses)
    expected = []
    for pair in range(3):
        lattice = edit_lattice(batch, pair, weights)
        expected.append(enumerate_all(lattice, weights).log_sum / (lattice.m + lattice.n) + 0.25)
    scores = metric.score_pairs(hypotheses, references)
    assert scores == pytest.approx(expected, abs=1e-12)
    # The similarity counts: walked/walks 4 of 6, home/homes 4 of 5.
    without = {name: weight for name, weight in weights.items() if "+" not in name}
    assert (
        Metric(model(settings=settings, weights=without), 1).score_pairs(hypotheses, references)[0]
        < scores[0]
    )


def test_bins_are_learned_from_words_that_share_neither_form_nor_stem() -> None:
    options = check_options({"bins": "auto"}, "x")
    # Compared: wander/wonder 5/6, minister/sinister 7/8, ministers/sinister 7/9; walked and Walks share a stem.
    pairs = encoded(["wander walked minister same", "ministers"], ["wonder Walks sinister Same", "sinister"])
    learned = learn_options(options, pairs)
    values = [5 / 6, 7 / 8, 7 / 9]
    quantiles = np.quantile(values, [0, 0.2, 0.4, 0.6, 0.8, 1])
    assert learned == {**options, "bins": [pytest.approx(value, abs=1e-4) for value in quantiles]}
    assert learn_options(options, encoded(["a"], ["b"]))["bins"] == []
    fixed = check_options({}, "x")
    assert learn_options(fixed, pairs) == fixed
