"""Where a translation loses its points: runs of words, and places where words are missing.

Which words are at fault, and how surely, says a logistic model over words; it was learned from marks that experts set
(`pfsm train --spans`). A run is a window of at most a fifth of the line, and what it weighs is

    v = -sum log(1 - p_j)

over its words j. Runs are taken one after the other, the heaviest first: three, and more while they weigh enough. The
loss is divided among them in proportion to v^2, so the points of a translation's errors add up to its loss. (In
proportion to v, the worst major error tells translations that experts marked from others less well.)
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.encoder.names import is_encoder_feature, parse_feature
from pfsm.errors import PfsmError
from pfsm.model.explain.explanation import Explanation, TextError
from pfsm.text.classes import CLASSES, SHIPPED, WordClasses, default_lists, word_classes
from pfsm.text.offsets import token_offsets

Float = NDArray[np.float64]
Span = tuple[int, int]
MINOR, MAJOR = SEVERITIES = ("minor", "major")
# What is known of a word; those from "far" on need an encoder.
FEATURES = (
    *("constant", "unmatched", "similar", "run", "missing beside", "loss", "first", "last"),
    *("content", "name", "number", "negation", "punctuation", "unmatched content", "similar content"),
    *("far", "far beside", "farther than the line", "rank of far", "far and matched"),
)
WITHOUT_ENCODER = FEATURES.index("far")
# Of the characters of a line, what a run has at most; and the most runs of a line.
WIDEST, MOST = 0.2, 12
# Words whose odds are below this part of those of the likeliest of a run are no end of it.
FAINT = 0.25
# What a word that is matched with itself weighs of its weight, where the pair has other words.
MATCHED = 0.05
_OF_EDITS = [FEATURES.index(name) for name in ("unmatched", "similar")]
# Of the heaviest word of a run, the least weight.
STOP = 0.3
# So many runs with an edited word are there whatever they weigh: experts' worst mark is often at the second or third.
ALWAYS = 3
_LARGEST, _LARGEST_NUMBER = 1.0 - 1e-6, 1e6


@dataclass(frozen=True)
class Marker:
    """What finds errors; a mapping in JSON.

    Attributes:
        weights: By name of a feature of `FEATURES`.
        least: What a run weighs at least, in terms of the heaviest.
        likely: Words that weigh less are no end of a run, unless all its words do.
        missing: What a missing word weighs in terms of an added one.
        major: From so many points on an error is major.
    """

    weights: Mapping[str, float]
    least: float
    likely: float
    missing: float
    major: float

    def probabilities(self, known: Float) -> Float:
        """How likely words are at fault, float64 [n_words], by what is known of them [n_words, n_features]."""
        z = known @ np.array([self.weights.get(name, 0.0) for name in FEATURES])
        result: Float = np.minimum(1.0 / (1.0 + np.exp(-z)), _LARGEST)
        return result


@dataclass(frozen=True, eq=False)
class Words:
    """The words of a translation, and the places between them where words of the reference are missing.

    Attributes:
        line: The translation, as its user wrote it.
        reference: The reference, likewise.
        offsets: Of each word in the line.
        of_reference: Offsets of the words of the reference.
        known: float64 [n_words, n_features], of the words.
        replaced: By word, the words of the reference [first, last) that stand for it.
        missing: By place (before the word of this number), the words of the reference [first, last) that are missing
            there without anything in their place.
        of_missing: float64 [n_missing, n_features], of the likeliest word of each.
    """

    line: str
    reference: str
    offsets: Sequence[Span]
    of_reference: Sequence[Span]
    known: Float
    replaced: Sequence[Span]
    missing: Sequence[tuple[int, Span]]
    of_missing: Float


def errors(
    explanation: Explanation, hypothesis: str, reference: str, language: str, by: Marker
) -> tuple[TextError, ...]:
    """The errors of a translation, most points first; none where it loses nothing.

    Args:
        explanation: Of the pair, with its loss.
        hypothesis: The translation, as its user wrote it.
        reference: The reference, likewise.
        language: Of the translation, a code.
        by: Finds them.
    """
    loss = 0.0 if explanation.perfect is None else explanation.perfect - explanation.score
    return found(words_of(explanation, hypothesis, reference, language), by, loss) if loss > 0.0 else ()


def mended(hypothesis: str, error: TextError) -> str:
    """The translation with one of its errors corrected."""
    missing = error.start == error.end and error.start > 0
    return f"{hypothesis[: error.start]}{' ' * missing}{error.correction}{hypothesis[error.end :]}"


def found(words: Words, by: Marker, loss: float) -> tuple[TextError, ...]:
    """The errors of a translation with some loss above 0, as `errors`."""
    chosen = _runs(words, by)
    squares = [(weight / chosen[0][2]) ** 2 for *_, weight in chosen]
    points = [loss * square / sum(squares) for square in squares]
    points[0] += loss - math.fsum(points)
    made = [_error(words, span, of, value, by) for (span, of, _), value in zip(chosen, points, strict=True)]
    return tuple(sorted(made, key=lambda one: (-one.points, one.start, one.end)))


def _runs(words: Words, by: Marker) -> list[tuple[Span, Span, float]]:
    """Runs and places: characters of the line, words of the reference in their stead, weight; the heaviest first."""
    weights = -np.log1p(-by.probabilities(words.known))
    matched = (words.known[:, _OF_EDITS] == 0.0).all(axis=1)
    if words.missing or not matched.all():
        weights = np.where(matched, MATCHED * weights, weights)
    free = np.ones(len(weights), dtype=bool)
    starts, ends = (np.array([one[k] for one in words.offsets], dtype=np.int64) for k in (0, 1))
    # The longest window that starts with each word, at least that word.
    widest = WIDEST * (ends[-1] - starts[0]) if len(ends) else 0.0
    reach = np.maximum(np.searchsorted(ends, starts + widest, "right"), np.arange(len(ends)) + 1)
    places = [
        ((at, at), of, by.missing * float(weight))
        for (at, of), weight in zip(
            # They are missing after the word before, or at the start.
            ((words.offsets[place - 1][1] if place else 0, of) for place, of in words.missing),
            -np.log1p(-by.probabilities(words.of_missing)),
            strict=True,
        )
    ]
    runs: list[tuple[Span, Span, float]] = []
    heaviest = max((weight for *_, weight in places), default=0.0)
    while free.any() and len(runs) < MOST:
        sums = np.concatenate([[0.0], np.cumsum(np.where(free, weights, 0.0))])
        # A window ends before a word that is in a run already.
        taken = np.flatnonzero(~free)
        stop = np.append(taken, len(free))[np.searchsorted(taken, np.arange(len(free)))]
        first = int(np.argmax(np.where(free, sums[np.minimum(reach, stop)] - sums[:-1], -1.0)))
        last = int(min(reach[first], stop[first]))
        top = float(weights[first:last].max())
        least = min(top, max(FAINT * top, by.likely))
        strong = first + np.flatnonzero(weights[first:last] >= least)
        first, last = int(strong[0]), int(strong[-1]) + 1
        weight = float(weights[first:last].sum())
        heaviest = max(heaviest, weight)
        is_faint = weight < by.least * heaviest or weights[first:last].max() < STOP
        if is_faint and (runs or places) and (len(runs) >= ALWAYS or matched[first:last].all()):
            break
        free[first:last] = False
        spans = words.replaced[first:last]
        runs.append(((int(starts[first]), int(ends[last - 1])), (spans[0][0], spans[-1][1]), weight))
    runs = sorted([*runs, *places], key=lambda one: -one[2])
    if not heaviest:  # nothing but an empty line, or one of nothing but spaces
        return [((0, 0), (0, len(words.of_reference)), 1.0)]
    return [*runs[:ALWAYS], *(one for one in runs[ALWAYS:] if one[2] >= by.least * heaviest)]


def _error(words: Words, span: Span, of: Span, points: float, by: Marker) -> TextError:
    correction = ""
    if of[0] < of[1]:
        correction = words.reference[words.of_reference[of[0]][0] : words.of_reference[of[1] - 1][1]]
    severity = MAJOR if points >= by.major else MINOR
    return TextError(*span, severity, points, words.line[slice(*span)], correction)


def _aligned(explanation: Explanation) -> tuple[list[int], list[Span], dict[int, Span]]:
    """The best edits, word by word.

    Returns:
        Of each word 0 for matched with itself, 1 with something similar, 2 unmatched; what it replaces, as in `Words`;
        and by place the words of the reference that are deleted there, [first, last).
    """
    ours, theirs = explanation.hypothesis, explanation.reference
    kinds, replaced = [2] * len(ours), [(0, 0)] * len(ours)
    deleted: dict[int, Span] = {}
    at = 0  # in the reference
    for edit in explanation.edits:
        (i, k), (j, n) = edit.reference, edit.hypothesis
        if edit.jump is not None:
            continue
        if j == n and i < k:
            first, last = deleted.get(j, (i, k))
            deleted[j] = min(first, i), max(last, k)
            at = k
            continue
        at = k if i < k else at
        same = [one.casefold() for one in theirs[i:k]] == [one.casefold() for one in ours[j:n]]
        for word in range(j, n):
            replaced[word] = (i, k) if i < k else (at, at)
            kinds[word] = 2 if i == k else 0 if same else 1
    return kinds, replaced, deleted


def words_of(explanation: Explanation, hypothesis: str, reference: str, language: str) -> Words:
    """What is known of the words of a translation; arguments as of `errors`."""
    ours, theirs = explanation.hypothesis, explanation.reference
    offsets, of_reference = token_offsets(hypothesis, ours), token_offsets(reference, theirs)
    kinds_of, replaced, deleted = _aligned(explanation)
    far = _far(explanation, (reference, hypothesis), (of_reference, offsets))
    loss = math.log1p(max((explanation.perfect or 0.0) - explanation.score, 0.0))
    kinds = np.array(kinds_of, dtype=np.int64)
    known = _known(kinds, ours, far[1], loss, language)
    missing, of_missing = [], []
    for place, (first, last) in sorted(deleted.items()):
        beside = [word for word in (place - 1, place) if 0 <= word < len(ours) and kinds[word]]
        for word in beside:
            known[word, FEATURES.index("missing beside")] += math.log1p(last - first)
        if beside:  # they are what should stand there
            word = beside[0]
            low, high = replaced[word]
            replaced[word] = (min(low, first), max(high, last)) if low < high else (first, last)
        else:
            missing.append((place, (first, last)))
            rows = _known(np.full(last - first, 2), theirs[first:last], far[0][first:last], loss, language)
            of_missing.append(rows[np.argmax(rows[:, FEATURES.index("content")] + rows[:, WITHOUT_ENCODER])])
    return Words(
        hypothesis, reference, offsets, of_reference, known, replaced, missing,
        np.array(of_missing).reshape(-1, len(FEATURES)),
    )  # fmt: skip


def _known(kinds: NDArray[np.int64], words: Sequence[str], far: Float, loss: float, language: str) -> Float:
    n = len(words)
    known = np.zeros((n, len(FEATURES)))
    column = {name: known[:, place] for place, name in enumerate(FEATURES)}
    column["constant"][:] = 1.0
    column["unmatched"][:], column["similar"][:] = kinds == 2, kinds == 1
    column["loss"][:] = loss
    if n:
        column["first"][0], column["last"][-1] = 1.0, 1.0
        edges = np.flatnonzero(np.diff(np.concatenate([[0], (kinds > 0).astype(int), [0]])))
        for first, last in edges.reshape(-1, 2).tolist():
            column["run"][first:last] = math.log1p(last - first)
    classes = _word_classes(language)
    for place, word in enumerate(words):
        name = CLASSES[classes.of(word)]
        if name in column:
            column[name][place] = 1.0
    content = column["content"] + column["name"] + column["number"] + column["negation"]
    column["unmatched content"][:], column["similar content"][:] = (
        content * (kinds == 2),
        content * (kinds == 1),
    )
    column["far"][:] = far
    if n > 1:
        column["far beside"][:] = np.maximum(np.append(far[1:], 0.0), np.append(0.0, far[:-1]))
        column["rank of far"][:] = np.argsort(np.argsort(far, kind="stable"), kind="stable") / (n - 1)
    column["farther than the line"][:] = far - (far.mean() if n else 0.0)
    column["far and matched"][:] = far * (kinds == 0)
    return known


def _far(
    explanation: Explanation, lines: tuple[str, str], offsets: tuple[Sequence[Span], Sequence[Span]]
) -> tuple[Float, Float]:
    """Of each word of the reference and of the translation, how far its farthest piece is from the other side."""
    found = []
    for side in (0, 1):
        far = np.zeros(len(offsets[side]))
        pieces = () if explanation.encoder is None else explanation.encoder.pieces[side]
        word = 0
        spans = token_offsets(lines[side], [piece for piece, _ in pieces])
        for (start, end), (_, value) in zip(spans, pieces, strict=True):
            while word < len(far) - 1 and offsets[side][word][1] <= start:
                word += 1
            for one in range(word, len(far)):
                if offsets[side][one][0] >= max(end, start + 1):
                    break
                far[one] = max(far[one], value)
        found.append(far)
    return found[0], found[1]


@cache
def _word_classes(language: str) -> WordClasses:
    name = default_lists(language)
    return word_classes(name) if name in SHIPPED else WordClasses()


@cache
def marker(kind: str) -> Marker:
    """The shipped model: ``edits``, ``encoder``, or ``multi`` for the encoder of that name."""
    text = (files("pfsm.resources") / "errors.json").read_text(encoding="utf-8")
    return Marker(**json.loads(text)[kind])


def marker_of(training: Mapping[str, Any], features: Iterable[str], where: str) -> Marker:
    """What finds the errors of a model: what its record of its training has, or else what ships for its features.

    Raises:
        PfsmError: If the record holds something else; ``where`` names the model.
    """
    if "errors" not in training:
        name = next(filter(is_encoder_feature, features), None)
        if name is None:
            return marker("edits")
        return marker("multi" if parse_feature(name)[1].startswith("shipped:multi") else "encoder")
    names = [one.name for one in fields(Marker)]
    record = training["errors"]
    values: dict[str, Any] = {"weights": None}
    if isinstance(record, dict) and {*names} <= {*record}:
        values = {name: record[name] for name in names}
    if isinstance(values["weights"], dict):
        numbers = [*values["weights"].values(), *(values[name] for name in names[1:])]
        if all(type(one) in {int, float} and abs(one) <= _LARGEST_NUMBER for one in numbers):
            return Marker(**values)
    raise PfsmError(f"{where}: training.errors is not what `pfsm train --spans` writes")
