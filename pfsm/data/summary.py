"""A summary of a file of judgments: counts, the distribution of scores, and what looks wrong.

Counting and checking judgments, one record at a time.
"""

import hashlib
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.data.formats.records import Judgment, Preference, Reading, Record, field_getter
from pfsm.data.reference_digests import normal_form
from pfsm.errors import PfsmError

BINS = 10


@dataclass(frozen=True)
class Finding:
    """The number of rows that a check found."""

    rows: int
    first_line: int | None
    """The line of the first of them."""


@dataclass(frozen=True)
class Scores:
    """The distribution of scores."""

    mean: float
    sd: float
    """Standard deviation with n - 1 in the denominator; 0 for a single score."""
    quantiles: tuple[float, float, float, float, float]
    """Minimum, lower quartile, median, upper quartile, maximum."""
    edges: tuple[float, ...]
    """Edges of the histogram's bins, equally wide from minimum to maximum; the last bin includes both its edges."""
    counts: tuple[int, ...]
    """Scores in each bin."""


# Of a score: sums of squares of millions of them are finite.
LARGEST = 1e100


@dataclass(frozen=True)
class Fingerprints:
    """64-bit fingerprints of the distinct texts of a file, in normal form (`normal_form`)."""

    references: frozenset[int]
    sources: frozenset[int]
    translations: frozenset[int]
    """Translations, each together with its reference."""
    segments: frozenset[int]
    """Segment ids with their test set and language pair."""


@dataclass(frozen=True)
class Summary:
    """What a file of judgments contains."""

    preferences: bool
    rows: int
    columns: tuple[str, ...]
    language_pairs: Mapping[str, int]
    """Rows by language pair, or by the part of it that is known (``cs-en``, ``cs``)."""
    test_sets: Mapping[str, int]
    documents: int
    segments: int
    """Distinct segment ids, each with its test set and language pair; distinct references if there are no ids."""
    systems: Mapping[str, int]
    """Rows by system; a preference counts for both its systems."""
    raters: Mapping[str, int]
    references: Mapping[int, int]
    """Rows by number of references."""
    scores: Scores | None
    """None for preferences."""
    votes: float
    """Votes of all preferences together."""
    findings: Mapping[str, Finding]
    """Results by check; only the checks that are possible with the columns of this file."""
    fingerprints: Fingerprints


@dataclass(frozen=True)
class Shared:
    """How many distinct texts two files share, and how many each has."""

    both: int
    first: int
    second: int


def shared(first: Fingerprints, second: Fingerprints) -> dict[str, Shared]:
    """What two files share: references, sources, translations with their reference, and segment ids."""
    return {
        name: Shared(len(ours & theirs), len(ours), len(theirs))
        for name in ("references", "sources", "translations", "segments")
        for ours, theirs in [(getattr(first, name), getattr(second, name))]
    }


def distribution(scores: NDArray[np.float64], bins: int = BINS) -> Scores:
    """Mean, quartiles and histogram of scores.

    Args:
        scores: float64 [n], n at least 1.
        bins: of the histogram.
    """
    low, high = float(scores.min()), float(scores.max())
    if max(abs(low), abs(high)) > LARGEST:
        raise PfsmError(
            f"scores from {low:g} to {high:g} are too large: at most {LARGEST:g} is possible either way"
        )
    edges = np.linspace(low, high, bins + 1)
    # Scores that differ by rounding alone are in one bin.
    apart = bool((np.diff(edges) > 0.0).all())
    edges = edges if apart else np.array([low, high])
    counts = np.histogram(scores, edges)[0] if apart else np.array([scores.size])
    quantiles = [float(value) for value in np.quantile(scores, [0.0, 0.25, 0.5, 0.75, 1.0])]
    return Scores(
        float(scores.mean()),
        float(scores.std(ddof=1)) if scores.size > 1 else 0.0,
        (quantiles[0], quantiles[1], quantiles[2], quantiles[3], quantiles[4]),
        tuple(float(edge) for edge in edges),
        tuple(int(count) for count in counts),
    )


def bars(counts: Sequence[int], width: int) -> list[str]:
    """A bar for each count, the longest `width` characters long; a count above 0 has at least one character."""
    most = max(counts, default=0)
    return ["#" * (max(1, round(width * count / most)) if count else 0) for count in counts]


EMPTY_REFERENCE = "empty reference"
EMPTY_TRANSLATION = "empty translation"
EMPTY_SOURCE = "empty source"
EQUAL_TO_REFERENCE = "translation equal to a reference"
SAME_ROW = "row that was there before"
JUDGED_AGAIN = "same segment, system and rater again"
OTHER_SCORE = "same texts and rater with another score before"
EQUAL_PAIR = "pair of equal translations"
CONTRADICTED = "pair that stood the other way round before"


def summarise(reading: Reading) -> Summary:
    """Counts and checks all records of a reading.

    Memory grows by some hundreds of bytes per row, whatever the length of the texts.
    """
    tally = _Tally(reading)
    for record in reading.records:
        tally.add(record)
    return tally.summary()


def _key(*texts: str) -> int:
    """A fingerprint of the texts; their lengths are part of it, so different splits of the same characters differ."""
    whole = "\0".join((str(len(texts)), *(str(len(text)) for text in texts), *texts))
    digest = hashlib.blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


class _Tally:
    """Sums over records."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._columns = frozenset(reading.columns)
        self._getters = [field_getter(reading.kind, column) for column in reading.columns]
        self._rows = 0
        self._of: dict[str, Counter[str]] = {
            name: Counter() for name in ("pair", "test_set", "system", "rater")
        }
        self._number_of_references: Counter[int] = Counter()
        self._documents: set[int] = set()
        self._texts: dict[str, set[int]] = {
            name: set() for name in ("references", "sources", "translations", "segments")
        }
        self._seen: dict[str, set[int]] = {name: set() for name in (SAME_ROW, JUDGED_AGAIN)}
        self._scores = array("d")
        self._score_of: dict[int, float] = {}
        self._votes = 0.0
        self._pairs: set[int] = set()
        self._found: Counter[str] = Counter()
        self._first_lines: dict[str, int] = {}

    def add(self, record: Record) -> None:
        """Adds one record."""
        self._rows += 1
        self._count_names(record)
        references = [normal_form(text) for text in record.references]
        translations = [normal_form(text) for text in _translations(record)]
        self._fingerprint(record, references, translations)
        for check in self._checks(record, references, translations):
            self._found[check] += 1
            self._first_lines.setdefault(check, record.line)
        if isinstance(record, Judgment):
            self._scores.append(record.score)
        else:
            self._votes += record.votes

    def summary(self) -> Summary:
        """The summary of the records added so far."""
        preferences = self._reading.kind is Preference
        texts = {name: frozenset(keys) for name, keys in self._texts.items()}
        return Summary(
            preferences=preferences,
            rows=self._rows,
            columns=tuple(self._reading.columns),
            language_pairs=_sorted(self._of["pair"]),
            test_sets=_sorted(self._of["test_set"]),
            documents=len(self._documents),
            segments=len(texts["segments"] or texts["references"]),
            systems=_sorted(self._of["system"]),
            raters=_sorted(self._of["rater"]),
            references=dict(sorted(self._number_of_references.items())),
            scores=distribution(np.array(self._scores)) if self._scores else None,
            votes=self._votes,
            findings={name: self._finding(name) for name in self._looked_for(preferences)},
            fingerprints=Fingerprints(**texts),
        )

    def _finding(self, check: str) -> Finding:
        return Finding(self._found[check], self._first_lines.get(check))

    def _looked_for(self, preferences: bool) -> list[str]:
        systems = {"better_system", "worse_system"} if preferences else {"system"}
        checks = [EMPTY_REFERENCE, EMPTY_TRANSLATION]
        checks += [EMPTY_SOURCE] if "source" in self._columns else []
        checks += [EQUAL_TO_REFERENCE, SAME_ROW]
        checks += [JUDGED_AGAIN] if systems | {"segment_id"} <= self._columns else []
        return checks + ([EQUAL_PAIR, CONTRADICTED] if preferences else [OTHER_SCORE])

    def _count_names(self, record: Record) -> None:
        self._of["pair"][_pair_name(record)] += 1
        for name in ("test_set", "rater"):
            self._of[name][getattr(record, name)] += 1
        systems = (
            [record.system] if isinstance(record, Judgment) else [record.better_system, record.worse_system]
        )
        self._of["system"].update(systems)
        self._number_of_references[sum(bool(reference) for reference in record.references)] += 1
        if record.document:
            self._documents.add(_key(record.test_set, _pair_name(record), record.document))

    def _fingerprint(self, record: Record, references: list[str], translations: list[str]) -> None:
        self._texts["references"].update(_key(text) for text in references if text)
        if record.source:
            self._texts["sources"].add(_key(normal_form(record.source)))
        self._texts["translations"].update(_key(references[0], text) for text in translations)
        if record.segment_id:
            self._texts["segments"].add(_key(record.test_set, _pair_name(record), record.segment_id))

    def _checks(self, record: Record, references: list[str], translations: list[str]) -> Iterator[str]:
        """The checks that find something in a record, whose texts are also given in normal form."""
        if not references[0]:
            yield EMPTY_REFERENCE
        if not all(translations):
            yield EMPTY_TRANSLATION
        if not record.source.strip():
            yield EMPTY_SOURCE
        if any(text in references for text in translations if text):
            yield EQUAL_TO_REFERENCE
        if self._again(SAME_ROW, _key(*(get(record) for get in self._getters))):
            yield SAME_ROW
        if record.segment_id and self._again(JUDGED_AGAIN, self._occasion(record)):
            yield JUDGED_AGAIN
        yield from self._contradictions(record)

    def _again(self, check: str, key: int) -> bool:
        known = key in self._seen[check]
        self._seen[check].add(key)
        return known

    def _occasion(self, record: Record) -> int:
        """Who judged what."""
        names = (
            (record.system,) if isinstance(record, Judgment) else (record.better_system, record.worse_system)
        )
        return _key(record.test_set, _pair_name(record), record.segment_id, record.rater, *names)

    def _contradictions(self, record: Record) -> Iterator[str]:
        if isinstance(record, Judgment):
            key = _key(*record.references, "", record.hypothesis, record.source_lang, record.rater)
            if self._score_of.setdefault(key, record.score) != record.score:
                yield OTHER_SCORE
            return
        if record.better == record.worse:
            yield EQUAL_PAIR
        occasion = (record.references[0], record.segment_id)
        self._pairs.add(_key(*occasion, record.better, record.worse))
        if _key(*occasion, record.worse, record.better) in self._pairs and record.better != record.worse:
            yield CONTRADICTED


def _translations(record: Record) -> tuple[str, ...]:
    return (record.hypothesis,) if isinstance(record, Judgment) else (record.better, record.worse)


def _pair_name(record: Record) -> str:
    return "-".join(filter(None, (record.source_lang, record.target_lang)))


def _sorted(counts: Counter[str]) -> dict[str, int]:
    """Counts by name, without rows that have no name."""
    return {name: counts[name] for name in sorted(counts) if name}
