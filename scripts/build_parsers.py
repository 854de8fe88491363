"""Builds linguistics/pfsm_linguistics/resources/parsers/en-ewt.parser and its card, in an hour or two on one core.

Reads the data folder named by PFSM_DATA and the folder ``treebanks`` next to it. Word vectors are learned from the
English sides of the judgment sets and from the treebank's training part; WMT15 and WMT16 direct assessment are left
out, because results are reported on them. An interrupted training resumes from the checkpoint in --work.

With --roles, builds en-ewt.roles beside it instead, the labeller of semantic roles that reads the parser:
parsers trained on folds parse the training part, so that the labeller learns from trees like those that it will meet.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import torch
from real_data import CHECKOUT, data_folder

from pfsm.io.files import read_lines
from pfsm_linguistics.analysers import scoring
from pfsm_linguistics.analysers.own import OwnAnalyser
from pfsm_linguistics.analysers.registry import SUFFIX
from pfsm_linguistics.analysis.constituents import BracketedSentence
from pfsm_linguistics.analysis.roles import NOUN, VERB
from pfsm_linguistics.analysis.sentence import Analysis
from pfsm_linguistics.analysis.tokens import words_of
from pfsm_linguistics.analysis.wanted import Wanted
from pfsm_linguistics.labeller.label import Labeller
from pfsm_linguistics.labeller.weights import SUFFIX as ROLES_SUFFIX
from pfsm_linguistics.labeller.weights import RoleWeights, write_role_weights
from pfsm_linguistics.parser.weights import ParserWeights, quantised, read_weights, restored, write_weights
from pfsm_linguistics.training.parsing.cards import card_of, card_text, role_card_of, role_card_text
from pfsm_linguistics.training.parsing.export import calibrated, with_tuned_starts
from pfsm_linguistics.training.parsing.train import Recipe, read_recipe, trained
from pfsm_linguistics.training.parsing.treebank import Example, WordVectors, learn_vectors, read_examples
from pfsm_linguistics.training.roles.export import tuned
from pfsm_linguistics.training.roles.lesson import PARSED, RolePlan, jackknifed
from pfsm_linguistics.training.roles.samples import RoleExample, read_roles
from pfsm_linguistics.training.roles.train import train_labeller

LICENCE = "CC BY-SA 4.0"
LEFT_OUT = ("wmt15-daseg", "wmt16-daseg")
ENGLISH = ("reference", "hypothesis", "better", "worse", "post_edit", "reference_2")
# What people wrote.
WRITTEN = ("reference", "post_edit", "reference_2")
# Lines of such text that the labeller's teachers label, and how many words they have.
UNLABELLED, LENGTHS = 16_000, range(6, 41)
PARTS = ("train", "dev", "test")
# Folds of the training part, and passes of the parser of each.
FOLDS = (2, 10)

Parts = dict[str, list[Example]]


def main() -> None:
    """Builds the parser, or the labeller."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--work", type=Path, default=CHECKOUT / "build" / "parsers", help="checkpoint and vectors"
    )
    parser.add_argument("--config", type=Path, default=CHECKOUT / "configs" / "parsers.yaml")
    parser.add_argument("--roles", action="store_true", help="build the labeller of semantic roles")
    parser.add_argument(
        "--output", type=Path, default=CHECKOUT / "linguistics" / "pfsm_linguistics" / "resources" / "parsers"
    )
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    recipe = read_recipe(options.config)
    data = data_folder()
    parts = read_parts(data.parent / "treebanks")
    if options.roles:
        build_roles(recipe, parts, data.parent / "treebanks" / "propbank-ewt", options)
        return
    vectors = fixed_vectors(recipe, data, parts["train"], options.work / "vectors.npz")
    build(recipe, parts, vectors, options.work, options.output)


def read_parts(folder: Path) -> Parts:
    """The parts of the treebank, with their constituent trees."""
    trees = folder / "EWT-constituents" / "trees.ptb.gz"
    names = {part: folder / "UD_English-EWT" / f"en_ewt-ud-{part}.conllu.gz" for part in PARTS}
    return {part: read_examples(name, trees) for part, name in names.items()}


def fixed_vectors(recipe: Recipe, data: Path, examples: list[Example], kept: Path) -> WordVectors:
    """Word vectors; read from the work folder if they are there, otherwise learned."""
    if kept.exists():
        with np.load(kept) as saved:
            return WordVectors(tuple(map(str, saved["words"])), saved["values"])
    lines = [*english_lines(data), *(example.dependencies.text for example in examples)]
    vectors = learn_vectors(lines, recipe.vector_words, recipe.vector_contexts, recipe.vector_size)
    np.savez(kept, words=np.array(vectors.words), values=vectors.values)
    return vectors


def english_lines(data: Path, columns_of: Sequence[str] = ENGLISH) -> set[str]:
    """The English text of every judgment set on which no result is reported; without translations, sources."""
    lines: set[str] = set()
    for path in sorted(data.glob("*/*.tsv.gz")):
        pair = path.name.split("-")[:2]
        if path.parent.name in LEFT_OUT or "en" not in pair:
            continue
        wanted = columns_of if pair[1] == "en" or path.parent.name == "sum-realsumm" else ("source",)
        header, *rows = (line.split("\t") for line in read_lines(path))
        columns = [header.index(name) for name in wanted if name in header]
        lines.update(row[column] for row in rows for column in columns if column < len(row))
    return lines


def table_of(vectors: WordVectors, length: float) -> torch.Tensor:
    """Vectors as quantised in the file, so that training uses the same; row 0 is for words without one."""
    rows = restored(*quantised(vectors.values * np.float32(length)))
    return torch.from_numpy(np.concatenate([np.zeros((1, rows.shape[1]), dtype=np.float32), rows]))


def build(recipe: Recipe, parts: Parts, vectors: WordVectors, work: Path, output: Path) -> None:
    """Trains the parser, calibrates the splitting of lines, and writes its weights and its card with its results."""
    table = table_of(vectors, recipe.vector_length)
    weights = trained(recipe, (vectors.words, table), parts["train"], work, print, licence=LICENCE)
    path = output / f"{recipe.name}{SUFFIX}"
    write_weights(calibrated(weights, parts["dev"]), path)
    sentences = [example.dependencies for example in parts["dev"]]
    weights, move = with_tuned_starts(
        read_weights(path), sentences, lambda tried: partial(OwnAnalyser(tried).analyse, wanted=Wanted())
    )
    print(f"log-odds of sentence starts moved by {move:g}")
    results = measured(OwnAnalyser(weights), parts["test"])
    card = card_of(results, recipe.passes)
    # Quantising the weights again does not change them.
    write_weights(replace(weights, card=card), path)
    text = card_text(recipe.name, path.stat().st_size, card, results["words"])
    path.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


def build_roles(recipe: Recipe, parts: Parts, folder: Path, options: argparse.Namespace) -> None:
    """Trains the labeller that reads the parser in --output, and writes its weights and its card."""
    parser = read_weights(options.output / f"{recipe.name}{SUFFIX}")
    vectors = (parser.inventories["vector_words"], torch.from_numpy(parser.arrays["vectors"].copy()))
    parses = jackknifed(recipe, parts["train"], vectors, FOLDS, options.work, print)
    gold = {part: read_roles(folder / f"en_ewt-propbank-{part}.txt.gz", parts[part]) for part in PARTS}
    samples = (
        [(parses[one.place], one.gold) for one in gold["train"]],
        [(one.gold, one.gold) for one in gold["train"]],
    )
    analyser = OwnAnalyser(parser)
    unlabelled = unlabelled_parses(analyser, data_folder())
    weights = train_labeller(RolePlan(), recipe.name, samples, parser, print, unlabelled)
    parses = in_portions(analyser, [one.gold.tokens for one in gold["dev"]])
    pairs = list(zip(parses, (one.gold for one in gold["dev"]), strict=True))
    weights, path = tuned(weights, pairs, parser), options.output / f"{recipe.name}{ROLES_SUFFIX}"
    results, nominal = (measured_roles(weights, parser, gold["test"], kind) for kind in (VERB, NOUN))
    card = role_card_of(results, nominal, weights, FOLDS)
    write_role_weights(replace(weights, licence=LICENCE, card=card), path)
    text = role_card_text(weights.name, path.stat().st_size, card, results, nominal)
    path.with_name(f"{path.stem}-roles.md").write_text(text, encoding="utf-8")
    print(text)


def unlabelled_parses(analyser: OwnAnalyser, data: Path) -> list[Analysis]:
    """Parses of text that people wrote, one sentence per line, from all over the judgment sets."""
    lines = [[word.form for word in words_of(line)] for line in sorted(english_lines(data, WRITTEN))]
    lines = [line for line in lines if len(line) in LENGTHS]
    return in_portions(analyser, lines[:: max(1, len(lines) // UNLABELLED)][:UNLABELLED])


def in_portions(analyser: OwnAnalyser, lines: Sequence[Sequence[str]]) -> list[Analysis]:
    """Parses with constituents of lines of words, one sentence each."""
    return [
        one
        for first in range(0, len(lines), 256)
        for one in analyser.analyse_words(lines[first : first + 256], PARSED)
    ]


def measured_roles(
    weights: RoleWeights, parser: ParserWeights, examples: list[RoleExample], kind: str
) -> dict[str, scoring.RoleScores]:
    """Results for verbs or for nouns on the test part: from text, with its words, and with its trees."""
    analyser, labeller = OwnAnalyser(parser, weights), Labeller(weights, parser)
    gold, nominal = [one.gold for one in examples], kind == NOUN
    wanted = Wanted(roles=True, nominal=nominal)
    text = analyser.analyse([one.example.dependencies.text for one in examples], wanted)
    parses = in_portions(analyser, [one.tokens for one in gold])
    words = [labeller.labelled(one, nominal=nominal) for one in parses]
    trees = [labeller.labelled(one, given=True, nominal=nominal) for one in gold]
    found = {"text": text, "words": words, "trees": trees}
    return {
        name: scoring.score_roles(zip(several, gold, strict=True), of=kind) for name, several in found.items()
    }


def measured(analyser: OwnAnalyser, examples: list[Example]) -> dict[str, scoring.ParserEvaluation]:
    """Results on the test part: with its words, as text, and as text with two sentences per line."""
    sentences = [example.dependencies for example in examples]
    trees = [
        BracketedSentence(example.dependencies.forms, example.constituents)
        for example in examples
        if example.constituents is not None
    ]
    return {
        "words": scoring.evaluate_on_words(analyser, sentences, trees),
        "text": scoring.evaluate_on_text(lambda lines: analyser.analyse(lines, Wanted()), sentences, 1),
        "joined": scoring.evaluate_on_text(lambda lines: analyser.analyse(lines, Wanted()), sentences, 2),
    }


if __name__ == "__main__":
    main()
