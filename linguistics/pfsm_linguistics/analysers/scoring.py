"""Evaluation of parsers and of labellers of roles: how many words, tags, arcs, brackets and arguments are right.

Attachment and tags are counted as in the CoNLL 2018 shared task, brackets as in evalb, roles as in the CoNLL-2005
shared task; probabilities are compared with accuracies by bins.

Words of system and gold standard count as the same if they cover the same characters of the line. Precision is per
system word, recall per gold word; with gold tokens both equal accuracy (Zeman et al. 2018, "CoNLL 2018 shared task:
multilingual parsing from raw text to universal dependencies", section 4). Labels are compared without subtypes.

An argument is right if its predicate, its role and all its words are those of the gold standard (Carreras and Màrquez
2005, "Introduction to the CoNLL-2005 shared task", section 2).
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from difflib import SequenceMatcher
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pfsm_linguistics.analysers.registry import TrainedAnalyser
from pfsm_linguistics.analysis.alignment import plain_spelling, squeezed
from pfsm_linguistics.analysis.conllu import ConlluSentence, analysis_of
from pfsm_linguistics.analysis.constituents import TOP, BracketedSentence, Constituent
from pfsm_linguistics.analysis.roles import NOUN, VERB, Argument
from pfsm_linguistics.analysis.sentence import Analysis, joined
from pfsm_linguistics.analysis.wanted import Wanted

# Tags of words that evalb's usual settings leave out, and the label that they treat as another.
_LEFT_OUT = frozenset({",", ":", "``", "''", "."})
_SAME = {"PRT": "ADVP"}
N_BINS = 10


@dataclass(frozen=True)
class Agreement:
    """Counts for precision and recall.

    Attributes:
        correct: Number of correct items.
        system: Number of items of the system.
        gold: Number of items in the gold standard.
    """

    correct: int = 0
    system: int = 0
    gold: int = 0

    @property
    def f1(self) -> float:
        """F1 in percent: 2 correct / (system + gold); NaN if there are no items."""
        total = self.system + self.gold
        return 200.0 * self.correct / total if total else float("nan")

    def __add__(self, other: "Agreement") -> "Agreement":
        return Agreement(self.correct + other.correct, self.system + other.system, self.gold + other.gold)


@dataclass(frozen=True)
class ParsingScores:
    """Agreement on dependencies and tags.

    Attributes:
        words: Words with the same boundaries.
        upos: Universal tags.
        xpos: Penn tags.
        uas: Heads.
        las: Heads together with the universal part of the labels.
    """

    words: Agreement = Agreement()
    upos: Agreement = Agreement()
    xpos: Agreement = Agreement()
    uas: Agreement = Agreement()
    las: Agreement = Agreement()

    def __add__(self, other: "ParsingScores") -> "ParsingScores":
        return ParsingScores(
            *(getattr(self, one.name) + getattr(other, one.name) for one in fields(ParsingScores))
        )


def score_parses(pairs: Iterable[tuple[Analysis, Analysis]]) -> ParsingScores:
    """Agreement over all lines, each given as (system, gold standard)."""
    return sum((_line_scores(system, gold) for system, gold in pairs), ParsingScores())


def _line_scores(system: Analysis, gold: Analysis) -> ParsingScores:
    partner = _aligned_words(system.tokens, gold.tokens)
    same = [(ours, theirs) for ours, theirs in enumerate(partner) if theirs >= 0]
    upos, xpos = (
        sum(own[ours] == right[theirs] for ours, theirs in same) if own and right else 0
        for own, right in ((system.upos, gold.upos), (system.xpos, gold.xpos))
    )
    heads = labels = 0
    if system.tree is not None and gold.tree is not None:
        # The root corresponds to itself.
        of_head = [0, *(theirs + 1 for theirs in partner)]
        for ours, theirs in same:
            right = of_head[system.tree.heads[ours]] == gold.tree.heads[theirs]
            heads += right
            labels += right and _universal(system.tree.labels[ours]) == _universal(gold.tree.labels[theirs])
    counts = len(same), upos, xpos, heads, labels
    return ParsingScores(*(Agreement(count, len(system.tokens), len(gold.tokens)) for count in counts))


def _universal(label: str) -> str:
    return label.partition(":")[0]


def _aligned_words(system: Sequence[str], gold: Sequence[str]) -> list[int]:
    """For each word of the system the gold word over the same characters; -1 for none."""
    partner = [-1] * len(system)
    ours, theirs = _places(system), _places(gold)
    if squeezed(system) == squeezed(gold):
        at = {place: number for number, place in enumerate(theirs)}
        return [at.get(place, -1) for place in ours]
    # A treebank may correct its text.
    for block in SequenceMatcher(None, system, gold, autojunk=False).get_matching_blocks():
        partner[block.a : block.a + block.size] = range(block.b, block.b + block.size)
    return partner


def _places(words: Sequence[str]) -> list[tuple[int, int]]:
    ends = np.cumsum([len(plain_spelling(word)) for word in words]).tolist()
    return list(zip([0, *ends[:-1]], ends, strict=True))


def score_brackets(system: Constituent, gold: Constituent) -> Agreement:
    """Agreement of labelled brackets, counted as evalb does with the settings of Collins.

    The outermost label and words with punctuation tags in the gold standard are left out; PRT counts as ADVP.
    """
    words = _counted_words(gold)
    ours, theirs = _brackets(system, words), _brackets(gold, words)
    return Agreement((ours & theirs).total(), ours.total(), theirs.total())


def _counted_words(gold: Constituent) -> list[int]:
    """Number of counted words before each boundary."""
    counts = [0] * (gold.end + 1)
    for node in gold.nodes():
        if node.is_leaf and node.label not in _LEFT_OUT:
            counts[node.end] = 1
    return list(itertools.accumulate(counts))


def _brackets(tree: Constituent, words: Sequence[int]) -> Counter[tuple[str, int, int]]:
    found: Counter[tuple[str, int, int]] = Counter()
    for node in tree.nodes():
        start, end = words[node.start], words[node.end]
        if not node.is_leaf and node.label != TOP and end > start:
            found[_SAME.get(node.label, node.label), start, end] += 1
    return found


@dataclass(frozen=True, eq=False)
class Calibration:
    """Predicted probabilities of arcs against the share of correct arcs, by bins of probability.

    Attributes:
        arcs: int64 [n_bins], arcs in each bin.
        mean: float64 [n_bins], mean probability of these arcs; NaN in an empty bin.
        accuracy: float64 [n_bins], share of these arcs that are in the gold standard.
    """

    arcs: NDArray[np.int64]
    mean: NDArray[np.float64]
    accuracy: NDArray[np.float64]

    def rows(self, counted: str) -> list[dict[str, Any]]:
        """What each bin with something in it holds; the number of arcs is called ``counted``."""
        return [
            {
                "from": k / N_BINS,
                "to": (k + 1) / N_BINS,
                counted: int(self.arcs[k]),
                "mean": float(self.mean[k]),
                "right": float(self.accuracy[k]),
            }
            for k in range(N_BINS)
            if self.arcs[k]
        ]


# Less likely arcs are left out of a calibration; they are most of the possible arcs.
_SMALLEST = 0.01


def calibration(pairs: Iterable[tuple[Analysis, Analysis]]) -> Calibration:
    """Calibration of arc marginals over lines with gold tokens; pairs without marginals are skipped.

    Args:
        pairs: (system, gold standard) with the same tokens.
    """
    probabilities, rights = [np.zeros(0)], [np.zeros(0, dtype=np.bool_)]
    for system, gold in pairs:
        if system.marginals is None or gold.tree is None or len(system.tokens) != len(gold.tokens):
            continue
        table = system.marginals.arcs(len(system.tokens))
        right = np.zeros(table.shape, dtype=np.bool_)
        right[np.arange(len(gold.tokens)), gold.tree.heads] = True
        kept = table >= _SMALLEST
        probabilities.append(table[kept])
        rights.append(right[kept])
    return _binned(np.concatenate(probabilities), np.concatenate(rights))


def _binned(values: NDArray[np.float64], right: NDArray[np.bool_]) -> Calibration:
    bins = np.minimum((values * N_BINS).astype(np.int64), N_BINS - 1)
    arcs = np.bincount(bins, minlength=N_BINS)
    with np.errstate(invalid="ignore"):
        means = (
            np.bincount(bins, weights, minlength=N_BINS) / arcs
            for weights in (values, right.astype(np.float64))
        )
        return Calibration(arcs, *means)


# Predicate, role, words.
Key = tuple[int, str, tuple[int, ...]]
# What the Penn tags of a kind of word begin with, but not those of proper nouns.
_PENN, _PROPER = {VERB: "VB", NOUN: "NN"}, "NNP"


@dataclass(frozen=True)
class RoleScores:
    """Agreement on predicates and arguments.

    Attributes:
        predicates: Predicates.
        arguments: Arguments of all roles.
        by_role: Arguments by role.
        calibration: Calibration of possible arguments; None if the system gives no probabilities.
    """

    predicates: Agreement
    arguments: Agreement
    by_role: dict[str, Agreement] = field(repr=False)
    calibration: Calibration | None = None


def score_roles(pairs: Iterable[tuple[Analysis, Analysis]], *, of: str | None = VERB) -> RoleScores:
    """Agreement over lines, each given as (system, gold standard).

    Args:
        pairs: Lines with roles.
        of: `VERB` or `NOUN`: only words with this gold tag count as predicates, on both sides, and words of the system
            that are none of the gold standard's if their own tag is this. Where there are no tags, all words count;
            with None, too.
    """
    predicates = Agreement()
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    probabilities: list[float] = []
    rights: list[bool] = []
    for system, gold in pairs:
        left_out = _left_out(gold, of)
        partner = _aligned_words(system.tokens, gold.tokens)
        theirs = {frame.predicate: frame.arguments for frame in gold.frames or ()}
        theirs = {word: arguments for word, arguments in theirs.items() if word not in left_out}
        ours = {frame.predicate: frame for frame in system.frames or () if frame.is_likely}
        # A word that has no partner is none of theirs: its number is below 0, and of each word another.
        own = [place if place >= 0 else -1 - word for word, place in enumerate(partner)]
        left_out |= {own[word] for word in _left_out(system, of) if own[word] < 0}
        kept = {own[word]: frame for word, frame in ours.items() if own[word] not in left_out}
        predicates += Agreement(len(kept.keys() & theirs.keys()), len(kept), len(theirs))
        right = Counter(key for word, several in theirs.items() for key in _keys(word, several, None))
        found = Counter(key for word, frame in kept.items() for key in _keys(word, frame.arguments, own))
        for column, keys in enumerate((found & right, found, right)):
            for (_, label, _), number in keys.items():
                counts[label][column] += number
        for word, frame in kept.items():
            for argument, key in zip(frame.alternatives, _keys(word, frame.alternatives, own), strict=True):
                probabilities.append(argument.probability)
                rights.append(key in right)
    by_role = {label: Agreement(*numbers) for label, numbers in counts.items()}
    by_role = dict(sorted(by_role.items(), key=lambda one: (-one[1].gold, one[0])))
    return RoleScores(
        predicates,
        sum(by_role.values(), Agreement()),
        by_role,
        _binned(np.array(probabilities), np.array(rights)) if probabilities else None,
    )


def _left_out(line: Analysis, of: str | None) -> set[int]:
    if of is None:
        return set()
    if line.upos:
        return {word for word, tag in enumerate(line.upos) if tag != of}
    return {
        word for word, tag in enumerate(line.xpos) if not tag.startswith(_PENN[of]) or tag.startswith(_PROPER)
    }


def _keys(word: int, arguments: Sequence[Argument], own: Sequence[int] | None) -> list[Key]:
    return [
        (word, one.label, tuple(one.words if own is None else [own[place] for place in one.words]))
        for one in arguments
    ]


_PORTION = 256
Line = TypeVar("Line")
Analyse = Callable[[Sequence[str]], list[Analysis]]


@dataclass(frozen=True, eq=False)
class ParserEvaluation:
    """The result of an evaluation.

    Attributes:
        lines: Lines parsed.
        scores: Words, tags, heads and labels.
        calibration: Calibration of the arcs; None if the parser gives no probabilities or splits the words itself.
        brackets: Labelled brackets; None without gold trees.
        trees: Sentences with a gold tree.
    """

    lines: int
    scores: ParsingScores
    calibration: Calibration | None
    brackets: Agreement | None
    trees: int


def evaluate_on_words(
    analyser: TrainedAnalyser, sentences: Sequence[ConlluSentence], trees: Sequence[BracketedSentence] | None
) -> ParserEvaluation:
    """Evaluates on the words of the treebank, one sentence at a time."""
    wanted = Wanted(marginals=True, constituents=trees is not None, one_sentence=True)
    gold = [analysis_of(sentence) for sentence in sentences]
    found = in_portions(
        [sentence.forms for sentence in sentences], lambda part: analyser.analyse_words(part, wanted)
    )
    by_words = first_of_each(trees or ())
    bracketed = [
        (system.constituents[0], by_words[system.tokens]) for system in found if system.tokens in by_words
    ]
    pairs = list(zip(found, gold, strict=True))
    return ParserEvaluation(
        len(pairs),
        score_parses(pairs),
        calibration(pairs),
        None if trees is None else sum((score_brackets(*pair) for pair in bracketed), Agreement()),
        len(bracketed),
    )


def evaluate_on_text(
    analyse: Analyse, sentences: Sequence[ConlluSentence], joined_lines: int
) -> ParserEvaluation:
    """Evaluates on raw text with so many sentences joined by spaces on each line; the parser splits the words."""
    groups = [sentences[first : first + joined_lines] for first in range(0, len(sentences), joined_lines)]
    gold = [joined([analysis_of(sentence) for sentence in group]) for group in groups]
    found = in_portions([" ".join(sentence.text for sentence in group) for group in groups], analyse)
    return ParserEvaluation(len(groups), score_parses(zip(found, gold, strict=True)), None, None, 0)


def in_portions(lines: Sequence[Line], analyse: Callable[[Sequence[Line]], list[Analysis]]) -> list[Analysis]:
    """Analyses of lines, so many at a time that a batch stays small."""
    found: list[Analysis] = []
    for first in range(0, len(lines), _PORTION):
        found += analyse(lines[first : first + _PORTION])
    return found


def first_of_each(trees: Sequence[BracketedSentence]) -> dict[tuple[str, ...], Constituent]:
    """A tree for each sequence of words; the first if there are several."""
    found: dict[tuple[str, ...], Constituent] = {}
    for bracketed in trees:
        found.setdefault(bracketed.words, bracketed.tree)
    return found
