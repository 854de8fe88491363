"""Dependency trees for tests, and what is in them found out slowly: by listing everything."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise, product

import numpy as np

from pfsm_linguistics.analysis.constituents import Constituent
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree
from pfsm_linguistics.metrics.analysed import mean_precision
from pfsm_linguistics.metrics.syntax.fragments import chains, fragment_counts, kernel_scores, subtrees
from pfsm_linguistics.metrics.syntax.trees import Trees, as_trees, constituent_trees

Subtree = tuple[str, tuple["Subtree", ...] | None]


def line(words: str, heads: Sequence[int], labels: str = "", log_probability: float = 0.0) -> Analysis:
    """A line of words with one tree; without labels each is ``x``, the root's ``root``."""
    tokens = tuple(words.split())
    given = tuple(labels.split()) or tuple("x" if head else "root" for head in heads)
    tree = DependencyTree(tuple(heads), given, log_probability)
    sentences = (0,) if tokens else ()
    return Analysis(tokens, sentences, tuple(w[0] for w in tokens), tuple(w[-1] for w in tokens), (tree,))


# "I have a red pen", the example of Liu and Gildea (2005), section 2.1.
PEN = line("I have a red pen", (2, 0, 5, 5, 2), "nsubj root det amod obj")


def random_heads(random: np.random.Generator, n: int) -> tuple[int, ...]:
    """A random forest: in random order every word hangs on an earlier one or is a root."""
    order = random.permutation(n)
    heads = [0] * n
    for k in range(1, n):
        heads[order[k]] = int(random.choice([0, *(order[:k] + 1)]))
    return tuple(heads)


def random_lines(count: int, longest: int = 8, kinds: int = 3, seed: int = 3) -> list[Analysis]:
    """Short lines over few words and labels, an empty one first."""
    random = np.random.default_rng(seed)
    lines = [line("", ())]
    while len(lines) < count:
        n = int(random.integers(1, longest + 1))
        words = " ".join(random.choice(list("AbCdef")[:kinds], n))
        lines.append(line(words, random_heads(random, n), " ".join(random.choice(list("xyz"), n))))
    return lines


def edited(lines: Sequence[Analysis], seed: int = 5) -> list[Analysis]:
    """Each line with one word and one label turned into another, the last word of every third one gone."""
    random = np.random.default_rng(seed)
    result = []
    for k, old in enumerate(lines):
        assert old.tree is not None
        n = len(old.tokens) - (k % 3 == 0 and len(old.tokens) > 1)
        words, labels = list(old.tokens[:n]), list(old.tree.labels[:n])
        if n:
            words[random.integers(n)], labels[random.integers(n)] = "b", "x"
        heads = [head if head <= n else 0 for head in old.tree.heads[:n]]
        result.append(line(" ".join(words), heads, " ".join(labels)))
    return result


def children(analysis: Analysis, node: int) -> list[int]:
    assert analysis.tree is not None
    return [k for k, head in enumerate(analysis.tree.heads) if head == node + 1]


def symbols(analysis: Analysis, kind: str) -> tuple[str, ...]:
    assert analysis.tree is not None
    lower = tuple(token.lower() for token in analysis.tokens)
    return {"words": lower, "categories": analysis.xpos, "relations": analysis.tree.labels}[kind]


def chains_of(analysis: Analysis, length: int, kind: str = "words") -> Counter[tuple[str, ...]]:
    """All paths down the tree with so many words."""
    names = symbols(analysis, kind)

    def down(node: int, left: int) -> Iterator[tuple[str, ...]]:
        if left == 1:
            yield (names[node],)
            return
        for child in children(analysis, node):
            yield from ((names[node], *rest) for rest in down(child, left - 1))

    return Counter(chain for node in range(len(names)) for chain in down(node, length))


def subtrees_of(analysis: Analysis, depth: int, kind: str = "words") -> Counter[Subtree]:
    """All words with everything down to so many levels, where there are as many."""
    names = symbols(analysis, kind)

    def height(node: int) -> int:
        return 1 + max((height(child) for child in children(analysis, node)), default=0)

    def cut(node: int, left: int) -> Subtree:
        below = () if left == 1 else tuple(cut(child, left - 1) for child in children(analysis, node))
        return names[node], below

    return Counter(cut(node, depth) for node in range(len(names)) if height(node) >= depth)


def all_subtrees(analysis: Analysis, kind: str = "words") -> Counter[Subtree]:
    """Every subtree whose words have all or none (None) of the words that hang on them, single words among them."""
    names = symbols(analysis, kind)

    def rooted(node: int) -> Iterator[Subtree]:
        yield names[node], None
        below = children(analysis, node)
        if below:
            yield from ((names[node], parts) for parts in product(*(list(rooted(child)) for child in below)))

    return Counter(tree for node in range(len(names)) for tree in rooted(node))


def n_rules(tree: Subtree) -> int:
    """Words of a subtree that have others hanging on them."""
    return 0 if tree[1] is None else 1 + sum(map(n_rules, tree[1]))


def pieces_of(words: Sequence[str], tree: DependencyTree, name: str) -> list[tuple[str, ...]]:
    """One decomposition of a line (Kahn et al. 2009, section 3.2)."""
    words = [word.lower() for word in words]
    if name == "1g":
        return [(word,) for word in words]
    if name == "2g":
        return list(pairwise(words))
    found = []
    for word, head, label in zip(words, tree.heads, tree.labels, strict=True):
        part = {"d": word, "l": label, "h": words[head - 1] if head else "<root>"}
        found.append(tuple(part[letter] for letter in name))
    return found


def dependencies(kind: str = "words", heads: str = "ud") -> Callable[[Sequence[Analysis]], Trees]:
    """Reads dependency trees."""
    return partial(as_trees, kind=kind, heads=heads)


def chain_score(
    hypothesis: Analysis, references: Sequence[Analysis], longest: int = 4, kind: str = "words"
) -> float:
    """HWCM of a line against several references."""
    return float(
        mean_precision(fragment_counts(chains, dependencies(kind), [hypothesis], [references], longest))[0]
    )


def subtree_score(hypothesis: Analysis, references: Sequence[Analysis], deepest: int = 4) -> float:
    """DSTM of a line against several references."""
    return float(
        mean_precision(fragment_counts(subtrees, dependencies(), [hypothesis], [references], deepest))[0]
    )


def kernel_score(hypothesis: Analysis, references: Sequence[Analysis], *, single: bool = True) -> float:
    """DTKM of a line: the largest cosine."""
    return float(
        kernel_scores(dependencies(), [hypothesis] * len(references), references, single=single).max()
    )


def subtree_metric(
    hypothesis: Sequence[Constituent], references: Sequence[Sequence[Constituent]], depth: int = 4
) -> float:
    """STM of a line's trees against several references."""
    counts = fragment_counts(subtrees, constituent_trees, [hypothesis], [references], depth)
    return float(mean_precision(counts)[0])


def tree_kernel_metric(
    hypothesis: Sequence[Constituent], references: Sequence[Sequence[Constituent]], decay: float = 1.0
) -> float:
    """TKM of a line's trees: the largest cosine."""
    hypotheses = [hypothesis] * len(references)
    return float(
        kernel_scores(constituent_trees, hypotheses, references, decay=decay, single=False).max(initial=0.0)
    )
