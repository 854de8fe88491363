"""Conversion between analyses of lines and sentences of CoNLL-U.

A line of several sentences is written as several blocks, and ``# line = 3`` in each marks that they belong together.
``# roles = 1`` says that roles are known, and how many predicates the block has.
``# tree = 2`` with ``# log_probability = -1.25`` marks a block as the second tree of an n-best list.
"""

import math
from collections.abc import Iterable, Iterator, Sequence

from pfsm.analysis.conllu import NOTHING, ConlluSentence
from pfsm.analysis.role_notation import frame_fields
from pfsm.analysis.sentence import Analysis, DependencyTree, joined
from pfsm.errors import PfsmError

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
    return [_line(group) for group in _grouped(sentences)]


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


def _line(group: Sequence[ConlluSentence]) -> Analysis:
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
    """The last column of predicates."""
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
