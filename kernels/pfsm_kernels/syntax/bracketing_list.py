"""The likeliest labelled bracketings of one sentence, in order.

A derivation is a binary bracketing (`pfsm_kernels.syntax.bracketing`) with a label on each of its spans, single words
included. Its weight is the sum of the scores of its spans of at least two words and of the scores of the labels. The
best derivations of a span are combinations of a cut, of derivations of its two parts, and of a label, each list sorted;
they are taken from a heap, every combination after those that it is one step away from (Huang and Chiang 2005,
algorithm 2).

Cost O(s (n + k log k)) for s spans, k derivations. Spans that are not offered occur in no derivation.
"""

import heapq
import math

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit

Int32 = NDArray[np.int32]
Float = NDArray[np.float64]


@njit(nogil=True, error_model="numpy")
def best_derivations(scores, number, labels, count, values, back, sizes):
    """The best derivations of every span that is offered.

    Args:
        scores: float64 [n + 1, n + 1], of spans of two words at least; only those that are offered are read.
        number: int32 [n + 1, n + 1], the row of each span below, single words among them; -1 where it is not offered.
            Rows of shorter spans need not come first.
        labels: float64 [n_spans, n_labels], scores of the best labels of each span, falling; minus infinity for none.
        count: Most derivations of a span.
        values: float64 [n_spans, count] receives their scores, falling.
        back: int32 [n_spans, count, 4] receives the cut (0 for single words), the places of the parts' derivations in
            their lists, and the place of the label.
        sizes: int64 [n_spans] receives the lengths of the lists.
    """
    n = scores.shape[0] - 1
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            j = i + width
            row = number[i, j]
            if row < 0:
                continue
            heap = [(math.inf, 0, 0, 0, 0)]
            heap.clear()
            if width == 1:
                heap.append((-labels[row, 0], 0, 0, 0, 0))
            else:
                for cut in range(i + 1, j):
                    left, right = number[i, cut], number[cut, j]
                    if left >= 0 and right >= 0 and sizes[left] > 0 and sizes[right] > 0:
                        total = scores[i, j] + labels[row, 0] + values[left, 0] + values[right, 0]
                        heap.append((-total, cut, 0, 0, 0))
                heapq.heapify(heap)
            found = 0
            while heap and found < count:
                negative, cut, one, other, label = heapq.heappop(heap)
                if negative == math.inf:
                    break
                values[row, found] = -negative
                back[row, found, 0], back[row, found, 1] = cut, one
                back[row, found, 2], back[row, found, 3] = other, label
                found += 1
                # Every combination is reached in one way: labels change last, then right parts, then left parts.
                if label + 1 < labels.shape[1]:
                    heapq.heappush(
                        heap,
                        (negative + labels[row, label] - labels[row, label + 1], cut, one, other, label + 1),
                    )
                if cut > 0 and label == 0:
                    left, right = number[i, cut], number[cut, j]
                    if other + 1 < sizes[right]:
                        change = values[right, other] - values[right, other + 1]
                        heapq.heappush(heap, (negative + change, cut, one, other + 1, 0))
                    if other == 0 and one + 1 < sizes[left]:
                        change = values[left, one] - values[left, one + 1]
                        heapq.heappush(heap, (negative + change, cut, one + 1, 0, 0))
            sizes[row] = found
