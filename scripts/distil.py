"""Learns a teacher over a large encoder, labels texts with it, and trains students from the labels and the judgments.

    python scripts/distil.py POOL OUT JOB [SECONDS]

POOL is a folder of `scripts/distil_pool.py`. A JOB is

- ``teacher``: a head over the frozen encoder ``large``, learned from the judgments of all campaigns into English, each
  left out once. Writes ``labels-all.npz``: of every pair into English the sum of `FUSED`, in units of its deviation;
  and the head;
- a student of `STUDENTS`: an encoder of which all weights are learned, whose rate falls to
  nothing over SECONDS, whatever the machine does in them. Writes its values of judged pairs, its weights, and it as a
  head; ``minilm-4-continued`` is that of ``en``;
- ``all``: the heads, and then the students, without those whose files are there.

Runs on a GPU where there is one.
"""

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pfsm.embeddings.encoders import SHIPPED, tunable_encoder
from pfsm.io.files import replace_whole
from pfsm_kernels.dense.machine import expected_counts
from pfsm_training.data.moments import correlation
from pfsm_training.encoder import network as heads
from pfsm_training.encoder.network import FAST_RATE, Batch, HeadNetwork
from pfsm_training.encoder.pieces import SequenceLines, uniform_mix
from pfsm_training.encoder.transformer import LayersNetwork, SequenceBatch, TunedNetwork
from pfsm_training.options import FULL, SINGLE

Array = NDArray[Any]
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
IS_GPU = DEVICE.type == "cuda"
THREADS = 8 if IS_GPU else 1
BEGAN = time.time()
RECENT = ("wmt21-mqm", "ted-mqm-spans", "wmt23-sxs-mqm")
MODERN = ("wmt21-da", *RECENT)
# Of the noisy ones, so many judgments are used for heads, and what each counts there.
NOISY, NOISY_WEIGHT = {"wmt21-da": 4000, "mlqe-pe": 3000}, 0.3
# What a label is a sum of, each divided by its deviation: the score of en-fast, the head, the untrained similarity, the
# ratio of the lengths.
FUSED = {"fast": 0.2, "head": 0.5, "similarity": 0.25, "ratio": 0.05}
MULTI, MULTI_PASSES = "multi-head", 2
# Of the untrained similarity, the layer; and what keeps its logarithm finite.
PLAIN_LAYER, ABOVE = 7, 1.03
LONGEST = 400  # pieces of a line; longer ones are left out
PIECES_AT_ONCE = 60_000 if IS_GPU else 4_000
# Judgments of a batch, or units of a student's, and their padded pieces at most.
BATCH, UNITS, AREA = 64, 128, 14_000
CLEAN_AGAIN = 3  # a pass goes over clean judgments so often
MOST_PASSES = 4
# What people's judgments are worth of a unit of the labels at the start: noise makes it less.
SLOPE = 0.6


@dataclass(frozen=True)
class Student:
    """What a student is and learns from.

    Attributes:
        encoder: The one that ships under this name.
        layers: The first so many are kept.
        english: Whether it learns from judgments of translations into English alone.
        start: The student whose weights it starts from; empty: the encoder's.
    """

    encoder: str
    layers: int
    english: bool = True
    start: str = ""


STUDENTS = {
    "minilm-4": Student("minilm", 4),
    "minilm-4-continued": Student("minilm", 4, start="minilm-4"),
    "multi": Student("multi", 12, english=False),
}


def say(*what: object) -> None:
    """Prints a line with the seconds since the start."""
    print(f"{time.time() - BEGAN:7.1f}", *what, flush=True)


_pool = ThreadPoolExecutor(THREADS)


def shared_out(whole: Callable[..., tuple[Array, ...]]) -> Callable[..., tuple[Array, ...]]:
    """The machine's expected counts with the pairs shared out among threads."""

    def counts(*given: Array) -> tuple[Array, ...]:
        substitute, delete, insert, transitions, *sizes = given
        parts = [one for one in np.array_split(np.arange(len(substitute)), THREADS) if one.size]
        if len(parts) < 2:
            return whole(*given)

        def of(part: Array) -> tuple[Array, ...]:
            own = slice(int(part[0]), int(part[-1]) + 1)
            return whole(substitute[own], delete[own], insert[own], transitions, *(one[own] for one in sizes))

        return tuple(np.concatenate(column) for column in zip(*_pool.map(of, parts), strict=True))

    return counts


class Data:
    """An encoder's first layers, and the rows of a pool whose lines are not too long in its pieces."""

    def __init__(self, pool: Path, encoder: str, layers: int | None = None) -> None:
        folder = tunable_encoder(f"{SHIPPED}{encoder}")
        layers = folder.layers if layers is None else layers
        self.shape, self.weights = folder.shape, folder.weights(layers)
        self.dimension = self.weights.words.shape[1]
        self.mix = uniform_mix(self.shape.layers + 1, layers + 1)
        lines = json.loads((pool / "lines.json").read_text(encoding="utf-8"))
        self.lines = SequenceLines(folder, self.weights, lines, lines)
        self.sizes = self.lines.sizes
        self.n = torch.from_numpy(self.sizes).to(DEVICE)
        rows = np.load(pool / "rows.npz")
        sides = rows["reference"], rows["hypothesis"]
        longest = np.maximum(*(self.sizes[side] for side in sides))
        shortest = np.minimum(*(self.sizes[side] for side in sides))
        self.kept = np.flatnonzero((longest <= LONGEST) & (shortest > 0))
        self.set, self.pair, self.segment, self.reference, self.hypothesis, self.score, self.weight = (
            rows[name][self.kept]
            for name in ("set", "pair", "segment", "reference", "hypothesis", "score", "weight")
        )
        self.english, self.judged = np.char.endswith(self.pair, "-en"), self.weight > 0.0
        names = np.char.add(np.char.add(self.set, " "), self.pair)
        found, places = np.unique(names, return_inverse=True)
        # 0 is not a campaign.
        self.campaigns, self.campaign = found.size + 1, places + 1
        fast = np.load(pool / "en-fast.npz")
        self.fast = (fast["scores"] - fast["of_itself"])[self.kept]
        length = np.array([max(len(line), 1) for line in lines], dtype=float)
        one, other = length[self.reference], length[self.hypothesis]
        self.ratio = np.minimum(one, other) / np.maximum(one, other)

    def network(self, tune: str) -> LayersNetwork:
        """The layers, with equal shares."""
        return LayersNetwork(self.weights, self.shape, self.mix, tune, SINGLE)

    def of(self, *sets: str, english: bool = True) -> Array:
        """The judged rows of some sets; of all, if none is named."""
        among = np.isin(self.set, sets) if sets else np.ones_like(self.judged)
        return np.flatnonzero(self.judged & among & (self.english | (not english)))

    def sides(self, rows: Array) -> tuple[Array, Tensor, Tensor]:
        """The distinct lines of some rows, and which of them are references and hypotheses."""
        both = np.concatenate([self.reference[rows], self.hypothesis[rows]])
        lines, places = np.unique(both, return_inverse=True)
        of_sides = torch.from_numpy(places).to(DEVICE)
        return lines, of_sides[: rows.size], of_sides[rows.size :]

    def batches(self, rows: Array, most: int, random: np.random.Generator | None = None) -> list[Array]:
        """Places in ``rows``, in batches of similar lengths."""
        longest = np.maximum(self.sizes[self.reference[rows]], self.sizes[self.hypothesis[rows]]) + 2
        keys = longest + (0.0 if random is None else random.uniform(0.0, 4.0, rows.size))
        order = np.argsort(keys, kind="stable")
        batches, first = [], 0
        while first < order.size:
            last = min(first + most, order.size)
            while last - first > 1 and 2 * (last - first) * longest[order[last - 1]] > AREA:
                last = first + max(1, (last - first) * 3 // 4)
            batches.append(order[first:last])
            first = last
        return batches if random is None else [batches[one] for one in random.permutation(len(batches))]


class States:
    """Mixed layers of the lines of some rows, and units of one layer, in float16 on the device."""

    @torch.no_grad()
    def __init__(self, data: Data, rows: Array) -> None:
        self._data = data
        lines = np.unique(np.concatenate([data.reference[rows], data.hypothesis[rows]]))
        lines = lines[np.argsort(data.sizes[lines], kind="stable")]
        sizes = data.sizes[lines]
        self._offsets = torch.zeros_like(data.n)
        self._offsets[lines] = torch.from_numpy(np.cumsum(sizes) - sizes).to(DEVICE)
        network = data.network(FULL).to(DEVICE).eval()
        kept: list[Tensor] = []
        layer = min(PLAIN_LAYER, len(network.layers)) - 1
        network.layers[layer].register_forward_hook(lambda _module, _given, states: kept.append(states))
        mixed, plain = [], []
        first = 0
        while first < lines.size:
            fitting = PIECES_AT_ONCE // (int(sizes[min(first + 256, lines.size - 1)]) + 2)
            some = lines[first : first + max(1, fitting)]
            given = data.lines.sequences(some, DEVICE)
            states = network(given)
            present = torch.arange(states.shape[1], device=DEVICE) < data.n[some][:, None]
            mixed.append(states[present].half())
            plain.append(
                nn.functional.normalize(kept.pop().flatten(0, 1)[given.inner][present], dim=-1).half()
            )
            first += some.size
        self._mixed, self._plain = torch.cat(mixed), torch.cat(plain)

    def _padded(self, flat: Tensor, lines: Array) -> Tensor:
        places = torch.arange(int(self._data.n[lines].max()), device=DEVICE)
        return flat[(self._offsets[lines][:, None] + places).clamp(max=flat.shape[0] - 1)].float()

    def batch(self, rows: Array) -> Batch:
        """Some rows for a head."""
        lines, one, other = self._data.sides(rows)
        return Batch(self._padded(self._mixed, lines), self._data.n[lines], one, other)

    @torch.no_grad()
    def similarity(self, rows: Array) -> Array:
        """Untrained greedy F1 of one layer (Zhang et al., 2020), float64 [n_rows]."""
        found = np.zeros(rows.size)
        for places in self._data.batches(rows, 4 * BATCH):
            lines, one, other = self._data.sides(rows[places])
            units, n = self._padded(self._plain, lines), self._data.n[lines]
            present = torch.arange(units.shape[1], device=DEVICE) < n[:, None]
            cosines = units[one] @ units[other].transpose(1, 2)
            nearest = cosines.masked_fill(~present[one][:, :, None], -2.0).max(1).values
            of_reference = cosines.masked_fill(~present[other][:, None, :], -2.0).max(2).values
            p = (nearest * present[other]).sum(1) / n[other]
            r = (of_reference * present[one]).sum(1) / n[one]
            found[places] = (2.0 * p * r / (p + r)).double().cpu().numpy()
        return found


@dataclass(frozen=True, eq=False)
class Units:
    """What is learned from: rows, what they are to come to, what they count, and their campaigns; 0 for a label."""

    rows: Array
    targets: Array
    weights: Array
    campaigns: Array


def judgments(data: Data, rows: Array) -> Units:
    """Judgments as units; weights have the mean 1."""
    weights = np.where(np.isin(data.set[rows], list(NOISY)), NOISY_WEIGHT, data.weight[rows])
    return Units(rows, data.score[rows], weights / weights.mean(), data.campaign[rows])


def for_heads(data: Data, *, english: bool) -> Array:
    """The judged rows that heads learn from: of the noisy sets a part."""
    rows = data.of(english=english)
    noisy = [
        np.random.default_rng(0).permutation(data.of(name, english=english))[:most]
        for name, most in NOISY.items()
    ]
    return np.concatenate([rows[~np.isin(data.set[rows], list(NOISY))], *noisy])


class Learner(nn.Module):
    """A head in the relative form; of each campaign, what its scale is in the units of the head.

    Args:
        network: The head, or an encoder that is tuned with one.
        data: The rows.
        batch: Makes of rows what the network reads.
        labels: Whether there are labels, which say what a unit is.
    """

    def __init__(
        self, network: HeadNetwork | TunedNetwork, data: Data, batch: Callable[[Array], Any], *, labels: bool
    ) -> None:
        super().__init__()
        self.network, self._data, self._batch = network, data, batch
        self.constants = nn.Parameter(torch.zeros(data.campaigns, dtype=torch.float64))
        slopes = torch.full((data.campaigns,), SLOPE if labels else 1.0, dtype=torch.float64)
        self.slopes = nn.Parameter(slopes, requires_grad=labels)
        self.to(DEVICE)

    def groups(self) -> list[dict[str, Any]]:
        """The parameters by rate."""
        scales = {"params": [self.constants, self.slopes], "lr": FAST_RATE, "weight_decay": 0.0}
        return [*self.network.groups(), scales]

    @torch.no_grad()
    def start(self, units: Units) -> None:
        """Starts from the best weighted sum of what the encoder alone says."""
        some = np.random.default_rng(0).permutation(units.rows.size)[:3000]
        rows, campaigns = units.rows[some], units.campaigns[some]
        values = np.zeros((some.size, 7))
        for places in self._data.batches(rows, UNITS):
            parts = self.network.parts(self._batch(rows[places]))
            values[places, :6] = parts.double().cpu().numpy()
        values[:, 6] = units.targets[some]
        # Beside labels, judgments say nothing of the sum.
        weights = units.weights[some] * np.where((campaigns > 0) & self.slopes.requires_grad, 1e-6, 1.0)
        means = np.zeros((self._data.campaigns, 7))
        for one in np.unique(campaigns[campaigns > 0]):
            means[one] = np.average(values[campaigns == one], axis=0, weights=weights[campaigns == one])
        values -= means[campaigns]
        spread = np.sqrt(np.average(values[:, :6] ** 2, axis=0, weights=weights))
        x = values[:, :6] / np.where(spread > 0.0, spread, 1.0)
        gram = (weights[:, None] * x).T @ x + 0.01 * weights.sum() * np.eye(6)
        linear = np.linalg.solve(gram, x.T @ (weights * values[:, 6])) / np.where(spread > 0.0, spread, 1.0)
        self.network.start(torch.from_numpy(linear), 0.0)
        slopes = self.slopes.cpu().numpy()
        self.constants.copy_(torch.from_numpy(means[:, 6] - slopes * (means[:, :6] @ linear)))

    def loss(self, units: Units, places: Array) -> Tensor:
        """The weighted mean squared error of a batch."""
        campaigns = torch.from_numpy(units.campaigns[places]).to(DEVICE)
        slopes = torch.where(campaigns > 0, self.slopes[campaigns], 1.0)
        constants = torch.where(campaigns > 0, self.constants[campaigns], 0.0)
        targets, weights = (
            torch.from_numpy(one[places]).to(DEVICE) for one in (units.targets, units.weights)
        )
        errors = slopes * self.network(self._batch(units.rows[places])) + constants - targets
        loss: Tensor = (weights * errors.square()).mean()
        return loss

    @torch.no_grad()
    def values(self, rows: Array) -> Array:
        """Values as scoring gives them, float64 [n_rows]."""
        found = np.zeros(rows.size)
        for places in self._data.batches(rows, 4 * BATCH):
            found[places] = self.network(self._batch(rows[places])).double().cpu().numpy()
        return found - self.network.left_out


def fit(
    learner: Learner, units: Units, batches: Iterable[Array], rate: Callable[[int], float]
) -> Iterator[tuple[int, Tensor]]:
    """Learns from one batch after the other, until the rate, a factor by number, is nothing: numbers and losses."""
    optimiser = torch.optim.AdamW(learner.groups())
    rates = [group["lr"] for group in optimiser.param_groups]
    for number, places in enumerate(batches, 1):
        factor = rate(number)
        if factor <= 0.0:
            return
        for group, own in zip(optimiser.param_groups, rates, strict=True):
            group["lr"] = own * factor
        loss = learner.loss(units, places)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(learner.parameters(), 1.0)
        optimiser.step()
        yield number, loss


def head_over(states: States, data: Data, units: Units, passes: int, start: Learner | None = None) -> Learner:
    """A head over states: the running mean of its weights, as `pfsm train` fits it."""
    learner, mean = (
        Learner(HeadNetwork(data.dimension, relative=True), data, states.batch, labels=False)
        for _ in range(2)
    )
    if start is None:
        learner.start(units)
    else:
        learner.load_state_dict(start.state_dict())
    mean.load_state_dict(learner.state_dict())
    random = np.random.default_rng(0)
    batches = (one for _ in range(passes) for one in data.batches(units.rows, BATCH, random))
    for number, _ in fit(learner, units, batches, lambda number: min(1.0, number / 20)):
        memory = min(0.98, number / (number + 9.0))
        with torch.no_grad():
            for kept, now in zip(mean.parameters(), learner.parameters(), strict=True):
                kept.mul_(memory).add_(now, alpha=1.0 - memory)
    return mean


def report(what: str, data: Data, rows: Array, values: Array) -> None:
    """Prints by set and language pair how values agree with judgments: r over all rows, and within segments."""
    told = []
    for campaign in np.unique(data.campaign[rows]):
        own = data.campaign[rows] == campaign
        x, y = values[own], data.score[rows][own]
        _, places = np.unique(data.segment[rows][own], return_inverse=True)
        sizes = np.bincount(places)
        several = sizes[places] > 1
        within = [(one - (np.bincount(places, one) / sizes)[places])[several] for one in (x, y)]
        first = rows[own][0]
        r = correlation(*within) if several.any() else 0.0
        told.append(f"{data.set[first]} {data.pair[first]} {correlation(x, y):.3f} ({r:.3f})")
    say(what, "; ".join(told))


def teacher(pool: Path, out: Path) -> None:
    """Heads over the large encoder, and labels."""
    data = Data(pool, "large")
    rows = np.flatnonzero(data.english)
    states = States(data, rows)
    say("encoded", rows.size, "pairs")
    torch.backends.cuda.matmul.allow_tf32 = False  # of products of unit vectors all digits count
    similarity = states.similarity(rows)
    parts = {
        "fast": data.fast[rows],
        "similarity": np.log(ABOVE - 1.0) - np.log(ABOVE - np.minimum(similarity, 1.0)),
        "ratio": data.ratio[rows] - 1.0,
    }
    every = for_heads(data, english=True)
    for name in MODERN:
        use, tests = every[data.set[every] != name], data.of(name)
        learner = head_over(states, data, judgments(data, use), 1)
        report(f"head of all others than {name}", data, tests, learner.values(tests))
    learner = head_over(states, data, judgments(data, every), 1)
    parts["head"] = learner.values(rows)
    total = sum((share * parts[one] / parts[one].std() for one, share in FUSED.items()), np.zeros(1))
    judged = data.judged[rows]
    for what, values in (("head", parts["head"]), ("labels", total)):
        report(what, data, rows[judged], values[judged])
    labels = total / total.std()
    of_labels = Units(rows, labels, np.ones(rows.size), np.zeros(rows.size, dtype=np.int64))
    learner = head_over(states, data, of_labels, 1, learner)
    replace_whole(out / "head-all.safetensors", learner.network.head(data.mix).content)
    np.savez_compressed(out / "labels-all.npz", rows=data.kept[rows], labels=labels, **parts)


def multilingual(pool: Path, out: Path) -> None:
    """The head over the multilingual encoder."""
    data = Data(pool, "multi")
    rows = for_heads(data, english=False)
    learner = head_over(States(data, rows), data, judgments(data, rows), MULTI_PASSES)
    report(MULTI, data, rows, learner.values(rows))
    replace_whole(out / f"{MULTI}.safetensors", learner.network.head(data.mix).content)


def units_of(student: Student, data: Data, out: Path) -> Units:
    """The labels and judgments that a student learns from."""
    given = np.load(out / "labels-all.npz")
    # Which rows are kept depends on the encoder.
    _, of_labels, of_data = np.intersect1d(given["rows"], data.kept, return_indices=True)
    labels = np.full(data.kept.size, np.nan)
    labels[of_data] = given["labels"][of_labels]
    judged = data.of(english=student.english)
    labelled = np.flatnonzero(np.isfinite(labels))
    clean = judged[data.weight[judged] >= 0.5]
    rest = np.setdiff1d(judged, clean)
    again = np.tile(clean, CLEAN_AGAIN)
    return Units(
        np.concatenate([labelled, again, rest]),
        np.concatenate([labels[labelled], data.score[again], data.score[rest]]),
        np.concatenate([np.ones(labelled.size + again.size), data.weight[rest]]),
        np.concatenate([np.zeros_like(labelled), data.campaign[again], data.campaign[rest]]),
    )


def study(name: str, pool: Path, out: Path, seconds: float) -> None:
    """Trains a student."""
    student = STUDENTS[name]
    data = Data(pool, student.encoder, student.layers)
    layers = data.network(FULL)
    for module in layers.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0  # there are labels enough

    def batch(rows: Array) -> SequenceBatch:
        lines, one, other = data.sides(rows)
        return SequenceBatch(data.lines.sequences(lines, DEVICE), data.n[lines], one, other)

    network = TunedNetwork(layers, data.dimension, FULL, relative=True)
    learner, units = Learner(network, data, batch, labels=True), units_of(student, data, out)
    if student.start:
        states = np.load(out / f"{student.start}-weights.npz")
        learner.load_state_dict({key: torch.from_numpy(value) for key, value in states.items()})
    else:
        learner.start(units)
    random, began, number = np.random.default_rng(0), time.time(), 0
    batches = [one for _ in range(MOST_PASSES) for one in data.batches(units.rows, UNITS, random)]

    def progress(number: int) -> float:
        return max(number / len(batches), (time.time() - began) / seconds)

    def rate(number: int) -> float:
        return min(1.0, number / 100) * (1.0 - progress(number))

    for number, loss in fit(learner, units, batches, rate):
        if number % 100 == 0:
            shown = f"progress {progress(number):.2f}, loss {float(loss):.4f}"
            say(name, f"step {number} of {len(batches)}, {shown}")
    judged = data.of(english=student.encoder == "minilm")
    values = learner.values(judged)
    report(f"{name} after {number * MOST_PASSES / len(batches):.2f} passes", data, judged, values)
    np.savez_compressed(out / f"{name}.npz", rows=data.kept[judged], values=values)
    weights = {key: value.cpu().numpy() for key, value in learner.state_dict().items()}
    np.savez_compressed(out / f"{name}-weights.npz", **weights)
    replace_whole(out / f"{name}.safetensors", network.head(data.mix).content)


def main() -> None:
    """Runs a job, or one after the other those whose files are not there."""
    pool, out, wanted = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 120.0
    out.mkdir(parents=True, exist_ok=True)
    vars(heads)["expected_counts"] = shared_out(expected_counts)
    torch.set_num_threads(1)
    jobs: dict[str, Callable[[], None]] = {
        "teacher": lambda: teacher(pool, out),
        MULTI: lambda: multilingual(pool, out),
        **{name: partial(study, name, pool, out, seconds) for name in STUDENTS},
    }
    for job in jobs if wanted == "all" else [wanted]:
        last = "labels-all.npz" if job == "teacher" else f"{job}.safetensors"
        if wanted == job or not (out / last).is_file():
            torch.manual_seed(0)
            torch.backends.cuda.matmul.allow_tf32 = True
            jobs[job]()


if __name__ == "__main__":
    main()
