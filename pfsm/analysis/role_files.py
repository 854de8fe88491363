"""Semantic roles in the formats of others: CoNLL-2009, CoNLL-2012, and PropBank's roles over the words of UD.

* CoNLL-2009 (Hajič et al. 2009, "The CoNLL-2009 shared task"): tab-separated columns ID to PRED, then one column of
  roles for each predicate, at the head word of each argument. The argument is the subtree of that word, without the
  branch that holds the predicate.
* CoNLL-2012 (Pradhan et al. 2012): columns between white space; brackets for constituents, and for each predicate.
* PropBank over UD: blocks of ``# words = w1<TAB>w2…`` and one line for each predicate, ``number<TAB>frame
  file<TAB>sense<TAB>LABEL:first-last…``; words are counted from 1, and the last one is included.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from pfsm.analysis.conllu import blocks
from pfsm.analysis.constituents import parse_brackets
from pfsm.analysis.roles import Argument, Frame, Span, arguments_of, lemma_of_sense
from pfsm.analysis.sentence import ROOT_LABEL, Analysis, DependencyTree, cycle_of
from pfsm.errors import PfsmError

Row = tuple[int, str]
Block = Sequence[Row]
_WORDS = re.compile(r"#\s*words\s*=\s?(.*)")
_SPAN = re.compile(r"(.+):([0-9]{1,9})-([0-9]{1,9})")
_NOTHING = frozenset({"_", "-"})
_2009_COLUMNS, _2012_COLUMNS = 14, 12
_DIGITS = 9


def role_reader(text: Sequence[str]) -> Callable[[Sequence[str], str], list[Analysis]] | None:
    """The reader of these lines; None if they are in none of the three formats."""
    block = next(blocks(text), [])
    rows = [line for _, line in block if not line.startswith("#")]
    if any(_WORDS.match(line) for _, line in block if line.startswith("#")):
        return read_propbank
    if any(line.startswith("#begin document") for _, line in block):
        return read_conll_2012
    if not rows:
        return None
    tabbed, spaced = rows[0].split("\t"), rows[0].split()
    if len(tabbed) >= _2009_COLUMNS and tabbed[0] == "1" and not _has_names(block):
        return read_conll_2009
    if len(spaced) >= _2012_COLUMNS and spaced[2] == "0" and spaced[0] != "1":
        return read_conll_2012
    return None


def _has_names(block: Block) -> bool:
    return any("global.columns" in line for _, line in block if line.startswith("#"))


def read_propbank(text: Sequence[str], source: str) -> list[Analysis]:
    """The sentences of a file of PropBank's roles over the words of UD; they have no trees.

    Raises:
        PfsmError: If a line is not as the format says.
    """
    found: list[Analysis] = []
    for block in blocks(text):
        listed = [match for _, line in block if (match := _WORDS.match(line))]
        if len(listed) != 1:
            raise PfsmError(
                f"{source}:{block[0][0]}: this sentence needs one line '# words = ' with its words"
            )
        words = tuple(listed[0][1].split("\t")) if listed[0][1].strip() else ()
        empty = next((place for place, word in enumerate(words, 1) if not word.strip()), None)
        if empty is not None:
            raise PfsmError(
                f"{source}:{_place_of_words(block)}: '# words = ': word {empty} is empty; put one tab between words"
            )
        rows = [(number, line) for number, line in block if not line.startswith("#")]
        frames = [_propbank_frame(line.split("\t"), len(words), f"{source}:{n}") for n, line in rows]
        _check_once(frames, [n for n, _ in rows], source)
        found.append(Analysis(words, (0,) if words else (), frames=_sorted(frames)))
    return found


def _place_of_words(block: Block) -> int:
    return next(number for number, line in block if _WORDS.match(line))


def _check_once(frames: Sequence[Frame], lines: Sequence[int], source: str) -> None:
    known: dict[int, int] = {}
    for frame, line in zip(frames, lines, strict=True):
        first = known.setdefault(frame.predicate, line)
        if first != line:
            raise PfsmError(
                f"{source}:{line}: word {frame.predicate + 1} is the predicate of line {first} too; "
                "give each predicate one line"
            )


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
            raise PfsmError(f"{where}: {entry!r} is no LABEL:FIRST-LAST within {n_words} words")
        labelled.append((match[1], (int(match[2]) - 1, int(match[3]))))
    return _frame(word - 1, lemma_of_sense(fields[1]), labelled, fields[2], where)


def _frame(word: int, lemma: str, labelled: Sequence[tuple[str, Span]], sense: str, where: str) -> Frame:
    try:
        return Frame(word, lemma, arguments_of(labelled), "" if sense in _NOTHING else sense)
    except ValueError as error:
        raise PfsmError(f"{where}: {error}") from None


def _sorted(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    return tuple(sorted(frames, key=lambda frame: frame.predicate))


def read_conll_2009(text: Sequence[str], source: str) -> list[Analysis]:
    """The sentences of a CoNLL-2009 file; where gold columns are empty, the predicted ones count.

    Raises:
        PfsmError: If a line is not as the format says.
    """
    return [_of_2009(block, source) for block in blocks(text)]


def _of_2009(block: Block, source: str) -> Analysis:
    rows = [(number, line.split("\t")) for number, line in block if not line.startswith("#")]
    for place, (number, row) in enumerate(rows, 1):
        if len(row) < _2009_COLUMNS or row[0] != str(place):
            raise PfsmError(
                f"{source}:{number}: a word of CoNLL-2009 has {_2009_COLUMNS} columns or more between tabs, "
                f"{place} is the next ID"
            )
    heads = tuple(_head(_either(row[8], row[9]), len(rows), f"{source}:{n}") for n, row in rows)
    cycle = cycle_of(heads)
    if cycle is not None:
        raise PfsmError(f"{source}:{rows[cycle[0] - 1][0]}: HEAD leads in a cycle back to word {cycle[1]}")
    labels = tuple(
        _either(row[10], row[11]) if head else ROOT_LABEL for (_, row), head in zip(rows, heads, strict=True)
    )
    tags = tuple(_either(row[4], row[5]) for _, row in rows)
    predicates = [place for place, (_, row) in enumerate(rows) if row[13] not in _NOTHING]
    for number, row in rows:
        if len(row) != _2009_COLUMNS + len(predicates):
            raise PfsmError(
                f"{source}:{number}: {len(row)} columns, with {len(predicates)} predicates in the "
                f"sentence there are {_2009_COLUMNS + len(predicates)}"
            )
    children = _children(heads)
    frames: list[Frame] = []
    for k, place in enumerate(predicates):
        number, row = rows[place]
        labelled: list[tuple[str, Span]] = []
        for word, (_, other) in enumerate(rows):
            label = other[_2009_COLUMNS + k]
            if label not in _NOTHING:
                labelled += _parts(label, _runs(argument_words(children, word, place)))
        frames.append(_frame(place, lemma_of_sense(row[13]), labelled, row[13], f"{source}:{number}"))
    return Analysis(
        tuple(row[1] for _, row in rows),
        (0,) if rows else (),
        (),
        tags if any(tag not in _NOTHING for tag in tags) else (),
        (DependencyTree(heads, labels),),
        frames=_sorted(frames),
    )


def _either(gold: str, predicted: str) -> str:
    return predicted if gold in _NOTHING else gold


def _head(text: str, n_words: int, where: str) -> int:
    if not text.isdecimal() or len(text) > 9 or int(text) > n_words:
        raise PfsmError(f"{where}: HEAD is {text!r}, a number from 0 to {n_words} is needed")
    return int(text)


def _children(heads: Sequence[int]) -> list[list[int]]:
    """The words below each word."""
    children: list[list[int]] = [[] for _ in heads]
    for word, head in enumerate(heads):
        if head:
            children[head - 1].append(word)
    return children


def _below(children: Sequence[Sequence[int]], top: int) -> list[int]:
    """A word and all words below it."""
    found, waiting = [], [top]
    while waiting:
        word = waiting.pop()
        found.append(word)
        waiting += children[word]
    return found


def argument_words(children: Sequence[Sequence[int]], word: int, predicate: int) -> list[int]:
    """Words of the subtree of a word without the branch that holds the predicate; the predicate's own is whole."""
    branches = [_below(children, child) for child in children[word]]
    return sorted([word, *(one for branch in branches if predicate not in branch for one in branch)])


def _runs(words: Sequence[int]) -> list[Span]:
    spans: list[Span] = []
    for word in words:
        if spans and spans[-1][1] == word:
            spans[-1] = (spans[-1][0], word + 1)
        else:
            spans.append((word, word + 1))
    return spans


def _parts(label: str, spans: Sequence[Span]) -> list[tuple[str, Span]]:
    """The first span with its label, the others as its continuations."""
    bare = label.removeprefix("C-")
    return [(label if k == 0 else f"C-{bare}", span) for k, span in enumerate(spans)]


def read_conll_2012(text: Sequence[str], source: str) -> list[Analysis]:
    """The sentences of a CoNLL-2012 file.

    Raises:
        PfsmError: If a line is not as the format says.
    """
    found: list[Analysis] = []
    for block in blocks(text):
        rows = [(number, line.split()) for number, line in block if not line.startswith("#")]
        if rows:
            found.append(_of_2012(rows, source))
    return found


def _of_2012(rows: Sequence[tuple[int, list[str]]], source: str) -> Analysis:
    number, first = rows[0]
    n_predicates = len(first) - _2012_COLUMNS
    for place, (at, row) in enumerate(rows):
        if len(row) != len(first) or len(row) < _2012_COLUMNS or row[2] != str(place):
            raise PfsmError(
                f"{source}:{at}: a word of CoNLL-2012 has {_2012_COLUMNS} columns and one for each predicate, "
                f"as many as the first word of the sentence; {place} is the next number"
            )
    predicates = [place for place, (_, row) in enumerate(rows) if row[7] not in _NOTHING]
    if len(predicates) != n_predicates:
        raise PfsmError(
            f"{source}:{number}: {n_predicates} columns of roles, but {len(predicates)} words with a sense"
        )
    frames = [
        _frame(
            place,
            lemma_of_sense(rows[place][1][6] if rows[place][1][6] not in _NOTHING else rows[place][1][3]),
            _bracketed_roles([(at, row[11 + k]) for at, row in rows], source),
            f"{rows[place][1][6]}.{rows[place][1][7]}",
            f"{source}:{rows[place][0]}",
        )
        for k, place in enumerate(predicates)
    ]
    words = tuple(row[3] for _, row in rows)
    tags = tuple(row[4] for _, row in rows)
    bits = [row[5] for _, row in rows]
    bare = Analysis(words, (0,), (), tags, frames=_sorted(frames))
    if any(bit in _NOTHING for bit in bits):
        return bare
    tree = parse_brackets(
        " ".join(
            bit.replace("*", f" ({tag} {_escaped(word)})")
            for bit, tag, word in zip(bits, tags, words, strict=True)
        ),
        f"{source}:{number}",
    ).tree
    return replace(bare, constituents=(tree,))


def _escaped(word: str) -> str:
    return {"(": "-LRB-", ")": "-RRB-"}.get(word, word)


def _bracketed_roles(cells: Sequence[tuple[int, str]], source: str) -> list[tuple[str, Span]]:
    """Labelled spans of a column such as ``(ARG0*``, ``*)``, ``(V*)``."""
    opened: list[tuple[str, int]] = []
    found: list[tuple[str, Span]] = []
    for word, (number, cell) in enumerate(cells):
        before, star, after = cell.partition("*")
        if not star or after.strip(")") or (before and not re.fullmatch(r"(?:\([^()]+)+", before)):
            raise PfsmError(f"{source}:{number}: {cell!r} is no part of a role, as in (ARG0*, * or *)")
        opened += [(label, word) for label in before.split("(")[1:]]
        for _ in after:
            if not opened:
                raise PfsmError(f"{source}:{number}: {cell!r} closes a role that is not open")
            label, start = opened.pop()
            found.append((label, (start, word + 1)))
    if opened:
        raise PfsmError(f"{source}:{cells[-1][0]}: the role {opened[-1][0]} is not closed")
    return found


def role_lines(analysis: Analysis, number: int) -> Iterator[str]:
    """One line of text for every predicate: the line's number, the predicate, its arguments with their probabilities.

    Args:
        analysis: A line with roles.
        number: Its number.
    """
    for frame in analysis.frames or ():
        if not frame.is_likely:
            continue
        arguments = [_shown(analysis, one) for one in frame.arguments]
        yield "\t".join(
            [str(number), analysis.tokens[frame.predicate], frame.roleset or frame.lemma, *arguments]
        )


def _shown(analysis: Analysis, argument: Argument) -> str:
    parts = [" ".join(analysis.tokens[start:end]) for start, end in argument.spans]
    share = "" if argument.probability == 1.0 else f" ({argument.probability:.2f})"
    return f"{argument.label}: {' … '.join(parts)}{share}"
