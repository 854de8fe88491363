"""Sums and maxima over binary bracketings of one sentence: inside, outside, CKY, and the likeliest labelled ones.

A bracketing of n words holds every single word, the whole sentence, and cuts each of its spans ``[i, j)`` of two or
more words in two at some ``k``. Its weight is the product of ``exp(score[i, j])`` over its spans of at least two words.

    inside[i, j]  = score[i, j] + log sum_k exp(inside[i, k] + inside[k, j])        inside[i, i + 1] = 0
    outside[i, k] = log sum_j exp(outside[i, j] + score[i, j] + inside[k, j])  + the same from the left
    P(span [i, j)) = exp(inside[i, j] + outside[i, j] - inside[0, n])

Cost O(n^3). Arrays are float64 [n + 1, n + 1], entries off ``i < j`` are neither read nor written.

A derivation is a binary bracketing with a label on each of its spans, single words
included. Its weight is the sum of the scores of its spans of at least two words and of the scores of the labels. The
best derivations of a span are combinations of a cut, of derivations of its two parts, and of a label, each list sorted;
they are taken from a heap, every combination after those that it is one step away from (Huang and Chiang 2005,
algorithm 2).

Cost O(s (n + k log k)) for s spans, k derivations. Spans that are not offered occur in no derivation.
"""

import heapq
import math

import numpy as np

from pfsm_kernels.cache import njit


@njit(nogil=True, error_model="numpy")
def span_marginals(scores, marginals):
    """Log of the sum over all bracketings, and every span's probability, those of single words included."""
    n = scores.shape[0] - 1
    if n == 0:
        return 0.0
    inside = np.zeros((n + 1, n + 1))
    outside = np.full((n + 1, n + 1), -math.inf)
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            j = i + width
            top = -math.inf
            for k in range(i + 1, j):
                top = max(top, inside[i, k] + inside[k, j])
            total = 0.0
            for k in range(i + 1, j):
                total += math.exp(inside[i, k] + inside[k, j] - top)
            inside[i, j] = scores[i, j] + top + math.log(total)
    outside[0, n] = 0.0
    for width in range(n - 1, 0, -1):
        for i in range(n - width + 1):
            j = i + width
            # As left part of [i, e), then as right part of [b, j).
            top = -math.inf
            for e in range(j + 1, n + 1):
                top = max(top, outside[i, e] + scores[i, e] + inside[j, e])
            for b in range(i):
                top = max(top, outside[b, j] + scores[b, j] + inside[b, i])
            total = 0.0
            for e in range(j + 1, n + 1):
                total += math.exp(outside[i, e] + scores[i, e] + inside[j, e] - top)
            for b in range(i):
                total += math.exp(outside[b, j] + scores[b, j] + inside[b, i] - top)
            outside[i, j] = top + math.log(total)
    log_sum = inside[0, n]
    for i in range(n):
        for j in range(i + 1, n + 1):
            marginals[i, j] = math.exp(inside[i, j] + outside[i, j] - log_sum)
    return log_sum


@njit(nogil=True, error_model="numpy")
def span_marginals_batch(scores, lengths, log_sums, marginals):
    """`span_marginals` of every sentence of a batch padded at the end.

    ``scores`` and ``marginals`` float64 [batch, longest + 1, longest + 1], ``lengths`` int64 [batch], ``log_sums``
    float64 [batch].
    """
    for b in range(scores.shape[0]):
        n = lengths[b] + 1
        log_sums[b] = span_marginals(scores[b, :n, :n], marginals[b, :n, :n])


@njit(nogil=True, error_model="numpy")
def best_bracketing(scores, spans):
    """The bracketing of the largest weight.

    ``spans`` int32 [n - 1, 2] receives its spans of two or more words, parents before children; returns its score. Of
    equal ones the cut furthest to the left is taken.
    """
    n = scores.shape[0] - 1
    if n <= 1:
        return 0.0
    best = np.zeros((n + 1, n + 1))
    cut = np.zeros((n + 1, n + 1), np.int32)
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            j = i + width
            top, where = -math.inf, i + 1
            for k in range(i + 1, j):
                if best[i, k] + best[k, j] > top:
                    top, where = best[i, k] + best[k, j], k
            best[i, j] = scores[i, j] + top
            cut[i, j] = where
    spans[0, 0], spans[0, 1] = 0, n
    found = 1
    for place in range(n - 1):
        i, j = spans[place, 0], spans[place, 1]
        k = cut[i, j]
        for first, last in ((i, k), (k, j)):
            if last - first > 1:
                spans[found, 0], spans[found, 1] = first, last
                found += 1
    return best[0, n]


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
