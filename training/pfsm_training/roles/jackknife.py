"""Parses of the training part by parsers that have not seen its sentences.

The labeller has to learn from trees with the mistakes that it will meet. So the training part is cut into folds, and
each fold is parsed by a parser trained on the others (as in Collins and Koo 2005, "Discriminative reranking for natural
language parsing", section 4.2).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import torch

from pfsm.analysis.sentence import Analysis
from pfsm.analysis.wanted import Wanted
from pfsm.english.parser.parse import Parser
from pfsm.english.parser.weights import ParserWeights
from pfsm_training.parsing.export import exported
from pfsm_training.parsing.train import Recipe, train
from pfsm_training.parsing.treebank import Example, take_inventory

PARSED = Wanted(constituents=True, one_sentence=True)
_CHECKED = 100
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
        checked = [examples[place] for place in places[:: max(1, len(places) // _CHECKED)]]
        weights = _trained(recipe, passes, (learned, checked), vectors, folder, report)
        parser = Parser(weights)
        for first in range(0, len(places), _PORTION):
            part = places[first : first + _PORTION]
            lines = [examples[place].dependencies.forms for place in part]
            found |= zip(part, parser.parse(lines, PARSED), strict=True)
    return [found[place] for place in range(len(examples))]


def _trained(
    recipe: Recipe,
    passes: int,
    examples: tuple[Sequence[Example], Sequence[Example]],
    vectors: tuple[Sequence[str], torch.Tensor],
    folder: Path,
    report: Callable[[str], None],
) -> ParserWeights:
    inventory = take_inventory(
        examples[0],
        min_word=recipe.min_word,
        min_character=recipe.min_character,
        min_span_label=recipe.min_span_label,
    )
    plan = replace(recipe.plan, passes=passes)
    network = train(plan, inventory, vectors, examples, folder, report)
    network.eval()
    return exported(network, inventory, vectors[0], name=recipe.name, licence="", card={})
