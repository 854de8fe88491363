"""Buckets of segments: by length, document, language, rare words, numbers, names, human scores."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float
from pfsm.comparison.compared import Compared
from pfsm.comparison.facts import DOCUMENT, LANGUAGE, TEST_SET
from pfsm.text.classes import CLASSES, WordClasses
from pfsm.text.scripts import is_without_spaces, lines_without_spaces

Rows = NDArray[np.int64]

# More groups, such as documents, than these are not compared one by one; the largest are.
MOST_GROUPS = 100
LENGTH_BUCKETS = 5
MOST_RARE = 3
_GROUPS = {DOCUMENT: "Document", LANGUAGE: "Source language", TEST_SET: "Test set"}
_QUOTES = "\"'“”‘’«»„()[]{}.,;:!?…-–—"


@dataclass(frozen=True, eq=False)
class Bin:
    """A bucket: its label, and the numbers of its segments, int64 [m]; at least one."""

    label: str
    rows: Rows


@dataclass(frozen=True, eq=False)
class Buckets:
    """One way to divide the segments.

    Attributes:
        title: What it goes by.
        note: How it is done.
        bins: The buckets in order, each with its segments; a segment is in one of them at most.
    """

    title: str
    note: str
    bins: tuple[Bin, ...]

    def places(self, n_segments: int) -> list[int]:
        """For each segment the number of its bucket; -1 for none."""
        found = np.full(n_segments, -1, dtype=np.int64)
        for number, one in enumerate(self.bins):
            found[one.rows] = number
        places: list[int] = found.tolist()
        return places


def all_buckets(compared: Compared) -> list[Buckets]:
    """Every way to divide the segments that leaves two buckets or more."""
    references = [line or "" for line in compared.references[0]]
    made = [_by_length(references), *_by_group(compared), *_by_words(references), *_by_human(compared)]
    return [one for one in made if len(one.bins) > 1]


def _by_length(references: Sequence[str]) -> Buckets:
    unspaced, seen = lines_without_spaces(references)
    unit = "characters" if unspaced * 2 > seen else "words"
    lengths = [
        len("".join(line.split())) if unit == "characters" else len(line.split()) for line in references
    ]
    rows = np.arange(len(references))
    bins = quantile_bins(np.array(lengths, dtype=np.float64), rows, LENGTH_BUCKETS, _span)
    note = f"{unit} of the reference" + (", between spaces" if unit == "words" else "")
    return Buckets("Length of the reference", f"{note}; about as many segments in each bucket", tuple(bins))


def _span(low: float, high: float) -> str:
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"


def _scores(low: float, high: float) -> str:
    ends = f"{low:.2f}", f"{high:.2f}"
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def _by_group(compared: Compared) -> Iterator[Buckets]:
    for column, names in compared.facts.groups.items():
        counts = Counter(names)
        largest = {name for name, _ in counts.most_common(MOST_GROUPS)}
        rows: dict[str, list[int]] = {name: [] for name in names if name in largest}
        for place, name in enumerate(names):
            if name in largest:
                rows[name].append(place)
        bins = [Bin(name or "(none)", np.array(places)) for name, places in rows.items()]
        left = len(counts) - len(bins)
        note = (
            f"the {MOST_GROUPS} with most segments; {left} more are left out"
            if left
            else "in the order of the file"
        )
        yield Buckets(_GROUPS[column], note, tuple(bins))


def _by_words(references: Sequence[str]) -> Iterator[Buckets]:
    """By what words the references have; languages without spaces between words have no such buckets."""
    words = [_words(line) for line in references]
    if sum(map(is_without_spaces, references)) * 2 > len(references):
        return
    counts = Counter(word.lower() for line in words for word in line)
    rare = np.array([sum(counts[word.lower()] == 1 for word in line) for line in words])
    labels = [*map(str, range(MOST_RARE)), f"{MOST_RARE} or more"]
    yield Buckets(
        "Rare words",
        "words of the reference that stand nowhere else in the references",
        _bins(np.minimum(rare, MOST_RARE), labels),
    )
    classes = WordClasses()
    found = [[CLASSES[classes.of(word)] for word in line] for line in words]
    numbers = np.array([int("number" in line) for line in found])
    yield Buckets("Numbers", "digits in the reference", _bins(numbers, ["no number", "a number"]))
    names = np.array([int("name" in line[1:]) for line in found])
    yield Buckets(
        "Names",
        "words of the reference with a capital letter that do not open it",
        _bins(names, ["no name", "a name"]),
    )


def _words(line: str) -> list[str]:
    """Words between spaces, without the punctuation around them."""
    return [word for word in (part.strip(_QUOTES) for part in line.split()) if word]


def _bins(places: NDArray[np.int64], labels: Sequence[str]) -> tuple[Bin, ...]:
    rows = [np.flatnonzero(places == place) for place in range(len(labels))]
    return tuple(Bin(label, own) for label, own in zip(labels, rows, strict=True) if own.size)


def quantile_bins(values: Float, rows: Rows, count: int, label: Callable[[float, float], str]) -> list[Bin]:
    """Divide segments into bins of about equal size, from low to high.

    Equal numbers stay in one bin. So there are fewer bins than quantiles if many numbers are equal, or if there are
    fewer segments than quantiles.

    Args:
        values: float64 [n], finite for the segments to be divided.
        rows: int64 [m], numbers of the segments to divide.
        count: Number of quantiles, such as 4 for quartiles.
        label: Makes the label of a bin from the lowest and the highest number in it.
    """
    if not rows.size:
        return []
    chosen = values[rows]
    edges = np.quantile(chosen, np.arange(1, count) / count)
    places = np.searchsorted(edges, chosen, side="left")
    bins = []
    for place in np.unique(places):
        inside = chosen[places == place]
        bins.append(Bin(label(float(inside.min()), float(inside.max())), rows[places == place]))
    return bins


def _by_human(compared: Compared) -> Iterator[Buckets]:
    if not compared.facts.human:
        return
    scores = np.stack(list(compared.facts.human.values()))
    judged = ~np.isnan(scores)
    rows = np.flatnonzero(judged.any(axis=0))
    means = np.zeros(scores.shape[1])
    means[rows] = np.nansum(scores[:, rows], axis=0) / judged[:, rows].sum(axis=0)
    bins = quantile_bins(means, rows, LENGTH_BUCKETS, _scores)
    yield Buckets("Human score", "mean of the systems' human scores", tuple(bins))
