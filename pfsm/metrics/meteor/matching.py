"""All matches of two sentences, in METEOR's four stages.

``exact``: the same word, case aside. ``stem``: the same stem (Snowball's stemmer of the language). ``syn``: a synset in
common. ``para``: phrases that a table links, in either direction. Each stage looks at all words, but ``stem`` and
``syn`` leave out what is the same word.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.lexicons import paraphrases, registry, synonyms
from pfsm.lexicons.paraphrases import ParaphraseTable
from pfsm.lexicons.synonyms import SynonymTable
from pfsm.matchers.protocol import EncodedPairs
from pfsm.matchers.type_lists import TypeLists
from pfsm.metrics.meteor.words import WordLists, meteor_tokeniser
from pfsm.text.languages import default_stemmer
from pfsm.text.vocabulary import EncodedLines, Vocabulary

# Longest phrase of METEOR's own tables.
LONGEST_PHRASE = 7
# Types after which a vocabulary starts afresh.
LARGEST_VOCABULARY = 1_000_000
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Matches:
    """Matches of a batch of pairs.

    Attributes:
        rows: int32 [n_matches, 4], (j, q, i, p): q words of the reference from j, p words of the hypothesis from i; of
            each pair sorted by j, then stage, then i.
        stages: int64 [n_matches], place of the stage among those given.
        offsets: int64 [n_pairs + 1], where each pair begins.
        references: Words of the references, and where each line begins.
        hypotheses: Those of the hypotheses.
        is_function: bool [n_types], whether each type is a function word.
    """

    rows: Int32
    stages: Int64
    offsets: Int64
    references: EncodedLines
    hypotheses: EncodedLines
    is_function: NDArray[np.bool_]


class Analyser:
    """Finds matches; keeps what it knows about words. For one thread at a time.

    Args:
        language: Code of two letters: decides the rules of the tokeniser, and the stemmer.
        stages: Those to match in, in their order.
        lists: Function words and abbreviations.
        synonym_table: Name of the table for ``syn``.
        paraphrase_table: Name of the table for ``para``.

    Raises:
        PfsmError: If a table is not there.
    """

    def __init__(
        self,
        language: str,
        stages: Sequence[str],
        lists: WordLists,
        synonym_table: str,
        paraphrase_table: str,
    ) -> None:
        self._stages = tuple(stages)
        self._tokeniser = meteor_tokeniser(language, lists.abbreviations)
        self._stemmer = "english" if language == "en" else default_stemmer(language)
        self._function_words = lists.function_words
        self.resources: dict[str, str] = {}
        if "stem" in stages:
            self.resources["stemmer"] = self._stemmer
        if "syn" in stages:
            self._synonyms = SynonymTable(registry.load(synonym_table, synonyms.KIND))
            self._synsets = TypeLists(self._synonyms.synsets_of_bases)
            self.resources["syn"] = self._synonyms.label
        if "para" in stages:
            self._paraphrases = ParaphraseTable(registry.load(paraphrase_table, paraphrases.KIND))
            self.resources["para"] = self._paraphrases.label
        self._vocabulary = self._new_vocabulary()

    def _new_vocabulary(self) -> Vocabulary:
        return Vocabulary(self._tokeniser, self._stemmer)

    def find(self, references: Sequence[str], hypotheses: Sequence[str]) -> Matches:
        """All matches of pairs of lines."""
        if len(self._vocabulary) > LARGEST_VOCABULARY:
            self._vocabulary = self._new_vocabulary()
        ones, others = (self._vocabulary.encode(lines) for lines in (references, hypotheses))
        pairs = EncodedPairs(self._vocabulary, ones, others)
        find = {"exact": self._exact, "stem": self._stem, "syn": self._syn, "para": self._para}
        found = [find[stage](pairs) for stage in self._stages]
        blocks = np.concatenate(found)
        stages = np.repeat(np.arange(len(found)), [len(rows) for rows in found])
        # Columns of a block: pair, j, q, i, p.
        order = np.lexsort((blocks[:, 4], blocks[:, 3], stages, blocks[:, 1], blocks[:, 0]))
        blocks = blocks[order]
        offsets = np.searchsorted(blocks[:, 0], np.arange(len(ones) + 1)).astype(np.int64)
        is_function = self._vocabulary.column(self._are_function_words).astype(np.bool_)
        return Matches(np.ascontiguousarray(blocks[:, 1:]), stages[order], offsets, ones, others, is_function)

    def _are_function_words(self, types: Sequence[str]) -> list[int]:
        return [word in self._function_words for word in types]

    def _exact(self, pairs: EncodedPairs) -> Int32:
        return _agreeing(pairs, np.arange(len(self._vocabulary), dtype=np.int32))

    def _stem(self, pairs: EncodedPairs) -> Int32:
        return _of_different_words(pairs, _agreeing(pairs, self._vocabulary.stem_ids))

    def _syn(self, pairs: EncodedPairs) -> Int32:
        return _of_different_words(pairs, self._synsets.sharing(pairs, self._synonyms.size))

    def _para(self, pairs: EncodedPairs) -> Int32:
        from pfsm_kernels.strings.sharing import find_phrases, linked_phrases  # noqa: PLC0415 - brings numba

        table = self._paraphrases
        words = self._vocabulary.column(table.words)

        def linked(given: EncodedLines, meant: EncodedLines) -> Int32:
            phrases = [
                find_phrases(
                    words[lines.ids],
                    lines.offsets,
                    table.child_offsets,
                    table.child_words,
                    wanted,
                    LONGEST_PHRASE,
                )
                for lines, wanted in ((given, table.is_source), (meant, table.is_target))
            ]
            return linked_phrases(*phrases[0], *phrases[1], table.target_offsets, table.targets)[0]

        forward = linked(pairs.references, pairs.hypotheses)
        backward = linked(pairs.hypotheses, pairs.references)[:, [0, 3, 4, 1, 2]]
        return np.concatenate([forward, backward])


def _agreeing(pairs: EncodedPairs, keys: Int32) -> Int32:
    """Pairs of single words whose types have the same key."""
    from pfsm_kernels.strings.matching import agreeing_blocks  # noqa: PLC0415 - brings numba

    references, hypotheses = pairs.references, pairs.hypotheses
    return agreeing_blocks(
        keys[references.ids], references.offsets, keys[hypotheses.ids], hypotheses.offsets, 1
    )


def _of_different_words(pairs: EncodedPairs, blocks: Int32) -> Int32:
    """Those of single words that are not the same word."""
    pair, i, j = blocks[:, 0], blocks[:, 1], blocks[:, 3]
    one = pairs.references.ids[pairs.references.offsets[pair] + i]
    other = pairs.hypotheses.ids[pairs.hypotheses.offsets[pair] + j]
    return np.asarray(blocks[one != other])
