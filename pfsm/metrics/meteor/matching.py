"""All matches of two sentences, in METEOR's four stages.

``exact``: the same word, case aside. ``stem``: the same stem (Snowball's stemmer of the language). ``syn``: a synset in
common. ``para``: phrases that a table links, in either direction. Each stage looks at all words, but ``stem`` and
``syn`` leave out what is the same word.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from pfsm.lexicons import registry, synonyms
from pfsm.lexicons.synonyms import SynonymTable
from pfsm.matchers.agreement import agreeing
from pfsm.matchers.paraphrase import ParaphraseMatcher
from pfsm.matchers.protocol import EncodedPairs
from pfsm.matchers.type_lists import TypeLists
from pfsm.metrics.meteor.options import BASE, MeteorOptions
from pfsm.metrics.meteor.words import meteor_lists, meteor_tokeniser, own_lists
from pfsm.runtime.forks import fork_safe
from pfsm.text.chunks import Tokeniser
from pfsm.text.languages import default_stemmer
from pfsm.text.vocabulary import EncodedLines, Vocabulary

# Longest phrase of METEOR's own tables.
LONGEST_PHRASE = 7
# Types after which a vocabulary starts afresh.
LARGEST_VOCABULARY = 1_000_000
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


class LinkFinder:
    """Finds what joins the words of two lines; keeps what it knows about them. For one thread at a time: see ``lock``.

    Args:
        tokeniser: Makes words of lines.
        stemmer: Its name.
        stem: Whether stems join words.
        synonym_table: Name of a table; empty for none.
        paraphrase_table: Likewise.

    Raises:
        PfsmError: If a table is not there.
    """

    def __init__(
        self, tokeniser: Tokeniser, stemmer: str, *, stem: bool, synonym_table: str, paraphrase_table: str
    ) -> None:
        self.lock = fork_safe(Lock(), 1)
        self.labels: dict[str, str] = {}
        if stem:
            self.labels["stemmer"] = stemmer
        if synonym_table:
            self._synonyms = SynonymTable(registry.load(synonym_table, synonyms.KIND))
            self._synsets = TypeLists(self._synonyms.synsets_of_bases)
            self.labels["syn"] = self._synonyms.label
        if paraphrase_table:
            self.paraphrases = ParaphraseMatcher([paraphrase_table], LONGEST_PHRASE)
            self.labels["para"] = self.paraphrases.resources[0]
        self._new_vocabulary = partial(Vocabulary, tokeniser, stemmer)
        self._vocabulary = self._new_vocabulary()

    def encode(self, references: Sequence[str], hypotheses: Sequence[str]) -> EncodedPairs:
        """The pairs as token ids of one vocabulary."""
        if len(self._vocabulary) > LARGEST_VOCABULARY:
            self._vocabulary = self._new_vocabulary()
        sides = (self._vocabulary.encode(lines) for lines in (references, hypotheses))
        return EncodedPairs(self._vocabulary, *sides)

    def stems(self, pairs: EncodedPairs) -> Int32:
        """Pairs of words with the same stem, int32 [n_blocks, 5], rows (pair, j, 1, i, 1); equal words too."""
        return agreeing(pairs, pairs.vocabulary.stem_ids)

    def meanings(self, pairs: EncodedPairs) -> Int32:
        """Pairs of words with a synset in common, likewise."""
        return self._synsets.sharing(pairs, self._synonyms.size)


def starts_of(rows: NDArray[np.integer], n_pairs: int) -> Int64:
    """Where the rows of each pair begin, int64 [n_pairs + 1]; the first column is the pair."""
    return np.searchsorted(rows[:, 0], np.arange(n_pairs + 1)).astype(np.int64)


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


class Analyser(LinkFinder):
    """Finds METEOR's matches.

    Args:
        name: ``meteor``: with METEOR's word lists; ``meteor-base``: with our own.
        options: The language, tables and stages.

    Raises:
        PfsmError: If a table is not there.
    """

    def __init__(self, name: str, options: MeteorOptions) -> None:
        language, self._stages = options.language, options.stages
        lists = own_lists(language) if name == BASE else meteor_lists(language)
        self.words = lists.label
        self._function_words = lists.function_words
        super().__init__(
            meteor_tokeniser(language, lists.abbreviations),
            "english" if language == "en" else default_stemmer(language),
            stem="stem" in self._stages,
            synonym_table=options.synonyms if "syn" in self._stages else "",
            paraphrase_table=options.paraphrases if "para" in self._stages else "",
        )

    def find(self, references: Sequence[str], hypotheses: Sequence[str]) -> Matches:
        """All matches of pairs of lines."""
        pairs = self.encode(references, hypotheses)
        find = {"exact": self._exact, "stem": self._stem, "syn": self._syn, "para": self._para}
        found = [find[stage](pairs) for stage in self._stages]
        blocks = np.concatenate(found)
        stages = np.repeat(np.arange(len(found)), [len(rows) for rows in found])
        # Columns of a block: pair, j, q, i, p.
        order = np.lexsort((blocks[:, 4], blocks[:, 3], stages, blocks[:, 1], blocks[:, 0]))
        blocks = blocks[order]
        is_function = pairs.vocabulary.column(self._are_function_words).astype(np.bool_)
        return Matches(
            np.ascontiguousarray(blocks[:, 1:]),
            stages[order],
            starts_of(blocks, len(pairs)),
            pairs.references,
            pairs.hypotheses,
            is_function,
        )

    def _are_function_words(self, types: Sequence[str]) -> list[int]:
        return [word in self._function_words for word in types]

    def _exact(self, pairs: EncodedPairs) -> Int32:
        return agreeing(pairs, np.arange(len(pairs.vocabulary), dtype=np.int32))

    def _stem(self, pairs: EncodedPairs) -> Int32:
        return _of_different_words(pairs, self.stems(pairs))

    def _syn(self, pairs: EncodedPairs) -> Int32:
        return _of_different_words(pairs, self.meanings(pairs))

    def _para(self, pairs: EncodedPairs) -> Int32:
        return np.concatenate([blocks for blocks, _ in self.paraphrases.found(pairs)])


def _of_different_words(pairs: EncodedPairs, blocks: Int32) -> Int32:
    """Those of single words that are not the same word."""
    one, other = pairs.first_tokens(blocks)
    return np.asarray(blocks[one != other])
