"""The training loop: Adam with a learning rate that is constant and then falls to 0, averaged weights, checkpoints."""

import copy
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
from msgspec import Meta, Struct
from torch import Tensor, nn

from pfsm.io.files import StrPath, display_name
from pfsm.runtime.typed import checked
from pfsm_linguistics.parser.weights import ParserWeights
from pfsm_linguistics.training.parsing.export import exported
from pfsm_linguistics.training.parsing.network import PARTS, ParserNetwork, Sizes, losses, without_subnormals
from pfsm_linguistics.training.parsing.treebank import (
    Batch,
    Example,
    Inventory,
    Numbering,
    group_lines,
    make_lines,
    take_inventory,
)
from pfsm_training.yaml_file import read_yaml_mapping

Count = Annotated[int, Meta(ge=1)]
Share = Annotated[float, Meta(gt=0)]


class Recipe(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How to build a parser.

    Attributes:
        name: Name of the parser.
        passes: Number of passes through the training examples.
        words: Approximate number of words in a batch.
        rate: Adam's learning rate while it is constant.
        constant: Share of all steps before the rate falls linearly to 0.
        averaging: Share of the old average kept at each step.
        seed: Seed of all random numbers.
        coarse: Whether the recurrence runs in bfloat16, which is faster on processors that support it.
        min_word: A word has a learned vector of its own if it occurs at least so often.
        min_character: A character is known if it occurs at least so often.
        min_span_label: A chain of constituent labels is known if it occurs at least so often.
        vector_words: Number of words with a fixed vector.
        vector_contexts: Number of words that count as their neighbours.
        vector_size: Number of entries of a fixed vector.
        vector_length: Norm of a fixed vector.
    """

    name: Annotated[str, Meta(min_length=1)]
    passes: Count = 30
    words: Count = 800
    rate: Share = 2e-3
    constant: Share = 0.5
    averaging: Share = 0.998
    seed: Count = 1
    coarse: bool = False
    min_word: Count = 2
    min_character: Count = 5
    min_span_label: Count = 5
    vector_words: Count = 30_000
    vector_contexts: Count = 5_000
    vector_size: Count = 100
    vector_length: Share = 3.0


def read_recipe(path: StrPath) -> Recipe:
    """Reads a YAML file with the fields of `Recipe`.

    Raises:
        PfsmError: If the file cannot be read, has an unknown key, or has a value of the wrong type.
    """
    return checked(read_yaml_mapping(path, Recipe.__struct_fields__), Recipe, display_name(path))


@dataclass(eq=False)
class _State:
    network: ParserNetwork
    average: ParserNetwork
    optimiser: torch.optim.Adam
    finished: int = 0
    steps: int = 0


def trained(
    recipe: Recipe,
    vectors: tuple[Sequence[str], Tensor],
    examples: Sequence[Example],
    folder: Path,
    report: Callable[[str], None],
    *,
    licence: str = "",
) -> ParserWeights:
    """The weights of a parser, neither calibrated nor quantised; its training resumes from a checkpoint.

    Args:
        recipe: How to build it.
        vectors: Words with fixed vectors, and the vectors, [n_words + 1, size]; row 0 is for words without one.
        examples: What to learn from.
        folder: Folder of the checkpoint, which every pass replaces.
        report: Receives a line of text after every pass.
        licence: Of the weights.
    """
    inventory = take_inventory(
        examples,
        min_word=recipe.min_word,
        min_character=recipe.min_character,
        min_span_label=recipe.min_span_label,
    )
    network = _train(recipe, inventory, vectors, examples, folder, report).eval()
    return exported(network, inventory, vectors[0], name=recipe.name, licence=licence, card={})


@without_subnormals()
def _train(
    recipe: Recipe,
    inventory: Inventory,
    vectors: tuple[Sequence[str], Tensor],
    examples: Sequence[Example],
    folder: Path,
    report: Callable[[str], None],
) -> ParserNetwork:
    """The averaged network."""
    torch.manual_seed(recipe.seed)
    numbering = Numbering(inventory, vectors[0])
    learned = [numbering.numbers(example) for example in examples]
    network = ParserNetwork(Sizes(), inventory, vectors[1])
    network.encoder.coarse = recipe.coarse
    optimiser = torch.optim.Adam(network.parameters(), lr=recipe.rate, betas=(0.9, 0.95), fused=True)
    state = _State(network, copy.deepcopy(network), optimiser)
    checkpoint = folder / "checkpoint.pt"
    if checkpoint.exists():
        _restore(state, checkpoint)
    begin = time.process_time()
    while state.finished < recipe.passes:
        random = np.random.default_rng([recipe.seed, state.finished])
        torch.manual_seed(recipe.seed * 10_000 + state.finished)
        groups = group_lines(make_lines(learned, random), recipe.words, random)
        means = _one_pass(state, recipe, (numbering.batch(group, random) for group in groups), len(groups))
        state.finished += 1
        _save(state, checkpoint)
        text = json.dumps({part: round(value, 4) for part, value in means.items()})
        report(f"pass {state.finished} cpu {time.process_time() - begin:.0f}s {text}")
    return state.average


def _one_pass(state: _State, recipe: Recipe, batches: Iterator[Batch], n_batches: int) -> dict[str, float]:
    """Makes one pass through the training examples; returns the mean of every part of the loss."""
    state.network.train()
    totals = dict.fromkeys(PARTS, 0.0)
    for batch in batches:
        progress = min(1.0, state.steps / (n_batches * recipe.passes))
        set_rate(state.optimiser, recipe.rate, progress, recipe.constant)
        state.optimiser.zero_grad(set_to_none=True)
        parts = losses(state.network, batch)
        torch.stack(list(parts.values())).sum().backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(state.network.parameters(), 5.0)
        state.optimiser.step()
        state.steps += 1
        follow(state.average, state.network, recipe.averaging, state.steps)
        for part, value in parts.items():
            totals[part] += float(value.detach()) / n_batches
    return totals


def set_rate(optimiser: torch.optim.Adam, rate: float, progress: float, constant: float) -> None:
    """Sets the rate: constant for a share of all steps, then falling linearly to 0."""
    share = 1.0 if progress < constant else max(0.0, (1 - progress) / (1 - constant))
    for group in optimiser.param_groups:
        group["lr"] = rate * share


@torch.no_grad()
def follow(average: nn.Module, network: nn.Module, averaging: float, steps: int) -> None:
    """Moves the running mean of the weights; at the beginning it follows closely."""
    kept = min(averaging, (1 + steps) / (10 + steps))
    torch._foreach_lerp_(list(average.parameters()), list(network.parameters()), 1 - kept)


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
