"""Checks of matchers."""

import json
import pickle
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.conformance.checks import Check, Subject, hold, through_json
from pfsm.conformance.processes import in_another_process
from pfsm.errors import PfsmError
from pfsm.lattice.names import INSERT
from pfsm.matchers.kind import MatcherKind
from pfsm.matchers.protocol import Annotator, EncodedPairs, Matcher
from pfsm.matchers.registry import MATCHERS
from pfsm.model.file import Model, model_at_work
from pfsm.model.metric import Metric
from pfsm.model.settings import Settings, settings_from_dict
from pfsm.text.vocabulary import Vocabulary

BLOCKS = (1, 3)
# A block as (i, p, j, q), with its features; of an annotator also with its link features.
Said = list[tuple[tuple[int, ...], tuple[tuple[str, float], ...]]]


def checks(subject: Subject) -> Iterator[Check]:
    """The checks of a matcher, to be run in this order."""
    trial = _Trial(subject)
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
    yield Check("the same pairs give the same, the second time and from a matcher made anew", trial.repeats)
    yield Check("what it says of a pair depends on nothing but the pair", trial.is_independent)
    yield Check("empty lines and empty batches", trial.takes_nothing)
    yield Check("a model with it can be written, read and sent, and its scores are finite", trial.scores)
    yield Check("another process gives the same scores", trial.scores_elsewhere)


class _Trial:
    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._name = subject.entry.name

    @cached_property
    def _kind(self) -> MatcherKind:
        return MATCHERS[self._name]

    @cached_property
    def _options(self) -> dict[str, Any]:
        return self._kind.check(self._subject.options, f"options of {self._name}")

    @cached_property
    def _learned(self) -> dict[str, Any]:
        return self._kind.learn(self._options, _encoded(self._subject.samples)) if self._options else {}

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
            hold(
                "here" in str(error),
                f"the message {str(error)!r} does not begin with where the options stand",
            )
            return
        raise PfsmError("check() accepts the option 'no such option'; raise PfsmError")

    def learns_options(self) -> None:
        again = self._kind.check(through_json(self._learned), "learned options")
        hold(again == self._learned, f"{self._learned} become {again}")
        twice = self._kind.learn(self._options, _encoded(self._subject.samples)) if self._options else {}
        hold(twice == self._learned, f"learns {self._learned}, and then {twice} from the same text")

    def names_resources(self) -> None:
        resources = self._made(1).resources
        for resource in resources:
            good = isinstance(resource, str) and resource.isprintable() and not set(" |") & set(resource)
            hold(good, f"{resource!r} has spaces or bars in it")
        hold(resources == self._made(1).resources, "a matcher made anew has others")

    def offers_well(self) -> str:
        found = [_said(self._made(size), self._subject.samples) for size in BLOCKS]
        return (
            ""
            if any(any(one) for one in found)
            else "it said nothing of these pairs; give others with --sample"
        )

    def repeats(self) -> None:
        for size in BLOCKS:
            matcher = self._made(size)
            first, second = (_said(matcher, self._subject.samples) for _ in range(2))
            _same(first, second, "the second time")
            _same(first, _said(self._made(size), self._subject.samples), "from a matcher made anew")

    def is_independent(self) -> None:
        for size in BLOCKS:
            matcher = self._made(size)
            together = _said(matcher, self._subject.samples)
            _same(together, _said(matcher, self._subject.samples[::-1])[::-1], "in reverse order")
            alone = [said for pair in self._subject.samples for said in _said(self._made(size), [pair])]
            _same(together, alone, "alone")

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
        again = model_at_work(json.loads(json.dumps(self._model.to_dict())), "model")
        hold(again.settings == self._model.settings, "settings do not come back unchanged through JSON")
        sent: Settings = pickle.loads(pickle.dumps(self._model.settings))
        hold(sent == self._model.settings, "settings do not come back unchanged through pickle")
        for model in (self._model, again):
            hold(np.isfinite(self._scored(model)).all(), "a score is not a finite number")

    def _scored(self, model: Model) -> NDArray[np.float64]:
        return Metric(model, 1).score_pairs(self._subject.hypotheses, self._subject.references)

    def scores_elsewhere(self) -> None:
        document = json.dumps(self._model.to_dict())
        there = in_another_process(_scores, document, self._subject.hypotheses, self._subject.references)
        hold(np.array_equal(self._scored(self._model), there), "scores differ there")


def _scores(document: str, hypotheses: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
    model = model_at_work(json.loads(document), "model")
    return Metric(model, 1).score_pairs(hypotheses, references)


def _encoded(samples: Sequence[tuple[str, str]]) -> EncodedPairs:
    vocabulary = Vocabulary("plain", "none")
    return EncodedPairs(
        vocabulary,
        vocabulary.encode([reference for _, reference in samples]),
        vocabulary.encode([hypothesis for hypothesis, _ in samples]),
    )


def _said(matcher: Matcher, samples: Sequence[tuple[str, str]]) -> list[Said]:
    """What a matcher says of each pair, in an order that does not depend on it."""
    pairs = _encoded(samples)
    found: list[Said] = [[] for _ in samples]
    if isinstance(matcher, Annotator):
        hold(not matcher.offers(pairs).blocks.size, "offers blocks, though it has no state")
        words = MATCHERS["word"].build(1, {}).offers(pairs).blocks
        words = words[np.lexsort(words.T[[3, 1, 0]])]
        notes = matcher.annotate(pairs, words)
        entries = [(at, notes.arc_names[name], value) for at, name, value in notes.arcs]
        entries += [(at, notes.link_names[name], value) for at, name, value in notes.links]
        blocks = words[sorted({at for at, _, _ in entries})] if entries else words[:0]
        numbers = {tuple(block): number for number, block in enumerate(words.tolist())}
    else:
        offers = matcher.offers(pairs)
        blocks = offers.blocks
        values = zip(offers.offer.tolist(), offers.feature.tolist(), offers.value.tolist(), strict=True)
        entries = [(at, offers.names[name], value) for at, name, value in values]
        numbers = {tuple(block): number for number, block in enumerate(blocks.tolist())}
    named: dict[int, list[tuple[str, float]]] = {}
    for at, name, value in entries:
        named.setdefault(at, []).append((name, value))
    for pair, *block in blocks.tolist():
        number = numbers[pair, *block]
        found[pair].append((tuple(block), tuple(sorted(named.get(number, [])))))
    return [sorted(said) for said in found]


def _same(one: Sequence[Said], other: Sequence[Said], when: str) -> None:
    for number, (first, second) in enumerate(zip(one, other, strict=True)):
        hold(first == second, f"says of sample {number} {_shown(first)}, but {when} {_shown(second)}")


def _shown(said: Said) -> str:
    text = repr(said)
    return text if len(text) <= 80 else f"{text[:77]}..."
