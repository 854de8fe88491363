"""A summary of a file of judgments: counts, the distribution of scores, and what looks wrong."""

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
    """Segment ids with their test set, language pair and document."""


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
    """Distinct segment ids, each with its test set, language pair and document; distinct references without ids."""
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


_TEXTS = ("references", "sources", "translations", "segments")


def shared(first: Fingerprints, second: Fingerprints) -> dict[str, Shared]:
    """What two files share: references, sources, translations with their reference, and segment ids."""
    return {
        name: Shared(len(ours & theirs), len(ours), len(theirs))
        for name in _TEXTS
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
    counts: dict[str, Counter[str]] = {name: Counter() for name in ("pair", "test_set", "system", "rater")}
    n_references: Counter[int] = Counter()
    documents: set[int] = set()
    texts: dict[str, set[int]] = {name: set() for name in _TEXTS}
    scores, votes, rows = array("d"), 0.0, 0
    found: Counter[str] = Counter()
    first_lines: dict[str, int] = {}
    checks = _Checks(reading)
    for record in reading.records:
        rows += 1
        pair = _pair_name(record)
        translations, systems = _sides(record)
        for name, values in (
            ("pair", (pair,)),
            ("test_set", (record.test_set,)),
            ("rater", (record.rater,)),
            ("system", systems),
        ):
            counts[name].update(values)
        n_references[sum(bool(reference) for reference in record.references)] += 1
        references = [normal_form(text) for text in record.references]
        translations = tuple(map(normal_form, translations))
        texts["references"].update(_key(text) for text in references if text)
        texts["translations"].update(_key(references[0], text) for text in translations)
        if record.source:
            texts["sources"].add(_key(normal_form(record.source)))
        if record.segment_id:
            texts["segments"].add(_key(record.test_set, pair, record.document, record.segment_id))
        if record.document:
            documents.add(_key(record.test_set, pair, record.document))
        for check in checks.found(record, references, translations):
            found[check] += 1
            first_lines.setdefault(check, record.line)
        if isinstance(record, Judgment):
            scores.append(record.score)
        else:
            votes += record.votes
    return Summary(
        preferences=reading.kind is Preference,
        rows=rows,
        columns=tuple(reading.columns),
        language_pairs=_sorted(counts["pair"]),
        test_sets=_sorted(counts["test_set"]),
        documents=len(documents),
        segments=len(texts["segments"] or texts["references"]),
        systems=_sorted(counts["system"]),
        raters=_sorted(counts["rater"]),
        references=dict(sorted(n_references.items())),
        scores=distribution(np.array(scores)) if scores else None,
        votes=votes,
        findings={name: Finding(found[name], first_lines.get(name)) for name in checks.names},
        fingerprints=Fingerprints(**{name: frozenset(keys) for name, keys in texts.items()}),
    )


def _key(*texts: str) -> int:
    """A fingerprint of the texts; their lengths are part of it, so different splits of the same characters differ."""
    whole = "\0".join((str(len(texts)), *(str(len(text)) for text in texts), *texts))
    digest = hashlib.blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


class _Checks:
    """What looks wrong with a record, also in view of those before it."""

    def __init__(self, reading: Reading) -> None:
        columns, preferences = {*reading.columns}, reading.kind is Preference
        systems = {"better_system", "worse_system"} if preferences else {"system"}
        self.names = [
            *(EMPTY_REFERENCE, EMPTY_TRANSLATION),
            *[EMPTY_SOURCE] * ("source" in columns),
            *(EQUAL_TO_REFERENCE, SAME_ROW),
            *[JUDGED_AGAIN] * (systems | {"segment_id"} <= columns),
            *([EQUAL_PAIR, CONTRADICTED] if preferences else [OTHER_SCORE]),
        ]
        self._getters = [field_getter(reading.kind, column) for column in reading.columns]
        self._seen: dict[str, set[int]] = {name: set() for name in (SAME_ROW, JUDGED_AGAIN, CONTRADICTED)}
        self._score_of: dict[int, float] = {}

    def found(self, record: Record, references: Sequence[str], translations: Sequence[str]) -> Iterator[str]:
        """The checks that find something in a record, whose texts are also given in normal form."""
        plain = {
            EMPTY_REFERENCE: not references[0],
            EMPTY_TRANSLATION: not all(translations),
            EMPTY_SOURCE: not record.source.strip(),
            EQUAL_TO_REFERENCE: any(text in references for text in translations if text),
        }
        yield from (name for name, holds in plain.items() if holds)
        if self._again(SAME_ROW, *(get(record) for get in self._getters)):
            yield SAME_ROW
        place = (record.test_set, _pair_name(record), record.document, record.segment_id)
        occasion = (*place, record.rater, *_sides(record)[1])
        if record.segment_id and self._again(JUDGED_AGAIN, *occasion):
            yield JUDGED_AGAIN
        if isinstance(record, Judgment):
            key = _key(*record.references, "", record.hypothesis, record.source_lang, record.rater)
            if self._score_of.setdefault(key, record.score) != record.score:
                yield OTHER_SCORE
        elif record.better == record.worse:
            yield EQUAL_PAIR
        else:
            of = (record.references[0], record.segment_id)
            self._again(CONTRADICTED, *of, record.better, record.worse)
            if _key(*of, record.worse, record.better) in self._seen[CONTRADICTED]:
                yield CONTRADICTED

    def _again(self, check: str, *texts: str) -> bool:
        key = _key(*texts)
        known = key in self._seen[check]
        self._seen[check].add(key)
        return known


def _sides(record: Record) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The translations of a record, and their systems."""
    if isinstance(record, Judgment):
        return (record.hypothesis,), (record.system,)
    return (record.better, record.worse), (record.better_system, record.worse_system)


def _pair_name(record: Record) -> str:
    return "-".join(filter(None, (record.source_lang, record.target_lang)))


def _sorted(counts: Counter[str]) -> dict[str, int]:
    """Counts by name, without rows that have no name."""
    return {name: counts[name] for name in sorted(counts) if name}
