"""Minimal pairs from good translations: a text and the same text with one change of a known kind."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest

from pfsm.analysis.analysers import DEFAULT_PARSER
from pfsm.analysis.sentence import Analysis
from pfsm.analysis.service import PORTION, analyse_lines
from pfsm.data.minimal_pairs import MinimalPairs
from pfsm.data.table import DataSource
from pfsm.errors import PfsmError
from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import place_of_change
from pfsm.perturbation.kind import Kind
from pfsm.perturbation.pool import Pool
from pfsm.perturbation.text import Text

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Translation:
    """A good translation to be changed.

    Attributes:
        reference: The reference that metrics get.
        text: The translation; where it is the reference itself, the pairs compare a perfect match with a faulty copy.
        source: What it translates; empty if not known.
    """

    reference: str
    text: str
    source: str = ""


@dataclass(frozen=True)
class Pair:
    """A minimal pair.

    Attributes:
        reference: The reference.
        better: The translation as it was.
        worse: The translation with one change.
        kind: What was changed.
        severity: How grave it is.
        place: Characters of ``better``, from and to (not included), within which the two differ, in whole words.
    """

    reference: str
    better: str
    worse: str
    kind: str
    severity: str
    place: tuple[int, int]


def perturb(
    translations: Sequence[Translation],
    kinds: Sequence[Kind],
    *,
    language: str,
    seed: int,
    per_kind: int | None = None,
    processes: int = 1,
    cache: bool = True,
    progress: Progress | None = None,
) -> Iterator[Pair]:
    """Minimal pairs, by translation and then by kind.

    A pair depends on the translation, the kind and the seed; pairs with words of other texts depend also on the texts
    that stand next on the ring of `Pool`. Translations that come twice are changed once.

    Args:
        translations: The good translations.
        kinds: The kinds of changes.
        language: Code of their language.
        seed: Another seed makes other pairs.
        per_kind: At most so many pairs of each kind, from translations drawn at random; None for all.
        processes: Number of processes that parse; the pairs do not depend on it.
        cache: Whether parses are looked up and kept in the cache.
        progress: Called with the number of translations done and of all.

    Raises:
        PfsmError: If there is no translation with a word in it, or a parser cannot be loaded.
    """
    distinct = [one for one in dict.fromkeys(translations) if one.text.strip()]
    if not distinct:
        raise PfsmError("no translations to change: all texts are empty")
    pool = Pool(one.text for one in distinct)
    makers = _Makers(tuple(kinds), language, seed)
    is_parsed = any(kind.parsed for kind in kinds)

    def all_pairs() -> Iterator[tuple[int, Pair]]:
        for first in range(0, len(distinct), PORTION):
            portion = distinct[first : first + PORTION]
            analyses: Sequence[Analysis | None] = [None] * len(portion)
            if is_parsed:
                lines = [one.text for one in portion]
                analyses = analyse_lines(lines, DEFAULT_PARSER, processes=processes, cache=cache)
            for at, (one, analysis) in enumerate(zip(portion, analyses, strict=True), first):
                for pair in makers.pairs(one, pool, analysis):
                    yield at, pair
            if progress is not None:
                progress(min(first + PORTION, len(distinct)), len(distinct))

    if per_kind is None:
        return (pair for _, pair in all_pairs())
    return _drawn(all_pairs(), per_kind, seed, [kind.name for kind in kinds])


@dataclass(frozen=True)
class _Makers:
    kinds: tuple[Kind, ...]
    language: str
    seed: int

    def pairs(self, one: Translation, pool: Pool, analysis: Analysis | None) -> Iterator[Pair]:
        text = Text(one.text, self.language, pool, one.source, analysis)
        for kind in self.kinds:
            worse = kind.change(text, Dice(self.seed, kind.name, one.text))
            if worse is not None and worse.split() != one.text.split():
                place = place_of_change(one.text, worse)
                yield Pair(one.reference, one.text, worse, kind.name, kind.severity, place)


def _drawn(
    pairs: Iterator[tuple[int, Pair]], per_kind: int, seed: int, names: Sequence[str]
) -> Iterator[Pair]:
    """For each kind the pairs whose hashes are smallest, whatever stands in front of them."""
    kept: dict[str, list[tuple[bytes, int, Pair]]] = {name: [] for name in names}
    for at, pair in pairs:
        rank = Dice(seed, pair.kind, f"{pair.better}\0{pair.reference}").rank
        best = kept[pair.kind]
        best.append((rank, at, pair))
        if len(best) >= 2 * per_kind + 100:
            best[:] = nsmallest(per_kind, best, key=lambda one: one[:2])
    order = {name: number for number, name in enumerate(names)}
    chosen = [one for best in kept.values() for one in nsmallest(per_kind, best, key=lambda one: one[:2])]
    yield from (pair for _, _, pair in sorted(chosen, key=lambda one: (one[1], order[one[2].kind])))


def minimal_pairs(pairs: Sequence[Pair], source: DataSource) -> MinimalPairs:
    """Pairs as `pfsm.evaluation.probe` takes them.

    Args:
        pairs: The pairs.
        source: The file that the translations came from.
    """
    return MinimalPairs(
        tuple(pair.kind for pair in pairs),
        tuple(pair.reference for pair in pairs),
        tuple(pair.better for pair in pairs),
        tuple(pair.worse for pair in pairs),
        source,
        severities=tuple(pair.severity for pair in pairs),
    )
