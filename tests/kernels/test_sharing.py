"""Kernels of shared keys and linked phrases: what they refuse. What they find is tested with the matchers."""

import numpy as np
import pytest

from pfsm_kernels.strings.sharing import find_phrases, linked_phrases, tokens_sharing_keys

ids = np.zeros(1, dtype=np.int32)
one, two = np.array([0, 1]), np.array([0, 0, 1])
lists = np.array([0, 1])


def test_shared_keys_need_offsets_that_fit() -> None:
    assert tokens_sharing_keys(ids, one, ids, one, lists, ids, 1).tolist() == [[0, 0, 1, 0, 1]]
    with pytest.raises(ValueError, match="same number of sequences"):
        tokens_sharing_keys(ids, one, ids, two, lists, ids, 1)
    with pytest.raises(ValueError, match="the last offset must be the size of its side"):
        tokens_sharing_keys(ids, np.array([0, 2]), ids, one, lists, ids, 1)


def test_phrases_need_offsets_that_fit() -> None:
    children, none = np.zeros(2, dtype=np.int32), np.zeros(0, dtype=np.int32)
    rows, offsets = find_phrases(ids, one, children, none, np.array([True]), 2)
    assert (rows.tolist(), offsets.tolist()) == ([[0, 0, 1]], [0, 1])
    with pytest.raises(ValueError, match="max_size at least 1"):
        find_phrases(ids, one, children, none, np.array([True]), 0)
    with pytest.raises(ValueError, match="the last offset must be the number of tokens"):
        find_phrases(ids, np.array([0, 2]), children, none, np.array([True]), 1)


def test_links_need_offsets_that_fit() -> None:
    rows, targets = np.array([[0, 0, 1]], dtype=np.int32), np.array([0], dtype=np.int32)
    target_offsets = np.array([0, 1], dtype=np.int32)
    blocks, places = linked_phrases(rows, one, rows, one, target_offsets, targets)
    assert (blocks.tolist(), places.tolist()) == ([[0, 0, 1, 0, 1]], [0])
    with pytest.raises(ValueError, match="same number of sequences"):
        linked_phrases(rows, one, rows, two, target_offsets, targets)
    with pytest.raises(ValueError, match="the last offset must be the size of its side"):
        linked_phrases(rows, one, rows, np.array([0, 0]), target_offsets, targets)
