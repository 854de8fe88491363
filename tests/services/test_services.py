"""A metric in other people's programs: pickled, copied, in threads and processes, on endless text, on columns."""

import copy
import gc
import multiprocessing
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
from pfsm.metrics.mixtures import MeanOf
from pfsm.model.metric import MOST_TYPES

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
    @pytest.mark.parametrize("made", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
    def test_of_a_model(self, made: Any, metric: pfsm.Metric, expected: bytes) -> None:
        other = made(metric)
        assert type(other) is pfsm.Metric
        assert other is not metric
        assert other.score_pairs(HYPOTHESES, REFERENCES).tobytes() == expected
        assert other.get_signature(1) == metric.get_signature(1)
        assert other.model.training == metric.model.training

    def test_options_are_kept(self, metric: pfsm.Metric) -> None:
        other = pickle.loads(pickle.dumps(pfsm.Metric(metric.model, threads=3, most_types=17)))
        assert (other.threads, other.most_types) == (3, 17)

    @pytest.mark.parametrize("name", [name for name in metric_names() if "*" not in name])
    def test_of_every_metric_that_can_be_had(self, name: str) -> None:
        made = get_metric(name)
        for other in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
            assert (type(other), other.name, other.origin) == (type(made), made.name, made.origin)

    @pytest.mark.parametrize("name", NAMES)
    def test_other_metrics_score_alike(self, name: str) -> None:
        made = get_metric(name)
        other = pickle.loads(pickle.dumps(made))
        same = [one.score_pairs(HYPOTHESES, REFERENCES).tobytes() for one in (made, other)]
        assert same[0] == same[1]

    def test_of_counts_and_means(self) -> None:
        counted = get_metric("nist").counted_over(REFERENCES)
        other = pickle.loads(pickle.dumps(counted))
        assert other.get_signature(1) == counted.get_signature(1)
        mean = pickle.loads(pickle.dumps(MeanOf(get_metric("bleu"))))
        assert isinstance(mean, MeanOf)

    def test_scores_and_explanations(self, metric: pfsm.Metric) -> None:
        score = metric.corpus_score(HYPOTHESES, [REFERENCES])
        other = pickle.loads(pickle.dumps(score))
        assert (other, other.name, other.signature) == (score, score.name, score.signature)
        explained = metric.explain(HYPOTHESES[0], REFERENCES[0])
        assert pickle.loads(pickle.dumps(explained)) == explained

    def test_sent_to_a_process(self, metric: pfsm.Metric, expected: bytes) -> None:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            scores = pool.apply(metric.score_pairs, (HYPOTHESES, REFERENCES))
        assert scores.tobytes() == expected


class TestThreads:
    @pytest.mark.parametrize("most_types", [MOST_TYPES, 40])
    def test_under_load(self, most_types: int, metric: pfsm.Metric) -> None:
        """Many threads on one metric, with text of their own, the vocabulary dropped all the time or never."""
        lines = [words(seed, 40) for seed in range(8)]
        alone = [
            pfsm.Metric(metric.model)
            .score_pairs(lines[k], lines[(k + 1) % 8] if k % 2 else lines[k])
            .tobytes()
            for k in range(8)
        ]
        shared = pfsm.Metric(metric.model, threads=2, most_types=most_types)
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-5)
        try:
            with ThreadPoolExecutor(8) as pool:
                for _ in range(3):
                    done = pool.map(
                        lambda k: shared.score_pairs(
                            lines[k], lines[(k + 1) % 8] if k % 2 else lines[k]
                        ).tobytes(),
                        range(8),
                    )
                    assert [*done] == alone
        finally:
            sys.setswitchinterval(interval)

    def test_explanations_beside_scores(self, metric: pfsm.Metric) -> None:
        shared = pfsm.Metric(metric.model, most_types=25)
        pairs = [*zip(HYPOTHESES, REFERENCES, strict=True)]
        alone = [metric.explain(*pair) for pair in pairs]
        with ThreadPoolExecutor(4) as pool:
            explained = pool.map(lambda pair: shared.explain(*pair), pairs)
            scored = pool.map(lambda pair: shared.sentence_score(pair[0], [pair[1]]), pairs)
            assert [*explained] == alone
            assert [*scored] == pytest.approx([one.score for one in alone], abs=1e-9)

    def test_the_last_call_is_that_of_the_thread(self, metric: pfsm.Metric) -> None:
        def signed(n: int) -> str:
            metric.segment_scores(["a"], [["a"]] * n)
            return metric.get_signature().partition("|")[0]

        with ThreadPoolExecutor(4) as pool:
            assert [*pool.map(signed, [1, 2, 3] * 10)] == ["nrefs:1", "nrefs:2", "nrefs:3"] * 10


class TestMemory:
    def test_types_are_bounded_and_scores_are_the_same_bytes(self) -> None:
        model = pfsm.load("en").model
        bounded, unbounded = pfsm.Metric(model, most_types=500), pfsm.Metric(model, most_types=10**9)
        most = 0
        for seed in range(12):
            sides = [*words(seed, 20), *HYPOTHESES], [*words(seed + 1, 20), *REFERENCES]
            assert bounded.score_pairs(*sides).tobytes() == unbounded.score_pairs(*sides).tobytes()
            most = max(most, bounded.n_types)
        assert most <= 500 + 2 * 20 * 8 + 100
        assert unbounded.n_types > 2000

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

    def test_the_default_is_bounded(self) -> None:
        assert pfsm.load("en-small").most_types == MOST_TYPES


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

    def test_several_references(self, metric: pfsm.Metric) -> None:
        scores = metric.segment_scores(HYPOTHESES, [REFERENCES, HYPOTHESES[::-1]])
        pairs = [(h, [r, s]) for h, r, s in zip(HYPOTHESES, REFERENCES, HYPOTHESES[::-1], strict=True)]
        assert [*metric.scores(pairs)] == scores.tolist()

    def test_faults(self, metric: pfsm.Metric) -> None:
        with pytest.raises(TypeError, match=r"pairs\[1\], hypothesis, \[0\] is None"):
            list(metric.scores([("a", "b"), (None, "b")]))  # type: ignore[list-item]
        with pytest.raises(TypeError, match=r"pairs\[0\] is no pair"):
            list(metric.scores(["ab"]))  # type: ignore[list-item]
        with pytest.raises(PfsmError, match="but they are scored in parts here"):
            get_metric("nist").scores([("a", "a")])


WRONG = [(None, "None"), (float("nan"), "NaN"), (b"rain", r"b'rain' \(bytes\)"), (7, r"7 \(int\)")]


@pytest.mark.parametrize("name", ["model", *NAMES])
@pytest.mark.parametrize(("value", "shown"), WRONG)
def test_what_is_no_string(value: Any, shown: str, name: str) -> None:
    metric: SegmentMetric = pfsm.load("en-small") if name == "model" else get_metric(name)
    right, wrong = ["a", "b", "c"], ["a", "b", value]
    with pytest.raises(TypeError, match=rf"^hypotheses\[2\] is {shown}; give a string"):
        metric.score_pairs(wrong, right)
    with pytest.raises(TypeError, match=rf"^references\[2\] is {shown}"):
        metric.score_pairs(right, wrong)
    for call in (metric.segment_scores, metric.corpus_score):
        with pytest.raises(TypeError, match=rf"^hypotheses\[2\] is {shown}"):
            call(wrong, [right])
        if value is not None:
            with pytest.raises(TypeError, match=rf"^references\[1\]\[2\] is {shown}"):
                call(right, [right, wrong])
    with pytest.raises(TypeError, match=shown):
        metric.sentence_score(value, ["a"])
    with pytest.raises(TypeError, match=rf"^references\[0\] is {shown}"):
        metric.sentence_score("a", [value])


def test_bytes_instead_of_a_list() -> None:
    with pytest.raises(TypeError, match=r"hypotheses is b'ab' \(bytes\), it must be a list of strings"):
        pfsm.load("en-small").score_pairs(b"ab", ["a"])  # type: ignore[arg-type]


def test_explain_refuses_what_is_no_string(metric: pfsm.Metric) -> None:
    with pytest.raises(TypeError, match="reference is None"):
        metric.explain("a", None)  # type: ignore[arg-type]


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


COLUMNS = {
    "arrow": pa.array,
    "chunked": lambda values: pa.chunked_array([values[:3], values[3:]]),
    "numpy": np.array,
    "objects": lambda values: np.array(values, dtype=object),
    "series": Series,
    "generator": iter,
}


@pytest.mark.parametrize("name", ["en-small", "bleu"])
@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_are_taken_as_they_are(kind: str, name: str) -> None:
    made: SegmentMetric = pfsm.load(name) if name == "en-small" else get_metric(name)
    column: Any = COLUMNS[kind]
    assert made.score_pairs(column(HYPOTHESES), column(REFERENCES)).tobytes() == (
        made.score_pairs(HYPOTHESES, REFERENCES).tobytes()
    )
    assert made.corpus_score(column(HYPOTHESES), [column(REFERENCES), column(HYPOTHESES)]) == (
        made.corpus_score(HYPOTHESES, [REFERENCES, HYPOTHESES])
    )


def test_missing_entries_of_columns(metric: pfsm.Metric) -> None:
    with pytest.raises(TypeError, match=r"hypotheses\[1\] is None"):
        metric.score_pairs(pa.array(["a", None]), ["a", "b"])
    with pytest.raises(TypeError, match=r"hypotheses\[1\] is NaN"):
        metric.score_pairs(Series(["a", float("nan")]), ["a", "b"])  # type: ignore[arg-type]


def test_repr(metric: pfsm.Metric) -> None:
    text = repr(metric)
    assert text.startswith("Metric(model='en', language='en', scale='100: the translation equals")
    assert repr(get_metric("bleu")).endswith("('bleu')")


class TestNotebooks:
    def test_a_score(self, metric: pfsm.Metric) -> None:
        score = metric.corpus_score(HYPOTHESES, [REFERENCES])
        assert f"{float(score):.4f}" in score._repr_html_()
        assert score.signature in score._repr_html_()
        assert str(score) == f"{metric.get_short_signature(1)} = {float(score):.4f}"

    def test_an_explanation_is_escaped(self, metric: pfsm.Metric) -> None:
        html = metric.explain("<script>alert(1)</script> & rain", "the <b>rain</b> fell")._repr_html_()
        assert "<script" not in html
        assert "<b>" not in html
        assert "points lost of" in html

    def test_a_comparison(self) -> None:
        from pfsm.evaluation import compare_systems

        found = compare_systems(["a<b", "c"], [np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 1.0])], 50)
        html = found._repr_html_()
        assert "a&lt;b" in html
        assert f"{found.pairs[0].p_holm:.4f}" in html
        assert "50 resamples" in html


class TestSwappedColumns:
    def test_they_are_refused(self) -> None:
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
        other = PfsmRegressor(penalty=5.0, threads=1).fit(right.rename_columns(["a", "b"]), scores)
        with pytest.raises(ValueError, match="X has the columns b, a, but fit had a, b"):
            other.predict(right.rename_columns(["a", "b"]).select(["b", "a"]))
