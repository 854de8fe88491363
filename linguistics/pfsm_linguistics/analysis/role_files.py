"""Semantic roles in files: PropBank's over the words of UD, and a line of text for every predicate.

PropBank over UD has blocks of ``# words = w1<TAB>w2…`` and one line for each predicate, ``number<TAB>frame
file<TAB>sense<TAB>LABEL:first-last…``; words are counted from 1, and the last one is included.
"""

import re
from collections.abc import Iterator, Sequence

from pfsm.errors import PfsmError
from pfsm_linguistics.analysis.conllu import blocks
from pfsm_linguistics.analysis.roles import Frame, Span, arguments_of, lemma_of_sense
from pfsm_linguistics.analysis.sentence import Analysis

_WORDS = re.compile(r"#\s*words\s*=\s?(.*)")
_SPAN = re.compile(r"(.+):([0-9]{1,9})-([0-9]{1,9})")
_NOTHING = frozenset({"_", "-"})
_DIGITS = 9


def is_propbank(text: Sequence[str]) -> bool:
    """Whether lines are in this format, to judge by the first sentence."""
    return any(_WORDS.match(line) for _, line in next(blocks(text), []))


def read_propbank(text: Sequence[str], source: str) -> list[Analysis]:
    """The sentences of a file of PropBank's roles over the words of UD; they have no trees.

    Raises:
        PfsmError: If a line is not as the format says.
    """
    found: list[Analysis] = []
    for block in blocks(text):
        listed = [(number, match[1]) for number, line in block if (match := _WORDS.match(line))]
        if len(listed) != 1:
            raise PfsmError(
                f"{source}:{block[0][0]}: this sentence needs one line '# words = ' with its words"
            )
        ((place, text_of_words),) = listed
        words = tuple(text_of_words.split("\t")) if text_of_words.strip() else ()
        empty = next((place for place, word in enumerate(words, 1) if not word.strip()), None)
        if empty is not None:
            raise PfsmError(
                f"{source}:{place}: '# words = ': word {empty} is empty; put one tab between words"
            )
        rows = [(number, line) for number, line in block if not line.startswith("#")]
        frames = [_propbank_frame(line.split("\t"), len(words), f"{source}:{n}") for n, line in rows]
        known: dict[int, int] = {}
        for frame, (number, _) in zip(frames, rows, strict=True):
            first = known.setdefault(frame.predicate, number)
            if first != number:
                raise PfsmError(
                    f"{source}:{number}: word {frame.predicate + 1} is the predicate of line {first} too; "
                    "give each predicate one line"
                )
        ordered = tuple(sorted(frames, key=lambda frame: frame.predicate))
        found.append(Analysis(words, (0,) if words else (), frames=ordered))
    return found


def _propbank_frame(fields: Sequence[str], n_words: int, where: str) -> Frame:
    if len(fields) < 3 or not fields[0].isdecimal() or not fields[1].strip():
        raise PfsmError(f"{where}: a predicate is written as NUMBER<TAB>FILE<TAB>SENSE<TAB>LABEL:FIRST-LAST…")
    word = int(fields[0]) if len(fields[0]) <= _DIGITS else 0
    if not 1 <= word <= n_words:
        raise PfsmError(f"{where}: the predicate is word {fields[0]}, the sentence has {n_words} words")
    labelled: list[tuple[str, Span]] = []
    for entry in fields[3:]:
        match = _SPAN.fullmatch(entry)
        if match is None or not 1 <= int(match[2]) <= int(match[3]) <= n_words:
            raise PfsmError(f"{where}: {entry!r} is not a LABEL:FIRST-LAST within {n_words} words")
        labelled.append((match[1], (int(match[2]) - 1, int(match[3]))))
    sense = "" if fields[2] in _NOTHING else fields[2]
    try:
        return Frame(word - 1, lemma_of_sense(fields[1]), arguments_of(labelled), sense)
    except ValueError as error:
        raise PfsmError(f"{where}: {error}") from None


def role_lines(analysis: Analysis, number: int) -> Iterator[str]:
    """One line of text for every predicate: the line's number, the predicate, its arguments with their probabilities.

    Args:
        analysis: A line with roles.
        number: Its number.
    """
    for frame in analysis.frames or ():
        if not frame.is_likely:
            continue
        columns = [str(number), analysis.tokens[frame.predicate], frame.roleset or frame.lemma]
        for one in frame.arguments:
            parts = [" ".join(analysis.tokens[start:end]) for start, end in one.spans]
            share = "" if one.probability == 1.0 else f" ({one.probability:.2f})"
            columns.append(f"{one.label}: {' … '.join(parts)}{share}")
        yield "\t".join(columns)
