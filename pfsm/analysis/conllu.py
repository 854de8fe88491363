r"""CoNLL-U: sentences as blocks of ten tab-separated columns (https://universaldependencies.org/format.html).

The reader keeps the words with FORM, UPOS, XPOS, HEAD and DEPREL, the ranges of multiword tokens, ``SpaceAfter=No`` and
semantic roles in MISC (`pfsm.analysis.roles`).
It skips empty nodes (``8.1``), lemmas, features and enhanced graphs. ``_`` means an empty field.

A line of several sentences is written as several blocks, and ``# line = 3`` in each marks that they belong together.
``# roles = 1`` says that roles are known, and how many predicates the block has.
``# tree = 2`` with ``# log_probability = -1.25`` marks a block as the second tree of an n-best list.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pfsm.analysis.roles import Frame, check_frames, frame_fields, frame_of_fields
from pfsm.analysis.sentence import Analysis, DependencyTree, cycle_of, joined
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name, read_lines

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


@dataclass
class _Block:
    rows: list[tuple[str, str, str, int, str, bool]] = field(default_factory=list)
    ranges: list[tuple[int, int, str, bool]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)


def _sentence(block: Sequence[tuple[int, str]], name: str) -> ConlluSentence:
    found = _Block()
    for number, line in block:
        if line.startswith("#"):
            found.comments.append(line[1:].strip())
        else:
            _add_row(found, line.split("\t"), f"{name}:{number}")
    if not found.rows:
        raise PfsmError(
            f"{name}:{block[0][0]}: a sentence without words; remove its comments or add its words"
        )
    forms, upos, xpos, heads, labels, spaces = zip(*found.rows, strict=True)
    _check_heads([number for number, _ in _word_lines(block)], heads, name)
    for first, last, _, _ in found.ranges:
        if last > len(forms):
            raise PfsmError(
                f"{name}:{block[0][0]}: the range {first}-{last} ends after the last word, {len(forms)}"
            )
    _check_frames(found.frames, [number for number, _ in _word_lines(block)], name)
    return ConlluSentence(
        forms,
        upos,
        xpos,
        heads,
        labels,
        tuple((first, last, form) for first, last, form, _ in found.ranges),
        _spaces(spaces, found.ranges),
        tuple(found.comments),
        tuple(found.frames),
        block[0][0],
        name,
    )


def _word_lines(block: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    return [(number, line) for number, line in block if line.split("\t", 1)[0].isdecimal()]


def _check_heads(lines: Sequence[int], heads: Sequence[int], name: str) -> None:
    """Refuses heads outside the sentence, and cycles of heads."""
    for number, head in zip(lines, heads, strict=True):
        if head > len(heads):
            raise PfsmError(f"{name}:{number}: HEAD is {head}, the sentence has {len(heads)} words")
    cycle = cycle_of(heads)
    if cycle is not None:
        raise PfsmError(f"{name}:{lines[cycle[0] - 1]}: HEAD leads in a cycle back to word {cycle[1]}")


def _spaces(spaces: Sequence[bool], ranges: Sequence[tuple[int, int, str, bool]]) -> tuple[bool, ...]:
    """White space after each word: none inside a multiword token; after it, as its own line says."""
    after = list(spaces)
    for first, last, _, space in ranges:
        after[first - 1 : last] = [False] * (last - first) + [space]
    return tuple(after)


def _add_row(found: _Block, fields: list[str], where: str) -> None:
    if len(fields) != _COLUMNS:
        raise PfsmError(f"{where}: {len(fields)} columns, CoNLL-U has {_COLUMNS} separated by tabs")
    number, form = fields[0], fields[1]
    misc = fields[9].split("|")
    space = "SpaceAfter=No" not in misc
    if "." in number:
        return
    if "-" in number:
        first, last = _range(number, where)
        if first != len(found.rows) + 1 or last < first:
            raise PfsmError(f"{where}: ID is {number}, a range has to begin with the word after it")
        found.ranges.append((first, last, form, space))
        return
    if number != str(len(found.rows) + 1):
        raise PfsmError(f"{where}: ID is {number!r}, {len(found.rows) + 1} is next")
    if not form.strip():
        raise PfsmError(f"{where}: FORM is empty")
    head = _head(fields[6], where)
    if head == len(found.rows) + 1:
        raise PfsmError(f"{where}: HEAD is the word itself")
    _add_frame(found, misc, where)
    found.rows.append((form, _value(fields[3]), _value(fields[4]), head, _value(fields[7]), space))


def _add_frame(found: _Block, misc: Sequence[str], where: str) -> None:
    try:
        frame = frame_of_fields(misc, len(found.rows))
    except ValueError as error:
        raise PfsmError(f"{where}: {error}") from None
    if frame is not None:
        found.frames.append(frame)


def _check_frames(frames: Sequence[Frame], lines: Sequence[int], name: str) -> None:
    for frame in frames:
        try:
            check_frames([frame], len(lines))
        except ValueError as error:
            raise PfsmError(f"{name}:{lines[frame.predicate]}: {error}") from None


def _value(field_text: str) -> str:
    return "" if field_text == NOTHING else field_text


def _range(number: str, where: str) -> tuple[int, int]:
    first, _, last = number.partition("-")
    if not (_is_number(first) and _is_number(last)):
        raise PfsmError(f"{where}: ID is {number!r}, a number or a range such as 3-4 is needed")
    return int(first), int(last)


def _head(text: str, where: str) -> int:
    if text == NOTHING:
        return -1
    if not _is_number(text):
        shown = text if len(text) <= _DIGITS else f"{text[:_DIGITS]}..."
        raise PfsmError(f"{where}: HEAD is {shown!r}, a number from 0 is needed")
    return int(text)


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
    return Analysis(
        sentence.forms,
        (0,),
        _tags(sentence.upos),
        _tags(sentence.xpos),
        trees,
        frames=sentence.frames if known else None,
    )


def _tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    return tags if any(tags) else ()


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
    return [_line_of(group) for group in _grouped(sentences)]


def _grouped(sentences: Iterable[ConlluSentence]) -> Iterator[list[ConlluSentence]]:
    group: list[ConlluSentence] = []
    for sentence in sentences:
        line = sentence.comment(LINE)
        if group and (line is None or line != group[0].comment(LINE)):
            yield group
            group = []
        group.append(sentence)
    if group:
        yield group


def _line_of(group: Sequence[ConlluSentence]) -> Analysis:
    by_tree: dict[str, list[ConlluSentence]] = {}
    for sentence in group:
        by_tree.setdefault(sentence.comment(TREE) or "1", []).append(sentence)
    lists = [joined_tree([analysis_of(sentence) for sentence in part], part) for part in by_tree.values()]
    first = lists[0]
    for other, part in zip(lists[1:], list(by_tree.values())[1:], strict=True):
        if other.tokens != first.tokens:
            raise PfsmError(
                f"{part[0].source}:{part[0].line}: this tree of the n-best list has other words than the first"
            )
    return Analysis(
        first.tokens,
        first.sentences,
        first.upos,
        first.xpos,
        tuple(tree for one in lists for tree in one.trees),
        frames=first.frames,
    )


def joined_tree(parts: Sequence[Analysis], sentences: Sequence[ConlluSentence]) -> Analysis:
    """The sentences of one tree as a line; each block gives the probability of the whole tree."""
    whole = joined(parts)
    if len(parts) == 1 or not whole.trees:
        return whole
    tree = whole.trees[0]
    one = DependencyTree(tree.heads, tree.labels, _log_probability(sentences[0]))
    return Analysis(whole.tokens, whole.sentences, whole.upos, whole.xpos, (one,), frames=whole.frames)


def _role_fields(analysis: Analysis, start: int) -> dict[int, str]:
    return {one.predicate: "|".join(frame_fields(one, start)) for one in analysis.frames or ()}


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
            misc = _role_fields(analysis, start)
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
