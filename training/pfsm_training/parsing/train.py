"""The training loop: Adam with a learning rate that is constant and then falls to 0, averaged weights, checkpoints."""

import copy
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name
from pfsm_training.parsing.batches import Batch, Numbering, Numbers, group_lines, make_lines
from pfsm_training.parsing.loss import PARTS, accuracy, losses
from pfsm_training.parsing.network import ParserNetwork, Sizes, without_subnormals
from pfsm_training.parsing.treebank import Example, Inventory
from pfsm_training.yaml_file import read_yaml_mapping


@dataclass(frozen=True)
class Plan:
    """How to train.

    Attributes:
        passes: Number of passes through the training examples.
        words: Approximate number of words in a batch.
        rate: Adam's learning rate while it is constant.
        constant: Share of all steps before the rate falls linearly to 0.
        averaging: Share of the old average kept at each step.
        seed: Seed of all random numbers.
        coarse: Whether the recurrence runs in bfloat16, which is faster on processors that support it.
        sizes: Sizes of the network.
    """

    passes: int = 30
    words: int = 800
    rate: float = 2e-3
    constant: float = 0.5
    averaging: float = 0.998
    seed: int = 1
    coarse: bool = False
    sizes: Sizes = field(default_factory=Sizes)


@dataclass(eq=False)
class _State:
    network: ParserNetwork
    average: ParserNetwork
    optimiser: torch.optim.Adam
    finished: int = 0
    steps: int = 0


@without_subnormals()
def train(
    plan: Plan,
    inventory: Inventory,
    vectors: tuple[Sequence[str], Tensor],
    examples: tuple[Sequence[Example], Sequence[Example]],
    folder: Path,
    report: Callable[[str], None],
) -> ParserNetwork:
    """Trains a parser, or resumes its training from a checkpoint.

    Args:
        plan: How to train.
        inventory: Words, characters, tags and labels to know.
        vectors: Words with fixed vectors, and the vectors, [n_words + 1, size]; row 0 is for words without one.
        examples: Examples to learn from, and examples to report accuracy on.
        folder: Folder of the checkpoint, which every pass replaces.
        report: Receives lines of text after every pass.

    Returns:
        The averaged network.
    """
    torch.manual_seed(plan.seed)
    numbering = Numbering(inventory, vectors[0])
    learned, held_out = ([numbering.numbers(example) for example in part] for part in examples)
    checks = _check_batches(numbering, held_out, plan.words)
    state = _new_state(plan, inventory, vectors[1])
    checkpoint = folder / "checkpoint.pt"
    if checkpoint.exists():
        _restore(state, checkpoint)
    begin = time.process_time()
    while state.finished < plan.passes:
        random = np.random.default_rng([plan.seed, state.finished])
        torch.manual_seed(plan.seed * 10_000 + state.finished)
        groups = group_lines(make_lines(learned, random), plan.words, random)
        means = _one_pass(state, plan, (numbering.batch(group, random) for group in groups), len(groups))
        state.finished += 1
        _save(state, checkpoint)
        state.average.eval()
        text = json.dumps({part: round(value, 4) for part, value in means.items()})
        report(f"pass {state.finished} cpu {time.process_time() - begin:.0f}s {text}")
        report(f"  {accuracy(state.average, checks)}")
    return state.average


def _check_batches(numbering: Numbering, examples: Sequence[Numbers], words: int) -> list[Batch]:
    single = [[example] for example in examples]
    return [numbering.batch(group) for group in group_lines(single, words, np.random.default_rng(0))]


def _new_state(plan: Plan, inventory: Inventory, vectors: Tensor) -> _State:
    network = ParserNetwork(plan.sizes, inventory, vectors)
    network.encoder.coarse = plan.coarse
    optimiser = torch.optim.Adam(network.parameters(), lr=plan.rate, betas=(0.9, 0.95), fused=True)
    return _State(network, copy.deepcopy(network), optimiser)


def _one_pass(state: _State, plan: Plan, batches: Iterator[Batch], n_batches: int) -> dict[str, float]:
    """Makes one pass through the training examples; returns the mean of every part of the loss."""
    state.network.train()
    totals = dict.fromkeys(PARTS, 0.0)
    for batch in batches:
        progress = min(1.0, state.steps / (n_batches * plan.passes))
        _set_rate(state.optimiser, plan.rate * _share_of_rate(progress, plan.constant))
        state.optimiser.zero_grad(set_to_none=True)
        parts = losses(state.network, batch)
        torch.stack(list(parts.values())).sum().backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(state.network.parameters(), 5.0)
        state.optimiser.step()
        state.steps += 1
        _average(state, plan.averaging)
        for part, value in parts.items():
            totals[part] += float(value.detach()) / n_batches
    return totals


def _share_of_rate(progress: float, constant: float) -> float:
    """1 while the rate is constant, then falling linearly to 0."""
    return 1.0 if progress < constant else max(0.0, (1 - progress) / (1 - constant))


def _set_rate(optimiser: torch.optim.Adam, rate: float) -> None:
    for group in optimiser.param_groups:
        group["lr"] = rate


@torch.no_grad()
def _average(state: _State, averaging: float) -> None:
    # At the beginning the average follows closely.
    kept = min(averaging, (1 + state.steps) / (10 + state.steps))
    torch._foreach_lerp_(list(state.average.parameters()), list(state.network.parameters()), 1 - kept)


def _save(state: _State, path: Path) -> None:
    temporary = path.with_suffix(".tmp")
    torch.save(
        {
            "network": state.network.state_dict(),
            "average": state.average.state_dict(),
            "optimiser": state.optimiser.state_dict(),
            "finished": state.finished,
            "steps": state.steps,
        },
        temporary,
    )
    temporary.replace(path)


def _restore(state: _State, path: Path) -> None:
    saved = torch.load(path, weights_only=True)
    state.network.load_state_dict(saved["network"])
    state.average.load_state_dict(saved["average"])
    state.optimiser.load_state_dict(saved["optimiser"])
    state.finished, state.steps = int(saved["finished"]), int(saved["steps"])


_OF_PLAN = ("passes", "words", "rate", "constant", "averaging", "seed", "coarse")
_KINDS = {int: "a whole number above 0", float: "a number above 0", bool: "true or false", str: "text"}


@dataclass(frozen=True)
class Recipe:
    """How to build a parser.

    Attributes:
        name: Name of the parser.
        plan: Options of the training loop.
        min_word: A word has a learned vector of its own if it occurs at least so often.
        min_character: A character is known if it occurs at least so often.
        min_span_label: A chain of constituent labels is known if it occurs at least so often.
        vector_words: Number of words with a fixed vector.
        vector_contexts: Number of words that count as their neighbours.
        vector_size: Number of entries of a fixed vector.
        vector_length: Norm of a fixed vector.
    """

    name: str
    plan: Plan = field(default_factory=Plan)
    min_word: int = 2
    min_character: int = 5
    min_span_label: int = 5
    vector_words: int = 30_000
    vector_contexts: int = 5_000
    vector_size: int = 100
    vector_length: float = 3.0


def read_recipe(path: StrPath) -> Recipe:
    """Reads a YAML file with the fields of `Recipe` and `Plan`.

    Raises:
        PfsmError: If the file cannot be read, has an unknown key, or has a value of the wrong type.
    """
    own = tuple(one.name for one in fields(Recipe) if one.name != "plan")
    values = read_yaml_mapping(path, (*own, *_OF_PLAN))
    where = display_name(path)
    defaults = {one.name: getattr(Plan(), one.name) for one in fields(Plan)} | {
        one.name: getattr(Recipe(""), one.name) for one in fields(Recipe)
    }
    for key, value in values.items():
        if key not in (*own, *_OF_PLAN):
            raise PfsmError(f"{where}: unknown key {key!r}; known are {', '.join((*own, *_OF_PLAN))}")
        _check(value, defaults[key], f"{where}: {key}")
    if not values.get("name"):
        raise PfsmError(f"{where}: name is missing; give the parser a name")
    plan = Plan(**{key: values[key] for key in _OF_PLAN if key in values})
    return Recipe(plan=plan, **{key: values[key] for key in own if key in values})


def _check(value: Any, default: object, what: str) -> None:
    kind = type(default)
    fits = type(value) in {int, float} if kind is float else type(value) is kind
    if not fits or (kind in {int, float} and value <= 0):
        raise PfsmError(f"{what} is {value!r}, it must be {_KINDS[kind]}")
