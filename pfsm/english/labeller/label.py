"""Semantic roles of the sentences of a line: predicates are its verbs and, as an option, nouns; arguments are spans.

For each predicate the labeller has a distribution over sets of labelled spans that do not overlap
(`pfsm_kernels.roles.sets`). The probability of an argument is the sum over all sets that have it. The arguments given
are the set with the largest sum of probabilities, each less a threshold: at half of the F1 that can be reached, such a
set has the highest expected F1. A predicate has each of A0 to A5 once.

A noun is a predicate with some probability (`pfsm.english.labeller.nominals`), and that of an argument is then

    p(noun is a predicate and has the argument) = p(noun is a predicate) p(argument | noun is a predicate)
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.roles import (
    CONTINUATION,
    LIKELY,
    VERB,
    Argument,
    Frame,
    Span,
    arguments_of,
    moved_frame,
)
from pfsm.analysis.sentence import Analysis, DependencyTree, moved
from pfsm.english.labeller.inputs import (
    Candidates,
    Int64,
    Numbers,
    SentenceArrays,
    candidates_of,
    predicate_lemma,
    sentence_arrays,
    states_of,
)
from pfsm.english.labeller.nominals import noun_keys, noun_log_odds, nouns_of
from pfsm.english.labeller.weights import KEY_BITS, PLACES, RoleWeights
from pfsm.english.parser.weights import Matrix, ParserWeights

Float = NDArray[np.float64]
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


class Tagged(NamedTuple):
    """The words of a sentence with their tags.

    Attributes:
        words: The words.
        upos: Universal tags.
        xpos: Penn tags.
    """

    words: Sequence[str]
    upos: Sequence[str]
    xpos: Sequence[str]


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
        from pfsm_kernels.roles.features import fill_table  # noqa: PLC0415 - brings numba

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

    @property
    def knows_nouns(self) -> bool:
        """Whether it knows nominal predicates."""
        return self._weights.nominal is not None

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
            own = Tagged(*(column[start:end] for column in (parsed.tokens, parsed.upos, parsed.xpos)))
            verbs = [word for word, tag in enumerate(own.upos) if tag == VERB]
            nouns = nouns_of(own.upos) if nominal else []
            if not verbs and not nouns:
                continue
            heads = tuple(head and head - start for head in parsed.tree.heads[start:end])
            tree = DependencyTree(heads, parsed.tree.labels[start:end])
            inner = None if constituent is None else moved(constituent, -start)
            arrays = sentence_arrays(own.words, (own.upos, own.xpos), heads, tree.labels, inner, given=given)
            found += (moved_frame(frame, start) for frame in self._frames(own, tree, arrays, verbs, nouns))
        return replace(parsed, frames=tuple(found))

    def _frames(
        self,
        sentence: Tagged,
        tree: DependencyTree,
        arrays: SentenceArrays,
        verbs: Sequence[int],
        nouns: Sequence[int],
    ) -> Iterator[Frame]:
        """Predicates of one sentence with their arguments."""
        numbers = self._numbers.of(sentence.words, sentence.xpos, tree)
        states = states_of(numbers, self._vectors, self._weights.arrays)
        judged = dict.fromkeys(verbs, self._of_verbs) | self._of_nouns(sentence, tree, nouns, states)
        projected = tuple(states @ self._weights.arrays[name] for name in PLACES) if judged else ()
        for word, how in sorted(judged.items()):
            offered = candidates_of(arrays, word)
            decoded = self.decode(offered, word, projected, how)
            lemma = predicate_lemma(sentence.words[word], sentence.xpos[word], sentence.upos[word])
            yield self._frame(word, lemma, offered, decoded, how.probability)

    def _of_nouns(
        self, sentence: Tagged, tree: DependencyTree, nouns: Sequence[int], states: Matrix
    ) -> dict[int, Judged]:
        weights = self._weights.nominal
        if weights is None or not nouns:
            return {}
        keys = noun_keys(sentence.words, sentence.xpos, tree, nouns)
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
        from pfsm_kernels.roles.features import find_rows  # noqa: PLC0415 - brings numba
        from pfsm_kernels.roles.sets import best_set, by_end, forward, set_sums  # noqa: PLC0415

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
        possible = sorted(
            [
                *arguments,
                *(Argument(label, (span,), round(share, _DIGITS)) for (label, span), share in others.items()),
            ],
            key=lambda one: (one.spans, one.label, -one.probability),
        )
        decided = tuple(arguments) if probability >= LIKELY else ()
        return Frame(word, lemma, decided, probability=probability, alternatives=tuple(possible))
