"""What a network of the labeller learns from: sentences in several versions, labels and features."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.roles import NOUN
from pfsm.analysis.sentence import Analysis
from pfsm.english.labeller.inputs import Numbers
from pfsm.english.parser.weights import ParserWeights
from pfsm_training.roles.plan import RolePlan
from pfsm_training.roles.samples import (
    Sample,
    Sentence,
    keep_features,
    keep_noun_features,
    known_labels,
    sentence_of,
)


@dataclass(frozen=True, eq=False)
class Lesson:
    """Sentences with their labels and features.

    Attributes:
        labels: Labels of spans that verbs have.
        of_nouns: Labels that only nouns have.
        keys: int32 [n_features], keys of the features of candidates.
        noun_keys: int32 [n_noun_features], those of nouns.
        parsed: Each sentence with a parser's trees; None if nothing is to be learned from it.
        gold: Each sentence with its gold trees.
        unlabelled: Sentences without gold standard.
    """

    labels: tuple[str, ...]
    of_nouns: tuple[str, ...]
    keys: NDArray[np.int32] = field(repr=False)
    noun_keys: NDArray[np.int32] = field(repr=False)
    parsed: Sequence[Sentence | None] = field(repr=False)
    gold: Sequence[Sentence | None] = field(repr=False)
    unlabelled: Sequence[Sentence] = field(repr=False)

    def counts(self, parser: ParserWeights, n_features: int) -> tuple[int, int, int, int, int]:
        """Numbers of tags, relations, features, features of nouns and labels."""
        return (
            len(parser.inventories["xpos"]),
            len(parser.inventories["labels"]),
            n_features,
            self.noun_keys.size,
            len(self.labels) + len(self.of_nouns),
        )

    def drawn(self, gold: float, unlabelled: float, random: np.random.Generator) -> list[Sentence]:
        """The sentences of one pass.

        Args:
            gold: Share of those with gold trees among those with a gold standard.
            unlabelled: Share of the others that are read, once teachers have labelled them.
            random: Source of random numbers.
        """
        taken = random.random(len(self.parsed)) < gold
        pairs = zip(taken, self.parsed, self.gold, strict=True)
        found = [one for given, parsed, right in pairs if (one := right if given else parsed) is not None]
        others = [one for one in self.unlabelled if one.target is not None]
        chosen = random.random(len(others)) < unlabelled
        return [*found, *(one for one, own in zip(others, chosen, strict=True) if own)]


def lesson_of(
    plan: RolePlan,
    samples: tuple[Sequence[Sample], Sequence[Sample]],
    unlabelled: Sequence[Analysis],
    parser: ParserWeights,
) -> Lesson:
    """The lesson of samples as `train_labeller` takes them."""
    labels = known_labels(samples[1], plan.least)
    of_nouns = tuple(label for label in known_labels(samples[1], plan.least, NOUN) if label not in labels)
    numbers = Numbers(parser)
    parsed, gold = ([sentence_of(sample, labels, numbers, of_nouns) for sample in part] for part in samples)
    # A parse that is another object than its gold standard is not taken for a right one.
    bare = [(one, replace(one, frames=None)) for one in unlabelled if one.tree is not None]
    others = [one for pair in bare if (one := sentence_of(pair, labels, numbers)) is not None]
    known = [one for one in (*parsed, *gold) if one is not None]
    most = plan.features, plan.features_of_nouns, plan.features_of_teachers if plan.teachers else 0
    keys = keep_features(known, most, others)
    noun_keys = keep_noun_features(known, plan.least_noun, others)
    return Lesson(labels, of_nouns, keys, noun_keys, parsed, gold, others)


def groups_of(
    sentences: Sequence[Sentence], words: int, random: np.random.Generator
) -> Iterator[list[Sentence]]:
    """Batches of sentences of similar length, in random order."""
    lengths = np.array([len(one.words) for one in sentences])
    order = np.argsort(lengths + random.random(lengths.size) * 3, kind="stable")
    groups: list[list[Sentence]] = [[]]
    count = 0
    for place in order.tolist():
        if count >= words:
            groups.append([])
            count = 0
        groups[-1].append(sentences[place])
        count += int(lengths[place])
    for place in random.permutation(len(groups)).tolist():
        yield groups[place]
