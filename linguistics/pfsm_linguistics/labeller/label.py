"""Semantic roles of the sentences of a line: predicates are its verbs and, as an option, nouns; arguments are spans.

For each predicate the labeller has a distribution over sets of labelled spans that do not overlap
(`pfsm_linguistics.kernels.roles.sets`). The probability of an argument is the sum over all sets that have it. The
arguments given are the set with the largest sum of probabilities, each less a threshold: at half of the F1 that can be
reached, such a set has the highest expected F1. A predicate has each of A0 to A5 once.

A noun is a predicate with a probability of its own: v is its state (`pfsm_linguistics.labeller.inputs`), and a feature
is known by the lowest bits of a number for what it says, the same in every process. So is that of an argument:

    p(noun is a predicate) = 1 / (1 + exp(-(bias + w v + sum of the weights of the noun's features)))
    p(noun is a predicate and has the argument) = p(noun is a predicate) p(argument | noun is a predicate)
"""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pfsm.arrays import Float, Int64
from pfsm_linguistics.analysis.lemmas import lemma_of
from pfsm_linguistics.analysis.roles import (
    CONTINUATION,
    LIKELY,
    NOUN,
    VERB,
    Argument,
    Frame,
    Span,
    arguments_of,
    moved_frame,
)
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree, moved
from pfsm_linguistics.labeller.inputs import (
    Candidates,
    Numbers,
    SentenceArrays,
    candidates_of,
    predicate_lemma,
    sentence_arrays,
    states_of,
)
from pfsm_linguistics.labeller.weights import KEY_BITS, NOUN_BITS, PLACES, NominalWeights, RoleWeights
from pfsm_linguistics.parser.network import normal_form
from pfsm_linguistics.parser.weights import Matrix, ParserWeights

_MASK = (1 << NOUN_BITS) - 1
_CASES = frozenset({"case", "mark"})
_ENDINGS = (3, 4, 5)


def nouns_of(upos: Sequence[str]) -> list[int]:
    """The words that may be nominal predicates: those tagged NOUN, counted from 0."""
    return [word for word, tag in enumerate(upos) if tag == NOUN]


def noun_log_odds(weights: NominalWeights, keys: Sequence[Sequence[int]], states: Matrix) -> Float:
    """The log-odds that each noun is a predicate, float64 [n_nouns].

    Args:
        weights: The weights.
        keys: Keys of the features of each noun, as `noun_keys` gives them.
        states: float32 [n_nouns, state size], their states.
    """
    # A sum of products, not a matrix product, whose order of additions depends on the number of rows.
    odds: Float = (states * weights.state).sum(axis=1, dtype=np.float64) + weights.bias
    found = np.array([key for own in keys for key in own], dtype=np.int32)
    places = np.minimum(np.searchsorted(weights.keys, found), weights.keys.size - 1)
    values = np.where(weights.keys[places] == found, weights.weights[places], np.float32(0.0))
    noun_of_each = np.repeat(np.arange(len(keys)), [len(own) for own in keys])
    odds += np.bincount(noun_of_each, values, minlength=len(keys))
    return odds


def noun_key(name: str) -> int:
    """The key of a feature: the same in every process."""
    return zlib.crc32(name.encode("utf-8", "backslashreplace")) & _MASK


def noun_keys(
    words: Sequence[str], xpos: Sequence[str], tree: DependencyTree, nouns: Sequence[int]
) -> list[list[int]]:
    """Keys of the features of nouns: lemma, endings, relation, the word above, and the words below.

    Args:
        words: The words of one sentence.
        xpos: Their Penn tags.
        tree: Their tree, heads counted within the sentence.
        nouns: The nouns, counted from 0.
    """
    below: dict[int, list[int]] = {noun: [] for noun in nouns}
    cases: dict[int, str] = {}
    for word, (head, relation) in enumerate(zip(tree.heads, tree.labels, strict=True)):
        if head - 1 in below:
            below[head - 1].append(word)
        if relation in _CASES:
            cases.setdefault(head - 1, normal_form(words[word]))
    found = []
    for noun in nouns:
        lemma, head = predicate_lemma(words[noun], xpos[noun], NOUN), tree.heads[noun] - 1
        above = lemma_of(words[head], xpos[head]) if head >= 0 else ""
        names = _own_names(lemma, xpos[noun], tree.labels[noun], above, cases.get(noun, ""))
        for word in below[noun]:
            names += _names_below(lemma, normal_form(words[word]), tree.labels[word], cases.get(word, ""))
        found.append([noun_key(name) for name in dict.fromkeys(names)])
    return found


def _own_names(lemma: str, tag: str, relation: str, above: str, case: str) -> list[str]:
    return [
        f"l {lemma}",
        f"lt {lemma} {tag}",
        f"lr {lemma} {relation}",
        f"lc {lemma} {case}",
        f"la {lemma} {relation} {above}",
        f"a {relation} {above}",
        f"rc {relation} {case}",
        f"rct {relation} {case} {tag}",
        *(f"e {lemma[-size:]}" for size in _ENDINGS),
        f"er {lemma[-3:]} {relation} {case}",
    ]


def _names_below(lemma: str, word: str, relation: str, case: str) -> list[str]:
    return [
        f"b {relation} {case}",
        f"bl {lemma} {relation} {case}",
        f"bf {relation} {word}",
        f"be {lemma[-3:]} {relation} {case}",
        *([f"bd {lemma} {word}"] if relation == "det" else []),
    ]


# Alternatives less likely than this are left out.
SMALLEST_PROBABILITY = 0.01
# Nouns less likely to be predicates than this are left out.
SMALLEST_OF_NOUNS = 0.1
_DIGITS = 4
_TABLE_SHARE = 4


class Decoded(NamedTuple):
    """What the labeller says of the candidates of one predicate.

    Attributes:
        chosen: int64 [n_arguments], candidates that are arguments, in the order of the text.
        label: int64 [n], likeliest label of every candidate.
        probability: float64 [n, n_labels], probability of every labelled span.
    """

    chosen: Int64
    label: Int64
    probability: Float


class Judged(NamedTuple):
    """How the arguments of a predicate are decided.

    Attributes:
        temperature: Scores are divided by it.
        threshold: An argument is worth its probability less this.
        n_labels: Number of labels that it can have, the first ones.
        probability: Probability that the word is a predicate.
    """

    temperature: float
    threshold: float
    n_labels: int
    probability: float = 1.0


class Labeller:
    """The labeller with the weights of a file.

    Args:
        weights: Its weights.
        parser: Those of the parser that it reads, whose word vectors it uses.

    Raises:
        ValueError: If they do not fit the parser.
    """

    def __init__(self, weights: RoleWeights, parser: ParserWeights) -> None:
        from pfsm_linguistics.kernels.roles.features import fill_table  # noqa: PLC0415 - brings numba

        self._weights = weights
        self._vectors = parser.arrays["vectors"]
        self._numbers = Numbers(parser)
        if not weights.reads(parser):
            raise ValueError("the labeller belongs to another parser")
        size = 1 << (_TABLE_SHARE * weights.keys.size).bit_length()
        self._keys = np.zeros(size, dtype=np.int32)
        self._rows = np.full(size, -1, dtype=np.int32)
        fill_table(weights.keys, self._keys, self._rows)
        self.labels = weights.all_labels
        self._of_verbs = Judged(weights.temperature, weights.threshold, len(weights.labels))
        self._outputs = {
            n: tuple(
                np.ascontiguousarray(weights.arrays[name][..., :n]) for name in ("output", "output_bias")
            )
            for n in (len(weights.labels), len(self.labels))
        }
        self._once = {k for k, name in enumerate(self.labels) if name[0] == "A" and name[1:].isdecimal()}

    def labelled(self, parsed: Analysis, *, given: bool = False, nominal: bool = False) -> Analysis:
        """A line that has tags and a dependency tree, with roles.

        Args:
            parsed: The line.
            given: Whether its trees are known to be right, as those of a treebank; those of a parser are not.
            nominal: Whether nouns are predicates, too.
        """
        if parsed.tree is None:
            return replace(parsed, frames=None if parsed.tokens else ())
        found: list[Frame] = []
        constituents = parsed.constituents or [None] * len(parsed.bounds)
        for (start, end), constituent in zip(parsed.bounds, constituents, strict=True):
            words, upos, xpos = (column[start:end] for column in (parsed.tokens, parsed.upos, parsed.xpos))
            verbs = [word for word, tag in enumerate(upos) if tag == VERB]
            nouns = nouns_of(upos) if nominal else []
            if not verbs and not nouns:
                continue
            heads = tuple(head and head - start for head in parsed.tree.heads[start:end])
            tree = DependencyTree(heads, parsed.tree.labels[start:end])
            inner = None if constituent is None else moved(constituent, -start)
            arrays = sentence_arrays(words, (upos, xpos), heads, tree.labels, inner, given=given)
            one = Analysis(words, (0,), upos, xpos, (tree,))
            found += (moved_frame(frame, start) for frame in self._frames(one, arrays, verbs, nouns))
        return replace(parsed, frames=tuple(found))

    def _frames(
        self, sentence: Analysis, arrays: SentenceArrays, verbs: Sequence[int], nouns: Sequence[int]
    ) -> Iterator[Frame]:
        """Predicates of one sentence with their arguments."""
        numbers = self._numbers.of(sentence.tokens, sentence.xpos, sentence.trees[0])
        states = states_of(numbers, self._vectors, self._weights.arrays)
        judged = dict.fromkeys(verbs, self._of_verbs) | self._of_nouns(sentence, nouns, states)
        projected = tuple(states @ self._weights.arrays[name] for name in PLACES) if judged else ()
        for word, how in sorted(judged.items()):
            offered = candidates_of(arrays, word)
            decoded = self.decode(offered, word, projected, how)
            lemma = predicate_lemma(sentence.tokens[word], sentence.xpos[word], sentence.upos[word])
            yield self._frame(word, lemma, offered, decoded, how.probability)

    def _of_nouns(self, sentence: Analysis, nouns: Sequence[int], states: Matrix) -> dict[int, Judged]:
        weights = self._weights.nominal
        if weights is None or not nouns:
            return {}
        keys = noun_keys(sentence.tokens, sentence.xpos, sentence.trees[0], nouns)
        odds = noun_log_odds(weights, keys, states[nouns])
        probabilities = np.round(1.0 / (1.0 + np.exp(-odds)), _DIGITS).tolist()
        return {
            word: Judged(weights.temperature, weights.threshold, len(self.labels), probability)
            for word, probability in zip(nouns, probabilities, strict=True)
            if probability >= SMALLEST_OF_NOUNS
        }

    def decode(
        self, offered: Candidates, predicate: int, projected: Sequence[Matrix], how: Judged | None = None
    ) -> Decoded:
        """The arguments of a predicate, and the probabilities of all candidates.

        Args:
            offered: The spans.
            predicate: The word.
            projected: float32 [n_words, hidden + pairs] each, what the state of a word adds in each of `PLACES`.
            how: How arguments are decided; those of a verb by default.
        """
        from pfsm_linguistics.kernels.roles.features import find_rows  # noqa: PLC0415 - brings numba
        from pfsm_linguistics.kernels.roles.sets import best_set, by_end, forward, set_sums  # noqa: PLC0415

        how = how or self._of_verbs
        arrays, spans = self._weights.arrays, offered.spans
        n, n_words = len(spans), len(projected[0])
        raw = np.zeros((n, how.n_labels), dtype=np.float32)
        rows = np.zeros(offered.features.shape, dtype=np.int32)
        find_rows(offered.features, (1 << KEY_BITS) - 1, self._keys, self._rows, rows)
        forward(
            rows, offered.heads, spans, predicate, arrays["features"], arrays["bias"], *projected,
            *self._outputs[how.n_labels], raw,
        )  # fmt: skip
        scores = raw.astype(np.float64) / how.temperature
        if not n:
            return Decoded(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), scores)
        highest = scores.max(axis=1)
        total = highest + np.log(np.exp(scores - highest[:, None]).sum(axis=1))
        order = by_end(spans, n)
        alpha, beta = np.zeros(n_words + 1), np.zeros(n_words + 1)
        log_sum = set_sums(spans, order, n, n_words, total, alpha, beta)
        outside = alpha[spans[:, 0]] + beta[spans[:, 1]] - log_sum
        probability = np.minimum(np.exp(outside[:, None] + scores), 1.0) * how.probability
        label, worth = probability.argmax(axis=1), probability.max(axis=1) - how.threshold
        chosen = np.zeros(n_words, dtype=np.int64)
        count = int(best_set(spans, order, n, n_words, worth, chosen))
        while (lost := self._second(chosen[:count], label, worth)) >= 0:
            worth[lost] = -1.0
            count = int(best_set(spans, order, n, n_words, worth, chosen))
        return Decoded(chosen[:count][::-1].copy(), label, probability)

    def _second(self, chosen: Int64, label: Int64, worth: Float) -> int:
        """The less likely of two arguments with the same numbered role; -1 if there are none."""
        best: dict[int, int] = {}
        for c in chosen.tolist():
            if (own := int(label[c])) not in self._once:
                continue
            if own in best:
                return c if worth[c] < worth[best[own]] else best[own]
            best[own] = c
        return -1

    def _frame(
        self, word: int, lemma: str, offered: Candidates, decoded: Decoded, probability: float
    ) -> Frame:
        rounded = np.round(decoded.probability, _DIGITS)
        spans = [(start, end) for start, end, _ in offered.spans.tolist()]
        labelled = [(self.labels[int(decoded.label[c])], spans[c]) for c in decoded.chosen]
        share = {
            (spans[c], int(decoded.label[c])): float(rounded[c, decoded.label[c]]) for c in decoded.chosen
        }
        number = {label: k for k, label in enumerate(self.labels)}
        arguments = []
        for argument in arguments_of(labelled):
            # The probability of an argument of several parts is that of its first one.
            own = [
                share[span, k]
                for span in argument.spans
                for k in (number.get(argument.label, -1), number.get(CONTINUATION + argument.label, -1))
                if (span, k) in share
            ]
            arguments.append(Argument(argument.label, argument.spans, own[0]))
        known = {(one.label, span) for one in arguments for span in one.spans}
        others: dict[tuple[str, Span], float] = {}
        for c, k in np.argwhere(rounded >= SMALLEST_PROBABILITY).tolist():
            label = self.labels[k].removeprefix(CONTINUATION)
            if (label, spans[c]) not in known:
                # Words are a part of an A1, whether they begin it or continue it.
                others[label, spans[c]] = others.get((label, spans[c]), 0.0) + float(rounded[c, k])
        decided = tuple(arguments) if probability >= LIKELY else ()
        arguments += [Argument(label, (span,), round(p, _DIGITS)) for (label, span), p in others.items()]
        arguments.sort(key=lambda one: (one.spans, one.label, -one.probability))
        return Frame(word, lemma, decided, probability=probability, alternatives=tuple(arguments))
