"""Minimal pairs to learn from: those of files, and those that `pfsm.perturbation` makes of the training data.

A pair of a file keeps the place of its reference. Pairs are made from every distinct reference as its own translation,
and from the hypotheses that people liked best, against their first reference.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from pfsm.data import DataSource, Judgments, Preferences
from pfsm.data.minimal_pairs import SEVERITIES, MinimalPairs, read_minimal_pairs
from pfsm.errors import PfsmError
from pfsm.perturbation.catalogue import all_kinds, kinds_for
from pfsm.perturbation.catalogue import kind_named as known_kind
from pfsm.perturbation.pairs import Translation, perturb
from pfsm.runtime.choice import NOISE
from pfsm_training.options import HYPOTHESIS, MINIMAL_PAIRS, REFERENCE, MinimalPairsOptions

NONE, MAJOR, CRITICAL = SEVERITIES[0], SEVERITIES[2], SEVERITIES[3]
SOURCE = "source"
CROSSED = "harmless"
Data = tuple[Judgments | None, Preferences | None]
# References, and a translation.
Translated = tuple[tuple[str, ...], str]


@dataclass(frozen=True)
class PairToLearn:
    """A minimal pair; attributes as in `pfsm.data.minimal_pairs.MinimalPairs`."""

    references: tuple[str, ...]
    better: str
    worse: str
    kind: str
    severity: str

    @property
    def is_harmless(self) -> bool:
        """Whether its two sides are equally good."""
        return self.severity == NONE


@dataclass(frozen=True, eq=False)
class PairsToLearn:
    """All minimal pairs of a training, without repetitions, in an order that does not depend on that of the data.

    Attributes:
        pairs: [n].
        sources: The files that some of them came from.
    """

    pairs: tuple[PairToLearn, ...]
    sources: tuple[DataSource, ...]

    @property
    def digest(self) -> str:
        """SHA-256 of all of them."""
        digest = hashlib.sha256()
        for pair in self.pairs:
            for text in (*pair.references, pair.better, pair.worse, pair.kind, pair.severity):
                content = text.encode("utf-8", "surrogatepass")
                digest.update(len(content).to_bytes(8, "little") + content)
            digest.update(b"|")
        return digest.hexdigest()


def pairs_to_learn(
    data: Data,
    language: str,
    options: MinimalPairsOptions,
    processes: int = 1,
    weights: NDArray[np.float64] | None = None,
) -> PairsToLearn:
    """The pairs of the files and those that are made.

    Args:
        data: The training data.
        language: Code of the language of its translations.
        options: What was asked for.
        processes: Number of processes that parse; the pairs do not depend on it.
        weights: float64 [n_judgments], how much each judgment counts; None: all count the same.

    Raises:
        PfsmError: If a kind is unknown or is for another language, a file cannot be read, or there are no pairs.
    """
    files = [read_minimal_pairs(path) for path in options.files]
    _check_left_out(options, files)
    found = [pair for one in files for pair in _of_file(one)]
    if options.kinds is not False:
        found += _made(data, language, options, processes, weights)
    kept = {pair for pair in found if pair.kind not in options.without}
    if options.crossed:
        kept |= set(_crossed(kept))
    if not kept:
        raise PfsmError(
            f"{MINIMAL_PAIRS}: no pairs to learn from: no kind that is asked for applies to the training text"
        )
    return PairsToLearn(tuple(sorted(kept, key=_key)), tuple(one.source for one in files))


def _key(pair: PairToLearn) -> tuple[object, ...]:
    return pair.kind, pair.references, pair.better, pair.worse, pair.severity


def _crossed(pairs: Iterable[PairToLearn]) -> Iterator[PairToLearn]:
    """Of one translation, each harmless change against each major or critical fault."""
    harmless: dict[Translated, list[PairToLearn]] = defaultdict(list)
    faulty: dict[Translated, list[PairToLearn]] = defaultdict(list)
    for pair in pairs:
        if pair.is_harmless or pair.severity in {MAJOR, CRITICAL}:
            of = harmless if pair.is_harmless else faulty
            of[pair.references, pair.better].append(pair)
    for translation, changed in harmless.items():
        for one, fault in product(changed, faulty[translation]):
            if fault.worse != one.worse:
                kind = f"{CROSSED}-{fault.severity}"
                yield PairToLearn(one.references, one.worse, fault.worse, kind, fault.severity)


def _check_left_out(options: MinimalPairsOptions, files: Sequence[MinimalPairs]) -> None:
    in_files = {kind for one in files for kind in one.kinds}
    for name in options.without:
        if name not in all_kinds() and name not in in_files:
            known_kind(name)  # says which one may be meant


def _of_file(pairs: MinimalPairs) -> Iterator[PairToLearn]:
    several = pairs.all_references or tuple((line,) for line in pairs.references)
    severities = pairs.severities or (MAJOR,) * len(pairs)
    for row in zip(several, pairs.better, pairs.worse, pairs.kinds, severities, strict=True):
        yield PairToLearn(*row)


def _made(
    data: Data,
    language: str,
    options: MinimalPairsOptions,
    processes: int,
    weights: NDArray[np.float64] | None,
) -> list[PairToLearn]:
    translations = sorted(
        set(_translations(data, options, weights)), key=lambda one: (one.reference, one.text, one.source)
    )
    has_sources = any(one.source for one in translations)
    kinds = kinds_for(language, options.kinds or (), source=has_sources)
    pairs = perturb(
        translations,
        [kind for kind in kinds if kind.name not in options.without],
        language=language,
        seed=options.seed,
        per_kind=options.number,
        processes=processes,
    )
    return [PairToLearn((one.reference,), one.better, one.worse, one.kind, one.severity) for one in pairs]


def _translations(
    data: Data, options: MinimalPairsOptions, weights: NDArray[np.float64] | None
) -> Iterator[Translation]:
    """The good translations of the training data."""
    for part in data:
        if part is None:
            continue
        sources = part.columns.get(SOURCE, ("",) * len(part))
        if REFERENCE in options.of:
            for several, source in zip(part.all_references, sources, strict=True):
                for line in several:
                    yield Translation(line, line, source)
        if HYPOTHESIS in options.of:
            good = part.better if isinstance(part, Preferences) else part.hypotheses
            for row in _best(part, options.top, weights):
                yield Translation(part.references[row], good[row], sources[row])


def _best(part: Judgments | Preferences, top: float, weights: NDArray[np.float64] | None) -> list[int]:
    """The rows whose translations are good: all preferences, and the judgments with the highest scores."""
    if isinstance(part, Preferences):
        return np.flatnonzero(part.votes > 0.0).tolist()
    if weights is None:
        weights = np.ones(len(part))
    falling = np.argsort(-part.scores, kind="stable")
    # The best that have this share of all weight.
    total = np.cumsum(weights[falling])
    last = int(np.searchsorted(total, (1.0 - NOISE) * top * total[-1]))
    least = part.scores[falling[min(last, len(part) - 1)]]
    rows: list[int] = np.flatnonzero(part.scores >= least).tolist()
    return rows
