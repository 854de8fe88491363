"""What joins the words of two lines: stems, synonyms, paraphrases; and the edits that are found with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from pfsm.lexicons import registry, synonyms
from pfsm.lexicons.synonyms import SynonymTable
from pfsm.matchers.paraphrase import ParaphraseMatcher
from pfsm.matchers.protocol import EncodedPairs
from pfsm.matchers.type_lists import TypeLists
from pfsm.metrics.meteor.words import meteor_tokeniser, own_lists
from pfsm.metrics.terp.options import METEOR, PARAPHRASE, STEM, SYNONYM, P, Resources, T
from pfsm.text.chunks import Tokeniser
from pfsm.text.vocabulary import Vocabulary

Float = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
LONGEST_PHRASE = 7
# Types after which a vocabulary starts afresh.
LARGEST_VOCABULARY = 1_000_000
_BY_STEM, _BY_SYNONYM = 1, 2


@dataclass(frozen=True, eq=False)
class Matches:
    """What joins the words of a batch of pairs.

    Attributes:
        references: Words of all references, equal where words are, and where each begins.
        hypotheses: Those of the hypotheses.
        links: int32 [n_links, 3], rows (j, i, how) as `pfsm_kernels.strings.edit_rate` takes them, and where
            each pair's begin.
        phrases: int32 [n_phrases, 4], rows (j, q, i, p), and where each pair's begin.
        values: float64 [n_phrases, 4], what each phrase counts as of the features P, in their order.
    """

    references: tuple[Int32, Int64]
    hypotheses: tuple[Int32, Int64]
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


class Finder:
    """Finds what joins words; keeps what it knows about them. For one thread at a time, see ``lock``.

    Raises:
        PfsmError: If a table is not there.
    """

    def __init__(self, resources: Resources) -> None:
        self.lock = Lock()
        self.labels: dict[str, str] = {}
        self._edits = resources.edits
        self._tokeniser = (
            meteor_tokeniser("en", own_lists("en").abbreviations)
            if resources.tokeniser == METEOR
            else Tokeniser("ter", str.split, lambda chunk: (chunk,))
        )
        if STEM in self._edits:
            self.labels["stemmer"] = "english"
        if SYNONYM in self._edits:
            self._table = SynonymTable(registry.load(resources.synonyms, synonyms.KIND))
            self._synsets = TypeLists(self._table.synsets_of_bases)
            self.labels["syn"] = self._table.label
        if PARAPHRASE in self._edits:
            self._paraphrases = ParaphraseMatcher([resources.paraphrases], LONGEST_PHRASE)
            self.labels["para"] = self._paraphrases.resources[0]
        self._vocabulary = self._new_vocabulary()

    def _new_vocabulary(self) -> Vocabulary:
        return Vocabulary(self._tokeniser, "english")

    def find(self, hypotheses: Sequence[str], references: Sequence[str]) -> Matches:
        """What joins the words of pairs of lines."""
        if len(self._vocabulary) > LARGEST_VOCABULARY:
            self._vocabulary = self._new_vocabulary()
        ones, others = (self._vocabulary.encode(lines) for lines in (references, hypotheses))
        words = self._vocabulary.word_ids
        pairs = EncodedPairs(self._vocabulary, ones, others)
        blocks, values = self._phrases(pairs)
        return Matches(
            (words[ones.ids], ones.offsets),
            (words[others.ids], others.offsets),
            self._links(pairs),
            (np.ascontiguousarray(blocks[:, 1:]), _starts(blocks, len(ones))),
            values,
        )

    def _links(self, pairs: EncodedPairs) -> tuple[Int32, Int64]:
        """Words with a stem or a meaning in common, those that are the same left out."""
        found = [np.zeros((0, 4), dtype=np.int64)]
        if STEM in self._edits:
            found.append(_marked(_agreeing(pairs, self._vocabulary.stem_ids), _BY_STEM))
        if SYNONYM in self._edits:
            found.append(_marked(self._synsets.sharing(pairs, self._table.size), _BY_SYNONYM))
        rows = np.concatenate(found)
        rows = rows[np.lexsort(rows.T[::-1])]
        return np.ascontiguousarray(rows[:, 1:]).astype(np.int32), _starts(rows, len(pairs))

    def _phrases(self, pairs: EncodedPairs) -> tuple[Int32, Float]:
        """Linked phrases that are not the same words, sorted, and what they count as of the features P."""
        if PARAPHRASE not in self._edits:
            return np.zeros((0, 5), dtype=np.int32), np.zeros((0, len(P)))
        blocks, logs = self._paraphrases.links(pairs)
        order = np.lexsort(blocks.T[::-1])
        blocks, logs = blocks[order], logs[order]
        edits = self._edits_between(pairs, blocks)
        columns = [np.ones(logs.size), edits * logs, edits * 10.0**logs, edits]
        kept = edits > 0
        return blocks[kept], np.stack(columns, axis=1)[kept]

    def _edits_between(self, pairs: EncodedPairs, blocks: Int32) -> Float:
        """Edit distance of linked phrases, in words."""
        from pfsm_kernels.strings.overlap import edit_distances  # noqa: PLC0415 - brings numba

        words = self._vocabulary.word_ids
        sides = []
        for lines, start, size in ((pairs.references, 1, 2), (pairs.hypotheses, 3, 4)):
            offsets = np.concatenate([[0], np.cumsum(blocks[:, size])]).astype(np.int64)
            first = lines.offsets[blocks[:, 0]] + blocks[:, start]
            places = np.arange(offsets[-1]) + np.repeat(first - offsets[:-1], blocks[:, size])
            sides += [words[lines.ids[places]], offsets]
        return edit_distances(*sides)


finder = lru_cache(maxsize=4)(Finder)


def _agreeing(pairs: EncodedPairs, keys: Int32) -> Int32:
    from pfsm_kernels.strings.matching import agreeing_blocks  # noqa: PLC0415 - brings numba

    references, hypotheses = pairs.references, pairs.hypotheses
    return agreeing_blocks(
        keys[references.ids], references.offsets, keys[hypotheses.ids], hypotheses.offsets, 1
    )


def _marked(blocks: Int32, how: int) -> Int64:
    """Blocks of single words as rows (pair, j, i, how)."""
    return np.column_stack([blocks[:, [0, 1, 3]], np.full(len(blocks), how)]).astype(np.int64)


def _starts(rows: NDArray[np.integer], n_pairs: int) -> Int64:
    """Where each pair's rows begin; the first column is the pair."""
    return np.searchsorted(rows[:, 0], np.arange(n_pairs + 1)).astype(np.int64)
