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
"""

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pfsm.model.settings import Settings
from pfsm.text.plain import chunk_tokens, token_counts
from pfsm_training.data.training_set import Encoder
from pfsm_training.data.training_text import TrainingText
from pfsm_training.fit.crossval import Folds
from pfsm_training.fit.fitting import Amounts, Choice
from pfsm_training.fit.made_pairs import Data, MadePairs, as_preferences, folds_of_references, in_folds
from pfsm_training.loss.hinges import Hinges
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import Minimised, Quadratic, WithPairs

# References with copies, and copies of each. More of them change no weight in the second digit.
MOST_REFERENCES = 1500
INSERTIONS, REPETITIONS, DELETIONS = 3, 1, 1
# Words are taken from so many references.
WORD_SOURCES = 3000
Spans = list[tuple[int, int]]
Float = NDArray[np.float64]
# How much the mean over the copies weighs, in terms of the mean over what people said.
STRENGTH = 30.0


@dataclass(frozen=True, eq=False)
class EditedCopies:
    """References, each with a copy of it in which one word was inserted, repeated or deleted.

    Attributes:
        references: [n].
        edited: [n], never the same text as the reference.
        lengths: float64 [n], plain tokens (`pfsm.text.plain`) of both.
    """

    references: tuple[str, ...]
    edited: tuple[str, ...]
    lengths: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.references)


def edited_copies(references: Sequence[str], most: int = MOST_REFERENCES) -> EditedCopies:
    """Copies of references; the same for the same set of references in any order.

    Args:
        references: Text; of more than ``most`` distinct lines with a word, some are chosen.
        most: Largest number of lines that are edited.
    """
    lines = sorted({line for line in references if chunk_tokens(line)}, key=_digest)
    words = [word for line in lines[:WORD_SOURCES] for word in chunk_tokens(line)]
    pairs = [(line, copy) for line in lines[:most] for copy in copies_of(line, words)]
    originals, edited = tuple(line for line, _ in pairs), tuple(copy for _, copy in pairs)
    return EditedCopies(originals, edited, token_counts(originals) + token_counts(edited))


def copies_of(line: str, words: Sequence[str]) -> Iterator[str]:
    """Copies of a line with one word inserted, repeated or deleted at random; the same for the same line and words.

    Copies that are equal to the line but for white space are left out, and so are those without a word.

    Args:
        line: A line with a word.
        words: Words to insert, each as likely as it is frequent among them; not empty.
    """
    # Not for secrets: the same copies are to be made everywhere.
    chance = random.Random(_digest(line))
    makers = [_inserted] * INSERTIONS + [_repeated] * REPETITIONS + [_deleted] * DELETIONS
    known = {"".join(line.split())}
    for make in makers:
        copy = make(line, _spans(line), chance, words)
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


def _space(line: str) -> str:
    """What stands between the words of a line: nothing in scripts written without spaces."""
    return " " if " " in line.strip() or len(chunk_tokens(line)) == 1 else ""


def _inserted(line: str, spans: Spans, chance: random.Random, words: Sequence[str]) -> str:
    place = chance.randrange(len(spans) + 1)
    word = words[chance.randrange(len(words))]
    space = _space(line)
    if place == len(spans):
        return f"{line}{space}{word}"
    at = spans[place][0]
    before = line[:at]
    return f"{before}{space if before.rstrip() == before and before else ''}{word}{space}{line[at:]}"


def _repeated(line: str, spans: Spans, chance: random.Random, words: Sequence[str]) -> str:  # noqa: ARG001
    first, behind = spans[chance.randrange(len(spans))]
    return f"{line[:behind]}{_space(line)}{line[first:behind]}{line[behind:]}"


def _deleted(line: str, spans: Spans, chance: random.Random, words: Sequence[str]) -> str:  # noqa: ARG001
    first, behind = spans[chance.randrange(len(spans))]
    space = _space(line)
    return (
        space.join((line[:first].rstrip(), line[behind:].lstrip())).strip()
        if space
        else line[:first] + line[behind:]
    )


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
        lengths: float64 [n_copies], as `pfsm_training.fit.edit_cost.EditedCopies` has them.
        cost: ``edit_cost``.
    """

    columns = ("lengths",)

    lengths: NDArray[np.float64]
    cost: float

    def added_to(self, objective: Minimised, choice: Choice, amounts: Amounts) -> Minimised:  # noqa: ARG002
        """The objective with the loss of the copies, which grows with the judgments and preferences as theirs does."""
        if not len(self):
            return objective
        factor = STRENGTH * amounts.people / len(self)
        loss = EditCost(self.data.better, self.data.worse, self.lengths, self.cost, factor)
        return WithPairs(objective, self.data.objective(loss, 0.0, objective.centre))

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
    copies = edited_copies(sorted(held))
    lines = [(line,) for line in copies.references]
    preferences = as_preferences(lines, copies.references, copies.edited, settings)
    data = encoder(TrainingText(None, preferences, settings))
    return Copies(data, in_folds(lines, held, folds), copies.lengths, cost)


def held_out_record(copies: Copies | None, above: int | None) -> dict[str, Any]:
    """For the record of a training: how many copies of held-out references did not score below them."""
    if copies is None:
        return {}
    return {"edit_cost": {"cost": copies.cost, "copies": len(copies), "held_out_above": above}}
