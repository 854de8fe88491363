"""Explanations of many pairs, block by block: what each lost against its reference itself, and the encoder's part.

Both scores are sums of contributions of edits, entropy and features. A word of the reference loses as many points as
its edits contribute more in the perfect match; a word that only the hypothesis has, as many as its insertion costs.
What is left is the difference in jumps, entropy and features. So the losses add up to the difference of the two scores.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pfsm.encoder.feature import PieceReader, ValueParts, value_parts
from pfsm.encoder.names import is_encoder_feature, parse_feature
from pfsm.errors import PfsmError
from pfsm.lattice.arrays import LatticeBatch
from pfsm.lattice.names import JUMP, sentence_feature
from pfsm.matchers.protocol import EncodedPairs
from pfsm.model.builder import LatticeBuilder
from pfsm.model.explain.explanation import (
    Edit,
    EncoderPoints,
    Explanation,
    Lost,
    PieceMatch,
    as_arrays,
    points_by_word,
)
from pfsm.model.explain.lattices import MOST_PLACES, PerfectMatch, explain_lattices, perfect_matches
from pfsm.model.file import PERFECT, Model
from pfsm.model.settings import RELATIVE

if TYPE_CHECKING:
    from pfsm_kernels.inference import Weights

Float = NDArray[np.float64]
# Of so many references it is remembered, in one call, what they have in a perfect match; about 2 kB each.
MOST_PERFECT = 20_000
PerfectKey = tuple[str, tuple[float, ...]]


# Matches that are less likely are not listed.
LIKELY, NEVER = 0.5, 2.0


class PieceExplainer:
    """Adds the encoder's part to explanations of a model that has one.

    Args:
        model: The model.

    Raises:
        PfsmError: If the encoder or what was learned over it is not there.
    """

    def __init__(self, model: Model) -> None:
        self._name = name = next(filter(is_encoder_feature, model.settings.features), None)
        self._relative = model.settings.form == RELATIVE
        if name is not None:
            self._mean, sd = model.settings.features[name] or (0.0, 1.0)
            self._points = model.scale.sd * model.weights.get(sentence_feature(name), 0.0) / sd

    @cached_property
    def _reader(self) -> PieceReader | None:
        return None if self._name is None else PieceReader(*parse_feature(self._name))

    def added(
        self, explanations: Iterable[Explanation], references: Sequence[str], hypotheses: Sequence[str]
    ) -> Iterator[Explanation]:
        """The explanations of pairs, with `Explanation.encoder`."""
        if self._reader is None:
            yield from explanations
            return
        parts = value_parts(self._reader, references, hypotheses, LIKELY)
        if self._relative:
            # Of a reference with itself no match is listed.
            perfect = value_parts(self._reader, references, references, NEVER)
            parts = [_difference(*both) for both in zip(parts, perfect, strict=True)]
        for explanation, own in zip(explanations, parts, strict=True):
            yield replace(explanation, encoder=self._in_points(own))

    def _in_points(self, own: ValueParts) -> EncoderPoints:
        return EncoderPoints(
            self._points * (own.constant - self._mean),
            tuple((name, number, self._points * value) for name, number, value in own.parts),
            tuple(
                PieceMatch(
                    own.reference[match.reference],
                    own.hypothesis[match.hypothesis],
                    match.cosine,
                    match.posterior,
                    self._points * match.value,
                )
                for match in own.matches
            ),
            (
                tuple(zip(own.reference, own.far[0], strict=True)),
                tuple(zip(own.hypothesis, own.far[1], strict=True)),
            ),
        )


def _difference(own: ValueParts, perfect: ValueParts) -> ValueParts:
    """The parts of a value as differences to those of a perfect match, which has the same constant."""
    parts = tuple(
        (name, number - other, value - lost)
        for (name, number, value), (_, other, lost) in zip(own.parts, perfect.parts, strict=True)
    )
    return replace(own, constant=0.0, parts=parts)


@dataclass(frozen=True, eq=False)
class Explaining:
    """Explains the pairs of one call, and remembers what their references have in a perfect match.

    Attributes:
        model: The model.
        reader: Gives the builder for the next block.
        weights: The kernel's weights of a batch; None for a model without edits.
        pieces: Adds what an encoder says.
    """

    model: Model
    reader: Callable[[], LatticeBuilder]
    weights: Callable[[LatticeBatch], "Weights | None"]
    pieces: PieceExplainer
    _perfect: dict[PerfectKey, PerfectMatch | None] = field(default_factory=dict)

    def block(
        self, hypotheses: Sequence[str], references: Sequence[str], numbers: Mapping[str, Float]
    ) -> Iterator[Explanation]:
        """The explanations of some pairs, whose contributions are arrays.

        Raises:
            PfsmError: If a pair is too long, when its turn comes.
        """
        try:
            return self._explained(hypotheses, references, numbers)
        except PfsmError:
            # One pair of the block is at fault: those before it come first.
            return chain.from_iterable(
                self._explained(
                    [hypothesis], [reference], {name: own[k : k + 1] for name, own in numbers.items()}
                )
                for k, (hypothesis, reference) in enumerate(zip(hypotheses, references, strict=True))
            )

    def _explained(
        self, hypotheses: Sequence[str], references: Sequence[str], numbers: Mapping[str, Float]
    ) -> Iterator[Explanation]:
        builder = self.reader()
        with builder.lock:
            pairs = builder.encode(references, hypotheses)
            tokens = builder.tokens(pairs)
            batch = builder.lattices(pairs, columns=numbers)
        lines, lengths = pairs.references.lines, [len(reference) for reference, _ in tokens]
        explained = explain_lattices(batch, self.model, self.weights(batch), tokens)
        explained = self.pieces.added(explained, lines, pairs.hypotheses.lines)
        # What a perfect match depends on: the reference, and its numbers in columns.
        keys = [(line, tuple(float(own[k]) for own in numbers.values())) for k, line in enumerate(lines)]

        def perfect_of(places: Sequence[int]) -> Iterator[PerfectMatch]:
            """What the references at these places come to with themselves."""
            rows = np.array(places, dtype=np.int64)
            side = pairs.references.select(rows)
            own = {name: values[rows] for name, values in numbers.items()}
            with builder.lock:
                same = builder.lattices(EncodedPairs(pairs.vocabulary, side, side), columns=own)
            return perfect_matches(same, self.model, self.weights(same), [lengths[k] for k in places])

        return self._against_perfect(explained, keys, lengths, perfect_of)

    def _against_perfect(
        self,
        explained: Iterator[Explanation],
        keys: Sequence[PerfectKey],
        lengths: Sequence[int],
        perfect_of: Callable[[Sequence[int]], Iterator[PerfectMatch]],
    ) -> Iterator[Explanation]:
        """The explanations with their losses."""
        for k, explanation in enumerate(explained):
            if not k:  # not before: the first pair may be too long
                self._find_perfect(keys, lengths, perfect_of)
            perfect = self._perfect[keys[k]]
            if perfect is not None:
                yield replace(explanation, perfect=perfect.score, lost=points_lost(explanation, perfect))
            else:  # too long; in the relative form the score is known all the same
                known = PERFECT if self.model.settings.form == RELATIVE else None
                yield replace(explanation, perfect=known)

    def _find_perfect(
        self,
        keys: Sequence[PerfectKey],
        lengths: Sequence[int],
        perfect_of: Callable[[Sequence[int]], Iterator[PerfectMatch]],
    ) -> None:
        """Adds the references with themselves that are not found yet; None for those that are too long."""
        found = self._perfect
        if len(found) > MOST_PERFECT:
            found.clear()
        places = {key: k for k, key in enumerate(keys) if key not in found}
        found.update(dict.fromkeys(key for key, k in places.items() if 2 * lengths[k] > MOST_PLACES))
        new = {key: k for key, k in places.items() if key not in found}
        try:
            found.update(zip(new, [*perfect_of([*new.values()])], strict=True))
        except PfsmError:
            for key, k in new.items():
                try:
                    (found[key],) = perfect_of([k])
                except PfsmError:
                    found[key] = None


# What a pair would have above a perfect match, in the relative form.
LIMIT = "limit"
# What a long line has because it is partly scored whole.
WHOLE = "whole line"


def points_lost(explanation: Explanation, perfect: PerfectMatch) -> tuple[Lost, ...]:
    """The losses, largest first.

    Args:
        explanation: Of the pair.
        perfect: Its reference with itself.
    """
    parts = as_arrays(explanation.contributions)
    lengths = len(explanation.reference), len(explanation.hypothesis)
    ours, added, jumps = points_by_word(parts.ranges, parts.points, lengths)
    of_reference, of_hypothesis = _edits_by_word(explanation)
    # Without a reference each added word loses what a match would have brought as well.
    missed = 0.0 if lengths[0] else (perfect.base - explanation.base) / max(lengths[1], 1)
    found = [
        Lost(*_state_and_words(explanation, of_reference.get(place), (word,)), best - points)
        for place, (word, points, best) in enumerate(
            zip(explanation.reference, ours.tolist(), perfect.words, strict=True)
        )
    ]
    found += [
        Lost(of_hypothesis.get(place, ""), (), (word,), missed - points)
        for place, (word, points) in enumerate(zip(explanation.hypothesis, added.tolist(), strict=True))
    ]
    found.append(Lost(JUMP, (), (), perfect.jumps - jumps))
    if explanation.reference and explanation.base < perfect.base:
        found.append(Lost(LIMIT, (), (), perfect.base - explanation.base))
    found.append(Lost("entropy", (), (), perfect.entropy - explanation.entropy))
    found += [
        Lost(one.name, (), (), other.points - one.points)
        for one, other in zip(explanation.features, perfect.features, strict=True)
    ]
    return tuple(sorted((one for one in found if one.points), key=by_points))


def by_points(lost: Lost) -> float:
    """Largest first; equal ones, whatever rounding did to them, in the order of the words."""
    return -round(lost.points, 9)


def _edits_by_word(explanation: Explanation) -> tuple[dict[int, Edit], dict[int, str]]:
    """The edit of the best sequence at each word of the reference, and its state at each single added word."""
    of_reference: dict[int, Edit] = {}
    of_hypothesis: dict[int, str] = {}
    for edit in explanation.edits:
        of_reference |= dict.fromkeys(range(*edit.reference), edit)
        if edit.reference[0] == edit.reference[1]:
            of_hypothesis |= dict.fromkeys(range(*edit.hypothesis), edit.state)
    return of_reference, of_hypothesis


def _state_and_words(
    explanation: Explanation, edit: Edit | None, word: tuple[str, ...]
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    if edit is None:
        return "", word, ()
    return edit.state, word, explanation.hypothesis[slice(*edit.hypothesis)]
