"""Semantic roles of the sentences of a line: predicates are its verbs, arguments the likeliest set of spans.

For each predicate the labeller has a distribution over sets of labelled spans that do not overlap
(`pfsm_kernels.roles.sets`). Its arguments are the likeliest set; their probabilities, and those of the alternatives,
are the sums over all sets that have them.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.constituents import Constituent
from pfsm.analysis.labeller.inputs import (
    VERB,
    Candidates,
    Int64,
    SentenceArrays,
    candidates_of,
    sentence_arrays,
    verb_lemma,
)
from pfsm.analysis.labeller.weights import KEY_BITS, RoleWeights
from pfsm.analysis.parser.features import normal_form
from pfsm.analysis.parser.parameters import Matrix, ParserWeights
from pfsm.analysis.roles import CONTINUATION, Argument, Frame, arguments_of, moved_frame
from pfsm.analysis.sentence import DependencyTree, moved

Float = NDArray[np.float64]
# Alternatives less likely than this are left out.
SMALLEST_PROBABILITY = 0.01
_DIGITS = 4
_TABLE_SHARE = 4


class Decoded(NamedTuple):
    """What the labeller says of the candidates of one predicate.

    Attributes:
        chosen: int64 [n_arguments], candidates of the likeliest set, in the order of the text.
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


class Labeller:
    """The labeller with the weights of a file.

    Args:
        weights: Its weights.
        parser: Those of the parser that it reads, whose word vectors it uses.

    Raises:
        ValueError: If the parser's word vectors have another size.
    """

    def __init__(self, weights: RoleWeights, parser: ParserWeights) -> None:
        from pfsm_kernels.roles.features import fill_table  # noqa: PLC0415 - brings numba

        self._weights = weights
        self._vectors = parser.arrays["vectors"]
        self._number = {word: k for k, word in enumerate(parser.inventories["vector_words"], 1)}
        if self._vectors.shape[1] != weights.arrays["predicate"].shape[0]:
            raise ValueError("the labeller belongs to a parser with word vectors of another size")
        size = 1 << (_TABLE_SHARE * weights.keys.size).bit_length()
        self._keys = np.zeros(size, dtype=np.int64)
        self._rows = np.full(size, -1, dtype=np.int32)
        fill_table(weights.keys.astype(np.int64), self._keys, self._rows)
        self.labels = weights.labels

    @property
    def label(self) -> str:
        """``NAME@CHECKSUM``, as in signatures and in the cache."""
        return self._weights.label

    def frames(
        self,
        line: Tagged,
        bounds: Sequence[tuple[int, int]],
        tree: DependencyTree,
        constituents: Sequence[Constituent],
    ) -> tuple[Frame, ...]:
        """Predicates of a line with their arguments.

        Args:
            line: Its words and tags.
            bounds: First word of each sentence and the word after its last.
            tree: Its dependency tree.
            constituents: Constituent tree of each sentence, words counted through the line.
        """
        found: list[Frame] = []
        for (start, end), constituent in zip(bounds, constituents, strict=True):
            sentence = Tagged(*(column[start:end] for column in line))
            heads = [head and head - start for head in tree.heads[start:end]]
            arrays = sentence_arrays(
                sentence.words,
                (sentence.upos, sentence.xpos),
                heads,
                tree.labels[start:end],
                moved(constituent, -start),
            )
            found += (moved_frame(frame, start) for frame in self.sentence_frames(sentence, arrays))
        return tuple(found)

    def sentence_frames(self, sentence: Tagged, arrays: SentenceArrays) -> list[Frame]:
        """Predicates of one sentence with their arguments."""
        predicates = [word for word, tag in enumerate(sentence.upos) if tag == VERB]
        if not predicates:
            return []
        numbers = [self._number.get(normal_form(word), 0) for word in sentence.words]
        vectors = self._vectors[numbers]
        of_predicate = vectors @ self._weights.arrays["predicate"]
        of_head = vectors @ self._weights.arrays["head"]
        found = []
        for word in predicates:
            offered = candidates_of(arrays, word)
            decoded = self.decode(offered, word, (of_predicate, of_head))
            found.append(
                self._frame(word, verb_lemma(sentence.words[word], sentence.xpos[word]), offered, decoded)
            )
        return found

    def decode(self, offered: Candidates, predicate: int, projected: tuple[Matrix, Matrix]) -> Decoded:
        """The likeliest arguments of a predicate, and the probabilities of all.

        Args:
            offered: The spans.
            predicate: The word.
            projected: float32 [n_words, hidden] each, vectors of words as predicates and as heads of spans.
        """
        from pfsm_kernels.roles.features import find_rows  # noqa: PLC0415 - brings numba
        from pfsm_kernels.roles.sets import best_set, by_end, forward, set_sums  # noqa: PLC0415

        arrays = self._weights.arrays
        n, n_words = len(offered.spans), len(projected[0])
        hidden = np.zeros((n, arrays["bias"].size), dtype=np.float32)
        raw = np.zeros((n, len(self.labels)), dtype=np.float32)
        rows = np.zeros(offered.features.shape, dtype=np.int32)
        find_rows(offered.features, (1 << KEY_BITS) - 1, self._keys, self._rows, rows)
        forward(
            rows, offered.heads, predicate, arrays["features"], arrays["bias"], *projected, arrays["output"],
            arrays["output_bias"], hidden, raw,
        )  # fmt: skip
        scores = raw.astype(np.float64) / self._weights.temperature
        if not n:
            return Decoded(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), scores)
        highest = scores.max(axis=1)
        total = highest + np.log(np.exp(scores - highest[:, None]).sum(axis=1))
        order = by_end(offered.spans, n)
        alpha, beta = np.zeros(n_words + 1), np.zeros(n_words + 1)
        log_sum = set_sums(offered.spans, order, n, n_words, total, alpha, beta)
        outside = alpha[offered.spans[:, 0]] + beta[offered.spans[:, 1]] - log_sum
        chosen = np.zeros(n_words, dtype=np.int64)
        count = int(best_set(offered.spans, order, n, n_words, highest, chosen))
        probability = np.minimum(np.exp(outside[:, None] + scores), 1.0)
        return Decoded(chosen[:count][::-1].copy(), scores.argmax(axis=1), probability)

    def _frame(self, word: int, lemma: str, offered: Candidates, decoded: Decoded) -> Frame:
        rounded = np.round(decoded.probability, _DIGITS)
        spans = [(int(start), int(end)) for start, end, _ in offered.spans]
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
        others = [
            Argument(label, (spans[c],), float(rounded[c, k]))
            for c, k in np.argwhere(rounded >= SMALLEST_PROBABILITY).tolist()
            if ((label := self.labels[k].removeprefix(CONTINUATION)), spans[c]) not in known
        ]
        possible = sorted([*arguments, *others], key=lambda one: (one.spans, one.label, -one.probability))
        return Frame(word, lemma, tuple(arguments), alternatives=tuple(possible))
