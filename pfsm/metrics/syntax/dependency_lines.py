"""Dependency trees of many lines as flat arrays: heads, and a symbol for each word.

Nodes are the words of all lines in a row. A head is the place of another node, or -1 under the root, so that whole
batches can be walked up and down at once.

HWCM, DSTM and DTKM compare one of two kinds of dependencies. ``ud``: the parser's, Universal Dependencies for the one
that ships; where it gives constituents alone, dependencies by the rules of `pfsm.analysis.heads`. ``collins``: by the
rules of `pfsm.analysis.collins` over constituent trees, as Liu and Gildea (2005, section 2.1) have them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.collins import collins_analysis
from pfsm.analysis.heads import head_dependencies
from pfsm.analysis.sentence import Analysis, DependencyTree
from pfsm.analysis.wanted import Wanted
from pfsm.errors import PfsmError

Int64 = NDArray[np.int64]
AS_PARSED, COLLINS = "ud", "collins"
WORDS, CATEGORIES, RELATIONS = "words", "categories", "relations"
# Characters of a line that a fault shows.
_SHOWN = 40
# Multipliers of a 64-bit mixer (Stafford's variant 13 of MurmurHash3's finaliser), and a large odd number.
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Trees:
    """One dependency tree, or forest, for every line.

    Attributes:
        symbols: int64 [n_nodes], what stands at each node; equal where equal, within and across lines.
        heads: int64 [n_nodes], place of the node each hangs on; -1 for the root of a sentence.
        offsets: int64 [n_lines + 1], where each line begins.
    """

    symbols: Int64
    heads: Int64
    offsets: Int64


def lacking(analysis: Analysis, what: str) -> PfsmError:
    """The fault that a parser does not give what is needed of a line."""
    text = " ".join(analysis.tokens)
    shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
    return PfsmError(f"the parser gives no {what} of {shown!r}; choose another, as in parser=en-ewt")


def has_tree(analysis: Analysis) -> bool:
    """Whether there is a dependency tree, or constituents to take one from."""
    return bool(analysis.tokens and (analysis.trees or analysis.constituents))


def has_symbols(analysis: Analysis, kind: str) -> bool:
    """Whether there are a tree and, where they are asked for, tags."""
    return has_tree(analysis) and (kind != CATEGORIES or bool(analysis.xpos or analysis.upos))


def words_of(analysis: Analysis, lowercase: bool) -> tuple[str, ...]:
    """The line's words, in lower case if asked for."""
    if not lowercase:
        return analysis.tokens
    return tuple([token.lower() for token in analysis.tokens])


def tree_of(analysis: Analysis) -> DependencyTree:
    """The likeliest dependency tree, or where there is none the one that follows from the constituents.

    Raises:
        PfsmError: If there are neither.
    """
    if analysis.tree is not None:
        return analysis.tree
    return constituent_dependencies(analysis)


def constituent_dependencies(analysis: Analysis) -> DependencyTree:
    """Dependencies with labels A/B (`head_dependencies`).

    Raises:
        PfsmError: If the analysis has no constituents.
    """
    if not analysis.tokens:
        return DependencyTree((), ())
    if not analysis.constituents:
        raise lacking(analysis, "tree that this metric could use")
    return head_dependencies(analysis.constituents)


def symbols_of(analysis: Analysis, tree: DependencyTree, kind: str, lowercase: bool) -> tuple[str, ...]:
    """Words, categories (Penn tags, else universal ones) or relations of the nodes of a tree.

    Raises:
        PfsmError: If the analysis has no tags.
    """
    if kind == WORDS:
        return words_of(analysis, lowercase)
    if kind == RELATIONS:
        return tree.labels
    if analysis.tokens and not (analysis.xpos or analysis.upos):
        raise lacking(analysis, "tags")
    return analysis.xpos or analysis.upos


def as_trees(
    analyses: Iterable[Analysis], kind: str, lowercase: bool = True, heads: str = AS_PARSED
) -> Trees:
    """The likeliest trees of lines.

    Args:
        analyses: The lines.
        kind: What stands at the nodes: `WORDS`, `CATEGORIES` or `RELATIONS`.
        lowercase: Whether words count in lower case.
        heads: Which dependencies, `AS_PARSED` or `COLLINS`.

    Raises:
        PfsmError: If a line has no tree, or no tags where they are needed.
    """
    numbers: dict[str, int] = {}
    symbols: list[int] = []
    places: list[int] = []
    offsets = [0]
    for analysis in (with_heads(one, heads) for one in analyses):
        tree = tree_of(analysis)
        first = offsets[-1]
        symbols += [
            numbers.setdefault(symbol, len(numbers)) for symbol in symbols_of(analysis, tree, kind, lowercase)
        ]
        places += [first + head - 1 if head else -1 for head in tree.heads]
        offsets.append(len(places))
    return Trees(*(np.array(column, dtype=np.int64) for column in (symbols, places, offsets)))


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A key of 64 bits for every value: equal for equal ones, spread evenly."""
    values = values + _ODD
    values = (values ^ (values >> np.uint64(30))) * _MIX[0]
    values = (values ^ (values >> np.uint64(27))) * _MIX[1]
    return values ^ (values >> np.uint64(31))


def followed(keys: NDArray[np.uint64], symbols: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Keys of sequences, one symbol longer than those whose keys these are."""
    return mixed(keys * _ODD + mixed(symbols))


def as_keys(values: NDArray[np.uint64]) -> Int64:
    """Keys from 0 on, as the kernels want them: one bit less."""
    return (values >> np.uint64(1)).astype(np.int64)


def chosen(keep: NDArray[np.bool_], offsets: Int64) -> Int64:
    """Where lines begin among the nodes that are kept, int64 [n_lines + 1]."""
    return np.concatenate([[0], np.cumsum(keep)]).astype(np.int64)[offsets]


Bags = tuple[Int64, NDArray[np.float64], Int64]


def as_bags(keys: NDArray[np.uint64], keep: NDArray[np.bool_], offsets: Int64) -> Bags:
    """Those of the nodes' keys that are kept: keys, weights of 1, and where each line begins."""
    kept = as_keys(keys[keep])
    return kept, np.ones(kept.size), chosen(keep, offsets)


def split(bags: Bags, n_first: int) -> tuple[Bags, Bags]:
    """The bags of the first lines and of the others."""
    keys, weights, offsets = bags
    cut = int(offsets[n_first])
    return (
        (keys[:cut], weights[:cut], offsets[: n_first + 1]),
        (keys[cut:], weights[cut:], offsets[n_first:] - cut),
    )


def shared_of(kinds: Sequence[Bags], n_pairs: int) -> NDArray[np.float64]:
    """Counts of pairs whose hypotheses are the first lines, their references the others.

    Returns:
        float64 [n_pairs, n_kinds, 3]: shared, of the hypothesis, of the reference.
    """
    from pfsm_kernels.strings.overlap import shared_weights  # noqa: PLC0415 - brings numba

    rows = [shared_weights(*ours, *theirs) for ours, theirs in (split(bags, n_pairs) for bags in kinds)]
    return np.stack(rows, axis=1)


Float = NDArray[np.float64]


def wanted_for(heads: str) -> Wanted:
    """What to ask of the analyses."""
    return Wanted(constituents=heads == COLLINS)


def with_heads(analysis: Analysis, heads: str) -> Analysis:
    """The analysis with the dependency tree that is asked for.

    Raises:
        PfsmError: If it has words, but not what the dependencies come from.
    """
    if heads == AS_PARSED:
        return analysis
    if analysis.tokens and not analysis.constituents:
        raise lacking(analysis, "constituents, which heads=collins needs,")
    return collins_analysis(analysis)


def has_heads(analysis: Analysis, kind: str, heads: str) -> bool:
    """Whether there are a tree to take dependencies from and, where they are asked for, tags."""
    return has_symbols(analysis, kind) and (heads == AS_PARSED or bool(analysis.constituents))
