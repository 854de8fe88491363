"""Parses of lines to be changed, and the kinds that need one."""

from collections.abc import Callable, Sequence
from functools import partial

from pfsm.perturbation.kind import kind
from pfsm.perturbation.text import Parse, Token
from pfsm_linguistics.analysers.registry import DEFAULT_PARSER
from pfsm_linguistics.analysers.service import analyse_lines
from pfsm_linguistics.analysis.sentence import Analysis
from pfsm_linguistics.analysis.tokens import words_of


def parses(
    lines: Sequence[str],
    *,
    processes: int = 1,
    cache: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> list[Parse]:
    """Return the parses of lines by the shipped parser, in order.

    Args:
        lines: The lines.
        processes: Number of processes that parse.
        cache: Whether parses are looked up and kept in the cache.
        progress: Called with the number of lines done and of all.

    Raises:
        PfsmError: If the parser cannot be loaded.
    """
    found = analyse_lines(lines, DEFAULT_PARSER, processes=processes, cache=cache, progress=progress)
    return list(map(parse_of, lines, found))


def parse_of(line: str, analysis: Analysis) -> Parse:
    """Return the words of an analysed line with their places, tags and heads."""
    tree = analysis.tree
    if tree is None:
        return Parse((), ())
    rows = zip(words_of(line), analysis.upos, analysis.xpos, tree.heads, tree.labels, strict=True)
    tokens = (
        Token(word.form, word.start, word.end, upos, xpos, head - 1, label, at)
        for at, (word, upos, xpos, head, label) in enumerate(rows)
    )
    return Parse(tuple(tokens), analysis.sentences)


english = partial(kind, languages=("en",), parse=parses)
"""Makes a kind for English that needs tags and heads; arguments as in `kind`."""
