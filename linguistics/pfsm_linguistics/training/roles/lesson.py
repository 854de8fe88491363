"""How the labeller is trained, and what its networks learn from: sentences in several versions, labels, features.

The labeller has to learn from trees with the mistakes that it will meet. So the training part is cut into folds, and
each fold is parsed by a parser trained on the others (as in Collins and Koo 2005, "Discriminative reranking for natural
language parsing", section 4.2).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import torch
from msgspec import structs
from numpy.typing import NDArray

from pfsm_linguistics.analysis.roles import NOUN
from pfsm_linguistics.analysis.sentence import Analysis
from pfsm_linguistics.analysis.wanted import Wanted
from pfsm_linguistics.labeller.inputs import Numbers
from pfsm_linguistics.parser.parse import Parser
from pfsm_linguistics.parser.weights import ParserWeights
from pfsm_linguistics.training.parsing.train import Recipe, trained
from pfsm_linguistics.training.parsing.treebank import Example
from pfsm_linguistics.training.roles.network import RoleSizes
from pfsm_linguistics.training.roles.samples import (
    Sample,
    Sentence,
    keep_features,
    keep_noun_features,
    known_labels,
    sentence_of,
)

PARSED = Wanted(constituents=True, one_sentence=True)
_PORTION = 256


def fold_of(identifiers: Sequence[str], n_folds: int) -> list[int]:
    """Fold of each sentence; all sentences of a document share one.

    Args:
        identifiers: ``DOCUMENT-SENTENCE``.
        n_folds: Number of folds; documents go to them in turn.
    """
    documents = {name: k for k, name in enumerate(dict.fromkeys(map(_document, identifiers)))}
    return [documents[_document(one)] % n_folds for one in identifiers]


def _document(identifier: str) -> str:
    return identifier.rpartition("-")[0] or identifier


def jackknifed(
    recipe: Recipe,
    examples: Sequence[Example],
    vectors: tuple[Sequence[str], torch.Tensor],
    folds: tuple[int, int],
    work: Path,
    report: Callable[[str], None],
) -> list[Analysis]:
    """An analysis of every example, by a parser that was trained on the other folds.

    Args:
        recipe: How the parser is built.
        examples: The training part.
        vectors: Words with fixed vectors, and the vectors.
        folds: Number of folds, and passes through the examples of each parser.
        work: Folder of the checkpoints.
        report: Receives lines of text.
    """
    n_folds, passes = folds
    fold = fold_of([example.dependencies.comment("sent_id") or "" for example in examples], n_folds)
    found: dict[int, Analysis] = {}
    for k in range(n_folds):
        learned = [example for example, own in zip(examples, fold, strict=True) if own != k]
        places = [place for place, own in enumerate(fold) if own == k]
        folder = work / f"fold-{k}"
        folder.mkdir(parents=True, exist_ok=True)
        own = structs.replace(recipe, passes=passes)
        parser = Parser(trained(own, vectors, learned, folder, report))
        for first in range(0, len(places), _PORTION):
            part = places[first : first + _PORTION]
            lines = [examples[place].dependencies.forms for place in part]
            found |= zip(part, parser.parse(lines, PARSED), strict=True)
    return [found[place] for place in range(len(examples))]


@dataclass(frozen=True)
class RolePlan:
    """How to train a labeller.

    Attributes:
        passes: Passes through the training sentences.
        words: Approximate number of words in a batch.
        features: Number of features that are kept, those most often in arguments of verbs.
        features_of_nouns: Number of further ones, those most often in arguments of nouns.
        rate: Adam's rate while it is constant.
        constant: Share of the steps before the rate falls linearly to 0.
        averaging: Share of the old average kept at each step.
        gold: Share of sentences that a pass reads with their gold tree instead of a parser's.
        least: A label is known if so many spans have it.
        least_noun: A feature of nouns is learned if so many nouns have it.
        noun_features: Number of features of nouns that are kept, those with the largest weights.
        nouns: Weight of the loss of a noun, of being a predicate or not, beside that of a predicate.
        teachers: Number of networks whose average the last one learns from.
        features_of_teachers: Number of further features that teachers have, those most often in arguments of verbs.
        passes_after: Passes of the network that learns from them.
        soft_targets: Weight of what the teachers say of a sentence, beside its gold standard.
        teacher_temperature: Scores of the teachers are divided by it.
        unlabelled: Share of the sentences without gold standard that a pass reads.
        seed: Seed of all random numbers; teachers have the next ones.
        sizes: Sizes of the network.
    """

    passes: int = 11
    words: int = 800
    features: int = 40_000
    features_of_nouns: int = 3_000
    rate: float = 2e-3
    constant: float = 0.4
    averaging: float = 0.995
    gold: float = 0.4
    least: int = 15
    least_noun: int = 4
    noun_features: int = 40_000
    nouns: float = 0.5
    teachers: int = 2
    features_of_teachers: int = 55_000
    passes_after: int = 11
    soft_targets: float = 0.5
    teacher_temperature: float = 1.3
    unlabelled: float = 0.5
    seed: int = 1
    sizes: RoleSizes = field(default_factory=RoleSizes)


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
