"""Trains the network of the labeller of semantic roles, as an option on what several networks say on average.

The loss of a predicate is the cross entropy of the distribution over sets of labelled spans,

    log sum over sets S of exp(score(S)) - sum over labelled spans of q(span, label) score(span, label)

where q is 1 for the arguments of the gold standard, else 0; with teachers it is a mixture of this and of the averages
of their probabilities. Its derivative by a score is the network's probability of that labelled span less q.
"""

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pfsm.arrays import Float
from pfsm_linguistics.analysis.sentence import Analysis
from pfsm_linguistics.labeller.weights import RoleWeights
from pfsm_linguistics.parser.weights import ParserWeights
from pfsm_linguistics.training.parsing.network import without_subnormals
from pfsm_linguistics.training.parsing.train import follow, set_rate
from pfsm_linguistics.training.roles.export import as_stored, exported_arrays, exported_nouns
from pfsm_linguistics.training.roles.lesson import Lesson, RolePlan, groups_of, lesson_of
from pfsm_linguistics.training.roles.network import RoleNetwork
from pfsm_linguistics.training.roles.samples import Sample, Sentence, batch_of


def derivatives(group: Sequence[Sentence], scores: Tensor, n_of_verbs: int) -> tuple[float, Float]:
    """The sum of the losses of the predicates of several sentences, and its derivatives, float64 [n, n_labels].

    Args:
        group: The sentences.
        scores: [n, n_labels], scores of their candidates.
        n_of_verbs: Number of labels that verbs have, the first ones.
    """
    gold = np.concatenate([one.gold for one in group])
    targets = [one.target for one in group if one.target is not None]
    if len(targets) < len(group):
        return _derivatives(group, _masked(group, scores, n_of_verbs), gold)
    values = _masked(group, scores, n_of_verbs)
    loss, out = _derivatives(group, values, np.full_like(gold, -1))
    wanted = np.concatenate(targets).astype(np.float64)
    return loss - float((wanted * np.where(wanted > 0, values, 0.0)).sum()), out - wanted


def _masked(group: Sequence[Sentence], scores: Tensor, n_of_verbs: int) -> Float:
    """Scores, float64: no argument of a verb has a label that nouns alone have."""
    values: Float = scores.detach().numpy().astype(np.float64)
    values[~np.concatenate([one.of_nouns for one in group]), n_of_verbs:] = -np.inf
    return values


def _derivatives(group: Sequence[Sentence], values: Float, gold: NDArray[np.int64]) -> tuple[float, Float]:
    from pfsm_linguistics.kernels.roles.sets import gradients  # noqa: PLC0415 - brings numba

    out = np.zeros(values.shape)
    loss = gradients(
        np.cumsum([0, *(size for one in group for size in one.sizes)]),
        np.concatenate([one.spans for one in group]),
        np.array([len(one.words) for one in group for _ in one.sizes], dtype=np.int64),
        gold,
        values,
        out,
    )
    return float(loss), out


def teach(lesson: Lesson, teachers: Sequence[RoleNetwork], plan: RolePlan) -> None:
    """Gives the sentences of a lesson targets: the gold standard and the averages of the teachers' probabilities."""
    for sentences, share in (
        (
            [one for part in (lesson.parsed, lesson.gold) for one in part if one is not None],
            plan.soft_targets,
        ),
        (lesson.unlabelled, 1.0),
    ):
        for group in groups_of(sentences, plan.words, np.random.default_rng(plan.seed)):
            _teach(group, lesson, teachers, share, plan.teacher_temperature)


@torch.no_grad()
def _teach(
    group: Sequence[Sentence],
    lesson: Lesson,
    teachers: Sequence[RoleNetwork],
    share: float,
    temperature: float,
) -> None:
    batch = batch_of(group, lesson.keys.size, lesson.noun_keys.size)
    gold = np.concatenate([one.gold for one in group])
    target = np.zeros((gold.size, len(lesson.labels) + len(lesson.of_nouns)))
    target[gold >= 0, gold[gold >= 0]] = 1 - share
    nouns = (1 - share) * batch.are_predicates.numpy()
    for network in teachers:
        scores, odds = network(batch)
        values = _masked(group, scores / temperature, len(lesson.labels))
        target += share / len(teachers) * _derivatives(group, values, np.full_like(gold, -1))[1]
        nouns += share / len(teachers) * torch.sigmoid(odds).numpy()
    candidates = np.cumsum([len(one.gold) for one in group])[:-1]
    places = np.cumsum([len(one.nouns) for one in group])[:-1]
    parts = zip(group, np.split(target, candidates), np.split(nouns, places), strict=True)
    for one, own, probabilities in parts:
        one.target = own.astype(np.float16)
        one.are_predicates = probabilities.astype(np.float32)


@without_subnormals()
def train_labeller(
    plan: RolePlan,
    name: str,
    samples: tuple[Sequence[Sample], Sequence[Sample]],
    parser: ParserWeights,
    report: Callable[[str], None],
    unlabelled: Sequence[Analysis] = (),
) -> RoleWeights:
    """A labeller trained on these samples, not yet calibrated.

    With teachers in the plan it learns from the averages of their probabilities, too (Hinton, Vinyals and Dean 2015,
    "Distilling the knowledge in a neural network"), also those of further sentences.

    Args:
        plan: How to train.
        name: Name of the labeller.
        samples: Sentences with parses by parsers that have not seen them, and the same with their gold trees.
        parser: The parser that the labeller reads.
        report: Receives a line of text after every pass of a network.
        unlabelled: Sentences that the parser has parsed, from which it learns what its teachers say.
    """
    lesson = lesson_of(plan, samples, unlabelled, parser)
    report(
        f"{len(lesson.labels)} labels, {len(lesson.of_nouns)} of nouns; {lesson.keys.size} features, "
        f"{lesson.noun_keys.size} of nouns"
    )
    teachers = [
        _fitted(replace(plan, seed=plan.seed + k), lesson, lesson.keys.size, parser, report)
        for k in range(1, plan.teachers + 1)
    ]
    if teachers:
        teach(lesson, teachers, plan)
        plan = replace(plan, passes=plan.passes_after)
    own = min(lesson.keys.size, plan.features + plan.features_of_nouns)
    network = _fitted(plan, lesson, own, parser, report)
    arrays = {key: as_stored(array) for key, array in exported_arrays(network).items()}
    nominal = exported_nouns(network, lesson.noun_keys, lesson.of_nouns, plan.noun_features)
    return RoleWeights(name, "", {}, lesson.labels, 1.0, 0.5, lesson.keys[:own], arrays, nominal=nominal)


def _fitted(
    plan: RolePlan, lesson: Lesson, n_features: int, parser: ParserWeights, report: Callable[[str], None]
) -> RoleNetwork:
    """A network with the first so many features, trained on the lesson: its average over the steps."""
    torch.manual_seed(plan.seed)
    vectors = torch.from_numpy(np.ascontiguousarray(parser.arrays["vectors"], dtype=np.float32))
    network = RoleNetwork(plan.sizes, vectors, lesson.counts(parser, n_features))
    average = copy.deepcopy(network)
    optimiser = torch.optim.Adam(network.parameters(), lr=plan.rate, betas=(0.9, 0.95), fused=True)
    steps = 0
    network.train()
    for number in range(plan.passes):
        random = np.random.default_rng([plan.seed, number])
        sentences = lesson.drawn(plan.gold, plan.unlabelled, random)
        groups = list(groups_of(sentences, plan.words, random))
        loss = 0.0
        for group in groups:
            progress = min(1.0, steps / (len(groups) * plan.passes))
            set_rate(optimiser, plan.rate, progress, plan.constant)
            loss += _step(network, optimiser, group, lesson, plan.nouns)
            steps += 1
            follow(average, network, plan.averaging, steps)
        report(
            f"network {plan.seed}, pass {number + 1}: loss {loss / sum(len(one.predicates) for one in sentences):.4f}"
        )
    return average.eval()


def _step(
    network: RoleNetwork,
    optimiser: torch.optim.Optimizer,
    group: Sequence[Sentence],
    lesson: Lesson,
    share: float,
) -> float:
    optimiser.zero_grad(set_to_none=True)
    batch = batch_of(group, network.n_features, lesson.noun_keys.size)
    scores, odds = network(batch)
    loss, out = derivatives(group, scores, len(lesson.labels))
    n_predicates = max(1, sum(len(one.predicates) for one in group))
    others = nn.functional.binary_cross_entropy_with_logits(odds, batch.are_predicates, reduction="sum")
    torch.autograd.backward(
        [scores, share * others / max(1, len(odds))],
        [torch.from_numpy((out / n_predicates).astype(np.float32)), None],
    )
    torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
    optimiser.step()
    return loss
