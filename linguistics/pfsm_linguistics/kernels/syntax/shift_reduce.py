"""A dependency parsing model made of one tree, and how likely it finds the best derivation of another sentence.

Arc-standard parsing (Yu et al. 2015, section 2): a stack S, a queue Q of words, and in each of 2n - 1 steps one of

    shift       the first word of Q goes on top of S,                             legal while Q is not empty;
    reduce-L    s0 becomes the head of s1, which is gone,                          legal while S has two items;
    reduce-R    s1 becomes the head of s0, which is gone,                          likewise.

    P(a | state) = exp(sum_i w[i, a] f_i(state)) / z,  z over the legal actions, or over all three        (3, 4)

Features f are the indicators of templates (Huang, Jiang and Liu 2009): which words and tags the top of the stack, the
front of the queue and the outermost children have. The weights minimise the convex

    sum over the steps of the reference's derivation of  -log P(action | state)  +  penalty / 2 * sum w^2

by L-BFGS from zero. The other sentence's best derivation is searched for with a beam (5, 6). Equal derivations keep the
order of their parents, then shift, reduce-L, reduce-R.

Per pair: O(steps * templates) an iteration of the training, O(steps * beam * templates * log features) of the search.
"""

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import copy, njit

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Float = NDArray[np.float64]
SHIFT, REDUCE_L, REDUCE_R = 0, 1, 2
ACTIONS = 3
# What templates are made of: words, then tags. lc, rc: leftmost, rightmost child.
SLOTS = ("", "s0w", "s1w", "q0w", "s0t", "s1t", "s2t", "q0t", "q1t", "s0lct", "s0rct", "s1lct", "s1rct")
N_SLOTS = len(SLOTS)
# In a key a template has 5 bits, its first two slots 18 each, the others 10 each.
WIDE, NARROW = 18, 10
# Ids of words and tags: nothing there, unknown to the reference; the reference's own from 2.
ABSENT, UNKNOWN = 0, 1
HISTORY = 6
MOST_ITERATIONS = 200
# Of the gradient's largest entry.
TOLERANCE = 1e-6


@njit(inner=True, nogil=True)
def _describe(words, tags, stack, left, right, q, values):
    """The slots of a state; ``stack`` has s0, s1, s2 (-1: none), ``left`` and ``right`` children of s0 and s1."""
    values[:] = ABSENT
    n = words.size
    for depth in range(3):
        if stack[depth] >= 0:
            if depth < 2:
                values[1 + depth] = words[stack[depth]]
            values[4 + depth] = tags[stack[depth]]
    if q < n:
        values[3], values[7] = words[q], tags[q]
    if q + 1 < n:
        values[8] = tags[q + 1]
    for depth in range(2):
        if left[depth] >= 0:
            values[9 + 2 * depth] = tags[left[depth]]
        if right[depth] >= 0:
            values[10 + 2 * depth] = tags[right[depth]]


@njit(inner=True, nogil=True)
def _key(template, slots, values):
    key = (np.int64(template) << WIDE) | values[slots[0]]
    key = (key << WIDE) | values[slots[1]]
    key = (key << NARROW) | values[slots[2]]
    return (key << NARROW) | values[slots[3]]


@njit(inner=True, nogil=True)
def _derivation(words, tags, heads, templates, keys, actions, legal):
    """The oracle: keys, actions and legal actions (bit a: action a) of every step of a projective tree."""
    n = words.size
    stack, size, q = np.empty(n, np.int64), 0, 0
    left, right = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    missing = np.zeros(n + 1, np.int64)
    for head in heads:
        missing[head] += 1
    values = np.empty(N_SLOTS, np.int64)
    top, lefts, rights = np.empty(3, np.int64), np.empty(2, np.int64), np.empty(2, np.int64)
    for step in range(keys.shape[0]):
        for depth in range(3):
            top[depth] = stack[size - 1 - depth] if size > depth else -1
        for depth in range(2):
            lefts[depth] = left[top[depth]] if top[depth] >= 0 else -1
            rights[depth] = right[top[depth]] if top[depth] >= 0 else -1
        _describe(words, tags, top, lefts, rights, q, values)
        for k in range(templates.shape[0]):
            keys[step, k] = _key(k, templates[k], values)
        legal[step] = (q < n) | (6 * (size >= 2))
        s0, s1 = top[0], top[1]
        if size >= 2 and heads[s1] == s0 + 1 and missing[s1 + 1] == 0:
            actions[step] = REDUCE_L
            left[s0] = s1
            missing[s0 + 1] -= 1
            stack[size - 2] = s0
            size -= 1
        elif size >= 2 and heads[s0] == s1 + 1 and missing[s0 + 1] == 0:
            actions[step] = REDUCE_R
            right[s1] = s0
            missing[s1 + 1] -= 1
            size -= 1
        else:
            actions[step] = SHIFT
            stack[size] = q
            size += 1
            q += 1


@njit(inner=True, nogil=True)
def _log_probabilities(scores, legal):
    """Scores of three actions made logarithms of probabilities, over those in ``legal``."""
    largest = -np.inf
    for a in range(ACTIONS):
        if legal >> a & 1:
            largest = max(largest, scores[a])
    total = 0.0
    for a in range(ACTIONS):
        if legal >> a & 1:
            total += np.exp(scores[a] - largest)
    log_z = largest + np.log(total)
    for a in range(ACTIONS):
        scores[a] = scores[a] - log_z if legal >> a & 1 else -np.inf


@njit(inner=True, nogil=True)
def _loss(weights, features, actions, legal, penalty, gradient):
    """The objective and its gradient, both flat float64 [n_features * 3]."""
    loss = 0.0
    for k in range(weights.size):
        gradient[k] = penalty * weights[k]
        loss += 0.5 * penalty * weights[k] * weights[k]
    scores = np.empty(ACTIONS)
    for step in range(actions.size):
        scores[:] = 0.0
        for feature in features[step]:
            for a in range(ACTIONS):
                scores[a] += weights[ACTIONS * feature + a]
        _log_probabilities(scores, legal[step])
        loss -= scores[actions[step]]
        for a in range(ACTIONS):
            slope = np.exp(scores[a]) - (a == actions[step])
            if slope != 0.0:
                for feature in features[step]:
                    gradient[ACTIONS * feature + a] += slope
    return loss


@njit(inner=True, nogil=True)
def _dot(one, other):
    """In one order whatever the number of threads, which a library's product of long vectors is not."""
    total = 0.0
    for k in range(one.size):
        total += one[k] * other[k]
    return total


@njit(inner=True, nogil=True)
def _direction(gradient, moves, changes, count, direction):
    """Minus the inverse Hessian times the gradient, as the last moves know it (two-loop recursion)."""
    copy(-gradient, direction)
    used = min(count, HISTORY)
    alpha = np.empty(used)
    for back in range(used):
        k = (count - 1 - back) % HISTORY
        alpha[back] = _dot(moves[k], direction) / _dot(moves[k], changes[k])
        direction -= alpha[back] * changes[k]
    if used > 0:
        k = (count - 1) % HISTORY
        direction *= _dot(moves[k], changes[k]) / _dot(changes[k], changes[k])
    for back in range(used - 1, -1, -1):
        k = (count - 1 - back) % HISTORY
        beta = _dot(changes[k], direction) / _dot(moves[k], changes[k])
        direction += (alpha[back] - beta) * moves[k]


@njit(inner=True, nogil=True)
def _minimise(weights, features, actions, legal, penalty):
    """Weights at the optimum, flat float64 [n_features * 3], from the given ones, which are changed."""
    size = weights.size
    gradient = np.empty(size)
    trial, trial_gradient, direction = np.empty(size), np.empty(size), np.empty(size)
    moves, changes, count = np.zeros((HISTORY, size)), np.zeros((HISTORY, size)), 0
    loss = _loss(weights, features, actions, legal, penalty, gradient)
    while count < MOST_ITERATIONS and np.abs(gradient).max() > TOLERANCE:
        _direction(gradient, moves, changes, count, direction)
        slope = _dot(gradient, direction)
        step = 1.0 if count > 0 else 1.0 / max(1.0, np.abs(gradient).sum() / 10.0)
        while True:
            copy(weights + step * direction, trial)
            trial_loss = _loss(trial, features, actions, legal, penalty, trial_gradient)
            if trial_loss <= loss + 1e-4 * step * slope or step < 1e-12:
                break
            step *= 0.5
        k = count % HISTORY
        moves[k], changes[k] = trial - weights, trial_gradient - gradient
        # The objective is strongly convex, so this is positive but for rounding at the optimum.
        if _dot(moves[k], changes[k]) <= 0.0:
            break
        count += 1
        weights[:], gradient[:], loss = trial, trial_gradient, trial_loss
    return weights


@njit(inner=True, nogil=True)
def _train(tree, templates, legal_only, penalty):
    """The model of a tree: sorted keys int64 [n_features], weights float64 [n_features * 3]."""
    total = max(0, 2 * tree.shape[1] - 1)
    keys = np.empty((total, templates.shape[0]), np.int64)
    actions, legal = np.empty(total, np.int64), np.empty(total, np.int64)
    _derivation(tree[0], tree[1], tree[2], templates, keys, actions, legal)
    if not legal_only:
        legal[:] = 7
    known = np.unique(keys.ravel())
    features = np.searchsorted(known, keys.ravel()).reshape(keys.shape)
    weights = np.zeros(known.size * ACTIONS)
    return known, _minimise(weights, features, actions, legal, penalty) if known.size else weights


@njit(inner=True, nogil=True)
def _score(values, templates, known, weights, legal, scores):
    """Log-probabilities of the actions in a state."""
    scores[:] = 0.0
    for k in range(templates.shape[0]):
        key = _key(k, templates[k], values)
        place = np.searchsorted(known, key)
        if place < known.size and known[place] == key:
            for a in range(ACTIONS):
                scores[a] += weights[ACTIONS * place + a]
    _log_probabilities(scores, legal)


@njit(inner=True, nogil=True)
def _decode(words, tags, templates, known, weights, beam, legal_only):
    """The largest sum of log-probabilities of a derivation that the beam finds, of a sentence of at least one word.

    A node is an item of a stack: its word, outermost children, and the node below. Nodes are never changed, so
    stacks share what they have in common. Each state makes one: ``step * beam + rank``.
    """
    n = words.size
    steps = 2 * n - 1
    # Columns: word, leftmost child, rightmost child, node below.
    nodes = np.full(((steps + 1) * beam, 4), -1, np.int64)
    total, best_total = np.zeros(beam), np.empty(beam)
    queue, sizes, tops = np.zeros(beam, np.int64), np.zeros(beam, np.int64), np.full(beam, -1, np.int64)
    # Columns: parent's rank, action.
    chosen = np.empty((beam, 2), np.int64)
    next_queue, next_sizes, next_tops = np.empty_like(queue), np.empty_like(sizes), np.empty_like(tops)
    values, scores = np.empty(N_SLOTS, np.int64), np.empty(ACTIONS)
    stack, lefts, rights = np.empty(3, np.int64), np.empty(2, np.int64), np.empty(2, np.int64)
    count = 1
    for step in range(steps):
        found = 0
        for rank in range(count):
            node = tops[rank]
            for depth in range(3):
                stack[depth] = nodes[node, 0] if node >= 0 else -1
                if depth < 2:
                    lefts[depth] = nodes[node, 1] if node >= 0 else -1
                    rights[depth] = nodes[node, 2] if node >= 0 else -1
                node = nodes[node, 3] if node >= 0 else -1
            _describe(words, tags, stack, lefts, rights, queue[rank], values)
            legal = (queue[rank] < n) | (6 * (sizes[rank] >= 2))
            _score(values, templates, known, weights, legal if legal_only else 7, scores)
            for a in range(ACTIONS):
                value = total[rank] + scores[a]
                if not legal >> a & 1 or (found == beam and value <= best_total[beam - 1]):
                    continue
                at = min(found, beam - 1)
                while at > 0 and best_total[at - 1] < value:
                    best_total[at] = best_total[at - 1]
                    chosen[at] = chosen[at - 1]
                    at -= 1
                best_total[at], chosen[at, 0], chosen[at, 1] = value, rank, a
                found = min(found + 1, beam)
        for at in range(found):
            rank, action = chosen[at, 0], chosen[at, 1]
            made = (step + 1) * beam + at
            next_queue[at], next_sizes[at], next_tops[at] = queue[rank], sizes[rank], made
            top = tops[rank]
            if action == SHIFT:
                nodes[made, 0], nodes[made, 3] = queue[rank], top
                next_queue[at] += 1
                next_sizes[at] += 1
                continue
            under = nodes[top, 3]
            nodes[made] = nodes[top] if action == REDUCE_L else nodes[under]
            if action == REDUCE_L:
                nodes[made, 1] = nodes[under, 0]
            else:
                nodes[made, 2] = nodes[top, 0]
            nodes[made, 3] = nodes[under, 3]
            next_sizes[at] -= 1
        count = found
        copy(best_total[:count], total)
        queue, next_queue = next_queue, queue
        sizes, next_sizes = next_sizes, sizes
        tops, next_tops = next_tops, tops
    return total[0]


@njit(nogil=True)
def _score_all(ref, ref_offsets, hyp, hyp_offsets, firsts, templates, penalty, beam, legal_only, result):
    for m in range(ref_offsets.size - 1):
        if firsts[m] == firsts[m + 1]:
            continue
        tree = ref[:, ref_offsets[m] : ref_offsets[m + 1]]
        known, weights = _train(tree, templates, legal_only, penalty)
        for k in range(firsts[m], firsts[m + 1]):
            line = hyp[:, hyp_offsets[k] : hyp_offsets[k + 1]]
            if line.shape[1] > 0:
                result[k] = _decode(line[0], line[1], templates, known, weights, beam, legal_only)


def parsing_scores(
    references: Int64,
    reference_offsets: Int64,
    hypotheses: Int64,
    hypothesis_offsets: Int64,
    firsts: Int64,
    templates: Int64,
    penalty: float,
    beam: int,
    legal_only: bool,
) -> Float:
    """Score(hyp) of equation (6), float64 [n_hypotheses]: at most 0, and 0 for an empty sentence.

    Args:
        references: int64 [3, words of all references]: ids of words and of tags, from 2, any in each sentence; and
            heads, counted from 1 in each sentence, 0 the one root; projective.
        reference_offsets: int64 [n_references + 1].
        hypotheses: int64 [2, words of all hypotheses]: ids of words and of tags as their reference has them, 1 for
            those that it has not.
        hypothesis_offsets: int64 [n_hypotheses + 1].
        firsts: int64 [n_references + 1]; hypotheses ``firsts[m]`` to ``firsts[m + 1] - 1`` are scored by the model of
            reference m.
        templates: int64 [n_templates, 4], which of the `SLOTS` each template joins, 0 for none; words in the first
            two columns only.
        penalty: Of the squared weights, above 0.
        beam: Derivations that go on from each step, at least 1.
        legal_only: Whether probabilities are over the legal actions only.
    """
    result = np.zeros(hypothesis_offsets.size - 1)
    _score_all(
        references,
        reference_offsets,
        hypotheses,
        hypothesis_offsets,
        firsts,
        templates,
        float(penalty),
        int(beam),
        bool(legal_only),
        result,
    )
    return result
