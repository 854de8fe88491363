"""Minimal pairs from good translations: a text and the same text with one change of a known kind."""

import math
from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter

import numpy as np

from pfsm.data.minimal_pairs import MinimalPairs
from pfsm.data.table import DataSource, Table
from pfsm.errors import PfsmError
from pfsm.perturbation.edits import place_of_change
from pfsm.perturbation.kind import Kind
from pfsm.perturbation.text import Dice, Pool, Text

REFERENCE, HYPOTHESIS, BETTER = COLUMNS = ("reference", "hypothesis", "better")
"""Columns whose texts can be changed."""
SOURCE = "source"
Progress = Callable[[int, int], None]

# Translations parsed before changes are made: processes that parse take a second or two to start. The same for every
# number of processes, so that the parses are too.
AT_ONCE = 8192
# Changes are made of so many before progress is told.
_PORTION = 256


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
    pool, draw = Pool(one.text for one in distinct), _Draw(seed, per_kind)
    parse = next((kind.parse for kind in kinds if kind.parse is not None), None)
    tell = progress or (lambda _done, _total: None)

    def made() -> Iterator[Pair]:
        for first in range(0, len(distinct), AT_ONCE):
            portion = distinct[first : first + AT_ONCE]
            size, total = len(portion), len(distinct)
            wanted = [draw.wanted(kinds, one) for one in portion]
            # Kinds that need no parse make better changes where there is one: all kinds see the same of a text.
            lines = [one.text for one, some in zip(portion, wanted, strict=True) if parse and some]
            # Parsing is half of the work.
            told = partial(_half_told, tell, first, size, total)
            found = parse(lines, processes=processes, cache=cache, progress=told) if parse and lines else ()
            parses = dict(zip(lines, found, strict=True))
            for number, (one, some) in enumerate(zip(portion, wanted, strict=True), 1):
                text = Text(one.text, language, pool, one.source, parses.get(one.text))
                yield from _pairs(text, one.reference, draw.wanted(some, one), seed)
                if number % _PORTION == 0 or number == size:
                    tell(first + (size + number) // 2, total)

    return made() if per_kind is None else draw.drawn(made())


def _half_told(tell: Progress, first: int, size: int, total: int, done: int, number: int) -> None:
    tell(first + size * done // (2 * number), total)


def _pairs(text: Text, reference: str, kinds: Sequence[Kind], seed: int) -> Iterator[Pair]:
    for kind in kinds:
        worse = kind.change(text, Dice(seed, kind.name, text.line))
        if worse is not None and worse.split() != text.line.split():
            place = place_of_change(text.line, worse)
            yield Pair(reference, text.line, worse, kind.name, kind.severity, place)


class _Draw:
    """Of each kind the pairs whose hashes are smallest, whatever stands in front of them.

    The hash is of the translation, not of the change. So a change that would not be drawn need not be made.
    """

    def __init__(self, seed: int, per_kind: int | None) -> None:
        self._seed = seed
        self._per_kind = per_kind
        self._best: dict[str, list[tuple[bytes, int, Pair]]] = {}

    def wanted(self, kinds: Sequence[Kind], one: Translation) -> Sequence[Kind]:
        """Those of the kinds whose change would be among those drawn so far."""
        most = self._per_kind
        if most is None:
            return kinds
        known = ((kind, self._best.get(kind.name, [])) for kind in kinds)
        return [
            kind
            for kind, best in known
            if len(best) < most or (best and self._rank(kind.name, one.text, one.reference) < best[-1][0])
        ]

    def drawn(self, pairs: Iterator[Pair]) -> Iterator[Pair]:
        """Those of the pairs that are drawn, in their order; all must be such as may be taken."""
        for place, pair in enumerate(pairs):
            best = self._best.setdefault(pair.kind, [])
            rank = self._rank(pair.kind, pair.better, pair.reference)
            insort(best, (rank, place, pair), key=itemgetter(0, 1))
            del best[self._per_kind :]
        chosen = [one for best in self._best.values() for one in best]
        yield from (pair for _, _, pair in sorted(chosen, key=itemgetter(1)))

    def _rank(self, kind: str, text: str, reference: str) -> bytes:
        return Dice(self._seed, kind, f"{text}\0{reference}").rank


def minimal_pairs(pairs: Sequence[Pair], source: DataSource) -> MinimalPairs:
    """Pairs as `pfsm.evaluation.probe` takes them."""
    kinds, references, better, worse, severities = (
        tuple(getattr(pair, name) for pair in pairs)
        for name in ("kind", "reference", "better", "worse", "severity")
    )
    return MinimalPairs(kinds, references, better, worse, source, severities=severities)


def translations_of(
    table: Table,
    column: str = REFERENCE,
    *,
    source: str | None = None,
    top: float = 0.25,
    score_column: str = "score",
) -> list[Translation]:
    """The good translations of a table, in its order.

    Args:
        table: The file.
        column: The column to be changed, one of `COLUMNS`.
        source: The column of the source texts; None for ``source`` where there is one.
        top: Share of the hypotheses to take, those with the highest scores; more where the last scores are equal.
        score_column: The column of their scores.

    Raises:
        PfsmError: A missing column, no rows, or a score that is not a finite number.
    """
    table.need_rows()
    references, texts = table.column(REFERENCE), table.column(column)
    sources = table.columns.get(SOURCE) if source is None else table.column(source)
    rows: Sequence[int] = range(len(table))
    if column == HYPOTHESIS:
        scores = table.numbers(score_column)
        least = np.sort(scores)[-max(1, math.ceil(top * len(scores)))]
        rows = np.flatnonzero(scores >= least).tolist()
    return [Translation(references[row], texts[row], "" if sources is None else sources[row]) for row in rows]


def language_of(table: Table) -> str | None:
    """The language of the translations by the column ``target_lang``; None where there is no such column.

    Raises:
        PfsmError: If it holds several.
    """
    counts = Counter(table.columns.get("target_lang", ()))
    if len(counts) > 1:
        raise PfsmError(
            f"{table.path}: translations into {', '.join(sorted(counts))}; give a file with one target language"
        )
    return next(iter(counts), None) or None
