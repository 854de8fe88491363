"""Which word of the hypothesis stands for which of the reference: the same, of the same stem, or a synonym."""

from collections.abc import Callable, Hashable, Iterable, Sequence

from pfsm.entailment.sides import Pair, Side

# From a word to what another must share with it to be its synonym.
Senses = Callable[[str], Iterable[Hashable]]


def align(reference: Side, hypothesis: Side, senses: Senses) -> Pair:
    """Aligns words one to one: first the same words, then the same stems, then content words that share a sense.

    Of several that could be, those whose places in their lines are most alike are taken first.
    """
    aligned: dict[int, int] = {}
    for left, right in (
        (_keys(reference, reference.words), _keys(hypothesis, hypothesis.words)),
        (_keys(reference, reference.stems), _keys(hypothesis, hypothesis.stems)),
        (_senses(reference, senses), _senses(hypothesis, senses)),
    ):
        _extend(aligned, left, right, (len(reference), len(hypothesis)))
    return Pair(reference, hypothesis, aligned)


Keys = dict[int, frozenset[Hashable]]


def _keys(side: Side, keys: Sequence[str]) -> Keys:
    return {place: frozenset([key]) for place, key in enumerate(keys) if side.is_word(place)}


def _senses(side: Side, senses: Senses) -> Keys:
    return {place: frozenset(senses(side.words[place])) for place in side.content}


def _extend(aligned: dict[int, int], left: Keys, right: Keys, sizes: tuple[int, int]) -> None:
    """Adds pairs of free words that share a key."""
    taken = set(aligned.values())
    free = {j: keys for j, keys in right.items() if j not in taken}
    places: dict[Hashable, list[int]] = {}
    for j, keys in free.items():
        for key in keys:
            places.setdefault(key, []).append(j)
    candidates = sorted(
        (abs(i / sizes[0] - j / sizes[1]), i, j)
        for i, keys in left.items()
        if i not in aligned
        for j in {j for key in keys for j in places.get(key, ())}
    )
    for _, i, j in candidates:
        if i not in aligned and j not in taken:
            aligned[i] = j
            taken.add(j)
