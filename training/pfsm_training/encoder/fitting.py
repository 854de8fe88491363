"""One fit of a head to some of the judgments, and what its predictions are after each pass over them.

Minimises the mean squared error of standardised scores, weighted where judgments are, and the pairwise logistic loss of
preferences, by AdamW (Loshchilov and Hutter, 2019) with a warm-up and a constant rate. What is kept is the running mean
of the weights (Polyak and Juditsky, 1992), so that every number of passes gives a usable head and one run tells how
many are best.

What is learned from (`Material`) is what people said, and minimal pairs beside it. A preference asks for a difference D
of the predictions of its two sides, in standard deviations of the scores, by the loss ``s log(1 + exp((m - D) / s))``.
For people's preferences the margin m is 0 and the scale s is 1; for minimal pairs they are those of
`pfsm_training.fit.minimal_pairs`.
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from threading import Event
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pfsm.arrays import Float, Int64
from pfsm.encoder.heads import PARTS
from pfsm.model.settings import MEAN
from pfsm_training.data.moments import mean_and_sd
from pfsm_training.data.training_text import TrainingText
from pfsm_training.encoder.network import Batch, HeadNetwork
from pfsm_training.encoder.pieces import PairLines, SequenceLines
from pfsm_training.encoder.transformer import SequenceBatch, TunedNetwork, draw_from
from pfsm_training.fit.crossval import Folds
from pfsm_training.fit.minimal_pairs import PairsText
from pfsm_training.loss.objective import PairsOfItems


@dataclass(frozen=True, eq=False)
class Material:
    """Translations, their scores, and preferences between them.

    Attributes:
        references: One side of each sentence pair, those of the judgments first, then those of people's preferences,
            then those of the minimal pairs.
        hypotheses: The other side.
        items: Which sentence pairs each translation has.
        scores: float64 [n_scored], of the first translations.
        weights: float64 [n_scored], how much each judgment counts; None: all count the same.
        better: int64 [n_preferences], which translation is better, people's preferences first.
        worse: int64 [n_preferences].
        votes: float64 [n_preferences]; 1 for a minimal pair.
        margins: float64 [n_preferences].
        scales: float64 [n_preferences].
        n_judged: Number of sentence pairs that people judged.
        n_compared: Number of people's preferences.
        held_out: bool [n_minimal, n_folds], the folds that hold out a minimal pair.
    """

    references: list[str]
    hypotheses: list[str]
    items: PairsOfItems
    scores: Float
    weights: Float | None
    better: Int64
    worse: Int64
    votes: Float
    margins: Float
    scales: Float
    n_judged: int
    n_compared: int
    held_out: NDArray[np.bool_]


def material(text: TrainingText, minimal: PairsText | None, folds: Folds) -> Material:
    """The training text and the minimal pairs as one."""
    ones, items = np.ones(text.votes.size), text.items
    people = Material(
        text.references,
        text.hypotheses,
        items,
        text.scores,
        text.weights,
        text.better,
        text.worse,
        text.votes,
        0.0 * ones,
        ones,
        len(text),
        text.votes.size,
        np.zeros((0, len(folds.names)), dtype=np.bool_),
    )
    if minimal is None:
        return people
    made = minimal.text
    offsets = np.concatenate([items.offsets, items.offsets[-1] + made.items.offsets[1:]])
    return replace(
        people,
        references=[*text.references, *made.references],
        hypotheses=[*text.hypotheses, *made.hypotheses],
        items=PairsOfItems(offsets, items.use),
        better=np.concatenate([text.better, len(items) + made.better]),
        worse=np.concatenate([text.worse, len(items) + made.worse]),
        votes=np.concatenate([text.votes, made.votes]),
        margins=np.concatenate([people.margins, minimal.margins]),
        scales=np.concatenate([ones, np.full(len(minimal), minimal.options.scale)]),
        held_out=minimal.in_fold,
    )


Result = TypeVar("Result")
Check = Callable[[], None]
# Seconds. Where the system does not end a wait for Ctrl-C, Python notices it when the wait is over.
LONGEST_WAIT = 0.5


class AbandonedError(Exception):
    """Ends a fit whose result nobody waits for any more; never reaches the caller."""


def never() -> None:
    """The check of a fit that nothing can end but itself."""


def side_by_side(
    fits: Sequence[Callable[[Check], Result]], threads: int, keep: Callable[[int, Result], None]
) -> None:
    """Runs fits, and hands over the result of each as soon as it has ended.

    The first exception, of a fit or of ``keep``, Ctrl-C included, ends all other fits and is raised.

    Args:
        fits: Each is given a function to call every second or so, which raises once its result is not wanted any more.
        threads: How many fits run at once, each with PyTorch on one thread; 1: one after the other in the caller's
            thread.
        keep: Called with the number of a fit and its result, in the caller's thread; in the order in which fits end.
    """
    if min(threads, len(fits)) <= 1:
        for number, fit in enumerate(fits):
            keep(number, fit(never))
        return
    abandoned = Event()

    def check() -> None:
        if abandoned.is_set():
            raise AbandonedError

    # PyTorch has a number of threads for every thread that calls it.
    pool = ThreadPoolExecutor(threads, "pfsm-fit", torch.set_num_threads, (1,))
    try:
        numbers = {pool.submit(fit, check): number for number, fit in enumerate(fits)}
        running = set(numbers)
        while running:
            ended, running = wait(running, LONGEST_WAIT, FIRST_COMPLETED)
            for one in ended:
                keep(numbers[one], one.result())
    finally:
        abandoned.set()
        pool.shutdown(cancel_futures=True)


Network = HeadNetwork | TunedNetwork

PROCESSOR = "cpu"
BATCH = 64
TUNING_BATCH = 32
# Pieces whose derivatives are computed at once where layers are tuned: some 300 kB each.
TUNING_PIECES = 4096
LARGEST_GRADIENT = 1.0
WARM_UP, MEMORY = 20, 0.98
# After so many passes every minimal pair has been seen about once.
PASSES_OVER_PAIRS = 3
# Of the weights of `PARTS` in units of their spread, per judgment.
RIDGE = 0.01
# Pairs of similar length are put together; this much, in pieces, is left to chance.
SPREAD = 8.0
# Without scores: a pair is better the better it aligns and the closer it is.
WITHOUT_SCORES = (1.0, 0.0, 0.0, 1.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Lesson:
    """What is learned from.

    Attributes:
        given: Judged translations, and minimal pairs.
        lines: The lines of their sentence pairs.
        share: Of people's preferences in the loss, if there are scores too.
        weight: What the mean over the minimal pairs weighs in terms of the mean over what people said.
        device: Where vectors are computed.
        network: Makes what is to be learned, as it is at the start.
        size: Judgments, or pairs, in a batch.
        pieces: Of those of a batch, padded, how many are computed at once; None: all.
        check: Called before anything is computed; ends the fit by raising.
    """

    given: Material
    lines: PairLines | SequenceLines
    share: float
    weight: float
    device: torch.device
    network: Callable[[], Network]
    size: int = BATCH
    pieces: int | None = None
    check: Check = never

    def batch(self, pairs: Int64) -> Batch | SequenceBatch:
        """The lines of some pairs on the device."""
        self.check()
        return self.lines.batch(pairs, self.device)


@dataclass(frozen=True, eq=False)
class Part:
    """Some of the judgments, by number, and some of the preferences, of people and made: int64 each."""

    scored: Int64
    preferences: Int64


def fit_head(
    lesson: Lesson, part: Part, passes: int, seed: int, after: Callable[[int, Network], None]
) -> Network:
    """Fits a head.

    On the processor, fits may run at the same time in several threads: each draws from a generator of its own, which
    gives the numbers that the process's would give.

    Args:
        lesson: The data.
        part: What of it to learn from.
        passes: How often to go over it.
        seed: Of the order of the judgments and of dropout.
        after: Called after each pass with its number, from 1, and the head as it is then.
    """
    if lesson.device.type == PROCESSOR:
        return _fitted(lesson, part, passes, seed, after, torch.Generator().manual_seed(seed))
    # Dropout in one kernel of the GPU knows no other generator.
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return _fitted(lesson, part, passes, seed, after, None)


def _fitted(
    lesson: Lesson,
    part: Part,
    passes: int,
    seed: int,
    after: Callable[[int, Network], None],
    dropout: torch.Generator | None,
) -> Network:
    network = lesson.network().to(lesson.device)
    loss = _Loss(lesson, part)
    _start(network.eval(), lesson, part, loss)
    mean, optimiser = copy.deepcopy(network), torch.optim.AdamW(network.groups())
    draw_from(network.train(), dropout)
    rates = [group["lr"] for group in optimiser.param_groups]
    random, step = np.random.default_rng(seed), 0
    for number in range(1, passes + 1):
        for units in _batches(lesson, part, random):
            step += 1
            for group, rate in zip(optimiser.param_groups, rates, strict=True):
                group["lr"] = rate * min(1.0, step / WARM_UP)
            optimiser.zero_grad()
            for some in loss.portions(units):
                share = some.size / units.size
                (share * loss.of(network, some)).backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(network.parameters(), LARGEST_GRADIENT)
            optimiser.step()
            _follow(mean, network, min(MEMORY, step / (step + 9.0)))
        after(number, mean)
    return mean


@torch.no_grad()
def predictions(network: Network, lesson: Lesson, pairs: Int64) -> Float:
    """Values of pairs as scoring gives them, float64 [n_pairs]."""
    return _of_pairs(lesson, pairs, network)[:, 0] - network.left_out


def _of_pairs(lesson: Lesson, pairs: Int64, compute: Callable[..., Tensor]) -> Float:
    """Something about pairs, float64 [n_pairs, …], computed in batches of similar lengths."""
    order = np.argsort(lesson.lines.lengths[pairs], kind="stable")
    found: Float | None = None
    for first in range(0, pairs.size, lesson.size):
        places = order[first : first + lesson.size]
        values = compute(lesson.batch(pairs[places])).cpu().numpy()
        values = values.reshape(places.size, -1)
        found = np.zeros((pairs.size, values.shape[1])) if found is None else found
        found[places] = values
    return np.zeros((0, 1)) if found is None else found


@torch.no_grad()
def _follow(mean: Network, network: Network, memory: float) -> None:
    for kept, now in zip(mean.parameters(), network.parameters(), strict=True):
        kept.mul_(memory).add_(now, alpha=1.0 - memory)


@torch.no_grad()
def _start(network: Network, lesson: Lesson, part: Part, loss: "_Loss") -> None:
    """Starts from the best weighted sum of what the encoder alone says."""
    items = lesson.given.items
    if not part.scored.size:
        network.start(torch.tensor(WITHOUT_SCORES), 0.0)
        return
    _, pairs = items.select(part.scored)
    values = _of_pairs(lesson, pairs, network.parts)
    owner = np.repeat(np.arange(part.scored.size), items.sizes[part.scored])
    values = np.stack([np.bincount(owner, column) / np.bincount(owner) for column in values.T], axis=1)
    means, spreads = values.mean(axis=0), values.std(axis=0)
    if loss.weights is not None:
        means, spreads = np.array([mean_and_sd(column, loss.weights) for column in values.T]).T
    spreads = np.where(spreads > 0.0, spreads, 1.0)
    standard = (values - means) / spreads
    weighted = standard if loss.weights is None else loss.weights[:, np.newaxis] * standard
    gram = weighted.T @ standard + RIDGE * loss.amount * np.eye(len(PARTS))
    weights = np.linalg.solve(gram, weighted.T @ loss.targets[part.scored]) / spreads
    network.start(torch.from_numpy(weights), -float(weights @ means))


def _batches(lesson: Lesson, part: Part, random: np.random.Generator) -> Iterator[Int64]:
    """Places in a part, the judgments first, then the preferences, in batches of similar lengths."""
    given, lengths = lesson.given, lesson.lines.lengths
    longest = np.maximum.reduceat(lengths, given.items.offsets[:-1])
    keys = np.concatenate(
        [
            longest[part.scored],
            np.maximum(longest[given.better[part.preferences]], longest[given.worse[part.preferences]]),
        ]
    )
    units = np.arange(keys.size)
    made = part.scored.size + np.flatnonzero(part.preferences >= given.n_compared)
    if made.size:
        left_out = random.permutation(made)[_in_a_pass(made.size) :] if lesson.weight else made
        units = np.setdiff1d(units, left_out)
    order = units[np.argsort(keys[units] + random.uniform(0.0, SPREAD, units.size), kind="stable")]
    batches = [order[first : first + lesson.size] for first in range(0, order.size, lesson.size)]
    for place in random.permutation(len(batches)).tolist():
        yield batches[place]


def _in_a_pass(number: int) -> int:
    """How many of so many minimal pairs are in one pass."""
    return -(-number // PASSES_OVER_PAIRS)


class _Loss:
    """The loss of batches; its expectation is the mean loss over a part.

    Attributes:
        targets: float64 [n_scored], standardised scores of all judgments.
        weights: float64, of the judgments of the part; None: all count the same.
        amount: Number of these judgments, each counted by its weight.
    """

    def __init__(self, lesson: Lesson, part: Part) -> None:
        self._lesson, self._part = lesson, part
        given = lesson.given
        self.weights = None if given.weights is None else given.weights[part.scored]
        self.amount = part.scored.size if self.weights is None else float(self.weights.sum())
        mean, spread = mean_and_sd(given.scores[part.scored], self.weights)
        self.targets = (given.scores - mean) / (spread or 1.0)
        made = part.preferences >= given.n_compared
        n_made = _in_a_pass(int(np.count_nonzero(made))) if lesson.weight else 0
        n_units = part.scored.size + int(np.count_nonzero(~made)) + n_made
        share = lesson.share if part.scored.size else 1.0
        share = 0.0 if made.all() else share
        votes = float(given.votes[part.preferences[~made]].sum())
        self._of_scores = (1.0 - share) * n_units / (self.amount or 1.0)
        # Of people's preferences, and of minimal pairs.
        self._of_votes = np.array(
            [share * n_units / (votes or 1.0), lesson.weight * n_units / max(n_made, 1)]
        )

    def portions(self, units: Int64) -> list[Int64]:
        """A batch in portions that are computed one after the other; their losses add up to that of the batch."""
        if self._lesson.pieces is None:
            return [units]
        lengths = self._lesson.lines.lengths
        sizes = [
            int(lengths[self._lesson.given.items.select(self._items(one)[2])[1]].sum())
            for one in units[:, None]
        ]
        portions, first, longest = [], 0, 0
        for place, size in enumerate(sizes):
            longest = max(longest, size)
            if place > first and (place + 1 - first) * longest > self._lesson.pieces:
                portions.append(units[first:place])
                first, longest = place, size
        return [*portions, units[first:]]

    def _items(self, units: Int64) -> tuple[Int64, Int64, Int64]:
        """The judgments of a batch, its preferences, and all translations that they are about."""
        given, n_scored = self._lesson.given, self._part.scored.size
        scored = self._part.scored[units[units < n_scored]]
        preferences = self._part.preferences[units[units >= n_scored] - n_scored]
        return (
            scored,
            preferences,
            np.concatenate([scored, given.better[preferences], given.worse[preferences]]),
        )

    def of(self, network: Network, units: Int64) -> Tensor:
        """The loss of a batch, a scalar; ``units`` are places in the part."""
        given = self._lesson.given
        scored, preferences, items = self._items(units)
        predicted = self._of_items(network, items)
        device = predicted.device
        squares = (predicted[: scored.size] - torch.from_numpy(self.targets[scored]).to(device)).square()
        if given.weights is not None:
            squares = squares * torch.from_numpy(given.weights[scored]).to(device)
        better, worse = predicted[scored.size :].reshape(2, -1)
        scales = given.scales[preferences]
        factors = given.votes[preferences] * self._of_votes[(preferences >= given.n_compared).astype(int)]
        weights, slopes, margins = (
            torch.from_numpy(one).to(device)
            for one in (factors * scales, 1.0 / scales, given.margins[preferences])
        )
        logistic = (weights * torch.nn.functional.softplus(slopes * (margins + worse - better))).sum()
        return (self._of_scores * squares.sum() + logistic) / units.size

    def _of_items(self, network: Network, items: Int64) -> Tensor:
        """Predictions of judged translations from those of their pairs, as in scoring."""
        of = self._lesson.given.items
        sizes = of.sizes[items]
        ends = np.cumsum(sizes)
        pairs = np.arange(ends[-1]) + np.repeat(of.offsets[items] - ends + sizes, sizes)
        predicted = network(self._lesson.batch(pairs))
        if (sizes == 1).all():
            return torch.as_tensor(predicted)
        owner = torch.from_numpy(np.repeat(np.arange(items.size), sizes)).to(predicted.device)
        rule = "mean" if of.use == MEAN else "amax"
        empty = torch.zeros(items.size, dtype=predicted.dtype, device=predicted.device)
        result: Tensor = empty.scatter_reduce(0, owner, predicted, rule, include_self=False)
        return result
