"""Explanations of a comparison, short enough for thousands of segments: aligned words, and points by kind of edit."""

import math
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from pfsm.arrays import Float
from pfsm.comparison.compared import Compared
from pfsm.lattice.names import DELETE, INSERT, JUMP, SUBSTITUTION, base_state
from pfsm.metrics.inputs import best_numbers
from pfsm.model.explain.alignments import BASE, ENTROPY, Alignment, Alignments
from pfsm.model.explain.explanation import Edit
from pfsm.model.labels import short_label
from pfsm.model.metric import Metric
from pfsm_studio.explanation import named_states

# Digits of the largest number of points, in the page's unit.
DIGITS = 5
# A letter for each state of the model, and for each 64th of a posterior; none has a meaning in JSON or in HTML.
LETTERS = "".join(map(chr, (*range(0x41, 0x5B), *range(0x61, 0x7B), *range(0x100, 0x180))))
SIXTY_FOUR = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
# Tokens of consecutive edits consume so many words of the reference and of the hypothesis, if nothing else is said.
USUAL = {DELETE: (1, 0), INSERT: (0, 1), JUMP: (0, 0)}


@dataclass(frozen=True, eq=False)
class Explained:
    """Every translation, aligned with the reference that counts.

    Attributes:
        number: Which of the metrics explains.
        alignments: One for each system.
        counted: For each system and segment, which reference counts.
    """

    number: int
    alignments: tuple[Alignments, ...]
    counted: tuple[list[int], ...]


def explained(compared: Compared) -> Explained | None:
    """Explanations by the first metric that has any; None if none has."""
    for number, result in enumerate(compared.results):
        if isinstance(result.metric, Metric):
            # The first reference stands for further ones that are missing.
            references = [
                [several[0] or "" if line is None else line for line in several]
                for several in zip(*compared.references, strict=True)
            ]
            found, counted = [], []
            for lines in compared.outputs:
                best = best_numbers(result.metric.score_pairs, lines, references)
                chosen = [several[one] for several, one in zip(references, best, strict=True)]
                found.append(result.metric.alignments(lines, chosen))
                counted.append(best)
            return Explained(number, tuple(found), tuple(counted))
    return None


def explained_data(found: Explained, compared: Compared) -> dict[str, object]:
    """What the page reads, but for the texts."""
    first = found.alignments[0]
    parts = _parts(first.parts)
    groups = [[place for place, name in enumerate(first.parts) if _part(name) == part] for part in parts]
    largest = max(float(np.abs(one.points).max()) for one in found.alignments)
    unit = _unit(largest)
    states = [name for name in first.parts if _is_state(name)]
    letters = {state: LETTERS[place % len(LETTERS)] for place, state in enumerate(states)}
    data: dict[str, object] = {
        "metric": found.number,
        "parts": parts,
        "labels": {one: short_label(one) for one in (*parts, *named_states(states))},
        "states": states,
        "letters": "".join(letters.values()),
        "unit": unit,
        "base": float(first.points[0, 0]),
        "points": [[_whole(one.points[:, own].sum(axis=1), unit) for own in groups] for one in found.alignments],
        "counts": [
            [
                _whole(one.counts[:, own].sum(axis=1), 0.01) if one.counts[:, own].any() else None
                for own in groups
            ]
            for one in found.alignments
        ],
        "classes": [
            [name, [float(one.counts[:, place].mean()) for one in found.alignments],
             [float(one.points[:, place].mean()) for one in found.alignments]]
            for place, name in enumerate(first.parts)
            if name != _part(name)
        ],
        "edits": [[edit_text(pair.edits, letters) for pair in one.pairs] for one in found.alignments],
        "posteriors": [
            ["".join(SIXTY_FOUR[min(int(at * 64), 63)] for at in pair.posteriors) for pair in one.pairs]
            for one in found.alignments
        ],
    }  # fmt: skip
    if len(compared.references) > 1:
        data["counted"] = list(found.counted)
    if states:
        data |= _across(found, compared)
    return data


def _across(found: Explained, compared: Compared) -> dict[str, object]:
    """Words that moved, and words left in the language of the source, or in another script where there is none."""
    source = compared.facts.source
    if source is None:
        letters = {letter for stream in compared.references for line in stream for letter in line or ""}
        scripts = frozenset(map(_script, filter(str.isalpha, letters)))
    return {
        "moved": [[moved_words(pair) for pair in one.pairs] for one in found.alignments],
        "untranslated": [
            [foreign_words(pair, scripts) for pair in one.pairs]
            if source is None
            else [untranslated_words(pair, line) for pair, line in zip(one.pairs, source, strict=True)]
            for one in found.alignments
        ],
        "fromSource": source is not None,
    }


def _parts(names: Sequence[str]) -> list[str]:
    """Parts in the order of the page, states without their classes; what every pair gets is left out."""
    bases = list(dict.fromkeys(_part(name) for name in names if name != BASE))
    order = {DELETE: 1, INSERT: 2, JUMP: 3, ENTROPY: 4}
    return sorted(bases, key=lambda name: 0 if name.startswith(SUBSTITUTION) else order.get(name, 5))


def _is_state(name: str) -> bool:
    return base_state(name) in {DELETE, INSERT, JUMP} or name.startswith(SUBSTITUTION)


def _part(name: str) -> str:
    """A state without its class; a feature whole, whose name may have a colon of another meaning."""
    return base_state(name) if _is_state(name) else name


def _unit(largest: float) -> float:
    """Power of ten in which a number has `DIGITS` digits."""
    if not (math.isfinite(largest) and largest > 0.0):
        return 1.0
    return float(f"1e{math.floor(math.log10(largest)) + 1 - DIGITS}")


def _whole(values: Float, unit: float) -> list[int]:
    whole: list[int] = np.rint(values / unit).astype(np.int64).tolist()
    return whole


def edit_text(edits: Sequence[Edit], letters: dict[str, str]) -> str:
    """An edit sequence as a short text.

    Each edit is the letter of its state. It begins where the one before it ended; ``@i,j;`` before it says where else.
    A deletion consumes one word of the reference, an insertion one of the hypothesis, a substitution one of each;
    ``{p,q}`` after the letter says what else.
    """
    written = []
    i = j = 0
    for edit in edits:
        (i0, i1), (j0, j1) = edit.reference, edit.hypothesis
        if (i0, j0) != (i, j):
            written.append(f"@{i0},{j0};")
        written.append(letters[edit.state])
        size = i1 - i0, j1 - j0
        if size != USUAL.get(base_state(edit.state), (1, 1)):
            written.append(f"{{{size[0]},{size[1]}}}")
        i, j = i1, j1
    return "".join(written)


# Of a source, shorter words are as often words of the other language.
SHORTEST = 3


def moved_words(pair: Alignment) -> int:
    """Words that the best edit sequence deletes at one place and inserts at another."""
    deleted, inserted = (Counter(map(str.lower, words)) for words in _left_over(pair))
    return sum((deleted & inserted).values())


def untranslated_words(pair: Alignment, source: str) -> int:
    """Inserted words that stand in the source as they are, and not in the reference."""
    known = {word.lower() for word in pair.reference}
    of_source = {word.strip(".,;:!?()[]\"'").lower() for word in source.split()}
    return sum(
        len(word) >= SHORTEST and word.isalpha() and word.lower() in of_source and word.lower() not in known
        for word in _left_over(pair)[1]
    )


def foreign_words(pair: Alignment, scripts: frozenset[str]) -> int:
    """Inserted words with a letter of a script that is none of these."""
    return sum(
        not word.isascii() and not scripts.issuperset(map(_script, filter(str.isalpha, word)))
        for word in _left_over(pair)[1]
    )


def _left_over(pair: Alignment) -> tuple[Sequence[str], Sequence[str]]:
    """The words that are deleted and those that are inserted; punctuation is not a word."""
    deleted: list[str] = []
    inserted: list[str] = []
    for edit in pair.edits:
        base = base_state(edit.state)
        if base == DELETE:
            deleted += pair.reference[slice(*edit.reference)]
        elif base == INSERT:
            inserted += pair.hypothesis[slice(*edit.hypothesis)]
    return [word for word in deleted if _is_word(word)], [word for word in inserted if _is_word(word)]


@cache
def _is_word(token: str) -> bool:
    return any(map(str.isalnum, token))


@cache
def _script(letter: str) -> str:
    """By the first word of its name."""
    return unicodedata.name(letter, "?").partition(" ")[0]
