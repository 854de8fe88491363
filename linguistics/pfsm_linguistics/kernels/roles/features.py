"""Numbers of the features of candidate spans: hashes of properties of predicate, span and the path between them.

A feature is a 64-bit hash of a template's number and its values, which are numbers of words, tags, labels themselves.
The values of templates do not depend on any inventory, so that a model needs to keep only the features that it weighs.
"""

import numpy as np

from pfsm_kernels.cache import njit

N_SLOTS = 64
LONGEST_PATH = 40


@njit(nogil=True, error_model="numpy")
def mix(a, b):
    """A number for two numbers in order (Stafford's variant 13 of MurmurHash3's finaliser), uint64."""
    x = (np.uint64(a) ^ (np.uint64(b) * np.uint64(0x9E3779B97F4A7C15))) + np.uint64(0x632BE59BD9B4E019)
    x ^= x >> np.uint64(30)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return x


@njit(inner=True, nogil=True, error_model="numpy")
def _bucket(k):
    """Size class of a length: exact to 5, then coarser."""
    if k < 0:
        k = -k
    if k < 6:
        return k
    if k < 9:
        return 6
    if k < 14:
        return 7
    if k < 22:
        return 8
    return 9


@njit(inner=True, nogil=True, error_model="numpy")
def _label_of(spans, s, e):
    """Label of the constituent over exactly these words; 0 for none."""
    for k in range(spans.shape[0]):
        if spans[k, 0] == s and spans[k, 1] == e:
            return spans[k, 6]
    return 0


@njit(inner=True, nogil=True, error_model="numpy")
def _label_around(spans, s, e):
    """Label of the smallest larger constituent around these words; 0 for none."""
    best = 1 << 30
    found = 0
    for k in range(spans.shape[0]):
        a, b = spans[k, 0], spans[k, 1]
        if a <= s and e <= b and b - a > e - s and b - a < best:
            best = b - a
            found = spans[k, 6]
    return found


@njit(inner=True, nogil=True, error_model="numpy")
def _path(heads, rels, depth, p, h):
    """Hash and length of the way from a word up and down the tree to another."""
    up = np.uint64(1)
    a = p
    b = h
    # climb to the same depth
    length = 0
    down = np.uint64(2)
    while a != b and length < LONGEST_PATH:
        if depth[a] >= depth[b]:
            up = mix(up, rels[a])
            a = heads[a]
        else:
            down = mix(down, rels[b])
            b = heads[b]
        length += 1
        if a < 0 or b < 0:
            break
    return mix(up, down), length


@njit(nogil=True, error_model="numpy")
def features(
    words, lemmas, xpos, rels, heads, first, depth, punct, spans, codes, given, p, cands, n_cands, out, hw
):
    """Writes the features of every candidate, uint64 [n, N_SLOTS], and the head word of every span, int64 [n].

    ``codes`` are the numbers of aux:pass, nsubj:pass, aux, compound:prt, case, mark, nsubj, obj, iobj, xcomp, ccomp,
    obl, VBN, csubj, WDT, WP, WP$ and WRB, in this order; ``given`` is 1 for trees that are known to be right.
    """
    n = words.size
    L = lemmas[p]
    # what the predicate has
    bits = 0
    voice = 0
    prt = 0
    sub = np.uint64(7)
    has_aux = False
    # relation and form of a relative or interrogative word that depends on the predicate
    wh = np.uint64(5)
    above = heads[p]
    governor = lemmas[above] if above >= 0 else 5
    branch = mix(rels[p], governor)
    # whether the word above has a subject, an object
    shared = 0
    for d in range(n):
        if above >= 0 and heads[d] == above:
            for k in range(6, 9):
                if rels[d] == codes[k] or (k == 6 and rels[d] == codes[1]):
                    shared |= 1 << (k - 6)
        if heads[d] != p:
            continue
        r = rels[d]
        if codes[14] == xpos[d] or codes[15] == xpos[d] or codes[16] == xpos[d] or codes[17] == xpos[d]:
            wh = mix(r, words[d])
        if r == codes[0] or r == codes[1]:
            voice = 1
        if r == codes[2]:
            has_aux = True
        if r == codes[3]:
            prt = words[d]
        for k in range(6, 12):
            if r == codes[k]:
                bits |= 1 << (k - 6)
        if r == codes[1] or r == codes[13]:
            bits |= 1
        if not punct[d]:
            sub = mix(sub, mix(r, 1 if d > p else 0))
    if voice == 0 and xpos[p] == codes[12] and not has_aux:
        voice = 2
    for c in range(n_cands):
        s, e, kind = cands[c, 0], cands[c, 1], cands[c, 2]
        h = s
        for w in range(s, e):
            if depth[w] < depth[h]:
                h = w
        hw[c] = h
        case = 0
        for w in range(first[h], h):
            if heads[w] == h and (rels[w] == codes[4] or rels[w] == codes[5]):
                case = words[w]
                break
        R = rels[h]
        X = xpos[h]
        W = words[h]
        T, plen = _path(heads, rels, depth, p, h)
        K = _label_of(spans, s, e)
        PK = _label_around(spans, s, e)
        side = 1 if s > p else 0
        dist = _bucket(s - p - 1 if s > p else p - e)
        D = dist * 2 + side
        size = _bucket(e - s)
        before = words[s - 1] if s > 0 else 3
        after = words[e] if e < n else 4
        xb = xpos[s - 1] if s > 0 else 3
        xa = xpos[e] if e < n else 4
        commas = 0
        lo, hi = (e, p) if s < p else (p + 1, s)
        for w in range(lo, hi):
            if punct[w]:
                commas += 1
        child = 1 if heads[h] == p else 0
        RP = mix(R, side)
        RPV = mix(RP, voice)
        TV = mix(T, voice)
        o = out[c]
        o[0] = T
        o[1] = TV
        o[2] = mix(T, L)
        o[3] = mix(TV, L)
        o[4] = mix(T, side)
        o[5] = RPV
        o[6] = mix(RPV, L)
        o[7] = mix(R, case)
        o[8] = mix(mix(R, case), L)
        o[9] = mix(case, T)
        o[10] = W
        o[11] = mix(W, T)
        o[12] = mix(L, W)
        o[13] = mix(X, T)
        o[14] = mix(X, side)
        o[15] = mix(mix(X, side), L)
        o[16] = K
        o[17] = mix(K, T)
        o[18] = mix(K, side * 3 + voice)
        o[19] = mix(mix(K, side), L)
        o[20] = kind
        o[21] = mix(kind, T)
        o[22] = mix(kind, R)
        o[23] = words[s]
        o[24] = mix(words[s], R)
        o[25] = mix(words[s], L)
        o[26] = mix(xpos[s], xpos[e - 1])
        o[27] = words[e - 1]
        o[28] = before
        o[29] = after
        o[30] = mix(xb, xpos[s])
        o[31] = mix(xpos[e - 1], xa)
        o[32] = mix(size, R)
        o[33] = mix(size, K)
        o[34] = D
        o[35] = mix(D, T)
        o[36] = mix(sub, T)
        o[37] = mix(sub, RPV)
        o[38] = mix(bits, T)
        o[39] = mix(mix(bits, T), L)
        o[40] = mix(xpos[p], T)
        o[41] = mix(xpos[p], RPV)
        o[42] = mix(mix(prt, L), RP)
        o[43] = mix(PK, K)
        o[44] = mix(W, RP)
        o[45] = mix(case, W)
        o[46] = mix(mix(X, case), child)
        o[47] = mix(plen, side)
        o[48] = mix(commas, side)
        o[49] = mix(mix(punct[s], punct[e - 1]), K)
        o[50] = mix(L, side)
        o[51] = mix(bits * 4 + voice, mix(L, K))
        o[52] = mix(branch, T)
        o[53] = mix(mix(branch, shared), mix(bits, RP))
        o[54] = mix(wh, T)
        o[55] = mix(mix(wh, bits), mix(T, voice))
        o[56] = mix(mix(rels[p], shared), mix(bits, T))
        o[57] = mix(L, mix(case, W))
        o[58] = mix(mix(L, prt), mix(T, bits))
        between = np.uint64(9)
        if hi - lo <= 3:
            for w in range(lo, hi):
                between = mix(between, xpos[w])
        else:
            between = mix(mix(xpos[lo], xpos[hi - 1]), 1)
        o[59] = mix(between, mix(X, side))
        o[60] = mix(given, TV)
        o[61] = mix(given, mix(bits, T))
        o[62] = mix(given, mix(kind, K))
        o[63] = mix(given, mix(RPV, dist))
        for k in range(N_SLOTS):
            o[k] = mix(o[k], k + 1)


@njit(nogil=True, error_model="numpy")
def fill_table(keys, table_keys, table_rows):
    """A hash table with open addressing from keys to their places; empty cells have row -1."""
    mask = table_keys.size - 1
    for row in range(keys.size):
        place = np.int64(mix(keys[row], 0) & np.uint64(mask))
        while table_rows[place] >= 0:
            place = (place + 1) & mask
        table_keys[place] = keys[row]
        table_rows[place] = row


@njit(nogil=True, error_model="numpy")
def find_rows(hashes, key_mask, table_keys, table_rows, rows):
    """The row of every feature, int32 [n, N_SLOTS]; -1 for features that the model does not know."""
    mask = table_keys.size - 1
    for c in range(hashes.shape[0]):
        for k in range(hashes.shape[1]):
            key = np.int64(hashes[c, k] & np.uint64(key_mask))
            place = np.int64(mix(key, 0) & np.uint64(mask))
            rows[c, k] = -1
            while table_rows[place] >= 0:
                if table_keys[place] == key:
                    rows[c, k] = table_rows[place]
                    break
                place = (place + 1) & mask
