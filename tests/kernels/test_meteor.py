"""METEOR's alignments: against all alignments there are, and on cases worked by hand."""

from collections.abc import Iterator

import numpy as np

from pfsm_kernels.strings.meteor import best_alignments

Match = tuple[int, int, int, int]


def aligned(matches: list[Match], sizes: tuple[int, int], beam: int = 40) -> tuple[list[Match], int]:
    rows = np.array(matches, dtype=np.int32).reshape(-1, 4)
    worth = (rows[:, 1] + rows[:, 3]).astype(np.int64)
    # Of the two lists of each word one is empty.
    offsets = np.searchsorted(rows[:, 0], np.arange(sizes[0] + 1)).astype(np.int64).repeat(2)
    lists = np.arange(2 * sizes[0]).reshape(-1, 2)
    ends = np.array([0, sizes[0]])
    found = best_alignments(rows[:, 1:].copy(), worth, offsets, lists, ends, np.array(sizes[1:]), beam)
    return [matches[one] for one in found[0] if one >= 0], int(found[1][0])


def alignments(matches: list[Match]) -> Iterator[list[Match]]:
    """All sets of matches that cover no word twice, each in the order of the reference."""
    if not matches:
        yield []
        return
    first, *others = matches
    yield from alignments(others)
    j, q, i, p = first
    left = [m for m in others if (m[0] >= j + q or m[0] + m[1] <= j) and (m[2] >= i + p or m[2] + m[3] <= i)]
    for rest in alignments(left):
        yield [first, *rest]


def quality(alignment: list[Match]) -> tuple[int, int]:
    """Minus the number of words covered, and the number of chunks."""
    ends = [(j + q, i + p) for j, q, i, p in alignment]
    starts = [(j, i) for j, _, i, _ in alignment]
    joined = sum(start == end for start, end in zip(starts[1:], ends, strict=False))
    return -sum(q + p for _, q, _, p in alignment), len(alignment) - joined


def drawn(random: np.random.Generator) -> tuple[list[Match], tuple[int, int]]:
    n_ref, n_hyp = (int(size) for size in random.integers(1, 7, 2))
    found = set()
    for _ in range(int(random.integers(0, 9))):
        j, i = int(random.integers(n_ref)), int(random.integers(n_hyp))
        sizes = random.integers(1, 3, 2)
        found.add((j, min(int(sizes[0]), n_ref - j), i, min(int(sizes[1]), n_hyp - i)))
    return sorted(found), (n_ref, n_hyp)


def test_the_best_of_all_alignments() -> None:
    random = np.random.default_rng(3)
    for _ in range(400):
        matches, sizes = drawn(random)
        kept, chunks = aligned(matches, sizes, beam=5000)
        assert kept in list(alignments(matches))
        assert quality(kept) == min(map(quality, alignments(matches)))
        assert chunks == quality(kept)[1]


def test_a_path_that_passes_by_bears_the_distances_it_left() -> None:
    # The hypothesis's only word is matched at the first of two places, unless that has a distance of nothing: then the
    # path that passed by is as good, and its chunk ends later.
    assert aligned([(0, 1, 0, 1), (3, 1, 0, 1)], (5, 5))[0] == [(3, 1, 0, 1)]
    assert aligned([(0, 1, 1, 1), (3, 1, 1, 1)], (5, 5))[0] == [(0, 1, 1, 1)]


def test_more_than_64_words() -> None:
    matches = [(k, 1, 199 - k, 1) for k in range(200)] + [(199, 1, 198, 1)]
    kept, chunks = aligned(matches, (200, 200))
    assert len(kept) == 200
    assert chunks == 200
