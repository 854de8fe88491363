"""Clause files of the Parallel Meaning Bank: reading, and writing in the same form.

A block has comments ``%%% raw:`` (the text) and ``%%% tok:`` (its words; ``ø`` is an empty element, ``~`` joins words),
then one clause a line, ``BOX OPERATOR ARGUMENT [ARGUMENT] % word [from...to] …`` with characters of the text. Empty
lines separate blocks; other lines that begin with ``%`` are skipped.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from pfsm.errors import PfsmError
from pfsm_linguistics.analysis.alignment import squeezed
from pfsm_linguistics.analysis.clauses import (
    NEGATION,
    PRESUPPOSITION,
    REF,
    Clause,
    Drs,
    in_capitals,
    is_box,
    is_constant,
)
from pfsm_linguistics.analysis.conllu import blocks
from pfsm_linguistics.analysis.sentence import Analysis

COMMENT = "%%%"
_RAW, _TOKENS = f"{COMMENT} raw:", f"{COMMENT} tok:"
_EMPTY, _JOINT = "ø", "~"
_DIGITS = 9
_CLAUSE = re.compile(r"(\S+)\s+(\S+)\s+(\"[^\"]*\"|[^%\s]\S*)(?:\s+(\"[^\"]*\"|[^%\s]\S*))?\s*(?:%(.*))?")
_PLACE = re.compile(rf"\[([0-9]{{1,{_DIGITS}}})\.\.\.([0-9]{{1,{_DIGITS}}})\]")
# The bank writes some boxes as a number alone.
_BOX_NAME = re.compile(r"b?[0-9]+")
_OVER_ONE_BOX = frozenset({NEGATION, PRESUPPOSITION, "NECESSITY", "POSSIBILITY"})
_COMPARISONS = frozenset({"EQU", "NEQ", "APX", "LES", "LEQ", "TPR", "TAB", "TIN"})


def is_clause_text(first: str) -> bool:
    """Whether a text whose first line that is not empty is this one holds clauses."""
    return first.startswith(COMMENT)


def read_clauses(lines: Iterable[str], source: str) -> list[Analysis]:
    """The words and structures of the blocks of a clause file.

    Raises:
        PfsmError: If a line is not a clause, or a block has no text.
    """
    return [_read_block(block, source) for block in blocks(lines)]


def _read_block(block: Sequence[tuple[int, str]], source: str) -> Analysis:
    raw, given = (
        [line.removeprefix(mark).strip() for _, line in block if line.startswith(mark)]
        for mark in (_RAW, _TOKENS)
    )
    if not raw:
        raise PfsmError(f"{source}:{block[0][0]}: this block needs a line '{_RAW} ' with its text")
    text = " ".join(raw)
    tokens = _tokens(text, given[-1] if given else None)
    places = _places(text, tokens)
    rows = ((number, line) for number, line in block if not line.startswith("%"))
    clauses = tuple(_clause(line, f"{source}:{number}", places) for number, line in rows)
    return Analysis(tokens, (0,) if tokens else (), drs=Drs(clauses))


def _tokens(text: str, given: str | None) -> tuple[str, ...]:
    """The words: those given if they have the text's characters, else what stands between spaces."""
    words = tuple(text.split())
    if given is None:
        return words
    whole = tuple(given.split())
    apart = tuple(
        part
        for word in whole
        if word != _EMPTY
        for part in (word.split(_JOINT) if word != _JOINT else [word])
        if part
    )
    return next((one for one in (whole, apart) if squeezed(one) == squeezed(words)), words)


def _places(text: str, tokens: Sequence[str]) -> list[tuple[int, int]]:
    """First character of each word and the one after its last; no characters where the text spells it otherwise."""
    found: list[tuple[int, int]] = []
    place = 0
    for token in tokens:
        start = text.find(token, place)
        if start < 0:
            found.append((place, place))
            continue
        place = start + len(token)
        found.append((start, place))
    return found


def _clause(line: str, where: str, places: Sequence[tuple[int, int]]) -> Clause:
    match = _CLAUSE.fullmatch(line.strip())
    if match is None:
        raise PfsmError(
            f"{where}: a clause is written as BOX OPERATOR ARGUMENT [ARGUMENT] % word [from...to]"
        )
    box, operator, first, second, comment = match.groups()
    arguments = (first,) if second is None else (first, second)
    if all(map(is_constant, arguments)):
        raise PfsmError(
            f"{where}: {line.strip()!r} has no variable; a clause says something of a box or a referent"
        )
    if not _BOX_NAME.fullmatch(box):
        raise PfsmError(f"{where}: a clause begins with its box, such as b1, not with {box!r}")
    fault = _fault(Clause(box, operator, arguments))
    if fault:
        raise PfsmError(f"{where}: {fault}")
    spans = [(int(start), int(end)) for start, end in _PLACE.findall(comment or "")]
    backwards = next((f"[{start}...{end}]" for start, end in spans if start >= end), None)
    if backwards is not None:
        raise PfsmError(f"{where}: {backwards} holds no characters; the second number is after the last one")
    words = tuple(
        k
        for k, (start, end) in enumerate(places)
        if any(start < last and first < end for first, last in spans)
    )
    return Clause(box, operator, arguments, words)


def _fault(clause: Clause) -> str:
    """What an operator takes, where its arguments are others; empty if they are right."""
    operator, arguments = clause.operator, clause.arguments
    n_boxes = len(clause.box_arguments)
    shown = f"{operator} {' '.join(arguments)}"
    if clause.box in arguments:
        return f"{shown!r} stands in {clause.box}; an operator takes another box than its own"
    if clause.is_reference:
        return "" if len(arguments) == 1 and not n_boxes else f"{REF} takes one referent, not {shown!r}"
    if operator in _OVER_ONE_BOX or (len(arguments) == 1 and in_capitals(operator)):
        if len(arguments) == n_boxes == 1:
            return ""
        if operator not in _COMPARISONS:
            return f"{operator} takes one box, not {shown!r}"
    if len(arguments) == 1:
        return f"{operator} takes two arguments, not {shown!r}"
    if clause.is_concept:
        return f"the concept {operator} takes a sense and a referent, not {shown!r}" if n_boxes else ""
    if in_capitals(operator):
        fits = not n_boxes or (n_boxes == 2 and operator not in _COMPARISONS)
        taken = "two referents" if operator in _COMPARISONS else "two boxes or two referents"
        return "" if fits else f"{operator} takes {taken}, not {shown!r}"
    return (
        f"{operator} begins with a referent, not with a box as in {shown!r}" if is_box(arguments[0]) else ""
    )


def clause_lines(analysis: Analysis, drs: Drs, number: int) -> Iterator[str]:
    """A line's block: its words, its boxes as a comment, its clauses; no block for an empty line.

    Args:
        analysis: The words.
        drs: The structure.
        number: The line's number, for the comment at its head.
    """
    if not analysis.tokens:
        return
    yield f"{COMMENT} line {number}"
    yield f"{_RAW} {' '.join(analysis.tokens)}"
    yield f"{_TOKENS} {' '.join(analysis.tokens)}"
    for line in box_lines(drs):
        yield f"% {line}"
    starts = list(accumulate((len(token) + 1 for token in analysis.tokens), initial=0))
    for one in drs.clauses:
        places = " ".join(
            f"{analysis.tokens[word]} [{starts[word]}...{starts[word] + len(analysis.tokens[word])}]"
            for word in one.words
        )
        yield f"{one.box} {one.operator} {' '.join(one.arguments)}{' % ' + places if places else ''}"
    yield ""


def box_lines(drs: Drs) -> Iterator[str]:
    """One line for each box, as in ``b1: x1 e1 | dog(x1), bark(e1), A0(e1, x1)``."""
    for box in drs.boxes:
        own = [one for one in drs.clauses if one.box == box]
        referents = dict.fromkeys(one.arguments[0] for one in own if one.is_reference)
        conditions = [
            f"{one.operator}({', '.join(one.arguments[1:] if one.is_concept else one.arguments)})"
            for one in own
            if not one.is_reference
        ]
        yield " ".join(f"{box}: {' '.join(referents)} | {', '.join(conditions)}".split())
