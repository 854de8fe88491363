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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from pfsm.arrays import Float, Int64
from pfsm.model.settings import Settings
from pfsm.text.plain import chunk_tokens, token_counts
from pfsm_training.data.training_set import Encoder
from pfsm_training.data.training_text import TrainingText
from pfsm_training.fit.constraints import Ending, MadePairs, as_preferences, folds_of_references, in_folds
from pfsm_training.fit.fitting import Choice
from pfsm_training.fit.plan import Plan
from pfsm_training.loss.hinges import Hinges
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import Quadratic, Term

# References with copies, and copies of each. More of them change no weight in the second digit.
MOST_REFERENCES = 1500
INSERTIONS, REPETITIONS, DELETIONS = 3, 1, 1
# Words are taken from so many references.
WORD_SOURCES = 3000
Spans = list[tuple[int, int]]
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

    original: Int64
    edited: Int64
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
    weights: ClassVar[tuple[float, ...]] = ()

    lengths: Float
    cost: float

    def term(self, choice: Choice, people: float, unit: float) -> Term | None:  # noqa: ARG002
        """The loss of the copies, which grows with the judgments and preferences as theirs does."""
        if not len(self):
            return None
        factor = STRENGTH * people / len(self)
        return self.data.term(EditCost(self.data.better, self.data.worse, self.lengths, self.cost, factor))

    def counts(self, fold: int, machine: LogLinearMachine) -> Int64:
        """Count the copies of held-out references that do not score below their reference, int64 []."""
        held = self.held_out(fold)
        predictions = held.data.predictions(machine) if len(held) else np.zeros(0)
        return np.asarray((predictions[held.data.worse] >= predictions[held.data.better]).sum())

    def record(self, ending: Ending) -> dict[str, Any]:
        """Return how many copies of held-out references did not score below them."""
        above = 0 if ending.counted is None else int(ending.counted)
        return {"edit_cost": {"cost": self.cost, "copies": len(self), "held_out_above": above}}


@dataclass(frozen=True, eq=False)
class EditCostText:
    """A `pfsm_training.fit.constraints.Prepared`: the plan has everything that copies are made of."""

    plan: Plan
    cost: float
    digest: str = ""

    def to_train(self, encoder: Encoder, settings: Settings) -> Copies:
        """Make the copies of the training references, and their lattices."""
        held = folds_of_references(self.plan.data, self.plan.folds)
        copies = edited_copies(held)
        lines = [(line,) for line, _ in copies]
        originals, edited = [line for line, _ in copies], [copy for _, copy in copies]
        data = encoder(TrainingText(None, as_preferences(lines, originals, edited, settings), settings))
        lengths = token_counts(originals) + token_counts(edited)
        return Copies(data, in_folds(lines, held, self.plan.folds), lengths, self.cost)


def prepare(asked: float, plan: Plan, text: TrainingText) -> EditCostText:  # noqa: ARG001
    """As `pfsm_training.fit.constraints.Kind`; ``asked`` is the cost."""
    return EditCostText(plan, asked)
