"""TERp (Snover et al. 2009): TER with stems, synonyms and paraphrases; edits of each kind times what they cost.

    score = -100 sum over kinds of cost * edits / words of the reference

With an empty reference the words of the hypothesis take the place of the reference's. The score of a corpus is the
cost of all edits over all words of the references, in percent: positive, lower is better.

Costs are those of the features of Kahn, Snover and Ostendorf (2009, section 6.1): set T, one cost for each of matches,
insertions, deletions, substitutions, shifts, synonyms and stems; set P, four for paraphrases: with e the edits between
the two phrases and p the probability of the pair, a paraphrase costs

    paraphrase + e (paraphrase_log log10 p + paraphrase_probability p + paraphrase_edits)

(Snover et al. 2009). An insertion is a word that the hypothesis lacks, a deletion one that it has too many.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from pfsm.arrays import Float, Int32, Int64
from pfsm.lexicons.meteor import FULL_NAME as METEOR_TABLE
from pfsm.lexicons.registry import check_reference
from pfsm.matchers.protocol import EncodedPairs
from pfsm.matchers.synonym import DEFAULT_TABLE as SYNONYM_TABLE
from pfsm.metrics.edit_rates import FewestEditsMetric, fewest_edits
from pfsm.metrics.inputs import score_composed, weighted_sums
from pfsm.metrics.meteor.metric import LinkFinder, distinct, of_different_words, starts_of
from pfsm.metrics.meteor.words import meteor_tokeniser, own_lists
from pfsm.metrics.metric_group import MetricWithComponents, group_with_parts
from pfsm.metrics.names import read_options
from pfsm.runtime.typed import Option, Options, anything, number, one_of, with_defaults
from pfsm.text.chunks import Tokeniser

T = ("match", "insertion", "deletion", "substitution", "shift", "synonym", "stem")
P = ("paraphrase", "paraphrase_log", "paraphrase_probability", "paraphrase_edits")
KINDS = (*T, *P)
_ZERO = dict.fromkeys(KINDS, 0.0)
# ``tuned``: on WMT15's direct assessments by `pfsm tune`, rounded so that either table has the same. ``ter``: TER's,
# and what a word is worth that is not the same but nearly.
TUNED, TER = "tuned", "ter"
COSTS: Mapping[str, Mapping[str, float]] = {
    TUNED: {
        **_ZERO,
        "insertion": 1.4,
        "deletion": 0.3,
        "substitution": 1.3,
        "shift": 1.0,
        "synonym": 0.2,
        "paraphrase": 0.2,
    },
    TER: {
        **_ZERO,
        **dict.fromkeys(("insertion", "deletion", "substitution", "shift"), 1.0),
        **dict.fromkeys(("synonym", "stem", "paraphrase"), 0.3),
    },
}


def cost_vector(costs: Mapping[str, float]) -> Float:
    """The costs in the order of `KINDS`, float64 [11]."""
    return np.array([costs[kind] for kind in KINDS])


# With METEOR's paraphrases; with those that ship.
NAMES = TERP, BASE = ("terp", "terp-base")
LEARNED_TABLE = "learned-en"
STEM, SYNONYM, PARAPHRASE = "stem", "synonym", "paraphrase"
EDITS = (STEM, SYNONYM, PARAPHRASE)
NO_EDITS = "none"
# Words as METEOR has them, or as TER has them: what stands between white space, in lower case.
TOKENISERS = METEOR, TER = ("meteor", "ter")


@dataclass(frozen=True)
class Resources:
    """What edits are found with.

    Attributes:
        edits: Which there are beyond TER's.
        tokeniser: What words are.
        synonyms: Name of a table.
        paraphrases: Likewise.
    """

    edits: tuple[str, ...]
    tokeniser: str
    synonyms: str
    paraphrases: str


_KNOWN: Mapping[str, Option] = {
    **dict.fromkeys(KINDS, number(None, -1000, 1000)),
    "costs": one_of(TUNED, TER),
    "edits": Option(
        "+".join(EDITS),
        lambda value: isinstance(value, str) and (value == NO_EDITS or set(value.split("+")) <= set(EDITS)),
        f"{NO_EDITS} or some of {', '.join(EDITS)} with + between",
    ),
    "tokeniser": one_of(*TOKENISERS),
    "synonyms": anything(SYNONYM_TABLE),
    "paraphrases": anything(METEOR_TABLE),
}


def _checked(name: str, options: Options) -> tuple[dict[str, float], Resources]:
    """The cost of every kind of edit, and what edits are found with."""
    known = _KNOWN if name == TERP else with_defaults(_KNOWN, paraphrases=LEARNED_TABLE)
    chosen = read_options(name, options, known)
    given = {kind: float(options[kind]) for kind in KINDS if kind in options}
    return {**COSTS[chosen["costs"]], **given}, Resources(
        tuple(edit for edit in EDITS if edit in chosen["edits"].split("+")),
        chosen["tokeniser"],
        *(check_reference(chosen[key], f"metric {name}: {key}") for key in ("synonyms", "paraphrases")),
    )


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
            weighted_sums(self.values, costs[len(T) :]),
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


PAIRS_PER_BATCH, CELLS_PER_BATCH = 4096, 2**22
# Sets T and P, then B: words of the hypothesis beyond the reference's number, and of the reference beyond its.
PARTS = (*KINDS, "longer", "shorter")


class TerpMetric(FewestEditsMetric, MetricWithComponents):
    """TERp in percent: of segments negated, 0 is best; of corpora positive. Its parts are `PARTS`.

    Several references: the cheapest edits over the mean length of all references, as TER has it.

    Args:
        name: ``terp``: with METEOR's paraphrases, which the extra ``paraphrases`` brings. ``terp-base``: with
            what ships with pfsm.
        options: A cost for any of `KINDS`; ``costs``: what the others are, ``tuned`` (default) or ``ter``; ``edits``:
            ``stem+synonym+paraphrase`` (default), some of them, or ``none``; ``tokeniser``: ``meteor`` (default) or
            ``ter``; ``synonyms`` and ``paraphrases``: names of tables.

    Raises:
        PfsmError: If an option is unknown or has no such value; at the first use, if a table is not there.
    """

    def __init__(self, name: str, options: Mapping[str, Any]) -> None:
        self.name = name
        self.costs, self._resources = _checked(name, options)
        others = ",".join(f"{key}={value}" for key, value in options.items() if key not in (*KINDS, "costs"))
        self.name_without_costs = f"{name}({others})" if others else name

    def entries(self) -> Mapping[str, str]:
        """Options and tables."""
        return {
            "sign": "negative",
            "case": "lc",
            "tok": self._resources.tokeniser,
            "edits": "+".join(self._resources.edits) or NO_EDITS,
            **finder(self._resources).labels,
            "costs": "/".join(f"{self.costs[kind]:g}" for kind in KINDS),
        }

    @property
    def resources(self) -> tuple[str, ...]:
        """Tables."""
        labels = finder(self._resources).labels
        return tuple(labels[key] for key in ("syn", "para") if key in labels)

    def pair_statistics(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Cost of the edits, and words of the reference: float64 [n_pairs, 2]."""
        return score_composed(self._costs, hypotheses, references)

    def several_references(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """Scores of segments, float64 [n_segments]; where no reference has a word those of single pairs."""
        costs, words = fewest_edits(self.pair_statistics, hypotheses, references).T
        scores = -100.0 * (costs / np.where(words > 0.0, words, 1.0)) + 0.0
        empty = np.flatnonzero(words <= 0.0).tolist()
        scores[empty] = self.score_pairs([hypotheses[k] for k in empty], [references[k][0] for k in empty])
        return np.asarray(scores)

    def find(self, hypotheses: Sequence[str], references: Sequence[str]) -> Matches:
        """What joins the words of pairs, to be aligned by various costs."""
        found = finder(self._resources)
        with found.lock:
            return found.find(hypotheses, references)

    def _costs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        costs = cost_vector(self.costs)
        rows = [
            np.column_stack([weighted_sums(matches.count(costs), costs), matches.lengths[:, 0]])
            for matches in self._batches(hypotheses, references)
        ]
        return np.concatenate([np.empty((0, 2)), *rows])

    def _batches(self, hypotheses: Sequence[str], references: Sequence[str]) -> Iterator[Matches]:
        """Pairs, in their order, as many at once as the memory for what may join their words allows."""
        if not hypotheses:
            return
        words = np.array([[line.count(" ") + 1 for line in side] for side in (hypotheses, references)])
        batch = np.cumsum(words.prod(axis=0) + CELLS_PER_BATCH // PAIRS_PER_BATCH) // CELLS_PER_BATCH
        first = 0
        for end in [*(np.flatnonzero(np.diff(batch)) + 1).tolist(), len(hypotheses)]:
            yield self.find(hypotheses[first:end], references[first:end])
            first = end

    def _rows(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        costs = cost_vector(self.costs)
        rows = [np.empty((0, 1 + len(PARTS)))]
        for matches in self._batches(hypotheses, references):
            counts = matches.count(costs)
            # Edits are added up before they are divided, as TER has it; + 0.0: no -0.0.
            scores = -100.0 * (weighted_sums(counts, costs) / normaliser(matches)) + 0.0
            rows.append(np.column_stack([scores, features(matches, counts)]))
        return np.concatenate(rows)


def normaliser(matches: Matches) -> Float:
    """Words of the references, where there are none those of the hypotheses, and at least 1: float64 [n_pairs]."""
    ours, theirs = matches.lengths.T
    return np.asarray(np.maximum(np.where(ours > 0, ours, theirs), 1.0))


def features(matches: Matches, counts: Float) -> Float:
    """The features `PARTS` of aligned pairs, float64 [n_pairs, n_parts].

    Args:
        matches: The pairs.
        counts: As `Matches.count` gives them.
    """
    ours, theirs = matches.lengths.T
    beyond = np.maximum(np.column_stack([theirs - ours, ours - theirs]), 0.0)
    return np.asarray(np.column_stack([counts, beyond]) / normaliser(matches)[:, np.newaxis])


GROUPS = (
    group_with_parts(
        TERP,
        "TERp: TER with stems, synonyms, paraphrases and costs (English; needs the extra paraphrases)",
        TerpMetric,
        PARTS,
    ),
    group_with_parts(BASE, "TERp with what ships: few paraphrases (English)", TerpMetric, PARTS),
)
