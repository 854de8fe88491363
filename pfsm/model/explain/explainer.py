"""Explanations and alignments of many pairs of a metric at work, block by block."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, starmap
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pfsm.lattice.arrays import LatticeBatch
from pfsm.model.builder import LatticeBuilder
from pfsm.model.explain.alignments import Alignments, align_lattices, joined
from pfsm.model.explain.errors import errors, marker_of
from pfsm.model.explain.explaining import Explaining, PieceExplainer
from pfsm.model.explain.explanation import Explanation
from pfsm.model.explain.long_lines import joined_alignments, joined_explanations
from pfsm.model.file import Model
from pfsm.model.long_lines import LongLines

if TYPE_CHECKING:
    from pfsm_kernels.inference import Weights

Float = NDArray[np.float64]
# Their lattices are built together; more of them would take memory and no less time.
EXPLAINED_AT_ONCE = 100


class Explainer:
    """Explains pairs as a metric has read them.

    Args:
        model: The model.
        reader: Gives the builder for the next block.
        weights: The kernel's weights of a batch; None for a model without edits.

    Raises:
        PfsmError: If the model's record of what finds errors is damaged.
    """

    def __init__(
        self,
        model: Model,
        reader: Callable[[], LatticeBuilder],
        weights: Callable[[LatticeBatch], "Weights | None"],
    ) -> None:
        self._model, self._reader, self._weights = model, reader, weights
        self._marker = marker_of(model.training, model.settings.features, f"model {model.name}")
        self._pieces = PieceExplainer(model)

    def explanations(
        self,
        hypotheses: Sequence[str],
        references: Sequence[str],
        numbers: Mapping[str, Float],
        long: LongLines | None,
        scores: Float | None,
    ) -> Iterator[Explanation]:
        """Yield the explanation of every pair, its contributions as arrays.

        Args:
            hypotheses: Translations.
            references: As many references.
            numbers: Of each column that the model needs float64 [n_pairs].
            long: The pairs in parts, where some are scored so; then ``scores`` are those of the pairs.
            scores: float64 [n_pairs].

        Raises:
            PfsmError: If a pair is too long, when its turn comes.
        """
        sides = (hypotheses, references) if long is None else long.parts
        explaining = Explaining(self._model, self._reader, self._weights, self._pieces)
        blocks = _blocks(*sides, numbers if long is None else long.of_parts(numbers))
        explained: Iterator[Explanation] = chain.from_iterable(starmap(explaining.block, blocks))
        if long is not None and scores is not None:
            explained = joined_explanations(explained, *long.owners_of_parts, scores)
        language = self._model.settings.language
        for one, hypothesis, reference in zip(explained, hypotheses, references, strict=True):
            yield replace(one, errors=errors(one, hypothesis, reference, language, self._marker))

    def alignments(
        self,
        hypotheses: Sequence[str],
        references: Sequence[str],
        numbers: Mapping[str, Float],
        long: LongLines | None,
        scores: Float | None,
        threads: int,
    ) -> Alignments:
        """Return the alignments of pairs; arguments as `explanations`."""

        def aligned(ours: Sequence[str], theirs: Sequence[str], own: Mapping[str, Float]) -> Alignments:
            builder = self._reader()
            with builder.lock:
                pairs = builder.encode(theirs, ours)
                tokens, batch = builder.tokens(pairs), builder.lattices(pairs, columns=own)
            return align_lattices(batch, self._model, self._weights(batch), tokens, threads)

        if long is None or scores is None:
            return joined([*starmap(aligned, _blocks(hypotheses, references, numbers))])
        found = joined([*starmap(aligned, _blocks(*long.parts, long.of_parts(numbers)))])
        return joined_alignments(found, *long.owners_of_parts, scores)


def _blocks(
    hypotheses: Sequence[str], references: Sequence[str], numbers: Mapping[str, Float]
) -> Iterator[tuple[Sequence[str], Sequence[str], dict[str, Float]]]:
    """Pairs as many at a time as are explained together."""
    for first in range(0, len(hypotheses), EXPLAINED_AT_ONCE):
        part = slice(first, first + EXPLAINED_AT_ONCE)
        own = {name: values[part] for name, values in numbers.items()}
        yield hypotheses[part], references[part], own
