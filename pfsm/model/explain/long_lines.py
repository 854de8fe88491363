"""Explanations and alignments of long lines, joined from those of their parts (`pfsm.model.long_lines`)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from pfsm.model.explain.alignments import Alignment, Alignments
from pfsm.model.explain.explaining import WHOLE, by_points
from pfsm.model.explain.explanation import (
    Contributions,
    Edit,
    EncoderPoints,
    Explanation,
    FeaturePoints,
    Lost,
    Range,
    as_arrays,
)
from pfsm.model.file import PERFECT
from pfsm.model.long_lines import ROUNDING

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]
Lengths = tuple[int, int]


def joined_explanations(
    explained: Iterator[Explanation], owner: Int64, weights: Float, scores: Float
) -> Iterator[Explanation]:
    """The explanations of pairs from those of their parts.

    What a pair has beside the weighted points of its parts, because it is partly scored whole, goes into its base, and
    is lost or won as `WHOLE`.

    Args:
        explained: Of each part.
        owner: int64 [n_parts], ascending, which pair each is of.
        weights: float64 [n_parts].
        scores: float64 [n_pairs], the scores of the pairs.
    """
    of = zip(owner.tolist(), weights.tolist(), strict=True)
    for pair, group in groupby(zip(of, explained, strict=True), key=lambda entry: entry[0][0]):
        several = [(weight, one) for (_, weight), one in group]
        yield several[0][1] if len(several) == 1 else _joined(several, float(scores[pair]))


def _joined(several: Sequence[tuple[float, Explanation]], score: float) -> Explanation:
    total = sum(weight for weight, _ in several)
    parts = [(weight / total, one) for weight, one in several]
    places = _places([(len(one.reference), len(one.hypothesis)) for _, one in parts])
    rest = score - sum(weight * one.score for weight, one in parts)
    moved = [
        (weight, one, [_moved(edit, place) for edit in one.edits])
        for (weight, one), place in zip(parts, places, strict=True)
    ]
    features = [
        FeaturePoints(
            first.name,
            sum(weight * one.features[k].value for weight, one in parts),
            sum(weight * one.features[k].points for weight, one in parts),
        )
        for k, first in enumerate(parts[0][1].features)
    ]
    perfect = None if any(one.perfect is None for _, one in parts) else PERFECT
    lost = () if perfect is None else _lost(parts, rest)
    return replace(
        parts[0][1],
        reference=tuple(word for _, one in parts for word in one.reference),
        hypothesis=tuple(word for _, one in parts for word in one.hypothesis),
        score=score,
        edits=tuple(edit for *_, edits in moved for edit in edits),
        contributions=_contributions(parts, places),
        entropy=sum(weight * one.entropy for weight, one in parts),
        base=rest + sum(weight * one.base for weight, one in parts),
        features=tuple(features),
        perfect=perfect,
        lost=lost,
        encoder=_encoder(parts),
        agreements=tuple(
            replace(
                one,
                reference=_range(one.reference, r),
                hypothesis=_range(one.hypothesis, h),
                points=weight * one.points,
            )
            for (weight, part), (r, h) in zip(parts, places, strict=True)
            for one in part.agreements
        ),
    )


def joined_alignments(found: Alignments, owner: Int64, weights: Float, scores: Float) -> Alignments:
    """The alignments of pairs from those of their parts; arguments as `joined_explanations`."""
    n = int(owner[-1]) + 1
    shares = weights / np.bincount(owner, weights)[owner]
    points, counts = (np.zeros((n, len(found.parts))) for _ in range(2))
    np.add.at(points, owner, shares[:, np.newaxis] * found.points)
    np.add.at(counts, owner, found.counts)
    points[:, 0] += scores - points.sum(axis=1)
    pairs = []
    for _, group in groupby(zip(owner.tolist(), found.pairs, strict=True), key=itemgetter(0)):
        several = [one for _, one in group]
        places = _places([(len(one.reference), len(one.hypothesis)) for one in several])
        pairs.append(
            Alignment(
                tuple(word for one in several for word in one.reference),
                tuple(word for one in several for word in one.hypothesis),
                tuple(
                    _moved(edit, place)
                    for one, place in zip(several, places, strict=True)
                    for edit in one.edits
                ),
                tuple(posterior for one in several for posterior in one.posteriors),
            )
        )
    return Alignments(found.parts, points, counts, tuple(pairs))


def _places(lengths: Sequence[Lengths]) -> list[Lengths]:
    """Where each part begins, in words of the reference and of the hypothesis."""
    sums = np.cumsum([(0, 0), *lengths], axis=0)[:-1]
    return [(int(one), int(other)) for one, other in sums]


def _range(words: Range, first: int) -> Range:
    return first + words[0], first + words[1]


def _moved(edit: Edit, place: Lengths) -> Edit:
    return replace(
        edit, reference=_range(edit.reference, place[0]), hypothesis=_range(edit.hypothesis, place[1])
    )


def _lost(parts: Sequence[tuple[float, Explanation]], rest: float) -> tuple[Lost, ...]:
    """What the words of each part lose, and what entropy, features and the like lose in all."""
    words: list[Lost] = []
    others: dict[str, float] = {WHOLE: -rest}
    for weight, part in parts:
        for one in part.lost:
            if one.reference or one.hypothesis:
                words.append(replace(one, points=weight * one.points))
            else:
                others[one.state] = others.get(one.state, 0.0) + weight * one.points
    found = [*words, *(Lost(state, (), (), points) for state, points in others.items())]
    return tuple(sorted((one for one in found if abs(one.points) > ROUNDING), key=by_points))


def _contributions(parts: Sequence[tuple[float, Explanation]], places: Sequence[Lengths]) -> Contributions:
    arrays = [as_arrays(one.contributions) for _, one in parts]
    names = tuple(dict.fromkeys(name for one in arrays for name in one.names))
    states = [
        np.array([names.index(name) for name in one.names], dtype=np.int64)[one.states] for one in arrays
    ]
    return Contributions(
        names,
        np.concatenate(states),
        np.concatenate(
            [one.ranges + np.array([r, r, h, h]) for one, (r, h) in zip(arrays, places, strict=True)]
        ),
        np.concatenate([one.posteriors for one in arrays]),
        np.concatenate([weight * one.points for (weight, _), one in zip(parts, arrays, strict=True)]),
    )


def _encoder(parts: Sequence[tuple[float, Explanation]]) -> EncoderPoints | None:
    own = [(weight, one.encoder) for weight, one in parts if one.encoder is not None]
    if not own:
        return None
    return EncoderPoints(
        sum(weight * one.constant for weight, one in own),
        tuple(
            (name, sum(w * one.parts[k][1] for w, one in own), sum(w * one.parts[k][2] for w, one in own))
            for k, (name, *_) in enumerate(own[0][1].parts)
        ),
        tuple(replace(match, points=weight * match.points) for weight, one in own for match in one.matches),
        tuple(tuple(piece for _, one in own for piece in one.pieces[side]) for side in (0, 1)),  # type: ignore[arg-type]
    )
