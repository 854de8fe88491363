"""Edits that turn a hypothesis into its reference, shifts of blocks among them: TER, and what TERp adds.

Words are inserted (the hypothesis lacks them), deleted, substituted or matched (Snover et al. 2006); words with a stem
or a meaning in common, and phrases that a table links, may be matched at costs of their own (Snover et al. 2009). With
D[i, j] the least cost for the first i words of the hypothesis and j of the reference,

    D[i, j] = min(D[i-1, j-1] + cost of the pair,  D[i-1, j] + deletion,  D[i, j-1] + insertion,
                  D[i-p, j-q] + cost of a phrase of p words at i-p linked to q words at j-q)

the first among equals. Blocks of the hypothesis are shifted one at a time for as long as D sinks by what a shift costs.
The search is that of TER's program as sacrebleu has it, so that with its costs the numbers are the same:

* a block is a run of at most 10 words that match words of the reference no more than 50 places away; it is tried where
  it holds an error, where the words it matches do, and where these are not aligned with the block itself;
* its targets are behind the words that are aligned with the words it matches, and before the first of these;
* of all that are tried the one that lowers D most counts, then the longest, the leftmost, the leftmost target; after
  1000 trials there are no more shifts;
* D is worked out within 25 words of the diagonal.

A phrase is linked as long as shifts leave it in one piece. Cost per pair: O(trials * hypothesis * min(reference, 50)).
"""

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import copy, njit

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Float = NDArray[np.float64]
LONGEST_SHIFT, FARTHEST_SHIFT, MOST_TRIALS, BAND = 10, 50, 1000, 25
# Costs, and columns of what is counted.
MATCH, INSERTION, DELETION, SUBSTITUTION, SHIFT, SYNONYM, STEM = 0, 1, 2, 3, 4, 5, 6
KINDS = 7
# Of the words of a phrase, on either side.
LONGEST_PHRASE = 20
# What links two words that differ, bit by bit.
BY_STEM, BY_SYNONYM = 1, 2
# Steps of a trace: kinds above, then phrase 0, 1, …; and where no path comes.
PHRASE, NOWHERE = KINDS, -1
# Columns of a phrase.
REF, REF_SIZE, HYP, HYP_SIZE = 0, 1, 2, 3


@njit(inner=True, nogil=True)
def _kinds(ref, hyp, ref_types, hyp_types, links, costs):
    """The cheapest kind of edit that joins each two words, int8 [reference, hypothesis]."""
    first_ref, first_hyp = ref_types[0], hyp_types[0]
    sizes = ref_types.max() - first_ref + 1, hyp_types.max() - first_hyp + 1
    by_type = np.full(sizes, SUBSTITUTION, np.int8)
    for link in links:
        j, i = link[0], link[1]
        for bit, kind in ((BY_STEM, STEM), (BY_SYNONYM, SYNONYM)):
            if link[2] & bit and costs[kind] < costs[by_type[j, i]]:
                by_type[j, i] = kind
    kinds = np.empty((ref.size, hyp.size), np.int8)
    for j in range(ref.size):
        for i in range(hyp.size):
            kinds[j, i] = (
                MATCH if ref[j] == hyp[i] else by_type[ref_types[j] - first_ref, hyp_types[i] - first_hyp]
            )
    return kinds


@njit(inner=True, nogil=True)
def _is_whole(order, at, phrase):
    """Whether a phrase of the hypothesis stands in one piece from this place on."""
    if at < 0 or at + phrase[HYP_SIZE] > order.size:
        return False
    whole = True
    for k in range(phrase[HYP_SIZE]):
        whole &= order[at + k] == phrase[HYP] + k
    return whole


@njit(inner=True, nogil=True)
def _sorted(phrases, n_hyp):
    """Phrases by their last word in the hypothesis, then in the reference: the order, and where each word's begin."""
    keys = np.empty(phrases.shape[0], np.int64)
    first = np.zeros(n_hyp + 1, np.int64)
    for k in range(phrases.shape[0]):
        last = phrases[k, HYP] + phrases[k, HYP_SIZE] - 1
        first[last + 1] += 1
        keys[k] = (np.int64(last) << 32) | np.int64(phrases[k, REF] + phrases[k, REF_SIZE])
    return np.argsort(keys, kind="mergesort"), np.cumsum(first)


@njit(inner=True, nogil=True)
def _fill(kinds, order, linked, costs, first, table, steps):
    """Rows of D from ``first`` on for the hypothesis in this order, and the step that leads to each cell.

    Cells away from the diagonal are never written: they must be infinite from the start. ``linked`` is phrases in the
    order of `_sorted`, their costs, and where those that end with each word begin.
    """
    phrases, phrase_costs, starts = linked
    n_ref, n_hyp = kinds.shape
    ratio = n_ref / n_hyp if n_hyp else 1.0
    band = int(np.ceil(ratio / 2 + BAND)) if ratio / 2 > BAND else BAND
    if first == 0:
        for j in range(n_ref + 1):
            table[0, j], steps[0, j] = j * costs[INSERTION], INSERTION
        first = 1
    for i in range(first, n_hyp + 1):
        diagonal = int(np.floor(i * ratio))
        last = n_ref + 1 if i == n_hyp else min(n_ref + 1, diagonal + band)
        word = order[i - 1]
        k, end = starts[word], starts[word + 1]
        low, beyond = max(0, diagonal - band), end
        # Phrases that end to the left of the band are passed over.
        while k < beyond:
            middle = (k + beyond) // 2
            if phrases[middle, REF] + phrases[middle, REF_SIZE] < low:
                k = middle + 1
            else:
                beyond = middle
        for j in range(low, last):
            best, step = np.inf, NOWHERE
            if j > 0:
                kind = kinds[j - 1, word]
                if table[i - 1, j - 1] + costs[kind] < best:
                    best, step = table[i - 1, j - 1] + costs[kind], kind
            if table[i - 1, j] + costs[DELETION] < best:
                best, step = table[i - 1, j] + costs[DELETION], DELETION
            if j > 0 and table[i, j - 1] + costs[INSERTION] < best:
                best, step = table[i, j - 1] + costs[INSERTION], INSERTION
            while k < end and phrases[k, REF] + phrases[k, REF_SIZE] <= j:
                begin = i - phrases[k, HYP_SIZE]
                if phrases[k, REF] + phrases[k, REF_SIZE] == j and _is_whole(order, begin, phrases[k]):
                    value = table[begin, phrases[k, REF]] + phrase_costs[k]
                    if value < best:
                        best, step = value, PHRASE + k
                k += 1
            table[i, j], steps[i, j] = best, step
    return table[n_hyp, n_ref]


@njit(inner=True, nogil=True)
def _align(steps, phrases, aligned, ref_error, hyp_error):
    """For each word of the reference the place of the last word before or at its partner; who is in an error."""
    n_hyp, n_ref = steps.shape[0] - 1, steps.shape[1] - 1
    ref_error[:], hyp_error[:] = 0, 0
    i, j = n_hyp, n_ref
    while i > 0 or j > 0:
        step = steps[i, j]
        if step >= PHRASE:
            phrase = phrases[step - PHRASE]
            i, j = i - phrase[HYP_SIZE], j - phrase[REF_SIZE]
            for k in range(phrase[REF_SIZE]):
                aligned[j + k] = i + min(k, phrase[HYP_SIZE] - 1)
        elif step == DELETION:
            i -= 1
            hyp_error[i] = 1
        elif step == INSERTION:
            j -= 1
            aligned[j] = i - 1
            ref_error[j] = 1
        else:
            i, j = i - 1, j - 1
            aligned[j] = i
            if step == SUBSTITUTION:
                ref_error[j], hyp_error[i] = 1, 1


@njit(inner=True, nogil=True)
def _shifted(order, start, size, target, result):
    """The order once a block goes before place ``target``; the first place that differs."""
    n = order.size
    if start <= target <= start + size:
        # Within or right behind itself: it goes so many places on.
        target += size
        low, high = start, min(n, target)
    else:
        low, high = min(start, target), max(start + size, target)
    copy(order, result)
    at = low
    if target < start:
        for k in range(start, start + size):
            result[at] = order[k]
            at += 1
        for k in range(target, start):
            result[at] = order[k]
            at += 1
        return low
    for k in range(start + size, high):
        result[at] = order[k]
        at += 1
    for k in range(start, start + size):
        result[at] = order[k]
        at += 1
    return low


@njit(inner=True, nogil=True)
def _run(kinds, order, i, j, longest):
    """How many words from here on are matched one by one."""
    size = 0
    while (
        size < longest
        and i + size < order.size
        and j + size < kinds.shape[0]
        and kinds[j + size, order[i + size]] != SUBSTITUTION
    ):
        size += 1
    return size


@njit(inner=True, nogil=True)
def _try_block(block, before, order, kinds, linked, costs, state, table, trial, best):
    """Tries a block (place, size, place and size of what it matches) at all its targets; the number of trials.

    ``best`` is gain, size, place, target of the best so far, the gain minus infinity while there is none; ``state`` the
    alignment as `_align` gives it; ``trial`` room for an order, a table and steps.
    """
    start, size, ref_start, ref_size = block
    aligned, ref_error, hyp_error = state
    if not hyp_error[start : start + size].any() or not ref_error[ref_start : ref_start + ref_size].any():
        return 0
    if start <= aligned[ref_start] < start + size:
        return 0
    trial_order, trial_table, trial_steps = trial
    trials, previous = 0, -1
    for offset in range(-1, ref_size):
        at = ref_start + offset
        target = 0 if at < 0 else aligned[at] + 1
        if target == previous:
            continue
        previous = target
        low = _shifted(order, start, size, target, trial_order)
        # What the rows that follow look back to.
        back = max(0, low + 1 - LONGEST_PHRASE)
        for row in range(back, low + 1):
            copy(table[row], trial_table[row])
        gain = before - _fill(kinds, trial_order, linked, costs, low + 1, trial_table, trial_steps)
        trials += 1
        better = gain > best[0]
        if gain == best[0]:
            if size != best[1]:
                better = size > best[1]
            elif start != best[2]:
                better = start < best[2]
            else:
                better = target < best[3]
        if better:
            best[0], best[1], best[2], best[3] = gain, size, start, target
    return trials


@njit(inner=True, nogil=True)
def _best_shift(order, before, kinds, linked, costs, state, table, trial, tried, best):
    """Looks through all blocks; the number of trials so far."""
    n_hyp = order.size
    best[0] = -np.inf
    for i in range(n_hyp):
        for j in range(max(0, i - FARTHEST_SHIFT), min(kinds.shape[0], i + FARTHEST_SHIFT + 1)):
            for size in range(1, _run(kinds, order, i, j, LONGEST_SHIFT) + 1):
                block = (i, size, j, size)
                tried += _try_block(block, before, order, kinds, linked, costs, state, table, trial, best)
                if tried >= MOST_TRIALS:
                    return tried
    place = np.empty(n_hyp, np.int64)
    for i in range(n_hyp):
        place[order[i]] = i
    for phrase in linked[0]:
        i = place[phrase[HYP]]
        if abs(i - phrase[REF]) > FARTHEST_SHIFT or not _is_whole(order, i, phrase):
            continue
        piece = (i, np.int64(phrase[HYP_SIZE]), np.int64(phrase[REF]), np.int64(phrase[REF_SIZE]))
        tried += _try_block(piece, before, order, kinds, linked, costs, state, table, trial, best)
        if tried >= MOST_TRIALS:
            return tried
    return tried


@njit(inner=True, nogil=True)
def _count(steps, phrases, counts, used):
    """Edits by kind along the best path; marks the phrases on it."""
    i, j = steps.shape[0] - 1, steps.shape[1] - 1
    while i > 0 or j > 0:
        step = steps[i, j]
        if step >= PHRASE:
            phrase = phrases[step - PHRASE]
            used[step - PHRASE] = True
            i, j = i - phrase[HYP_SIZE], j - phrase[REF_SIZE]
            continue
        counts[step] += 1.0
        if step != INSERTION:
            i -= 1
        if step != DELETION:
            j -= 1


@njit(inner=True, nogil=True)
def _edit(ref, hyp, ref_types, hyp_types, links, phrases, phrase_costs, costs, counts, used):
    """Counts the edits of a pair."""
    n_ref, n_hyp = ref.size, hyp.size
    if n_ref == 0:
        counts[DELETION] = n_hyp
        return
    if n_hyp == 0:
        counts[INSERTION] = n_ref
        return
    kinds = _kinds(ref, hyp, ref_types, hyp_types, links, costs)
    order, trial_order = np.arange(n_hyp), np.empty(n_hyp, np.int64)
    table = np.full((n_hyp + 1, n_ref + 1), np.inf)
    steps = np.full((n_hyp + 1, n_ref + 1), NOWHERE, np.int32)
    trial = (trial_order, table.copy(), steps.copy())
    state = (np.empty(n_ref, np.int64), np.empty(n_ref, np.int8), np.empty(n_hyp, np.int8))
    best, tried, first = np.empty(4), np.int64(0), np.int64(0)
    ranks, starts = _sorted(phrases, n_hyp)
    linked = (phrases[ranks], phrase_costs[ranks], starts)
    before = _fill(kinds, order, linked, costs, first, table, steps)
    while True:
        _align(steps, linked[0], state[0], state[1], state[2])
        tried = _best_shift(order, before, kinds, linked, costs, state, table, trial, tried, best)
        # A sum of costs may be off by its rounding.
        if tried >= MOST_TRIALS or best[0] <= 1e-9 or best[0] < costs[SHIFT] - 1e-9:
            break
        counts[SHIFT] += 1.0
        _shifted(order, np.int64(best[2]), np.int64(best[1]), np.int64(best[3]), trial_order)
        copy(trial_order, order)
        before = _fill(kinds, order, linked, costs, first, table, steps)
    taken = np.zeros(ranks.size, np.bool_)
    _count(steps, linked[0], counts, taken)
    for k in range(ranks.size):
        used[ranks[k]] = taken[k]


@njit(nogil=True)
def _edit_all(
    ref,
    ref_offsets,
    hyp,
    hyp_offsets,
    ref_types,
    hyp_types,
    links,
    link_offsets,
    phrases,
    phrase_offsets,
    phrase_costs,
    costs,
    counts,
    used,
):
    for pair in range(counts.shape[0]):
        own = slice(phrase_offsets[pair], phrase_offsets[pair + 1])
        of_ref = slice(ref_offsets[pair], ref_offsets[pair + 1])
        of_hyp = slice(hyp_offsets[pair], hyp_offsets[pair + 1])
        _edit(
            ref[of_ref],
            hyp[of_hyp],
            ref_types[of_ref],
            hyp_types[of_hyp],
            links[link_offsets[pair] : link_offsets[pair + 1]],
            phrases[own],
            phrase_costs[own],
            costs,
            counts[pair],
            used[own],
        )


def count_edits(
    references: Int32,
    reference_offsets: Int64,
    hypotheses: Int32,
    hypothesis_offsets: Int64,
    links: Int32,
    link_offsets: Int64,
    phrases: Int32,
    phrase_offsets: Int64,
    phrase_costs: Float,
    costs: Float,
    types: tuple[Int64, Int64] | None = None,
) -> tuple[Float, NDArray[np.bool_]]:
    """The edits of pairs: float64 [n_pairs, 7] and bool [n_phrases], which linked phrases are among them.

    Columns are matches, insertions, deletions, substitutions, shifts, synonyms, stems.

    Args:
        references: int32 [words of all references], equal where words are.
        reference_offsets: int64 [n_pairs + 1].
        hypotheses: int32 [words of all hypotheses].
        hypothesis_offsets: int64 [n_pairs + 1].
        links: int32 [n_links, 3], rows (j, i, how): words of type j of the reference and i of the hypothesis have
            a stem (1), a meaning (2) or both (3) in common.
        link_offsets: int64 [n_pairs + 1].
        phrases: int32 [n_phrases, 4], rows (j, q, i, p): q words of the reference from j, p of the hypothesis from i.
        phrase_offsets: int64 [n_pairs + 1].
        phrase_costs: float64 [n_phrases], what each costs.
        costs: float64 [7], what each kind of edit costs, in the order of the columns.
        types: int64 [words of all references] and [words of all hypotheses], the type of each word, numbered on from
            that of the line's first word, which links count from. By default each word is a type of its own.

    Raises:
        ValueError: If a phrase has more than 20 words, or a cost is not finite.
    """
    if (phrases[:, [REF_SIZE, HYP_SIZE]] > LONGEST_PHRASE).any():
        raise ValueError(f"phrases have at most {LONGEST_PHRASE} words")
    if not (np.isfinite(costs).all() and np.isfinite(phrase_costs).all()):
        raise ValueError("costs must be finite")
    n_pairs = reference_offsets.size - 1
    counts, used = np.zeros((n_pairs, KINDS)), np.zeros(len(phrases), dtype=np.bool_)
    # Copies may be written to: one type of array, for which the kernel is compiled once.
    types = types or (np.arange(references.size), np.arange(hypotheses.size))
    lines = (references, reference_offsets, hypotheses, hypothesis_offsets)
    given = (*lines, *types, links, link_offsets, phrases)
    _edit_all(*(np.array(one) for one in given), np.array(phrase_offsets), phrase_costs, costs, counts, used)
    return counts, used
