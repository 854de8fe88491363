"""The fits of learning over an encoder: one for each fold, whose predictions of it are kept, and one for everything."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from pfsm.encoder.heads import Head, head_from_bytes
from pfsm.runtime.progress import Stage
from pfsm_training.encoder.fitting import Check, Lesson, Network, Part, fit_head, predictions, side_by_side
from pfsm_training.encoder.material import Material
from pfsm_training.fit.checkpoint import Checkpoint
from pfsm_training.fit.crossval import NEVER_HELD_OUT, Folds

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Division:
    """What is held out together.

    Attributes:
        names: One a fold.
        judgments: bool [n_scored, n_folds].
        preferences: bool [n_preferences, n_folds], minimal pairs among them, which may be in several folds or in none.
    """

    names: tuple[str, ...]
    judgments: NDArray[np.bool_]
    preferences: NDArray[np.bool_]

    @classmethod
    def of(cls, folds: Folds, given: Material, most: int) -> "Division":
        """So many folds at most, each of every so many of the given ones: tuning an encoder takes its time."""
        whole = np.eye(len(folds.names), dtype=np.bool_)
        held = whole[folds.member], np.concatenate([whole[_numbered(folds)], given.held_out])
        most = min(most, len(folds.names))
        parts = [slice(first, None, most) for first in range(most)]
        names = tuple("+".join(folds.names[part]) for part in parts)
        joined = (np.stack([one[:, part].any(axis=1) for part in parts], axis=1) for one in held)
        return cls(names, *joined)

    def part(self, fold: int) -> Part:
        """What a fold holds out."""
        return Part(np.flatnonzero(self.judgments[:, fold]), np.flatnonzero(self.preferences[:, fold]))

    def rest(self, fold: int) -> Part:
        """What is learned from meanwhile."""
        return Part(np.flatnonzero(~self.judgments[:, fold]), np.flatnonzero(~self.preferences[:, fold]))


class Runs:
    """Fits, one for each fold and one for all data."""

    def __init__(
        self,
        lesson: Lesson,
        division: Division,
        checkpoint: Checkpoint | None,
        mix: NDArray[np.float32],
        passes: int,
    ) -> None:
        self._lesson, self._division, self._checkpoint = lesson, division, checkpoint
        self._mix, self._passes = mix, passes

    @property
    def names(self) -> tuple[str, ...]:
        """Of the folds."""
        return self._division.names

    def held_out_part(self, fold: int) -> Part:
        """What people said that a fold holds out."""
        part = self._division.part(fold)
        return Part(part.scored, part.preferences[part.preferences < self._lesson.given.n_compared])

    def pairs(self, part: Part) -> Int64:
        """The sentence pairs that some judgments and preferences are about, ascending."""
        given = self._lesson.given
        items = [part.scored, given.better[part.preferences], given.worse[part.preferences]]
        return given.items.select(np.unique(np.concatenate(items)))[1]

    def never_held_out(self) -> Int64:
        """The sentence pairs that no fold holds out, ascending."""
        everything = np.arange(len(self._lesson.lines))
        return np.setdiff1d(
            everything, np.concatenate([self.pairs(self._division.part(f)) for f in range(len(self.names))])
        )

    def held_out(self, threads: int, stage: Stage) -> Float:
        """What heads that have not seen them say of all pairs after each pass.

        Args:
            threads: How many folds are computed at once; the result does not depend on it.
            stage: Told of every pass.

        Returns:
            float64 [n_passes, n_pairs]; 0 for pairs that no fold holds out.
        """
        pairs = [self.pairs(self._division.part(fold)) for fold in range(len(self.names))]
        found = self._saved_folds(pairs)
        stage.advance(self._passes * len(found))
        missing = [fold for fold in range(len(self.names)) if fold not in found]

        def keep(number: int, values: Float) -> None:
            fold = missing[number]
            found[fold] = values
            if self._checkpoint is not None:
                self._checkpoint.keep_learned(f"fold {fold}", values.astype("<f8").tobytes())

        place = _Place(stage)
        side_by_side([partial(self._held_out, fold, pairs[fold], place) for fold in missing], threads, keep)
        by_pass = np.zeros((self._passes, len(self._lesson.lines)))
        # In the order of the folds: several may hold out the same minimal pair.
        for fold, own in enumerate(pairs):
            by_pass[:, own] = found[fold]
        return by_pass

    def _saved_folds(self, pairs: Sequence[Int64]) -> dict[int, Float]:
        """Of the folds that the checkpoint has, what `_held_out` returned."""
        found = {}
        for fold, own in enumerate(pairs):
            saved = None if self._checkpoint is None else self._checkpoint.learned(f"fold {fold}")
            if saved is not None and len(saved) == 8 * self._passes * own.size:
                found[fold] = np.frombuffer(saved, dtype="<f8").reshape(self._passes, own.size)
        return found

    def _held_out(self, fold: int, pairs: Int64, place: "_Place", check: Check) -> Float:
        """What heads say of the pairs of a fold after each pass: float64 [n_passes, n_pairs]."""
        lesson = replace(self._lesson, check=check)
        found = np.zeros((self._passes, pairs.size))

        def after(number: int, network: Network) -> None:
            found[number - 1] = predictions(network, lesson, pairs)
            place.stage.advance()

        with place.without(self.names[fold]):
            fit_head(lesson, self._division.rest(fold), self._passes, fold + 1, after)
        return found

    def on_all(self, passes: int, stage: Stage) -> Head:
        """The head that is learned from everything."""
        saved = None if self._checkpoint is None else self._checkpoint.learned("all")
        if saved is not None:
            return head_from_bytes(saved, "checkpoint")
        given = self._lesson.given
        everything = Part(np.arange(given.scores.size), np.arange(given.votes.size))
        network = fit_head(self._lesson, everything, passes, 0, lambda *_: stage.advance())
        # As it is read back: large matrices are rounded when they are stored.
        head = head_from_bytes(network.head(self._mix).content, "the head")
        if self._checkpoint is not None:
            self._checkpoint.keep_learned("all", head.content)
        return head


class _Place:
    """The folds that are being computed, as the place of a stage."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self._names: list[str] = []
        self._lock = Lock()

    @contextmanager
    def without(self, name: str) -> Iterator[None]:
        """In the block a head is learned without the fold of this name; from any thread."""
        self._change(self._names.append, name)
        try:
            yield
        finally:
            self._change(self._names.remove, name)

    def _change(self, change: Callable[[str], None], name: str) -> None:
        with self._lock:
            change(name)
            # When none is left, the next one follows at once, or the stage ends where it was.
            if self._names:
                self.stage.place = ", ".join(f"without {one}" for one in self._names)


def _numbered(folds: Folds) -> Int64:
    """The fold of each preference; those that are in none are shared out, so that each is held out once."""
    member = folds.preference_member.copy()
    others = np.flatnonzero(member == NEVER_HELD_OUT)
    member[others] = np.arange(others.size) % len(folds.names)
    return member
