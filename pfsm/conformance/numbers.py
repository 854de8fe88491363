"""Checks of what gives numbers: matchers, metrics, sentence-level features and statistics."""

import json
import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.conformance.checks import (
    Check,
    Subject,
    depends_on_nothing_else,
    hold,
    in_another_process,
    same_of_all,
    signable,
    through_json,
)
from pfsm.errors import PfsmError
from pfsm.evaluation.catalogue import SEGMENT_LEVEL
from pfsm.evaluation.measure import Measure, scored_items
from pfsm.features.values import check_feature, counted_features, feature_signature, feature_values
from pfsm.lattice.names import INSERT
from pfsm.matchers.protocol import Annotator, EncodedPairs, Matcher, MatcherKind
from pfsm.matchers.registry import MATCHERS
from pfsm.metrics.base import Level, SegmentMetric
from pfsm.metrics.ngram_table import documents_of
from pfsm.metrics.registry import describe_feature, get_metric
from pfsm.model.file import Model, model_at_work
from pfsm.model.metric import Metric
from pfsm.model.settings import Settings, settings_from_dict
from pfsm.text.vocabulary import Vocabulary

Float = NDArray[np.float64]
Score = Callable[[Sequence[str], Sequence[str]], Float]
BLOCKS = (1, 3)
# A block as (i, p, j, q), with its features; of an annotator also with its link features.
Said = list[tuple[tuple[int, ...], tuple[tuple[str, float], ...]]]
# Sums in another order: of n numbers of similar size; statistics.
ROUNDING, OF_STATISTICS = 1e-12, 1e-9
# Segments of the made-up data for statistics, and translations of each.
SEGMENTS, TRANSLATIONS = 12, 3
RESAMPLES, SEED = 20, 1


def matcher_checks(subject: Subject) -> Iterator[Check]:
    """The checks of a matcher, to be run in this order."""
    trial = _Matcher(subject)
    yield Check("it can be made, and has the name and state that it is registered with", trial.can_be_made)
    yield Check(
        "options come back unchanged through JSON, and checking them again changes nothing",
        trial.options_keep,
    )
    yield Check("an unknown option is refused", trial.refuses_options)
    yield Check("what it learns from training text are options", trial.learns_options)
    yield Check("resources are names that a signature can hold", trial.names_resources)
    yield Check(
        "offers lie inside their pairs, once each, with finite features of its own name", trial.offers_well
    )
    yield Check("the same pairs give the same, from a matcher made anew too", trial.repeats)
    yield Check("what it says of a pair depends on nothing but the pair", trial.is_independent)
    yield Check("empty lines and empty batches", trial.takes_nothing)
    yield Check("a model with it can be written, read and sent, and its scores are finite", trial.scores)
    yield Check("another process gives the same scores", trial.scores_elsewhere)


class _Matcher:
    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._name, self._samples = subject.entry.name, subject.samples

    @cached_property
    def _kind(self) -> MatcherKind:
        return MATCHERS[self._name]

    @cached_property
    def _options(self) -> dict[str, Any]:
        return self._kind.check(self._subject.options, f"options of {self._name}")

    def _learn(self) -> dict[str, Any]:
        return self._kind.learn(self._options, _encoded(self._samples)) if self._options else {}

    @cached_property
    def _learned(self) -> dict[str, Any]:
        return self._learn()

    def _made(self, max_block: int) -> Matcher:
        return self._kind.build(max_block, self._learned)

    def can_be_made(self) -> None:
        for size in BLOCKS:
            self._kind.build(size, self._options)

    def options_keep(self) -> None:
        hold(isinstance(self._options, dict), f"check() gives {self._options!r}, not a dict")
        again = self._kind.check(through_json(self._options), "options")
        hold(again == self._options, f"{self._options} become {again}")

    def refuses_options(self) -> None:
        try:
            self._kind.check({**self._subject.options, "no such option": 1}, "here")
        except PfsmError as error:
            said = f"the message {str(error)!r} does not begin with where the options stand"
            hold("here" in str(error), said)
            return
        raise PfsmError("check() accepts the option 'no such option'; raise PfsmError")

    def learns_options(self) -> None:
        again = self._kind.check(through_json(self._learned), "learned options")
        hold(again == self._learned, f"{self._learned} become {again}")
        twice = self._learn()
        hold(twice == self._learned, f"learns {self._learned}, and then {twice} from the same text")

    def names_resources(self) -> None:
        resources = self._made(1).resources
        for resource in resources:
            good = isinstance(resource, str) and signable(resource)
            hold(good, f"{resource!r} has spaces or bars in it")
        hold(resources == self._made(1).resources, "a matcher made anew has others")

    def offers_well(self) -> str:
        found = [_said(self._made(size), self._samples) for size in BLOCKS]
        said = any(any(one) for one in found)
        return "" if said else "it said nothing of these pairs; give others with --sample"

    def repeats(self) -> None:
        for size in BLOCKS:
            first, other = (_said(self._made(size), self._samples) for _ in range(2))
            same_of_all(self._samples, first, other, "from a matcher made anew")

    def is_independent(self) -> None:
        for size in BLOCKS:
            matcher = self._made(size)
            depends_on_nothing_else(lambda some: _said(matcher, some), self._samples)  # noqa: B023 - run at once

    def takes_nothing(self) -> None:
        for samples in ((), (("", ""),), (("", "a b"), ("a b", ""))):
            hold(not any(_said(self._made(1), samples)), "says something of empty lines")

    @cached_property
    def _model(self) -> Model:
        options = {self._name: self._learned} if self._learned else {}
        matchers = list(dict.fromkeys(("word", self._name)))
        settings = settings_from_dict({"matchers": matchers, "max_block": 2, "options": options}, "settings")
        state = self._kind.state
        return Model(self._name, settings, {INSERT: -0.5, "S_word": 1.0, **({state: 0.75} if state else {})})

    def scores(self) -> None:
        sent: Settings = pickle.loads(pickle.dumps(self._model.settings))
        hold(sent == self._model.settings, "settings do not come back unchanged through pickle")
        for model in (self._model, _read_again(self._model)):
            _finite(model, self._subject)

    def scores_elsewhere(self) -> None:
        document = json.dumps(self._model.to_dict())
        there = in_another_process(_model_scores, document, *self._subject.sides)
        here = Metric(self._model, 1).score_pairs(*self._subject.sides)
        hold(np.array_equal(here, there), "scores differ there")


def _model_scores(document: str, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    return Metric(model_at_work(json.loads(document), "model"), 1).score_pairs(hypotheses, references)


def _read_again(model: Model) -> Model:
    again = model_at_work(json.loads(json.dumps(model.to_dict())), "model")
    hold(again.settings == model.settings, "settings do not come back unchanged through JSON")
    return again


def _finite(model: Model, subject: Subject) -> None:
    found = Metric(model, 1).score_pairs(*subject.sides)
    hold(np.isfinite(found).all(), "a score is not a finite number")


def _encoded(samples: Sequence[tuple[str, str]]) -> EncodedPairs:
    vocabulary = Vocabulary("plain", "none")
    sides = (vocabulary.encode([pair[side] for pair in samples]) for side in (1, 0))
    return EncodedPairs(vocabulary, *sides)


def _said(matcher: Matcher, samples: Sequence[tuple[str, str]]) -> list[Said]:
    """What a matcher says of each pair, in an order that does not depend on it."""
    pairs = _encoded(samples)
    offers = matcher.offers(pairs)
    blocks = offers.blocks.tolist()
    values = zip(offers.offer.tolist(), offers.feature.tolist(), offers.value.tolist(), strict=True)
    entries = [(at, offers.names[name], value) for at, name, value in values]
    if isinstance(matcher, Annotator):
        hold(not blocks, "offers blocks, though it has no state")
        words = MATCHERS["word"].build(1, {}).offers(pairs).blocks
        words = words[np.lexsort(words.T[[3, 1, 0]])]
        notes = matcher.annotate(pairs, words)
        entries = [(at, notes.arc_names[name], value) for at, name, value in notes.arcs]
        entries += [(at, notes.link_names[name], value) for at, name, value in notes.links]
        blocks = words.tolist()
    named: dict[int, list[tuple[str, float]]] = {}
    for at, name, value in entries:
        named.setdefault(at, []).append((name, value))
    found: list[Said] = [[] for _ in samples]
    for at, (pair, *block) in enumerate(blocks):
        if at in named or not isinstance(matcher, Annotator):
            found[pair].append((tuple(block), tuple(sorted(named.get(at, [])))))
    return [sorted(said) for said in found]


def metric_checks(subject: Subject) -> Iterator[Check]:
    """The checks of a metric."""
    trial = _Metric(subject)
    yield Check("its name makes it, and its docstring begins with a description", trial.can_be_made)
    yield Check("one finite number for each pair", lambda: _varies(trial.score(*subject.sides)))
    yield Check("no pairs have no scores", lambda: _is_empty(trial.score))
    yield Check("the score of a pair depends on nothing but the pair", trial.is_independent)
    yield Check("lists that are not pairs are refused", trial.refuses)
    yield Check("several references: the same one twice changes nothing", trial.takes_references)
    yield Check(
        "the score of a corpus is a finite number, and that of the sums of its parts", trial.scores_corpora
    )
    yield Check("each of its parts, if it has any, gives one finite number for each pair", trial.has_parts)
    yield Check("its signature names its package, and is the same from a metric made anew", trial.signs)
    if trial.metric_is_independent():
        yield Check("a model can use it as a feature", lambda: _scores_of_a_model(subject.name, subject))
    yield Check("another process gives the same scores", trial.scores_elsewhere)


class _Metric:
    def __init__(self, subject: Subject) -> None:
        self._subject, self._sides = subject, subject.sides

    @cached_property
    def _metric(self) -> SegmentMetric:
        return get_metric(self._subject.name)

    def metric_is_independent(self) -> bool:
        try:
            # Once what it counts over references is counted.
            return self._metric.counted_over(()).is_independent
        except Exception:  # the check that makes it has said so
            return False

    def score(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        return self._metric.score_pairs(hypotheses, references)

    def can_be_made(self) -> str:
        hold(self._metric.origin == self._subject.name, f"it is made from {self._metric.origin!r}")
        return _described(self._subject.entry.name)

    def is_independent(self) -> str:
        if not self._metric.is_independent:
            return "it says that it is not; it cannot be scored in parts, nor be a feature as it is"
        _is_independent(self.score, self._subject)
        return ""

    def refuses(self) -> None:
        wrong: tuple[Any, ...] = ((["a"], []), ("a", ["a"]), (["a"], "a"))
        for sides in wrong:
            try:
                self.score(*sides)
            except ValueError:
                continue
            raise PfsmError(f"score_pairs{sides} raises no ValueError")

    def takes_references(self) -> None:
        ours, theirs = self._sides
        once = self._metric.segment_scores(ours, [theirs])
        _close(once, self.score(ours, theirs), "with one reference segment_scores differs from score_pairs")
        # A blank line of a further reference is none.
        filled = [at for at, line in enumerate(theirs) if line.strip()]
        ours, theirs = [ours[at] for at in filled], [theirs[at] for at in filled]
        once = self._metric.segment_scores(ours, [theirs])
        _close(once, self._metric.segment_scores(ours, [theirs, theirs]), "scores change")
        if self._metric.is_independent:
            some = self._metric.segment_scores(ours, [theirs, [None, *theirs[1:]]])
            _close(once, some, "scores change where a segment has fewer references")

    def scores_corpora(self) -> None:
        ours, theirs = self._sides
        whole = self._metric.corpus_score(ours, [theirs])
        hold(np.isfinite(float(whole)), f"it is {float(whole)}")
        if not self._metric.is_additive:
            return
        half = len(ours) // 2
        parts = [
            self._metric.segment_statistics(ours[part], [theirs[part]]).sum(axis=0)
            for part in (slice(half), slice(half, None))
        ]
        summed = float(self._metric.corpus_from_totals(np.sum(parts, axis=0)))
        hold(abs(summed - float(whole)) <= 1e-9 * max(abs(float(whole)), 1.0), f"{float(whole)} and {summed}")

    def has_parts(self) -> str:
        parts = self._metric.named_parts(*self._sides)
        for name, values in parts.items():
            good = np.shape(values) == (len(self._subject.samples),) and np.isfinite(values).all()
            hold(isinstance(name, str) and good, f"{name!r} is not")
        return "" if parts else "it has none, so `pfsm explain` says nothing of it"

    def signs(self) -> None:
        label = self._subject.entry.origin.label
        levels: tuple[Level, ...] = ("segment", "corpus")
        for level in levels:
            signature = self._metric.get_signature(1, level)
            good = signature.isprintable() and "||" not in signature
            hold(good, f"{signature!r} cannot be printed on a line")
            hold(f"|plugin:{label}|" in signature, f"{signature!r} does not name {label}")
            hold(get_metric(self._subject.name).get_signature(1, level) == signature, "it differs")

    def scores_elsewhere(self) -> None:
        there = in_another_process(_metric_scores, self._subject.name, *self._sides)
        _close(self.score(*self._sides), there, "scores differ there")


def _metric_scores(name: str, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    return get_metric(name).score_pairs(hypotheses, references)


def _close(one: Float, other: Float, fault: str) -> None:
    hold(one.shape == other.shape and np.allclose(one, other, rtol=ROUNDING, atol=ROUNDING), fault)


def feature_checks(subject: Subject) -> Iterator[Check]:
    """The checks of a feature."""
    name = subject.entry.name
    ours, theirs = subject.sides

    def describes() -> str:
        check_feature(name)
        hold("|" not in feature_signature(name), "its signature has a bar in it")
        return _described(name)

    def repeats_elsewhere() -> None:
        there = in_another_process(feature_values, [name], ours, theirs)
        hold(np.array_equal(there, feature_values([name], ours, theirs)), "values differ there")

    yield Check("it has a name and half a line that describes it", describes)
    yield Check("one finite number for each pair", lambda: _varies(_feature(name)(ours, theirs)))
    yield Check("no pairs have no values", lambda: _is_empty(_feature(name)))
    yield Check(
        "the value of a pair depends on nothing but the pair",
        lambda: _is_independent(_feature(*counted_features([name], theirs)), subject),
    )
    yield Check(
        "a model with it can be written and read, and its scores are finite",
        lambda: _scores_of_a_model(name, subject),
    )
    yield Check("another process gives the same values", repeats_elsewhere)


def _feature(name: str) -> Score:
    return lambda hypotheses, references: feature_values([name], hypotheses, references)[:, 0]


def _described(name: str) -> str:
    return "" if describe_feature(name) else "it has no docstring, so `pfsm metrics` says nothing of it"


def _varies(values: Float) -> str:
    return "" if np.unique(values).size > 1 else "they are all the same; give other pairs with --sample"


def _is_empty(score: Score) -> None:
    hold(score([], []).shape == (0,), "there are some")


def _is_independent(score: Score, subject: Subject) -> None:
    def scored(some: Sequence[tuple[str, str]]) -> list[float]:
        return list(map(float, score([pair[0] for pair in some], [pair[1] for pair in some])))

    depends_on_nothing_else(
        scored,
        subject.samples,
        lambda one, other: abs(one - other) <= ROUNDING * max(abs(one), abs(other), 1.0),
    )


def _scores_of_a_model(feature: str, subject: Subject) -> None:
    """Writes, reads and applies a model that weighs the feature beside edits."""
    (name,) = counted_features([feature], subject.sides[1])
    document = {"features": {name: {"mean": 0.0, "sd": 1.0}}, "counts": documents_of([name])}
    settings = settings_from_dict(document, "settings")
    model = Model("x", settings, {"Insert": -0.5, "S_word": 1.0, f"feature:{name}": 0.25})
    _finite(_read_again(model), subject)


def statistic_checks(subject: Subject) -> Iterator[Check]:
    """The checks of a statistic."""
    trial = _Statistic(subject.entry.name)
    yield Check("it gives one number, and the same one every time", trial.gives_a_number)
    yield Check("the order of the translations makes no difference", trial.is_invariant)
    yield Check("it leaves the scores as they are", trial.changes_nothing)
    yield Check("bootstrap resamples give numbers, the same from the same seed", trial.resamples)
    yield Check("equal scores, or one translation alone, give a number or NaN", trial.is_undefined)


class _Statistic:
    def __init__(self, name: str) -> None:
        self._name = name
        draws = np.random.default_rng(SEED)
        self._segments = np.repeat(np.arange(SEGMENTS), TRANSLATIONS)
        self._human = draws.normal(size=self._segments.size).round(3)
        self._metric = (self._human + draws.normal(size=self._human.size)).round(3)

    def _measure(self, human: Float, segments: NDArray[np.int64]) -> Measure:
        systems = np.arange(human.size) % TRANSLATIONS
        return SEGMENT_LEVEL[self._name].bind(scored_items(human, segments, systems, np.ones(human.size)))

    @cached_property
    def _value(self) -> float:
        return self._measure(self._human, self._segments).value(self._metric.copy())

    def gives_a_number(self) -> str:
        again = self._measure(self._human, self._segments).value(self._metric.copy())
        hold(isinstance(self._value, float), f"it gives a {type(self._value).__name__}")
        hold(np.array_equal(self._value, again, equal_nan=True), f"it gives {self._value} and then {again}")
        return "NaN here" if np.isnan(self._value) else ""

    def _is_it(self, other: float) -> bool:
        return bool(np.isclose(self._value, other, rtol=OF_STATISTICS, atol=OF_STATISTICS, equal_nan=True))

    def is_invariant(self) -> None:
        order = np.random.default_rng(SEED + 1).permutation(self._human.size)
        other = self._measure(self._human[order], self._segments[order]).value(self._metric[order])
        hold(self._is_it(other), f"it gives {self._value}, and in another order {other}")

    def changes_nothing(self) -> None:
        human, metric = self._human.copy(), self._metric.copy()
        self._measure(human, self._segments).value(metric)
        kept = (human == self._human).all() and (metric == self._metric).all()
        hold(kept, "it changes the arrays that it gets")

    def resamples(self) -> None:
        measure = self._measure(self._human, self._segments)
        first, second = (measure.resampled(self._metric.copy(), RESAMPLES, SEED) for _ in range(2))
        hold(first.shape == (RESAMPLES,), f"they have the shape {first.shape}")
        hold(np.array_equal(first, second, equal_nan=True), "they differ")

    def is_undefined(self) -> None:
        for human, metric in (
            (np.ones(4), np.arange(4.0)),
            (np.arange(4.0), np.ones(4)),
            (np.ones(1), np.ones(1)),
        ):
            value = self._measure(human, np.arange(human.size)).value(metric)
            hold(not np.isinf(value), f"it gives {value} for people's scores {human} and a metric's {metric}")
