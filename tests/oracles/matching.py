"""Matchers and lattices by their definitions: every block of every size is looked at, nothing is remembered.

A block pairs ``p`` tokens of the reference with ``q`` of the hypothesis. The matchers of words, stems and
punctuation accept it where ``p = q`` and all its token pairs, in order, match at their level.
"""

from collections.abc import Mapping, Sequence
from functools import cache

Block = tuple[int, int, int, int]
Arc = tuple[int, int, int, int, str]


def is_punctuation(token: str) -> bool:
    """No letter and no digit in it."""
    return not any(character.isalnum() for character in token)


@cache
def stem(token: str) -> str:
    """NLTK's Porter stem in the mode of the original paper."""
    from nltk.stem.porter import PorterStemmer

    return str(PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM).stem(token.lower()))


def same_word(left: str, right: str, lowercase: bool) -> bool:
    """The same string, case aside where the settings say so."""
    return left.lower() == right.lower() if lowercase else left == right


def match(name: str, left: str, right: str, lowercase: bool) -> bool:
    """Whether two tokens match at the level of a matcher."""
    marks = (is_punctuation(left), is_punctuation(right))
    if name == "punct":
        return all(marks) and same_word(left, right, lowercase)
    if any(marks):
        return False
    return same_word(left, right, lowercase) if name == "word" else stem(left) == stem(right)


def accepts(name: str, left: Sequence[str], right: Sequence[str], lowercase: bool) -> bool:
    """Whether a matcher accepts a block."""
    return len(left) == len(right) and all(
        match(name, one, other, lowercase) for one, other in zip(left, right, strict=True)
    )


def offers(
    name: str, reference: Sequence[str], hypothesis: Sequence[str], max_block: int, lowercase: bool = True
) -> list[Block]:
    """Every block (i, p, j, q) that a matcher accepts."""
    return [
        (i, p, j, q)
        for i in range(len(reference))
        for j in range(len(hypothesis))
        for p in range(1, min(max_block, len(reference) - i) + 1)
        for q in range(1, min(max_block, len(hypothesis) - j) + 1)
        if accepts(name, reference[i : i + p], hypothesis[j : j + q], lowercase)
    ]


def arcs(
    reference: Sequence[str],
    hypothesis: Sequence[str],
    matchers: Sequence[str],
    max_block: Mapping[str, int],
    *,
    exclusive: bool,
    lowercase: bool = True,
) -> list[Arc]:
    """Arcs (i, p, j, q, state) of a lattice, sorted; where exclusive, a block goes to its first matcher alone."""
    found: list[Arc] = []
    taken: set[Block] = set()
    for name in matchers:
        for block in offers(name, reference, hypothesis, max_block[name], lowercase):
            if not (exclusive and block in taken):
                found.append((*block, f"S_{name}"))
            taken.add(block)
    return sorted(found)
