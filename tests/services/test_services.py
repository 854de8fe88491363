"""A metric in other people's programs: pickled, copied, in threads and processes, on endless text, on columns."""

import copy
import gc
import pickle
import random
import sys
import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import pfsm
from pfsm.errors import PfsmError
from pfsm.metrics import SegmentMetric, get_metric, metric_names

REFERENCES = ["The red bird sings.", "A small house stood here.", "Rain falls.", "", "We met on Tuesday."] * 4
HYPOTHESES = ["The red bird sang.", "A house was standing here.", "rain", "hello", "On Tuesday we met."] * 4
NAMES = ("bleu", "chrf++", "ter", "nist", "rouge-l", "meteor-base", "wer", "terp-base")


def words(seed: int, n: int) -> list[str]:
    """Lines of words that no other line has."""
    drawn = random.Random(seed)
    return [" ".join(f"w{drawn.randrange(10**9):x}" for _ in range(8)) for _ in range(n)]


@pytest.fixture(scope="module")
def metric() -> pfsm.Metric:
    return pfsm.load("en")


@pytest.fixture(scope="module")
def expected(metric: pfsm.Metric) -> bytes:
    return metric.score_pairs(HYPOTHESES, REFERENCES).tobytes()


class TestCopies:
    def test_of_a_model(self, metric: pfsm.Metric, expected: bytes) -> None:
        given = pfsm.Metric(metric.model, threads=3, most_types=17)
        for other in (copy.copy(given), copy.deepcopy(given), pickle.loads(pickle.dumps(given))):
            assert other is not given
            assert other.score_pairs(HYPOTHESES, REFERENCES).tobytes() == expected
            assert other.get_signature(1) == metric.get_signature(1)
            assert (other.threads, other.most_types) == (3, 17)

    def test_of_every_metric_that_can_be_had(self) -> None:
        for name in metric_names():
            made = get_metric(name)
            for other in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
                assert (type(other), other.name, other.origin) == (type(made), made.name, made.origin)
            if name in NAMES:
                scores = [one.score_pairs(HYPOTHESES, REFERENCES).tobytes() for one in (made, other)]
                assert scores[0] == scores[1]

    def test_scores_and_explanations(self, metric: pfsm.Metric) -> None:
        score = metric.corpus_score(HYPOTHESES, [REFERENCES])
        other = pickle.loads(pickle.dumps(score))
        assert (other, other.name, other.signature) == (score, score.name, score.signature)
        explained = metric.explain(HYPOTHESES[0], REFERENCES[0])
        assert pickle.loads(pickle.dumps(explained)) == explained


class TestThreads:
    def test_under_load(self, metric: pfsm.Metric) -> None:
        """Many threads on one metric, with text of their own, the vocabulary dropped all the time."""
        lines = [words(seed, 8) for seed in range(4)]

        def scored(scorer: pfsm.Metric, k: int) -> bytes:
            return scorer.score_pairs(lines[k], lines[(k + 1) % 4] if k % 2 else lines[k]).tobytes()

        alone = [scored(pfsm.Metric(metric.model), k) for k in range(4)]
        shared = pfsm.Metric(metric.model, threads=2, most_types=40)
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-5)
        try:
            with ThreadPoolExecutor(4) as pool:
                for _ in range(2):
                    assert [*pool.map(lambda k: scored(shared, k), range(4))] == alone
        finally:
            sys.setswitchinterval(interval)


class TestMemory:
    def test_types_are_bounded_and_scores_are_the_same_bytes(self) -> None:
        model = pfsm.load("en").model
        bounded, unbounded = pfsm.Metric(model, most_types=150), pfsm.Metric(model, most_types=10**9)
        most = 0
        for seed in range(3):
            sides = [*words(seed, 12), *HYPOTHESES[:5]], [*words(seed + 1, 12), *REFERENCES[:5]]
            assert bounded.score_pairs(*sides).tobytes() == unbounded.score_pairs(*sides).tobytes()
            most = max(most, bounded.n_types)
        assert most <= 150 + 2 * 12 * 8 + 100 < 450
        assert unbounded.n_types > 390

    def test_what_is_forgotten_is_freed_at_once(self) -> None:
        """A circle of references would wait for the garbage collector, which strings never call."""
        bounded = pfsm.Metric(pfsm.load("en").model, most_types=3)
        bounded.score_pairs(["a b c d"], ["e f g h"])
        forgotten = weakref.ref(bounded._builder.vocabulary)
        gc.disable()
        try:
            bounded.score_pairs(["a"], ["a"])
            assert forgotten() is None
        finally:
            gc.enable()


class TestStream:
    def test_scores_one_by_one(self, metric: pfsm.Metric, expected: bytes) -> None:
        taken = 0

        def endless() -> Iterator[tuple[str, str]]:
            nonlocal taken
            while True:
                for pair in zip(HYPOTHESES, REFERENCES, strict=True):
                    taken += 1
                    yield pair

        stream = metric.scores(endless(), at_once=3)
        scores = np.array([next(stream) for _ in HYPOTHESES])
        assert scores.tobytes() == expected
        assert taken <= len(HYPOTHESES) + 3

    def test_faults(self, metric: pfsm.Metric) -> None:
        with pytest.raises(TypeError, match=r"pairs\[1\], hypothesis, \[0\] is None"):
            list(metric.scores([("a", "b"), (None, "b")]))  # type: ignore[list-item]
        with pytest.raises(TypeError, match=r"pairs\[0\] is not a pair"):
            list(metric.scores(["ab"]))  # type: ignore[list-item]
        with pytest.raises(PfsmError, match="but they are scored in parts here"):
            get_metric("nist").scores([("a", "a")])


@pytest.mark.parametrize("name", ["model", "bleu"])
def test_what_is_no_string(name: str) -> None:
    metric: SegmentMetric = pfsm.load("en-small") if name == "model" else get_metric(name)
    for value, shown in (None, "None"), (float("nan"), "NaN"), (b"rain", r"b'rain' \(bytes\)"):
        right, wrong = ["a", "b", "c"], ["a", "b", value]
        with pytest.raises(TypeError, match=rf"^references\[2\] is {shown}"):
            metric.score_pairs(right, wrong)  # type: ignore[arg-type]
        for call in (metric.segment_scores, metric.corpus_score):
            with pytest.raises(TypeError, match=rf"^hypotheses\[2\] is {shown}; give a string"):
                call(wrong, [right])  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=rf"^references\[0\] is {shown}"):
            metric.sentence_score("a", [value])  # type: ignore[list-item]


class Series:
    """A column with what pandas and polars have in common; its truth is an error, as theirs."""

    def __init__(self, values: Sequence[object]) -> None:
        self._values = list(values)

    def __iter__(self) -> Iterator[object]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, label: object) -> object:
        raise KeyError(label)  # as of a pandas Series whose index does not begin at 0

    def __bool__(self) -> bool:
        raise ValueError("the truth value of a Series is ambiguous")

    def to_list(self) -> list[object]:
        return list(self._values)


COLUMNS = (
    lambda values: pa.chunked_array([values[:3], values[3:]]),
    lambda values: np.array(values, dtype=object),
    Series,
    iter,
)


def test_columns_are_taken_as_they_are() -> None:
    made = pfsm.load("en-small")
    scores = made.score_pairs(HYPOTHESES, REFERENCES).tobytes()
    pooled = made.corpus_score(HYPOTHESES, [REFERENCES, HYPOTHESES])
    column: Any
    for column in COLUMNS:
        assert made.score_pairs(column(HYPOTHESES), column(REFERENCES)).tobytes() == scores
        assert made.corpus_score(column(HYPOTHESES), [column(REFERENCES), column(HYPOTHESES)]) == pooled
    with pytest.raises(TypeError, match=r"hypotheses\[1\] is NaN"):
        made.score_pairs(Series(["a", float("nan")]), ["a", "b"])  # type: ignore[arg-type]


def test_swapped_columns_are_refused() -> None:
    pytest.importorskip("torch")
    from pfsm_training.sklearn import PfsmRegressor

    right = pa.table({"reference": REFERENCES, "hypothesis": HYPOTHESES})
    swapped = right.select(["hypothesis", "reference"])
    scores = np.linspace(0.0, 1.0, len(REFERENCES))
    model = PfsmRegressor(penalty=5.0, threads=1).fit(right, scores)
    assert model.feature_names_in_.tolist() == ["reference", "hypothesis"]
    pairs = [*zip(REFERENCES, HYPOTHESES, strict=True)]
    assert model.predict(right).tobytes() == model.predict(pairs).tobytes()
    with pytest.raises(
        ValueError, match="X has the columns hypothesis, reference; the reference comes first"
    ):
        model.predict(swapped)
    with pytest.raises(ValueError, match="the reference comes first"):
        PfsmRegressor(penalty=5.0).fit(swapped, scores)
