"""What constraints of training have in common, and pairs that nobody judged, made of training references.

A constraint is a loss in addition to the objective (`pfsm_training.fit.fitting.Constraint`). Its kind is found by the
name of the option that asks for it (`pfsm_training.constraints`). A training prepares it from the training text, builds
its lattices, counts on the pairs that each fold holds out how well it is kept, and records that.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Int64
from pfsm.data import Judgments, Preferences
from pfsm.metrics.inputs import columns_of
from pfsm.model.settings import Settings
from pfsm_training.data.training_set import Encoder, TrainingSet
from pfsm_training.data.training_text import TrainingText
from pfsm_training.fit.crossval import NEVER_HELD_OUT, CrossValidation, Folds
from pfsm_training.fit.fitting import Choice, Constraint, Fitted
from pfsm_training.fit.plan import Plan
from pfsm_training.fit.starts import MOST_COMPARED
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import Term

Bool = NDArray[np.bool_]
Data = tuple[Judgments | None, Preferences | None]


@dataclass(frozen=True)
class Ending:
    """What a training came to, for the records of its constraints.

    Attributes:
        fitted: The fit to all data.
        validated: Cross-validation at the choice of the model.
        tried: Cross-validation of every choice.
        counted: The sum over the folds of `TrainedConstraint.counts`; None if no fold could be fitted.
    """

    fitted: Fitted
    validated: CrossValidation
    tried: Sequence[CrossValidation]
    counted: Int64 | None


class TrainedConstraint(Constraint, Protocol):
    """A constraint with lattices."""

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights that cross-validation chooses from; empty: the constraint has none."""

    def counts(self, fold: int, machine: LogLinearMachine) -> Int64 | None:
        """Count where a model keeps to it on what a fold holds out; None: there is nothing to count."""

    def record(self, ending: Ending) -> dict[str, Any]:
        """Return entries for the record of a training."""


class Prepared(Protocol):
    """A constraint whose text is known, before lattices are built."""

    @property
    def digest(self) -> str:
        """SHA-256 of everything that it depends on besides the training data and its options; may be empty."""

    def to_train(self, encoder: Encoder, settings: Settings) -> TrainedConstraint:
        """Build the lattices, under settings with nothing left to learn."""


class Kind(Protocol):
    """A kind of constraint."""

    def __call__(self, asked: Any, plan: Plan, text: TrainingText) -> Prepared | None:
        """Prepare a constraint; None if the training data has nothing that it could be about.

        Args:
            asked: The value of its option.
            plan: The training.
            text: Its text, before anything is learned over an encoder.

        Raises:
            PfsmError: If the option is invalid or does not fit the settings.
        """


@dataclass(frozen=True, eq=False)
class MadePairs(ABC):
    """Pairs as a `TrainedConstraint` that folds cut to their own training references.

    Attributes:
        data: Their lattices, as preferences of the side that is better.
        in_fold: bool [n_pairs, n_folds], the folds in which the reference of a pair is held out.
    """

    columns: ClassVar[tuple[str, ...]] = ()
    """Further attributes that are arrays of one entry a pair."""

    data: TrainingSet
    in_fold: Bool
    _parts: dict[tuple[bool, tuple[int, ...]], Self] = field(default_factory=dict, init=False)
    _sample: list[Self] = field(default_factory=list, init=False)

    def __len__(self) -> int:
        return len(self.in_fold)

    @abstractmethod
    def term(self, choice: Choice, people: float, unit: float) -> Term | None:
        """As `pfsm_training.fit.fitting.Constraint.term`."""

    def chosen(self, rows: Int64) -> Self:
        """Some of the pairs, by their numbers in ascending order."""
        part = self.data.select(np.zeros(0, dtype=np.int64), rows)
        columns = {name: getattr(self, name)[rows] for name in ("in_fold", *self.columns)}
        return replace(self, data=part, **columns)

    def outside(self, folds: tuple[int, ...]) -> Self:
        """The pairs of references that none of these folds holds out."""
        inside: Bool = np.asarray(self.in_fold[:, list(folds)].any(axis=1))
        return self._part(~inside, (False, folds))

    def held_out(self, fold: int) -> Self:
        """The pairs of references that a fold holds out."""
        return self._part(self.in_fold[:, fold], (True, (fold,)))

    def sampled(self) -> Self:
        """As `pfsm_training.fit.fitting.Constraint.sampled`: every so many of the pairs.

        A pair that stands here both ways round is one: both rows are taken, or none.
        """
        if len(self) <= MOST_COMPARED:
            return self
        if not self._sample:
            self._sample.append(self.chosen(_spread(self.data.better, self.data.worse)))
        return self._sample[0]

    def _part(self, chosen: Bool, key: tuple[bool, tuple[int, ...]]) -> Self:
        """Some of the pairs; cut out once."""
        if key not in self._parts:
            self._parts[key] = self.chosen(np.flatnonzero(chosen))
        return self._parts[key]


def _spread(better: Int64, worse: Int64) -> Int64:
    """The rows of `MOST_COMPARED` pairs, evenly spread over all of them."""
    sides = np.stack([np.minimum(better, worse), np.maximum(better, worse)], axis=1)
    _, first, pair = np.unique(sides, axis=0, return_index=True, return_inverse=True)
    count = min(MOST_COMPARED, first.size)
    taken = np.zeros(first.size, dtype=np.bool_)
    taken[np.argsort(first)[np.arange(count) * first.size // max(1, count)]] = True
    return np.flatnonzero(taken[pair.ravel()])


def folds_of_references(data: Data, folds: Folds) -> dict[str, set[int]]:
    """By reference of the training data, the folds that hold it out.

    Folds of systems, say, all have rows of it: it is in the training data of each, as they were asked for.
    """
    held: dict[str, set[int]] = {}
    for part, member in zip(data, (folds.member, folds.preference_member), strict=True):
        for several, fold in zip(
            part.all_references if part is not None else (), member.tolist(), strict=True
        ):
            for line in several:
                held.setdefault(line, set()).add(fold)
    return {line: those for line, those in held.items() if len(those) == 1} if folds.asked else held


def in_folds(lines: Sequence[Iterable[str]], held: dict[str, set[int]], folds: Folds) -> Bool:
    """The folds that hold out any of the lines of each pair, bool [n_pairs, n_folds]."""
    result = np.zeros((len(lines), len(folds.names)), dtype=np.bool_)
    for row, several in enumerate(lines):
        for line in several:
            result[row, sorted(held.get(line, set()) - {NEVER_HELD_OUT})] = True
    return result


def as_preferences(
    references: Sequence[Sequence[str]], better: Sequence[str], worse: Sequence[str], settings: Settings
) -> Preferences:
    """Pairs as training text; numbers that come with translations are the same for both sides."""
    nought = ("0",) * len(better)
    names = columns_of(tuple(settings.features))
    columns = {f"{name}_{side}": nought for name in names for side in ("better", "worse")}
    for number in range(1, max(map(len, references), default=1)):
        further = tuple(several[number] if number < len(several) else "" for several in references)
        columns[f"reference_{number + 1}"] = further
    first = tuple(several[0] for several in references)
    return Preferences(first, tuple(better), tuple(worse), np.ones(len(first)), columns, ())
