"""States of the words of a sentence: LSTMs read words, tags, relations and parents in both directions."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.parser.features import normal_form
from pfsm.analysis.parser.parameters import Matrix, ParserWeights
from pfsm.analysis.sentence import DependencyTree

Int64 = NDArray[np.int64]


class Numbers:
    """Numbers of words, tags and relations in the parser's inventories; 0 for what it does not know."""

    def __init__(self, parser: ParserWeights) -> None:
        self._words, self._tags, self._relations = (
            {name: k for k, name in enumerate(parser.inventories[kind], 1)}
            for kind in ("vector_words", "xpos", "labels")
        )

    def of(self, words: Sequence[str], xpos: Sequence[str], tree: DependencyTree) -> Int64:
        """Rows of the vectors of each word and its parent, of its tag and its relation, int64 [n_words, 4].

        Args:
            words: The words of one sentence.
            xpos: Their Penn tags.
            tree: Their tree, heads counted within the sentence.
        """
        own = [self._words.get(normal_form(word), 0) for word in words]
        found = np.zeros((len(words), 4), dtype=np.int64)
        found[:, 0] = own
        found[:, 1] = [own[head - 1] if head else 0 for head in tree.heads]
        found[:, 2] = [self._tags.get(tag, 0) for tag in xpos]
        found[:, 3] = [self._relations.get(label, 0) for label in tree.labels]
        return found


def states_of(numbers: Int64, vectors: Matrix, arrays: Mapping[str, Matrix]) -> Matrix:
    """States of the words of one sentence, float32 [n_words, 2 * state + vector size].

    Args:
        numbers: As `Numbers` gives them.
        vectors: Word vectors; row 0 is for words without one.
        arrays: The labeller's.
    """
    from pfsm_kernels.roles.encoder import lstm  # noqa: PLC0415 - brings numba

    own, parent, tags, relations = numbers.T
    fixed = vectors[own]
    inputs = np.concatenate(
        [fixed, vectors[parent], arrays["tags"][tags], arrays["relations"][relations]], axis=1
    )
    for layer in range(layers_of(arrays)):
        columns = []
        for name, backward in (("ahead", False), ("back", True)):
            recurrent = arrays[f"{name}.{layer}.recurrent"]
            given = inputs @ arrays[f"{name}.{layer}.input"] + arrays[f"{name}.{layer}.bias"]
            out = np.zeros((len(numbers), recurrent.shape[0]), dtype=np.float32)
            lstm(given, recurrent, backward, out)
            columns.append(out)
        inputs = np.concatenate(columns, axis=1)
    return np.concatenate([inputs, fixed], axis=1)


def layers_of(arrays: Mapping[str, Matrix]) -> int:
    """Number of stacked LSTMs."""
    return sum(name.startswith("ahead.") and name.endswith(".input") for name in arrays)
