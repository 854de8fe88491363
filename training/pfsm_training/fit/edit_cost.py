"""The training option ``edit_cost``: an edited copy of a reference must score below the reference itself.

A copy in which one word was inserted, repeated or deleted is worse than the reference, whatever the judgments happen to
say of such words: where most references are corrections of the translations, an additional word is no bad sign. So
there is a penalty in the objective. With ``p`` the prediction for a reference as its own translation, ``q`` that for an
edited copy of it, and ``L`` the number of tokens of both, so that ``L (p - q)`` is what the edit costs in units of
``y``:

    loss = sum_k max(0, cost - L_k (p_k - q_k))^2

It is convex in the predictions, 0 where every edit costs enough, and steep enough to act as a constraint on the copies
of the training references. A cost above 0 leaves room, so that other sentences keep to it, too; how many copies of
held-out references do not is counted in cross-validation.

Its copies are `MadePairs`, as minimal pairs are: pairs that nobody judged, of training references, fold by fold.
"""

import hashlib
import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pfsm.data import Judgments, Preferences
from pfsm.metrics.inputs import columns_of
from pfsm.model.settings import Settings
from pfsm.text.plain import chunk_tokens, token_counts
from pfsm_training.data.training_set import Encoder, TrainingSet
from pfsm_training.data.training_text import TrainingText
from pfsm_training.fit.crossval import NEVER_HELD_OUT, Folds
from pfsm_training.fit.fitting import Choice
from pfsm_training.fit.starts import MOST_COMPARED
from pfsm_training.loss.hinges import Hinges
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import Quadratic, Term

Bool = NDArray[np.bool_]
Rows = NDArray[np.int64]
Data = tuple[Judgments | None, Preferences | None]


@dataclass(frozen=True, eq=False)
class MadePairs(ABC):
    """Pairs as a `pfsm_training.fit.fitting.Constraint` that folds cut to their own training references.

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

    def chosen(self, rows: Rows) -> Self:
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


def _spread(better: Rows, worse: Rows) -> Rows:
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


# References with copies, and copies of each. More of them change no weight in the second digit.
MOST_REFERENCES = 1500
INSERTIONS, REPETITIONS, DELETIONS = 3, 1, 1
# Words are taken from so many references.
WORD_SOURCES = 3000
Spans = list[tuple[int, int]]
Float = NDArray[np.float64]
# How much the mean over the copies weighs, in terms of the mean over what people said.
STRENGTH = 30.0


def edited_copies(references: Iterable[str]) -> list[tuple[str, str]]:
    """References, each with a copy in which one word was inserted, repeated or deleted, never the same text.

    Args:
        references: Text, in any order; of more than ``MOST_REFERENCES`` distinct lines with a word, some are chosen.
    """
    lines = sorted({line for line in references if chunk_tokens(line)}, key=_digest)
    words = [word for line in lines[:WORD_SOURCES] for word in chunk_tokens(line)]
    return [(line, copy) for line in lines[:MOST_REFERENCES] for copy in copies_of(line, words)]


def copies_of(line: str, words: Sequence[str]) -> Iterator[str]:
    """Copies of a line with one word inserted, repeated or deleted at random; the same for the same line and words.

    Copies that are equal to the line but for white space are left out, and so are those without a word.

    Args:
        line: A line with a word.
        words: Words to insert, each as likely as it is frequent among them; not empty.
    """
    # Not for secrets: the same copies are to be made everywhere.
    chance = random.Random(_digest(line))
    space = (
        " " if " " in line.strip() or len(chunk_tokens(line)) == 1 else ""
    )  # scripts without spaces have none
    spans = _spans(line)
    known = {"".join(line.split())}
    for make in [_inserted] * INSERTIONS + [_repeated] * REPETITIONS + [_deleted] * DELETIONS:
        copy = make(line, spans, space, chance, words)
        bare = "".join(copy.split())
        if bare and bare not in known:
            known.add(bare)
            yield copy


def _digest(line: str) -> bytes:
    return hashlib.sha256(line.encode("utf-8", "surrogatepass")).digest()


def _spans(line: str) -> Spans:
    """Where the plain tokens of a line begin and end."""
    spans, behind = [], 0
    for token in chunk_tokens(line):
        first = line.index(token, behind)
        behind = first + len(token)
        spans.append((first, behind))
    return spans


def _inserted(line: str, spans: Spans, space: str, chance: random.Random, words: Sequence[str]) -> str:
    place = chance.randrange(len(spans) + 1)
    word = words[chance.randrange(len(words))]
    if place == len(spans):
        return f"{line}{space}{word}"
    before, behind = line[: spans[place][0]], line[spans[place][0] :]
    return f"{before}{space if before.rstrip() == before and before else ''}{word}{space}{behind}"


def _repeated(line: str, spans: Spans, space: str, chance: random.Random, _: Sequence[str]) -> str:
    first, behind = spans[chance.randrange(len(spans))]
    return f"{line[:behind]}{space}{line[first:behind]}{line[behind:]}"


def _deleted(line: str, spans: Spans, space: str, chance: random.Random, _: Sequence[str]) -> str:
    first, behind = spans[chance.randrange(len(spans))]
    if not space:
        return line[:first] + line[behind:]
    return f"{line[:first].rstrip()} {line[behind:].lstrip()}".strip()


@dataclass(frozen=True, eq=False)
class EditCost:
    """A `pfsm_training.loss.objective.Loss` of edited copies.

    Attributes:
        original: int64 [n_copies], which prediction is that of the reference as its own translation.
        edited: int64 [n_copies], which is that of the copy.
        lengths: float64 [n_copies], L.
        cost: What an edit must cost, above 0.
        factor: The sum is multiplied by it.
    """

    original: NDArray[np.int64]
    edited: NDArray[np.int64]
    lengths: Float
    cost: float
    factor: float = 1.0

    def value(self, predictions: Tensor) -> Tensor:
        """The loss, a scalar."""
        fall = predictions[torch.from_numpy(self.original)] - predictions[torch.from_numpy(self.edited)]
        missing = (self.cost - torch.from_numpy(self.lengths) * fall).clamp(min=0.0)
        return self.factor * missing.square().sum()

    def quadratic(self, predictions: Float, jacobian: Float) -> Quadratic:
        """The hinges, with predictions linear in the parameters."""
        missing = self.cost - self.lengths * (predictions[self.original] - predictions[self.edited])
        slopes = self.lengths[:, np.newaxis] * (jacobian[self.edited] - jacobian[self.original])
        size = jacobian.shape[1]
        hinges = Hinges(missing, slopes).scaled(self.factor)
        return Quadratic(np.zeros(size), np.zeros((size, size)), (hinges,))

    def part(self, first: int, stop: int) -> "EditCost":
        """The loss of the copies among the predictions ``[first:stop]``.

        Raises:
            ValueError: If only one prediction of a copy is among them.
        """
        inside = (self.original >= first) & (self.original < stop)
        if (inside != ((self.edited >= first) & (self.edited < stop))).any():
            raise ValueError("a part must contain both a copy and its original, or neither")
        return EditCost(
            self.original[inside] - first,
            self.edited[inside] - first,
            self.lengths[inside],
            self.cost,
            self.factor,
        )


@dataclass(frozen=True, eq=False)
class Copies(MadePairs):
    """Edited copies, each with the reference as the better side.

    Attributes:
        lengths: float64 [n_copies], plain tokens (`pfsm.text.plain`) of both sides.
        cost: ``edit_cost``.
    """

    columns = ("lengths",)

    lengths: NDArray[np.float64]
    cost: float

    def term(self, choice: Choice, people: float, unit: float) -> Term | None:  # noqa: ARG002
        """The loss of the copies, which grows with the judgments and preferences as theirs does."""
        if not len(self):
            return None
        factor = STRENGTH * people / len(self)
        return self.data.term(EditCost(self.data.better, self.data.worse, self.lengths, self.cost, factor))

    def number_above(self, machine: LogLinearMachine) -> int:
        """How many copies do not score below their reference."""
        if not len(self):
            return 0
        predictions = self.data.predictions(machine)
        return int((predictions[self.data.worse] >= predictions[self.data.better]).sum())


def copies_to_train(
    sources: Data, settings: Settings, cost: float, folds: Folds, encoder: Encoder
) -> Copies | None:
    """The copies of the training references; None where an edit need not cost anything.

    Args:
        sources: The training data.
        settings: Settings with nothing left to learn.
        cost: ``edit_cost``.
        folds: The folds of the data.
        encoder: Builds lattices.
    """
    if not cost:
        return None
    held = folds_of_references(sources, folds)
    copies = edited_copies(held)
    lines = [(line,) for line, _ in copies]
    originals, edited = [line for line, _ in copies], [copy for _, copy in copies]
    data = encoder(TrainingText(None, as_preferences(lines, originals, edited, settings), settings))
    lengths = token_counts(originals) + token_counts(edited)
    return Copies(data, in_folds(lines, held, folds), lengths, cost)


def held_out_record(copies: Copies | None, above: int | None) -> dict[str, Any]:
    """For the record of a training: how many copies of held-out references did not score below them."""
    if copies is None:
        return {}
    return {"edit_cost": {"cost": copies.cost, "copies": len(copies), "held_out_above": above}}
