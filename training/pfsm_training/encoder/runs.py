"""The fits of learning over an encoder: one for each fold, whose predictions of it are kept, and one for everything."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.encoder.head import Head, head_from_bytes
from pfsm.runtime.progress import Stage
from pfsm_training.encoder.fitting import Lesson, Network, Part, fit_head, predictions
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

    def held_out(self, fold: int, stage: Stage) -> tuple[Int64, Float]:
        """The pairs of a fold, and what heads say of them after each pass: float64 [n_passes, n_pairs]."""
        pairs = self.pairs(self._division.part(fold))
        saved = None if self._checkpoint is None else self._checkpoint.learned(f"fold {fold}")
        if saved is not None and len(saved) == 8 * self._passes * pairs.size:
            stage.advance(self._passes)
            return pairs, np.frombuffer(saved, dtype="<f8").reshape(self._passes, pairs.size)
        found = np.zeros((self._passes, pairs.size))

        def after(number: int, network: Network) -> None:
            found[number - 1] = predictions(network, self._lesson, pairs)
            stage.advance()

        fit_head(self._lesson, self._division.rest(fold), self._passes, fold + 1, after)
        if self._checkpoint is not None:
            self._checkpoint.keep_learned(f"fold {fold}", found.astype("<f8").tobytes())
        return pairs, found

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


def _numbered(folds: Folds) -> Int64:
    """The fold of each preference; those that are in none are shared out, so that each is held out once."""
    member = folds.preference_member.copy()
    others = np.flatnonzero(member == NEVER_HELD_OUT)
    member[others] = np.arange(others.size) % len(folds.names)
    return member
