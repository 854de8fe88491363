"""What joins the words of two lines: stems, synonyms, paraphrases; and the edits that are found with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pfsm.matchers.protocol import EncodedPairs
from pfsm.metrics.meteor.matching import LinkFinder, distinct, of_different_words, starts_of
from pfsm.metrics.meteor.words import meteor_tokeniser, own_lists
from pfsm.metrics.terp.options import METEOR, PARAPHRASE, STEM, SYNONYM, P, Resources, T
from pfsm.text.chunks import Tokeniser

Float = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
_BY_STEM, _BY_SYNONYM = 1, 2


@dataclass(frozen=True, eq=False)
class Matches:
    """What joins the words of a batch of pairs.

    Attributes:
        references: Words of all references, equal where words are, and where each begins.
        hypotheses: Those of the hypotheses.
        types: For each word of the references, and of the hypotheses, the number of its type, of all lines.
        links: int32 [n_links, 3], rows (j, i, how) as `pfsm_kernels.strings.edit_rate` takes them, of types, and where
            each pair's begin.
        phrases: int32 [n_phrases, 4], rows (j, q, i, p), and where each pair's begin.
        values: float64 [n_phrases, 4], what each phrase counts as of the features P, in their order.
    """

    references: tuple[Int32, Int64]
    hypotheses: tuple[Int32, Int64]
    types: tuple[Int64, Int64]
    links: tuple[Int32, Int64]
    phrases: tuple[Int32, Int64]
    values: Float

    def count(self, costs: Float) -> Float:
        """Edits of each kind (`KINDS`) of the alignment that is best by these costs, float64 [n_pairs, 11]."""
        from pfsm_kernels.strings.edit_rate import count_edits  # noqa: PLC0415 - brings numba

        counts, used = count_edits(
            *self.references,
            *self.hypotheses,
            *self.links,
            *self.phrases,
            self.values @ costs[len(T) :],
            np.ascontiguousarray(costs[: len(T)]),
            self.types,
        )
        pair = np.repeat(np.arange(len(counts)), np.diff(self.phrases[1]))[used]
        paraphrased = np.zeros((len(counts), len(P)))
        np.add.at(paraphrased, pair, self.values[used])
        return np.concatenate([counts, paraphrased], axis=1)

    @property
    def lengths(self) -> Float:
        """Words of references and hypotheses, float64 [n_pairs, 2]."""
        sides = (self.references, self.hypotheses)
        return np.stack([np.diff(offsets) for _, offsets in sides], axis=1).astype(np.float64)


class Finder(LinkFinder):
    """Finds what joins words."""

    def __init__(self, resources: Resources) -> None:
        self._edits = edits = resources.edits
        super().__init__(
            meteor_tokeniser("en", own_lists("en").abbreviations)
            if resources.tokeniser == METEOR
            else Tokeniser("ter", str.split, lambda chunk: (chunk,)),
            "english",
            stem=STEM in edits,
            synonym_table=resources.synonyms if SYNONYM in edits else "",
            paraphrase_table=resources.paraphrases if PARAPHRASE in edits else "",
        )

    def find(self, hypotheses: Sequence[str], references: Sequence[str]) -> Matches:
        """What joins the words of pairs of lines."""
        pairs = self.encode(references, hypotheses)
        words = pairs.vocabulary.word_ids
        ones, others = ((words[side.ids], side.offsets) for side in (pairs.references, pairs.hypotheses))
        blocks, values = self._phrases(pairs)
        phrases = np.ascontiguousarray(blocks[:, 1:]), starts_of(blocks, len(pairs))
        return Matches(ones, others, *self._links(pairs), phrases, values)

    def _links(self, pairs: EncodedPairs) -> tuple[tuple[Int64, Int64], tuple[Int32, Int64]]:
        """The type of each word; types with a stem or a meaning in common, those that are the same word left out."""
        ones, of_ones = distinct(pairs.references, len(pairs.vocabulary), 1)
        others, of_others = distinct(pairs.hypotheses, len(pairs.vocabulary), 1)
        types = EncodedPairs(pairs.vocabulary, ones, others)
        found = [np.zeros((0, 4), dtype=np.int32)]
        for edit, find, how in (STEM, self.stems, _BY_STEM), (SYNONYM, self.meanings, _BY_SYNONYM):
            if edit in self._edits:
                blocks = of_different_words(types, find(types))
                found.append(blocks[:, [0, 1, 3, 2]] + np.array([0, 0, 0, how - 1], dtype=np.int32))
        rows = np.concatenate(found)
        rows = rows[np.lexsort(rows.T[::-1])]
        return (of_ones, of_others), (np.ascontiguousarray(rows[:, 1:]), starts_of(rows, len(pairs)))

    def _phrases(self, pairs: EncodedPairs) -> tuple[Int32, Float]:
        """Linked phrases that are not the same words, sorted, and what they count as of the features P."""
        if PARAPHRASE not in self._edits:
            return np.zeros((0, 5), dtype=np.int32), np.zeros((0, len(P)))
        blocks, logs = self.paraphrases.links(pairs)
        order = np.lexsort(blocks.T[::-1])
        blocks, logs = blocks[order], logs[order]
        edits = self._edits_between(pairs, blocks)
        columns = [np.ones(logs.size), edits * logs, edits * 10.0**logs, edits]
        kept = edits > 0
        return blocks[kept], np.stack(columns, axis=1)[kept]

    def _edits_between(self, pairs: EncodedPairs, blocks: Int32) -> Float:
        """Edit distance of linked phrases, in words."""
        from pfsm_kernels.strings.overlap import edit_distances  # noqa: PLC0415 - brings numba

        words = pairs.vocabulary.word_ids
        sides = []
        for lines, start, size in ((pairs.references, 1, 2), (pairs.hypotheses, 3, 4)):
            offsets = np.concatenate([[0], np.cumsum(blocks[:, size])]).astype(np.int64)
            first = lines.offsets[blocks[:, 0]] + blocks[:, start]
            places = np.arange(offsets[-1]) + np.repeat(first - offsets[:-1], blocks[:, size])
            sides += [words[lines.ids[places]], offsets]
        return edit_distances(*sides)


finder = lru_cache(maxsize=4)(Finder)
