"""The one projective tree that an arc-standard oracle needs, from the dependency trees of a line.

A line may hold several sentences: the roots after the first become dependents of the first. An arc is projective if
every word between its ends descends from its head; one that is not is lifted, its dependent going to the head of its
head, the shortest such arc first, until all are (the projectivisation of Nivre and Nilsson 2005, without their labels).
"""

from collections.abc import Sequence


def projective_heads(heads: Sequence[int]) -> list[int]:
    """Heads of a projective tree with one root.

    Args:
        heads: Number of each word's head, counted from 1; 0 for roots, of which there is at least one.

    Returns:
        As many heads; those of a projective tree with one root as they were.
    """
    lifted = _with_one_root(heads)
    while True:
        crossing = [word for word, head in enumerate(lifted, 1) if not _is_projective(lifted, head, word)]
        if not crossing:
            return lifted
        word = min(crossing, key=lambda word: (abs(word - lifted[word - 1]), word))
        lifted[word - 1] = lifted[lifted[word - 1] - 1]


def _with_one_root(heads: Sequence[int]) -> list[int]:
    root = next((word for word, head in enumerate(heads, 1) if head == 0), 0)
    return [root if head == 0 and word != root else head for word, head in enumerate(heads, 1)]


def _is_projective(heads: Sequence[int], head: int, word: int) -> bool:
    """Whether all words between descend from the head; the root's own arc spans nothing."""
    between = range(min(head, word) + 1, max(head, word)) if head else range(0)
    return all(_descends(heads, other, head) for other in between)


def _descends(heads: Sequence[int], word: int, ancestor: int) -> bool:
    while word not in {0, ancestor}:
        word = heads[word - 1]
    return word == ancestor
