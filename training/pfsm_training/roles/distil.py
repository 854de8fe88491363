"""What several networks say on average, for another one to learn from.

The loss of a predicate is the cross entropy of the distribution over sets of labelled spans,

    log sum over sets S of exp(score(S)) - sum over labelled spans of q(span, label) score(span, label)

where q is 1 for the arguments of the gold standard, else 0; with teachers it is a mixture of this and of the averages
of their probabilities. Its derivative by a score is the network's probability of that labelled span less q.
"""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pfsm_training.roles.lesson import Lesson, groups_of
from pfsm_training.roles.network import RoleNetwork
from pfsm_training.roles.plan import RolePlan
from pfsm_training.roles.samples import Sentence, batch_of

Float = NDArray[np.float64]


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
    from pfsm_kernels.roles.sets import gradients  # noqa: PLC0415 - brings numba

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
