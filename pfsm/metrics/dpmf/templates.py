"""The feature templates of Huang, Jiang and Liu (2009), which DPM uses, and subsets of them.

s0, s1, s2 are the topmost items of the stack, q0, q1 the next words of the queue; w is a word, t its tag, lct and rct
the tag of an item's leftmost and rightmost child.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

WORDS = ("s0w s0t", "s0w", "s1w s1t", "s1w", "q0w q0t", "q0w")
TAGS = ("s0t", "s1t", "q0t")
PAIRS = ("s0w s1w s0t s1t", "s0w s1w s0t", "s0w s1w s1t", "s0w s0t s1t", "s1w s0t s1t", "s0w s1w")
TAG_PAIRS = ("s0t s1t", "s0t q0t", "s0t q0t q1t", "s1t s0t q0t", "s2t s1t s0t")
CHILDREN = ("s1t s1lct s0t", "s1t s1rct s0t", "s1t s0t s0lct", "s1t s0t s0rct")
CONTEXTS = ("s0w q0t q1t", "s0w s1t q0t", "s0w s1t s1lct", "s0w s1t s1rct", "s0w s1t s0lct")

SUBSETS: Mapping[str, tuple[str, ...]] = {
    "all": (*WORDS, *TAGS, *PAIRS, *TAG_PAIRS, *CHILDREN, *CONTEXTS),
    "single": (*WORDS, *TAGS),
    "tags": (*TAGS, *TAG_PAIRS, *CHILDREN),
    "pairs": (*WORDS, *TAGS, *PAIRS, *TAG_PAIRS),
}


def template_table(subset: str) -> NDArray[np.int64]:
    """The templates of a subset as the kernel takes them, int64 [n_templates, 4]."""
    from pfsm_kernels.syntax.shift_reduce import SLOTS  # noqa: PLC0415 - brings numba

    rows = []
    for template in SUBSETS[subset]:
        slots = template.split()
        words = [slot for slot in slots if slot.endswith("w")]
        tags = [slot for slot in slots if not slot.endswith("w")]
        # A third tag takes a word's place, which is wider.
        wide = [*words, *tags[2:], "", ""][:2]
        rows.append([SLOTS.index(slot) for slot in (*wide, *[*tags[:2], "", ""][:2])])
    return np.array(rows, dtype=np.int64)
