"""Whether outputs, references and sources look like those of the same segments: one cheap look before scoring.

It is for warnings alone: nothing is scored differently. Empty lines are always named; of the outputs of systems in
evaluation campaigns, fewer than one in two hundred is doubted for another reason.
"""

import math
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise

from pfsm.errors import MismatchWarning
from pfsm.text.characters import composed
from pfsm.text.scripts import is_without_spaces

Lines = Sequence[str | None]
# Of a line in words, that tell its language; of a file in lines, that tell anything of it.
_LEAST_WORDS, _LEAST_LINES = 5, 4
# Shares of lines from which a file is doubted, and never fewer lines than these. One empty line may change a verdict.
_SHARES = {"empty": 0.0, "equal": 0.8, "source": 0.1, "language": 0.05, "repeated": 0.03, "twice": 0.02}
_FEWEST = {"empty": 1, "equal": 20, "source": 3, "language": 3, "repeated": 4, "twice": 2}
# Of a line's words, that stand anywhere in the references of text in the same language.
_KNOWN_WORDS = 0.2
# Lines to either side that a line may have been shifted by; and the sum of Dice's coefficients that speaks for it.
_SHIFTS, _SHIFTED, _DRIFT = (-1, 1, -2, 2), 3.0, 0.05
_STRETCH = 8
# Numbers of lines that a warning names.
_SHOWN = 5
# Other references that a line stands for as well.
_OFTEN = 5
# Lines at each end of a long file that are looked at word by word.
_END = 1_000
_WORD = re.compile(r"\w+")
_SCRIPTS = re.compile(
    r"(?P<Latin>[A-Za-z\u00c0-\u024f\u1e00-\u1eff])|(?P<Greek>[\u0370-\u03ff])|(?P<Cyrillic>[\u0400-\u052f])|"
    r"(?P<Hebrew>[\u0590-\u05ff])|(?P<Arabic>[\u0600-\u06ff])|(?P<Indic>[\u0900-\u0dff])|"
    r"(?P<Han>[\u3040-\u30ff\u3400-\u9fff])|(?P<Hangul>[\uac00-\ud7af])"
)
_TWICE = re.compile("[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]{1,3}")


def mismatches(
    outputs: Mapping[str, Sequence[str]], references: Sequence[Lines], source: Sequence[str] | None = None
) -> list[str]:
    """What speaks against these being outputs and references of the same segments.

    Args:
        outputs: By the name of a system its translations, one a segment.
        references: [n_references][n_segments]; None where a segment has fewer references than others.
        source: The sources, where they are known.

    Returns:
        One warning for each thing that is found in a file, with numbers of lines from 1.
    """
    # Canonically equal lines are the same: words of decomposed letters are none.
    outputs = {name: list(map(composed, lines)) for name, lines in outputs.items()}
    references = [[line if line is None else composed(line) for line in stream] for stream in references]
    source = None if source is None else list(map(composed, source))
    found = _of_references(references, outputs)
    for name, lines in outputs.items():
        found += _of_output(name, lines, references, source)
    return found


def warn_of_mismatches(
    outputs: Mapping[str, Sequence[str]], references: Sequence[Lines], source: Sequence[str] | None = None
) -> None:
    """Warns of `mismatches`, a `MismatchWarning` for each; arguments as there."""
    for found in mismatches(outputs, references, source):
        warnings.warn(found, MismatchWarning, stacklevel=3)


def _of_references(references: Sequence[Lines], outputs: Mapping[str, Sequence[str]]) -> list[str]:
    found = []
    several = len(references) > 1
    for number, stream in enumerate(references, 1):
        name = f"references {number}" if several else "references"
        lines = [line or "" for line in stream]
        there = [place for place, line in enumerate(stream) if line is not None]
        empty = [place for place in there if not lines[place].strip()]
        found += _doubt("empty", name, "empty", empty, len(there))
        found += _doubt("twice", name, _DECODED, _places(_decoded_twice, lines), len(there))
        best = [max(rates) for rates in zip(*(_blemishes(own) for own in outputs.values()), strict=True)]
        worse = [
            place
            for place, (own, other) in enumerate(zip(_blemishes(lines), best, strict=True))
            if own > other
        ]
        better = sum(own < other for own, other in zip(_blemishes(lines), best, strict=True))
        if len(worse) - better >= max(3.0 * math.sqrt(len(worse) + better), 0.15 * len(there), 6):
            found.append(
                f"{name}: {_counted(worse, len(there))} look worse than those of every output (words twice in a "
                "row, no end of a sentence); are outputs and references swapped?"
            )
    return found


_DECODED = "look decoded twice (such as Ã¤ for ä)"


def _of_output(
    name: str, lines: Sequence[str], references: Sequence[Lines], source: Sequence[str] | None
) -> list[str]:
    n = len(lines)
    segments = [tuple((line or "").strip() for line in several) for several in zip(*references, strict=True)]
    stripped = list(map(str.strip, lines))
    empty = [place for place, line in enumerate(stripped) if not line and any(segments[place])]
    found = _doubt("empty", name, "empty", empty, n)
    long = [place for place, line in enumerate(stripped) if _is_long(line)]
    equal = [place for place in long if stripped[place] in segments[place]]
    hint = "; is this the reference itself, or are outputs and references swapped?"
    found += _doubt("equal", name, "equal to the reference", equal, n, hint)
    if source is not None:
        copied = [place for place in long if stripped[place] == source[place].strip() not in segments[place]]
        found += _doubt("source", name, "equal to the source", copied, n)
    counts, own = Counter(stripped), Counter(zip(stripped, segments, strict=True))
    repeated = [
        place for place in long if counts[stripped[place]] - own[stripped[place], segments[place]] >= _OFTEN
    ]
    found += _doubt("repeated", name, "the same for different references", repeated, n)
    found += _doubt("twice", name, _DECODED, _places(_decoded_twice, lines), n)
    # Of long files, both ends: a line that is missing anywhere shifts all that follow.
    places = [*range(n)] if n <= 2 * _END else [*range(_END), *range(n - _END, n)]
    words = [_words(stripped[place]) for place in places]
    others = [[*chain(*map(_words, segments[place]))] for place in places]
    foreign = [place for place, holds in zip(places, _foreign(words, others), strict=True) if holds]
    found += _doubt(
        "language", name, "in another language or script than the references", foreign, len(places)
    )
    if 2 * len(foreign) <= len(places):
        found += _shift(name, places, list(map(frozenset, words)), list(map(frozenset, others)))
    return found


def _doubt(kind: str, name: str, what: str, places: Sequence[int], n: int, hint: str = "") -> list[str]:
    enough = len(places) >= max(_FEWEST[kind], _SHARES[kind] * n)
    return [f"{name}: {_counted(places, n)} {what}{hint}"] if enough else []


def _counted(places: Sequence[int], n: int) -> str:
    shown = ", ".join(str(place + 1) for place in places[:_SHOWN])
    return f"{len(places)} of {n} lines (line {shown}{', …' if len(places) > _SHOWN else ''})"


def _places(holds: Callable[[str], bool], lines: Iterable[str]) -> list[int]:
    return [place for place, line in enumerate(lines) if holds(line)]


def _words(line: str) -> list[str]:
    """Words; of a script without spaces between them, characters."""
    return [*line] if is_without_spaces(line) else _WORD.findall(line.lower())


def _is_long(line: str) -> bool:
    return len(line.split()) >= _LEAST_WORDS or (is_without_spaces(line) and len(line) > 2 * _LEAST_WORDS)


def _script(words: Iterable[str]) -> str | None:
    """The script of most letters; None of fewer than five."""
    text = "".join(words)
    if text.isascii():
        return "Latin" if sum(map(str.isalpha, text)) >= _LEAST_WORDS else None
    counts = Counter(match.lastgroup for match in _SCRIPTS.finditer(text))
    script, most = counts.most_common(1)[0] if counts else (None, 0)
    return script if most >= _LEAST_WORDS and 2 * most > sum(counts.values()) else None


def _foreign(lines: Sequence[Sequence[str]], others: Sequence[Sequence[str]]) -> Iterator[bool]:
    """Whether each line is in another script than its references, or of words that hardly any reference has."""
    vocabulary = set(chain.from_iterable(others))
    for words, other in zip(lines, others, strict=True):
        script, expected = _script(words), _script(other)
        told = [word for word in words if not word.isdigit()]
        few = sum(word in vocabulary for word in told) < _KNOWN_WORDS * len(told)
        yield bool(
            script
            and expected
            and (script != expected or (few and len(told) >= _LEAST_WORDS and len(lines) >= _LEAST_LINES))
        )


def _decoded_twice(line: str) -> bool:
    for match in _TWICE.finditer(line):
        for encoding in ("cp1252", "latin-1"):
            try:
                match[0].encode(encoding).decode("utf-8")
            except UnicodeError:
                continue
            return True
    return False


def _blemishes(lines: Sequence[str]) -> list[int]:
    """For each line how many signs of damage it has."""
    return [
        sum(one == other for one, other in pairwise(_WORD.findall(line.lower())))
        + (not line.rstrip(" \"'”’»)]").endswith((".", "!", "?", "…", ":", "。", "！", "？", "।")))
        for line in lines
    ]


def _shift(
    name: str, places: Sequence[int], own: Sequence[frozenset[str]], others: Sequence[frozenset[str]]
) -> list[str]:
    """A stretch of lines that fit the references of neighbouring lines better than their own."""
    n = len(own)
    fits = [_dice(one, other) for one, other in zip(own, others, strict=True)]
    best = (0.0, 0, 0, 0)
    for step in _SHIFTS:
        total, first = 0.0, 0
        for place in range(max(0, -step), min(n, n - step)):
            if total <= 0.0:
                total, first = 0.0, place
            total += _dice(own[place], others[place + step]) - fits[place] - _DRIFT
            best = max(best, (total, first, place, step))
    total, first, last, step = best
    if total < _SHIFTED or last - first + 1 < _STRETCH:
        return []
    by = f"{'the line' if abs(step) == 1 else f'{abs(step)} lines'} {'after' if step > 0 else 'before'}"
    lines = f"lines {places[first] + 1} to {places[last] + 1}"
    return [f"{name}: {lines} fit the references of {by} better than their own; is a line missing or added?"]


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    return 2.0 * len(one & other) / (len(one) + len(other)) if one and other else 0.0
