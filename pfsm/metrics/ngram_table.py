"""How often references have each n-gram, from which NIST takes what an n-gram is worth.

The information of an n-gram is ``log2`` of how often the references have it without its last word, over how often they
have it; of a single word ``log2`` of all words over how often they have it (Doddington 2002, equation 2). An n-gram
that a table does not have counts as one that occurs once, so n-grams that occur once need not be stored: without them a
table is a fifth as large and gives the same information for its own references. It can be applied to other references
too, as a model does.

A table has a label, ``refs@CHECKSUM``, which names it in signatures and in names such as ``nist(info=refs@1a2b3c4d)``.
The checksum is that of its content. `remember` makes a table known to this process under its label.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float, Int64
from pfsm.errors import PfsmError

ORDERS = 5
# The option that names a table, and its value where the table is that of the references scored together.
INFO, SET = "info", "set"
_LABEL = re.compile(r"refs@[0-9a-f]{8}")
_IN_NAME = re.compile(rf"[(,]{INFO}=({_LABEL.pattern})(?=[,)])")
_FEWEST = 2


@dataclass(frozen=True, eq=False)
class NgramTable:
    """Counts of the n-grams of up to five words that occur more than once.

    Attributes:
        n_words: Number of words of all references.
        words: Number of each word that is counted, from 0.
        keys: By order from 2 int64 [n_ngrams], rising: the number of the n-gram without its last word, times the number
            of words, plus the number of its last word. An n-gram's own number is its place.
        counts: By order from 1 float64 [n_ngrams].
    """

    n_words: int
    words: Mapping[str, int]
    keys: tuple[Int64, ...]
    counts: tuple[Float, ...]

    @cached_property
    def document(self) -> dict[str, Any]:
        """The table as JSON values: ``words``, how many the references have, and ``counts`` by n-gram."""
        grams, counts = list(self.words), dict(zip(self.words, self.counts[0].tolist(), strict=True))
        last = grams
        for keys, often in zip(self.keys, self.counts[1:], strict=True):
            before, words = np.divmod(keys, max(1, len(self.words)))
            last = [f"{last[b]} {grams[w]}" for b, w in zip(before.tolist(), words.tolist(), strict=True)]
            counts |= zip(last, often.tolist(), strict=True)
        return {"words": self.n_words, "counts": {gram: int(count) for gram, count in counts.items()}}

    @cached_property
    def label(self) -> str:
        """``refs@`` and the first 8 hex digits of a SHA-256 over the content."""
        document = self.document
        text = json.dumps([document["words"], sorted(document["counts"].items())])
        return f"refs@{hashlib.sha256(text.encode()).hexdigest()[:8]}"

    def word_numbers(self, labels: Sequence[str]) -> Int64:
        """The numbers of words, -1 for those that are not counted: int64 [n_labels]."""
        return np.array([self.words.get(_joined(label), -1) for label in labels], dtype=np.int64)

    def longer(self, order: int, before: Int64, last: Int64) -> Int64:
        """The numbers of n-grams, -1 for those that are not counted.

        Args:
            order: Their length, from 2.
            before: int64 [n], numbers of the n-grams without their last words.
            last: int64 [n], numbers of the last words.
        """
        keys = self.keys[order - 2]
        if not keys.size:
            return np.full(before.size, -1)
        wanted = before * len(self.words) + last
        places = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
        return np.where((before >= 0) & (last >= 0) & (keys[places] == wanted), places, -1)

    def often(self, order: int, numbers: Int64) -> Float:
        """How often the references have n-grams, by their numbers; once those that are not counted."""
        if not self.counts[order - 1].size:
            return np.ones(numbers.size)
        return np.where(numbers >= 0, self.counts[order - 1][numbers], 1.0)


def count_ngrams(ids: NDArray[np.int32], offsets: Int64, labels: Sequence[str]) -> NgramTable:
    """The table of some lines.

    Args:
        ids: Ids of the words of all lines.
        offsets: int64 [n_lines + 1], where each line begins.
        labels: The word of each id.
    """
    kinds, words = np.unique(ids, return_inverse=True)
    numbers: dict[str, int] = {}
    renamed = [numbers.setdefault(_joined(labels[kind]), len(numbers)) for kind in kinds.tolist()]
    words = np.array(renamed, dtype=np.int64)[words]
    ends = np.repeat(offsets[1:], np.diff(offsets))
    often = np.bincount(words, minlength=len(numbers))
    # Numbered by the alphabet: the order of lines does not count.
    kept = sorted(word for word, number in numbers.items() if often[number] >= _FEWEST)
    renumbered = np.full(len(numbers), -1)
    renumbered[np.array([numbers[word] for word in kept], dtype=np.int64)] = np.arange(len(kept))
    words = renumbered[words]
    places = np.flatnonzero(words >= 0)
    grams, keys = words[places], []
    counts = [np.bincount(grams, minlength=len(kept)).astype(np.float64)]
    for order in range(2, ORDERS + 1):
        # Of an n-gram that occurs twice, what precedes its last word occurs twice too.
        more = places + order - 1 < ends[places]
        places, grams = places[more], grams[more]
        last = words[places + order - 1]
        places, grams, last = places[last >= 0], grams[last >= 0], last[last >= 0]
        found, grams, times = np.unique(grams * len(kept) + last, return_inverse=True, return_counts=True)
        grams = np.where(times >= _FEWEST, np.cumsum(times >= _FEWEST) - 1, -1)[grams]
        keys.append(found[times >= _FEWEST].astype(np.int64))
        counts.append(times[times >= _FEWEST].astype(np.float64))
        places, grams = places[grams >= 0], grams[grams >= 0]
    return NgramTable(int(ids.size), {word: k for k, word in enumerate(kept)}, tuple(keys), tuple(counts))


def _joined(label: str) -> str:
    """The word without spaces, which separate the words of an n-gram."""
    return label.replace(" ", "\N{NO-BREAK SPACE}") if " " in label else label


def table_from_document(value: object, where: str) -> NgramTable:
    """A table from its JSON values; ``where`` names it in errors.

    Raises:
        PfsmError: If it is not a table.
    """
    if not isinstance(value, Mapping) or set(value) != {"words", "counts"}:
        raise PfsmError(f"{where}: a table of n-grams has the keys words and counts")
    total, given = value["words"], value["counts"]
    if type(total) is not int or total < 0 or not isinstance(given, Mapping):
        raise PfsmError(f"{where}: words must be a whole number, counts an object in braces")
    by_order: list[dict[tuple[str, ...], int]] = [{} for _ in range(ORDERS)]
    for gram, count in given.items():
        words = tuple(gram.split(" "))
        if len(words) > ORDERS or not all(words) or type(count) is not int or not _FEWEST <= count <= total:
            raise PfsmError(
                f"{where}: counts has {gram!r}: {count!r}, an n-gram of one to five words and how often it occurs, "
                "from 2, are needed"
            )
        by_order[len(words) - 1][words] = count
    numbers = {word: k for k, (word,) in enumerate(sorted(by_order[0]))}
    last: dict[tuple[str, ...], int] = {(word,): k for word, k in numbers.items()}
    keys, counts = [], [[by_order[0][word,] for word in numbers]]
    for grams in by_order[1:]:
        lacking = next((g for g in grams if g[:-1] not in last or g[-1] not in numbers), None)
        if lacking is not None:
            raise PfsmError(f"{where}: counts has {' '.join(lacking)!r}, but not all of its parts")
        of = {last[gram[:-1]] * len(numbers) + numbers[gram[-1]]: gram for gram in grams}
        keys.append(np.array(sorted(of), dtype=np.int64))
        counts.append([grams[of[key]] for key in sorted(of)])
        last = {of[key]: k for k, key in enumerate(sorted(of))}
    return NgramTable(total, numbers, tuple(keys), tuple(np.array(row, dtype=np.float64) for row in counts))


_known: dict[str, NgramTable] = {}


def remember(table: NgramTable) -> str:
    """Makes a table known to this process, so that names can refer to it; returns its label."""
    return _known.setdefault(table.label, table).label


def remember_documents(documents: Mapping[str, object], where: str) -> None:
    """Makes tables known that are given by label, as JSON values.

    Raises:
        PfsmError: If one of them is not a table, or has another label.
    """
    for label, document in documents.items():
        if label not in _known:
            table = table_from_document(document, f"{where}: {label}")
            if table.label != label:
                raise PfsmError(f"{where}: {label} has the content of {table.label}; it was changed")
            remember(table)


def known_table(value: object, where: str) -> NgramTable | None:
    """The table that the option ``info`` names; None for that of the references scored together.

    Raises:
        PfsmError: If there is no such table; ``where`` begins the message.
    """
    if value is None or value == SET:
        return None
    if not isinstance(value, str) or not _LABEL.fullmatch(value):
        raise PfsmError(
            f"{where}: {INFO} is {value!r}, it must be {SET}, or refs@ and 8 hex digits, as in models"
        )
    if value not in _known:
        raise PfsmError(f"{where}: there are no counts {value}; they are stored in the model that names them")
    return _known[value]


def documents_of(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The tables that names of metrics or features refer to, by label, as JSON values.

    Raises:
        PfsmError: If one of them is not known to this process.
    """
    tables = {label: known_table(label, name) for name in names for label in labels_in(name)}
    return {label: table.document for label, table in tables.items() if table is not None}


def labels_in(name: str) -> tuple[str, ...]:
    """The labels of the tables that the name of a metric or feature refers to."""
    return tuple(_IN_NAME.findall(name))


def without_label(name: str) -> str:
    """The name without the option that names a table."""
    bare = re.sub(rf"(?<=[(,]){INFO}={_LABEL.pattern},?", "", name)
    return bare.replace(",)", ")").removesuffix("()")
