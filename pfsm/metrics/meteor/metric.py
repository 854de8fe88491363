"""METEOR 1.5 (Denkowski and Lavie 2014, *Meteor Universal*), from the definition to the score.

All matches of the two sentences are found, the best alignment among them is searched for
(`pfsm_kernels.strings.meteor`), and its words are counted. With ``m_s(h_c)`` content words of the hypothesis matched in
stage s, ``m_s(h_f)`` function words, ``w_s`` the weight of the stage, and the same for the reference r:

    P = sum_s w_s (delta m_s(h_c) + (1 - delta) m_s(h_f)) / (delta |h_c| + (1 - delta) |h_f|),    R likewise
    F = P R / (alpha P + (1 - alpha) R)
    fragmentation = chunks / ((matched words of h + matched words of r) / 2),  0 where one chunk covers both sides whole
    score = F (1 - gamma fragmentation^beta)

Quotients without a denominator are 0. The score of a corpus is that of the sums of all these counts over its segments;
a segment whose both sides are one chunk adds no chunk.

The matches are found in four stages. ``exact``: the same word, case aside. ``stem``: the same stem (Snowball's stemmer
of the language). ``syn``: a synset in common. ``para``: phrases that a table links, in either direction. Each stage
looks at all words, but ``stem`` and ``syn`` leave out what is the same word.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float, Int32, Int64
from pfsm.errors import PfsmError
from pfsm.lexicons import registry, synonyms
from pfsm.lexicons.synonyms import SynonymTable
from pfsm.matchers.agreement import agreeing
from pfsm.matchers.paraphrase import REPEATED, ParaphraseMatcher
from pfsm.matchers.protocol import EncodedPairs, TypeLists
from pfsm.metrics.inputs import quotient, score_composed, weighted_sums
from pfsm.metrics.meteor.options import BASE, STAGES, MeteorOptions, Parameters
from pfsm.metrics.meteor.words import meteor_lists, meteor_tokeniser, own_lists
from pfsm.metrics.metric_group import MetricWithComponents
from pfsm.text.chunks import Tokeniser
from pfsm.text.languages import default_stemmer
from pfsm.text.vocabulary import EncodedLines, Vocabulary

# Longest phrase of METEOR's own tables.
LONGEST_PHRASE = 7
# Matches that begin at all the words of a pair, at most: more take a minute.
MOST_MATCHES = 30_000_000
# Types after which a vocabulary starts afresh.
LARGEST_VOCABULARY = 1_000_000


class LinkFinder:
    """Finds what joins the words of two lines; keeps what it knows about them. For one thread at a time: see ``lock``.

    ``stem`` says whether stems do; a table's name may be empty for none. Raises PfsmError if a table is not there.
    """

    def __init__(
        self, tokeniser: Tokeniser, stemmer: str, *, stem: bool, synonym_table: str, paraphrase_table: str
    ) -> None:
        self.lock = Lock()
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
    """Matches of a batch of pairs, in lists.

    Attributes:
        rows: int32 [n_matches, 3], (q, i, p): q words of the reference, p words of the hypothesis from i; of each list
            sorted by stage, then i.
        stages: int64 [n_matches], place of the stage among those given.
        offsets: int64 [n_lists + 1], where each list begins.
        lists: int64 [n_ref_words, 2], the lists of matches that begin at each word of the references: of single words
            and of phrases. Where a line says the same again, places share them.
        references: Words of the references, and where each line begins.
        hypotheses: Those of the hypotheses.
        is_function: bool [n_types], whether each type is a function word.
    """

    rows: Int32
    stages: Int64
    offsets: Int64
    lists: Int64
    references: EncodedLines
    hypotheses: EncodedLines
    is_function: NDArray[np.bool_]


class Analyser(LinkFinder):
    """Finds METEOR's matches: ``meteor`` with METEOR's word lists, ``meteor-base`` with our own."""

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
        find: dict[str, Callable[[EncodedPairs], Int32]] = {
            "exact": lambda words: agreeing(words, np.arange(len(words.vocabulary), dtype=np.int32)),
            "stem": lambda words: of_different_words(words, self.stems(words)),
            "syn": lambda words: of_different_words(words, self.meanings(words)),
            "para": lambda parts: np.concatenate([blocks for blocks, _ in self.paraphrases.found(parts)]),
        }
        n_types = len(pairs.vocabulary)
        words, places = distinct(pairs.references, n_types, 1)
        parts, places_of_phrases = distinct(pairs.references, n_types, LONGEST_PHRASE)
        rows = []
        for number, stage in enumerate(self._stages):
            side, before = (parts, words.ids.size) if stage == "para" else (words, 0)
            blocks = find[stage](EncodedPairs(pairs.vocabulary, side, pairs.hypotheses))
            starts = side.offsets[blocks[:, 0]] + blocks[:, 1] + before
            rows.append(np.column_stack([starts, blocks[:, 2:], np.full(len(blocks), number)]))
        # Columns: the word where it begins, q, i, p, stage.
        found = np.concatenate(rows)
        found = found[np.lexsort((found[:, 3], found[:, 2], found[:, 4], found[:, 0]))]
        starts = np.arange(words.ids.size + parts.ids.size + 1)
        offsets = np.searchsorted(found[:, 0], starts).astype(np.int64)
        lists = np.column_stack([places, places_of_phrases + words.ids.size])
        counts = np.append(0, np.diff(offsets)[lists].sum(axis=1).cumsum())[pairs.references.offsets]
        if np.diff(counts).max(initial=0) > MOST_MATCHES:
            raise PfsmError(f"METEOR: {REPEATED.format(MOST_MATCHES)}")
        is_function = pairs.vocabulary.column(lambda types: [word in self._function_words for word in types])
        return Matches(
            found[:, 1:4].astype(np.int32),
            found[:, 4],
            offsets,
            lists,
            pairs.references,
            pairs.hypotheses,
            is_function.astype(np.bool_),
        )


def distinct(lines: EncodedLines, n_types: int, size: int) -> tuple[EncodedLines, Int64]:
    """The lines without what is said again: of the places where the same words begin, ``size`` or more, the first.

    The words behind a place that stays do so, too. Also, for each word of the lines, the place that stands for it.
    """
    numbers = np.repeat(np.arange(len(lines)), np.diff(lines.offsets))
    keys, step = numbers * n_types + lines.ids, 1
    while step < size:
        keys = np.unique(keys, return_inverse=True)[1]
        later = np.append(keys[step:], np.full(min(step, keys.size), -1))
        keys, step = keys * (keys.size + 1) + later + 1, 2 * step
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    kept = np.zeros(keys.size, dtype=np.bool_)
    for ahead in range(size):
        kept[np.minimum(first + ahead, lines.offsets[1:][numbers[first]] - 1)] = True
    counts = np.cumsum(np.append(0, kept))
    return EncodedLines(lines.ids[kept], counts[lines.offsets], lines.lines, lines.numbers), counts[
        first[place]
    ]


def of_different_words(pairs: EncodedPairs, blocks: Int32) -> Int32:
    """Those of single words that are not the same word."""
    one, other = pairs.first_tokens(blocks)
    return np.asarray(blocks[one != other])


BEAM = 40
PAIRS_PER_BATCH = 4096


class MeteorMetric(MetricWithComponents):
    """METEOR 1.5, from 0 to 1. Its parts are `PARTS`. Several references: the best one of each segment counts.

    Args:
        name: ``meteor``: with METEOR's paraphrases and word lists, which the extra ``paraphrases`` brings.
            ``meteor-base``: with what ships with pfsm: its own word lists, no paraphrases.
        options: As `check_options` returns them.

    Raises:
        PfsmError: At the first use, if something that is needed is not installed.
    """

    most_words = 10_000

    def __init__(self, name: str, options: MeteorOptions) -> None:
        self.name = name
        self.options = options
        self.parameters = options.parameters

    def entries(self) -> Mapping[str, str]:
        """Options and tables."""
        analyser = _analyser(self.name, self.options)
        return {
            "lang": self.options.language,
            "task": self.options.task,
            **{key: f"{value:g}" for key, value in self.options.given},
            "stages": "+".join(self.options.stages),
            "tok": "meteor",
            **analyser.labels,
            "words": analyser.words,
        }

    @property
    def resources(self) -> tuple[str, ...]:
        """Tables and word lists."""
        analyser = _analyser(self.name, self.options)
        return (*analyser.labels.values(), analyser.words)

    def pair_statistics(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Counts that METEOR adds up, float64 [n_pairs, 21].

        Words matched by side (hypothesis, reference), class (content, function) and stage; words by side and class;
        chunks, of which a pair whose both sides are one chunk has none.
        """
        return score_composed(self._statistics, hypotheses, references)

    def corpus_from_totals(self, totals: Float) -> Float:
        """METEOR of the sums."""
        counts = totals.reshape(-1, totals.shape[-1])
        return _scores(counts, self.parameters)[:, 0].reshape(totals.shape[:-1])

    def _rows(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        return _scores(self._statistics(hypotheses, references), self.parameters)

    def _statistics(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        analyser = _analyser(self.name, self.options)
        rows = [np.empty((0, 5 * 4 + 1))]
        with analyser.lock:
            for first in range(0, len(hypotheses), PAIRS_PER_BATCH):
                batch = slice(first, first + PAIRS_PER_BATCH)
                rows.append(_counts(analyser.find(references[batch], hypotheses[batch]), self.parameters))
        return np.concatenate(rows)


# A table of paraphrases takes 100 MB; a process needs one or two.
_analyser = lru_cache(maxsize=4)(Analyser)


def _counts(matches: Matches, parameters: Parameters) -> Float:
    """What the best alignments of pairs count, as `MeteorMetric.pair_statistics` gives it."""
    from pfsm_kernels.strings.meteor import best_alignments  # noqa: PLC0415 - brings numba

    weights = np.array(list(parameters.weights.values()))[matches.stages]
    worth = sum((matches.rows[:, column] * weights).astype(np.int64) for column in (0, 2))
    references, hypotheses = matches.references.offsets, matches.hypotheses.offsets
    kept, chunks = best_alignments(
        matches.rows, worth, matches.offsets, matches.lists, references, np.diff(hypotheses), BEAM
    )
    words = np.flatnonzero(kept >= 0)
    n_pairs, rows = len(matches.references), matches.rows[kept[words]]
    pair = np.searchsorted(references, words, side="right") - 1
    place = pair * len(STAGES) + matches.stages[kept[words]]
    matched, total = [], []
    sides = ((matches.hypotheses, hypotheses[pair] + rows[:, 1], 2), (matches.references, words, 0))
    for lines, start, column in sides:
        function = np.concatenate([[0], np.cumsum(matches.is_function[lines.ids])])
        size = rows[:, column]
        functional = function[start + size] - function[start]
        matched += [
            np.bincount(place, counted, n_pairs * len(STAGES)).reshape(-1, len(STAGES))
            for counted in (size - functional, functional)
        ]
        all_functional = np.diff(function[lines.offsets])
        total += [np.diff(lines.offsets) - all_functional, all_functional]
    whole = (chunks == 1) & (np.sum(matched, axis=(0, 2)) == sum(total))
    return np.column_stack([*matched, *total, np.where(whole, 0.0, chunks)]).astype(np.float64)


def _scores(counts: Float, parameters: Parameters) -> Float:
    """Scores and parts, as `MeteorMetric.parts` gives them, from the counts of pairs or of corpora."""
    # By side and class, and by stage.
    matched, total = counts[:, :16].reshape(-1, 2, 2, len(STAGES)), counts[:, 16:20].reshape(-1, 2, 2)
    weights = np.zeros(len(STAGES))
    weights[: len(parameters.weights)] = list(parameters.weights.values())
    content, function = parameters.delta, 1.0 - parameters.delta
    p, r = (
        quotient(
            content * (weighted_sums(matched[:, side, 0], weights))
            + function * (weighted_sums(matched[:, side, 1], weights)),
            content * total[:, side, 0] + function * total[:, side, 1],
        )
        for side in (0, 1)
    )
    f = quotient(p * r, parameters.alpha * p + (1.0 - parameters.alpha) * r)
    by_stage, of_class = matched.sum(axis=(1, 2)), total.sum(axis=1)
    fragmentation = quotient(2.0 * counts[:, 20], by_stage.sum(axis=1))
    penalty = parameters.gamma * fragmentation**parameters.beta
    words = of_class.sum(axis=1)
    shares = [
        *(quotient(stage, words) for stage in _stages(by_stage.T, parameters)),
        *quotient(matched.sum(axis=(1, 3)), of_class).T,
    ]
    return np.column_stack([f * (1.0 - penalty), p, r, f, penalty, fragmentation, *shares])


def _stages(counts: Float, parameters: Parameters) -> list[Float]:
    """Counts of all four stages, zeros for those that the parameters do without."""
    of = dict(zip(parameters.weights, counts, strict=False))
    return [of.get(stage, np.zeros(counts.shape[1])) for stage in STAGES]
