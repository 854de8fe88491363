"""METEOR: the numbers of METEOR 1.5's own program for every task, cases worked by hand, options."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm.data import read_table
from pfsm.features.values import feature_signature, feature_values
from pfsm.lexicons.meteor import FULL_NAME as FULL_TABLE
from pfsm.lexicons.meteor import table_path
from pfsm.lexicons.registry import installed
from pfsm.metrics import get_metric
from pfsm.metrics.meteor.metric import _analyser
from pfsm.metrics.meteor.options import PARTS, parameters
from pfsm.metrics.meteor.words import meteor_tokeniser, own_lists
from pfsm.metrics.registry import expanded
from pfsm.text.chunks import CachedTokeniser
from tests.core.lexicons.lexicon_cases import install, paraphrases

# Own sentences; the numbers are those of METEOR's program (scripts/meteor_reference.py).
TABLE = read_table(Path(__file__).parent / "meteor_pairs.tsv")
REFERENCES, HYPOTHESES = TABLE.column("reference"), TABLE.column("hypothesis")
needs_numbers = pytest.mark.skipif(
    "score" not in TABLE.columns, reason="nothing recorded yet: run scripts/meteor_reference.py"
)
needs_package = pytest.mark.skipif(table_path() is None, reason="pycocoevalcap is not installed")
needs_table = pytest.mark.skipif(
    table_path() is None or FULL_TABLE not in {entry.name for entry in installed()},
    reason=f"{FULL_TABLE} is not compiled (a minute; `pfsm score --metric meteor` does it)",
)


def recorded(column: str) -> list[float]:
    return [float(value) for value in TABLE.column(column)]


@needs_numbers
@needs_package
def test_agrees_with_the_program_without_paraphrases() -> None:
    scores = get_metric("meteor", paraphrases="none").score_pairs(HYPOTHESES, REFERENCES)
    differences = np.abs(scores - recorded("score_without_paraphrases"))
    assert len(scores) >= 36
    assert np.mean(differences < 1e-9) >= 0.9
    assert differences.max() < 0.05


@needs_numbers
@needs_table
def test_agrees_with_the_program() -> None:
    columns = ["score", "precision", "recall", "penalty"]
    names = ["meteor", "meteor.precision", "meteor.recall", "meteor.penalty"]
    values = feature_values(names, HYPOTHESES, REFERENCES)
    differences = np.abs(values.T - [recorded(column) for column in columns])
    assert (np.mean(differences < 1e-9, axis=1) >= 0.85).all()
    assert differences[0].max() < 0.1


def test_what_a_line_says_again_is_matched_once() -> None:
    """Chunks as they were when each word of the reference had a list of its own; a thousand equal words have one."""
    metric: Any = get_metric("meteor-base")
    rng = np.random.default_rng(0)
    words = ["the", "cat", "cats", "large", "big", "of", "course", ",", "."]
    lines = [[" ".join(rng.choice(words, 60)) for _ in range(20)] for _ in range(2)]
    expected = [36, 43, 33, 40, 40, 34, 37, 42, 40, 34, 40, 34, 35, 34, 37, 41, 33, 37, 42, 36]
    assert metric.pair_statistics(*lines)[:, -1].tolist() == expected
    many = ["cat " * 1000]
    assert len(_analyser("meteor-base", metric.options).find(many, many).rows) == 1000
    assert metric.score_pairs(many, ["cats " * 1000]) == pytest.approx(0.6)


def test_by_hand() -> None:
    # Content words weigh .75, function words (the, on) .25. All words of the hypothesis match, in two chunks.
    reference, hypothesis = "the cat slept on the mat", "the cat on the mat"
    row = feature_values(
        ["meteor-base", *(f"meteor-base.{part}" for part in PARTS)], [hypothesis], [reference]
    )[0]
    of = dict(zip(["score", *PARTS], row.tolist(), strict=True))
    precision, recall = 1.0, (2 * 0.75 + 3 * 0.25) / (3 * 0.75 + 3 * 0.25)
    f = precision * recall / (0.85 * precision + 0.15 * recall)
    penalty = 0.6 * (2 / 5) ** 0.2
    wanted = {
        "score": f * (1 - penalty), "precision": precision, "recall": recall, "f": f, "penalty": penalty,
        "fragmentation": 2 / 5, "exact": 10 / 11, "stem": 0.0, "syn": 0.0, "para": 0.0, "content": 4 / 5,
        "function": 1.0,
    }  # fmt: skip
    assert of == pytest.approx(wanted)


def test_stems_and_synonyms() -> None:
    names = [f"meteor-base.{part}" for part in ("exact", "stem", "syn", "fragmentation")]
    values = feature_values(names, ["many automobiles shouted"], ["many cars shouting"])
    np.testing.assert_allclose(values, [[1 / 3, 1 / 3, 1 / 3, 0.0]], atol=1e-12)


@needs_package
def test_a_paraphrase_counts_the_words_that_it_has_on_each_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path))
    install(paraphrases({("zork blim", "quux"): 0.5}), tmp_path)
    options = "(paraphrases=few,synonyms=none)"
    names = [f"meteor.{part}{options}" for part in ("precision", "recall")]
    longer, shorter = "zork blim dogs ran", "quux dogs ran"
    values = feature_values(names, [shorter, longer], [longer, shorter])
    # Two exact words of weight 1, and those of the paraphrase, of weight .6: one of three, and two of four.
    one, two = 2.6 / 3.0, 3.2 / 4.0
    np.testing.assert_allclose(values, [[one, two], [two, one]], atol=1e-12)


@pytest.mark.parametrize(
    ("language", "line", "tokens"),
    [
        ("en", "Don't go, Mr. Lee!", "don 't go , mr. lee !"),
        ("en", "The U.S. lost 1,000.5 tons...", "the us lost 1,000.5 tons ..."),
        ("en", "A well-known “rule” – 'so'.", "a well known \" rule \" - ' so ' ."),
        ("fr", "L'eau de l'île.", "l' eau de l' île ."),
        ("en", "He left. then came No. 5 of 6.", "he left. then came no. 5 of 6 ."),
    ],
)
def test_tokeniser(language: str, line: str, tokens: str) -> None:
    tokenise = CachedTokeniser(meteor_tokeniser(language, own_lists(language).abbreviations))
    assert tokenise(line) == tokens.split()


# Four words match in one chunk, one of them as a stem: of five words and of six.
OLD_CATS, OLD_CAT = ["the old cats sat down"], ["the old cat sat on it"]
P, R = 4 / 5, 4 / 6


def with_parameters(alpha: float, beta: float, gamma: float) -> float:
    f = P * R / (alpha * P + (1 - alpha) * R)
    return f * (1.0 - gamma * float(np.power(1 / 4, beta)))


def test_parts_with_options_are_features() -> None:
    names = expanded("meteor-base.*(task=v0.7)")
    assert names[:2] == ("meteor-base.precision(task=v0.7)", "meteor-base.recall(task=v0.7)")
    values = feature_values(["meteor-base.f(task=v0.7)", "meteor-base.f", *names[:2]], OLD_CATS, OLD_CAT)[0]
    assert values[0] == pytest.approx(P * R / (0.8 * P + 0.2 * R))
    assert values[2:] == pytest.approx([P, R])
    old = get_metric("meteor-base(task=v0.7)").score_pairs(OLD_CATS, OLD_CAT)[0]
    assert old == pytest.approx(with_parameters(0.8, 0.83, 0.28), rel=1e-12)
    assert values[0] != pytest.approx(values[1])
    assert "task:v0.7" in feature_signature("meteor-base.f(task=v0.7)")
    assert expanded("bleu.*")[0] == "bleu.1"


TASKS = read_table(Path(__file__).parent / "meteor_tasks.tsv")
ROWS = list(
    zip(
        *(TASKS.column(name) for name in ("language", "task", "reference", "hypothesis", "score")),
        strict=True,
    )
)
SETS = sorted({(language, task) for language, task, *_ in ROWS})


@pytest.mark.parametrize(("language", "task"), SETS)
def test_other_tasks_agree_with_the_program(language: str, task: str) -> None:
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
