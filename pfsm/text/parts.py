"""Parts of a long pair: sentences of both sides that say the same, in the order of the text.

A pair of lines above a length (`is_long`) is scored part by part. Sentences of the two sides are aligned many to many
by the words they share, in a time that is linear in the length of the lines. A sentence that the other side does not
have is a part of its own, whose other side is empty. Identical lines have identical parts.
"""

import math
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pfsm.text.plain import tokenise
from pfsm.text.scripts import n_words
from pfsm.text.sentences import Span, split

# Words from which on a line is long: of any, and of two or more sentences.
LONG, LONG_OF_SENTENCES = 60, 40
# Words of a stretch without the end of a sentence, at most and at least, where it is cut.
MOST_WORDS, LEAST_WORDS = 90, 30
# Characters of a word that tell words apart: most endings lie behind them.
_STEM = 5
# Of the words of a sentence that is alone, in its neighbour, from which on it is not.
ECHO = 0.4
_CLAUSE = tuple(",;:—–，、；：،؛")

Part = tuple[int, int, int, int]


def is_long(reference: str, hypothesis: str, language: str) -> bool:
    """Whether a pair is scored by parts: one side has above 60 words, or above 40 in several sentences."""
    sides = [side for side in (reference, hypothesis) if len(side) > LONG_OF_SENTENCES]
    sizes = list(map(n_words, sides))
    if max(sizes, default=0) <= LONG_OF_SENTENCES:
        return False
    return max(sizes) > LONG or any(len(split(side, language)) > 1 for side in sides)


def parts(reference: str, hypothesis: str, language: str) -> list[Part]:
    """The parts of a pair, in order: where each begins and ends in the reference and in the hypothesis.

    They cover both sides. A pair that is not long is one part. One side of a part may be empty, not both.
    """
    if not is_long(reference, hypothesis, language):
        return [(0, len(reference), 0, len(hypothesis))]
    ours = _stretches(reference, language)
    if reference == hypothesis:
        return [(*span, *span) for span in ours]
    theirs = _stretches(hypothesis, language)
    if not ours or not theirs:
        return [(*span, 0, 0) for span in ours] + [(0, 0, *span) for span in theirs]
    found: list[Part] = []
    at = other = 0
    sentences = (
        [line[start:end] for start, end in side] for line, side in ((reference, ours), (hypothesis, theirs))
    )
    for taken, others in _blocks(*sentences):
        found.append((*_joined(ours, at, taken), *_joined(theirs, other, others)))
        at, other = at + taken, other + others
    return _with_echoes(found, reference, hypothesis)


def _with_echoes(found: list[Part], reference: str, hypothesis: str) -> list[Part]:
    """The parts, where no sentence is alone that says what the other side of its neighbour says as well."""
    kept: list[Part] = []
    carried: Part | None = None
    for place, own in enumerate(found):
        part = own if carried is None else _union(carried, own)
        before = _echo(part, kept[-1], reference, hypothesis) if kept else 0.0
        behind = _echo(part, found[place + 1], reference, hypothesis) if place + 1 < len(found) else 0.0
        carried = part if behind >= ECHO and behind > before else None
        if carried is None and before >= ECHO:
            kept[-1] = _union(kept[-1], part)
        elif carried is None:
            kept.append(part)
    return kept


def _union(one: Part, other: Part) -> Part:
    return one[0], other[1], one[2], other[3]


def _echo(part: Part, neighbour: Part, reference: str, hypothesis: str) -> float:
    """The share of the longer words of a sentence that is alone that the other side of a neighbour has."""
    r0, r1, h0, h1 = part
    if r1 > r0 and h1 > h0:
        return 0.0
    own, other = (
        (reference[r0:r1], hypothesis[neighbour[2] : neighbour[3]])
        if r1 > r0
        else (hypothesis[h0:h1], reference[neighbour[0] : neighbour[1]])
    )
    words = _types(own)
    words = {word for word in words if len(word) >= _STEM - 1} or words
    return len(words & _types(other)) / max(len(words), 1)


def _types(sentence: str) -> set[str]:
    return {word[:_STEM].lower() for word in tokenise(sentence)}


def _joined(spans: list[Span], first: int, number: int) -> Span:
    """From the first of some neighbours to the last; an empty place where there are none."""
    start = spans[first][0] if first < len(spans) else spans[-1][1]
    return start, spans[first + number - 1][1] if number else start


def _blocks(references: list[str], hypotheses: list[str]) -> list[tuple[int, int]]:
    """How many sentences of each side belong together, in order."""
    from pfsm_kernels.strings.sentences import HALF, aligned_sentences  # noqa: PLC0415 - brings numba

    sides = [list(map(_types, side)) for side in (references, hypotheses)]
    frequency = Counter(word for side in sides for words in side for word in words)
    number = {word: place for place, word in enumerate(frequency)}
    n_sentences = len(references) + len(hypotheses)
    weights = np.array([math.log1p(n_sentences / times) for times in frequency.values()])
    arrays = [
        array for side in sides for array in _rows([{number[word] for word in words} for words in side])
    ]
    blocks = aligned_sentences(*arrays, weights, HALF)
    return [(int(ours), int(theirs)) for ours, theirs in blocks]


def _rows(sentences: list[set[int]]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Sorted types of all sentences, all two neighbours and all three, and where each of these rows begins."""
    groups = [
        sorted(set().union(*sentences[first : first + size])) if first + size <= len(sentences) else []
        for size in (1, 2, 3)
        for first in range(len(sentences))
    ]
    offsets = np.zeros(len(groups) + 1, np.int64)
    np.cumsum(list(map(len, groups)), out=offsets[1:])
    return np.array(list(chain.from_iterable(groups)), np.int32), offsets


def _stretches(text: str, language: str) -> list[Span]:
    """The sentences; those above 90 words in shorter stretches."""
    return [
        stretch
        for start, end in split(text, language)
        for stretch in (_cut(text, start, end) if n_words(text[start:end]) > MOST_WORDS else [(start, end)])
    ]


def _cut(text: str, start: int, end: int) -> Iterator[Span]:
    """Stretches of 30 to 90 words (characters, without spaces): behind the last comma or the like that is possible."""
    words = [match.end() for match in re.finditer(r"\S+\s*", text[start:end])]
    if len(words) <= MOST_WORDS:
        words = list(range(1, end - start + 1))
    ends = [0, *(start + word for word in words)]
    ends[0] = start
    first = 0
    while len(ends) - 1 - first > MOST_WORDS:
        possible = range(first + LEAST_WORDS, first + MOST_WORDS - LEAST_WORDS + 1)
        clause = [
            place for place in possible if text[ends[place - 1] : ends[place]].rstrip().endswith(_CLAUSE)
        ]
        last = (
            clause[-1]
            if clause
            else min(possible, key=lambda place: _checksum(text[ends[place - 1] : ends[place]]))
        )
        yield ends[first], ends[last]
        first = last
    yield ends[first], end


def _checksum(word: str) -> int:
    return zlib.crc32(word.encode("utf-8", "surrogatepass"))
