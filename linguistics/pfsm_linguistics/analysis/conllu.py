r"""CoNLL-U: sentences as blocks of ten tab-separated columns (https://universaldependencies.org/format.html).

The reader keeps the words with FORM, UPOS, XPOS, HEAD and DEPREL, the ranges of multiword tokens, ``SpaceAfter=No`` and
semantic roles in MISC (`pfsm_linguistics.analysis.roles`).
It skips empty nodes (``8.1``), lemmas, features and enhanced graphs. ``_`` means an empty field.

A line of several sentences is written as several blocks, and ``# line = 3`` in each marks that they belong together.
``# roles = 1`` says that roles are known, and how many predicates the block has.
``# tree = 2`` with ``# log_probability = -1.25`` marks a block as the second tree of an n-best list.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name, read_lines
from pfsm_linguistics.analysis.roles import Frame, check_frames, frame_fields, frame_of_fields
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree, cycle_of, joined

NOTHING = "_"
_COLUMNS = 10
_DIGITS = 9


@dataclass(frozen=True)
class ConlluSentence:
    """One block of a CoNLL-U file.

    Attributes:
        forms: The words.
        upos: Universal part-of-speech tags; empty if the file has none.
        xpos: Language-specific tags, Penn's for English; empty if the file has none.
        heads: Number of each word's head, counted from 1; 0 for a root, -1 if the file has none.
        labels: Relation of each word to its head; empty if the file has none.
        ranges: Multiword tokens as (first word, last word, form); words are counted from 1, and the last is included.
        space_after: Whether white space follows each word in the text, by ``SpaceAfter``.
        comments: Lines before the words, without ``#`` and the space after it.
        frames: Predicates with semantic roles.
        line: Number of the block's first line in its file.
        source: What messages call the file.
    """

    forms: tuple[str, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]
    ranges: tuple[tuple[int, int, str], ...] = ()
    space_after: tuple[bool, ...] = ()
    comments: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()
    line: int = 1
    source: str = "CoNLL-U"

    def comment(self, key: str) -> str | None:
        """Value of the comment ``key = value``; None if there is none."""
        for comment in self.comments:
            name, mark, value = comment.partition("=")
            if mark and name.strip() == key:
                return value.strip()
        return None

    @property
    def text(self) -> str:
        """The comment ``text``, or else the words joined according to the ranges and ``SpaceAfter``."""
        given = self.comment("text")
        return given if given is not None else _joined(self)


def read_conllu(path: StrPath) -> list[ConlluSentence]:
    """Every sentence of a CoNLL-U file (gzip or plain, ``-``: standard input).

    Raises:
        PfsmError: If the file cannot be read or a line is not as the format says.
    """
    return list(parse_conllu(read_lines(path), display_name(path)))


def parse_conllu(lines: Iterable[str], name: str) -> Iterator[ConlluSentence]:
    """The sentences in lines of CoNLL-U.

    Args:
        lines: The lines without their ends.
        name: What messages call their source.

    Raises:
        PfsmError: If a line is not as the format says.
    """
    for block in blocks(lines):
        yield _sentence(block, name)


def blocks(lines: Iterable[str]) -> Iterator[list[tuple[int, str]]]:
    """Lines between empty lines, each with its number."""
    block: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _sentence(block: Sequence[tuple[int, str]], name: str) -> ConlluSentence:
    comments = [line[1:].strip() for _, line in block if line.startswith("#")]
    found = _Rows([], [], [])
    lines: list[int] = []
    for number, line in block:
        if not line.startswith("#"):
            try:
                found.add(line.split("\t"))
            except ValueError as error:
                raise PfsmError(f"{name}:{number}: {error}") from None
            lines += [number] * (len(found.words) - len(lines))
    if not lines:
        raise PfsmError(
            f"{name}:{block[0][0]}: a sentence without words; remove its comments or add its words"
        )
    forms, upos, xpos, heads, labels, spaces = zip(*found.words, strict=True)
    at, fault = _fault(found, heads, [block[0][0], *lines])
    if fault:
        raise PfsmError(f"{name}:{at}: {fault}")
    after = list(spaces)
    # White space after each word: none inside a multiword token; after it, as its own line says.
    for first, last, _, space in found.ranges:
        after[first - 1 : last] = [False] * (last - first) + [space]
    ranges = tuple((first, last, form) for first, last, form, _ in found.ranges)
    return ConlluSentence(
        forms, upos, xpos, heads, labels, ranges, tuple(after), tuple(comments), tuple(found.frames),
        block[0][0], name,
    )  # fmt: skip


def _fault(found: "_Rows", heads: Sequence[int], lines: Sequence[int]) -> tuple[int, str]:
    """The line of a fault, by the number of its word or 0 for the sentence, and what is wrong; empty if nothing is."""
    size = len(heads)
    for word, head in enumerate(heads, 1):
        if head > size:
            return lines[word], f"HEAD is {head}, the sentence has {size} words"
    cycle = cycle_of(heads)
    if cycle is not None:
        return lines[cycle[0]], f"HEAD leads in a cycle back to word {cycle[1]}"
    for first, last, _, _ in found.ranges:
        if last > size:
            return lines[0], f"the range {first}-{last} ends after the last word, {size}"
    for frame in found.frames:
        try:
            check_frames([frame], size)
        except ValueError as error:
            return lines[frame.predicate + 1], str(error)
    return 0, ""


class _Rows(NamedTuple):
    words: list[tuple[str, str, str, int, str, bool]]
    ranges: list[tuple[int, int, str, bool]]
    frames: list[Frame]

    def add(self, fields: Sequence[str]) -> None:
        """Adds a row.

        Raises:
            ValueError: If it is not as the format says, or not the next one.
        """
        if len(fields) != _COLUMNS:
            raise ValueError(f"{len(fields)} columns, CoNLL-U has {_COLUMNS} separated by tabs")
        number, form, misc = fields[0], fields[1], fields[9].split("|")
        space, here = "SpaceAfter=No" not in misc, len(self.words) + 1
        if "." in number:
            return
        if "-" in number:
            first, last = _range(number)
            if first != here or last < first:
                raise ValueError(f"ID is {number}, a range has to begin with the word after it")
            self.ranges.append((first, last, form, space))
            return
        if number != str(here):
            raise ValueError(f"ID is {number!r}, {here} is next")
        if not form.strip():
            raise ValueError("FORM is empty")
        head = _head(fields[6])
        if head == here:
            raise ValueError("HEAD is the word itself")
        frame = frame_of_fields(misc, here - 1)
        if frame is not None:
            self.frames.append(frame)
        upos, xpos, label = ("" if fields[k] == NOTHING else fields[k] for k in (3, 4, 7))
        self.words.append((form, upos, xpos, head, label, space))


def _range(number: str) -> tuple[int, int]:
    first, _, last = number.partition("-")
    if not (_is_number(first) and _is_number(last)):
        raise ValueError(f"ID is {number!r}, a number or a range such as 3-4 is needed")
    return int(first), int(last)


def _head(text: str) -> int:
    if text != NOTHING and not _is_number(text):
        shown = text if len(text) <= _DIGITS else f"{text[:_DIGITS]}..."
        raise ValueError(f"HEAD is {shown!r}, a number from 0 is needed")
    return -1 if text == NOTHING else int(text)


def _is_number(text: str) -> bool:
    """Whether this is a number that a sentence may reach; Python refuses to parse thousands of digits."""
    return text.isdecimal() and len(text) <= _DIGITS


def _joined(sentence: ConlluSentence) -> str:
    """The words with their spaces; a multiword token replaces its words."""
    covered = {first: (last, form) for first, last, form in sentence.ranges}
    pieces: list[str] = []
    word = 1
    while word <= len(sentence.forms):
        last, form = covered.get(word, (word, sentence.forms[word - 1]))
        pieces.append(form + (" " if not sentence.space_after or sentence.space_after[last - 1] else ""))
        word = last + 1
    return "".join(pieces).rstrip()


LINE, TREE, LOG_PROBABILITY, ROLES = "line", "tree", "log_probability", "roles"


def analysis_of(sentence: ConlluSentence) -> Analysis:
    """One sentence as an analysis; without a tree if a head is missing."""
    trees: tuple[DependencyTree, ...] = ()
    if all(head >= 0 for head in sentence.heads):
        trees = (DependencyTree(sentence.heads, sentence.labels, _log_probability(sentence)),)
    known = bool(sentence.frames) or sentence.comment(ROLES) is not None
    upos, xpos = (tags if any(tags) else () for tags in (sentence.upos, sentence.xpos))
    return Analysis(sentence.forms, (0,), upos, xpos, trees, frames=sentence.frames if known else None)


def _log_probability(sentence: ConlluSentence) -> float:
    text = sentence.comment(LOG_PROBABILITY)
    if text is None:
        return math.nan
    try:
        value = float(text)
    except ValueError:
        value = math.inf
    # `conllu_lines` writes NaN for an unknown probability.
    if math.isinf(value):
        raise PfsmError(
            f"{sentence.source}:{sentence.line}: {LOG_PROBABILITY} is {text!r}, a number is needed"
        )
    return value


def analyses_of(sentences: Iterable[ConlluSentence]) -> list[Analysis]:
    """Lines from the sentences of a file.

    Sentences with the same ``# line`` form one line; without it, each sentence is a line. Blocks whose ``# tree`` has
    the same number belong to the same tree of an n-best list.

    Raises:
        PfsmError: If trees of a line have different words, or a number is malformed.
    """
    groups: list[list[ConlluSentence]] = []
    for sentence in sentences:
        line = sentence.comment(LINE)
        if groups and line is not None and line == groups[-1][0].comment(LINE):
            groups[-1].append(sentence)
        else:
            groups.append([sentence])
    return list(map(_line_of, groups))


def _line_of(group: Sequence[ConlluSentence]) -> Analysis:
    by_tree: dict[str, list[ConlluSentence]] = {}
    for sentence in group:
        by_tree.setdefault(sentence.comment(TREE) or "1", []).append(sentence)
    lists = [_joined_tree(part) for part in by_tree.values()]
    for other, part in zip(lists, by_tree.values(), strict=True):
        if other.tokens != lists[0].tokens:
            raise PfsmError(
                f"{part[0].source}:{part[0].line}: this tree of the n-best list has other words than the first"
            )
    return replace(lists[0], trees=tuple(tree for one in lists for tree in one.trees))


def _joined_tree(sentences: Sequence[ConlluSentence]) -> Analysis:
    """The sentences of one tree as a line; each block gives the probability of the whole tree."""
    whole = joined(list(map(analysis_of, sentences)))
    if len(sentences) == 1 or not whole.trees:
        return whole
    return replace(whole, trees=(replace(whole.trees[0], log_probability=_log_probability(sentences[0])),))


def conllu_lines(analysis: Analysis, number: int, *, n_best: bool = False) -> Iterator[str]:
    """The line's blocks of CoNLL-U, without line ends; an empty line has no blocks.

    Args:
        analysis: The line.
        number: The number to write as ``# line``.
        n_best: Whether to write every tree with its probability, instead of only the likeliest tree.
    """
    for place, tree in enumerate(analysis.trees if n_best else analysis.trees[:1] or (None,), 1):
        for start, end in analysis.bounds:
            yield f"# {LINE} = {number}"
            if n_best and tree is not None:
                yield f"# {TREE} = {place}"
                yield f"# {LOG_PROBABILITY} = {tree.log_probability!r}"
            if analysis.frames is not None:
                inside = [one for one in analysis.frames if start <= one.predicate < end]
                yield f"# {ROLES} = {sum(one.is_likely for one in inside)}"
            misc = {one.predicate: "|".join(frame_fields(one, start)) for one in analysis.frames or ()}
            for word in range(start, end):
                yield _row(analysis, tree, word, start, misc.get(word, NOTHING))
            yield ""


def _row(analysis: Analysis, tree: DependencyTree | None, word: int, start: int, misc: str) -> str:
    head = label = NOTHING
    if tree is not None:
        number = tree.heads[word]
        head, label = str(number - start if number else 0), tree.labels[word]
    upos = analysis.upos[word] if analysis.upos else NOTHING
    xpos = analysis.xpos[word] if analysis.xpos else NOTHING
    columns = [str(word - start + 1), analysis.tokens[word], NOTHING, upos, xpos, NOTHING, head, label]
    return "\t".join([*columns, NOTHING, misc])
