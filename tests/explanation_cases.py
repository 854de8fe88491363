"""Explanations made by hand: words matched by a longest common subsequence, points out of the air."""

from difflib import SequenceMatcher

from pfsm.model.explain.explanation import Contribution, Edit, Explanation

BASE, ENTROPY = 0.75, 0.0625
POINTS = {
    "S_word": 0.25,
    "S_punct": 0.125,
    "S_lemma": 0.1875,
    "Delete": -0.5,
    "Insert": -0.375,
    "Jump": -0.0625,
}


def explained(reference: str, hypothesis: str) -> Explanation:
    """An explanation in which equal words match, and all others are deleted or inserted."""
    ours, theirs = tuple(reference.split()), tuple(hypothesis.split())
    edits: list[Edit] = []
    for kind, i0, i1, j0, j1 in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if kind == "equal":
            edits += [matched(ours[i], i, j) for i, j in zip(range(i0, i1), range(j0, j1), strict=True)]
        else:
            edits += [Edit("Delete", (i, i + 1), (0, 0)) for i in range(i0, i1)]
            edits += [Edit("Insert", (0, 0), (j, j + 1)) for j in range(j0, j1)]
    return summed(ours, theirs, edits)


def matched(word: str, i: int, j: int) -> Edit:
    """The edit that aligns two equal words."""
    return Edit("S_word" if word.isalnum() else "S_punct", (i, i + 1), (j, j + 1))


def summed(reference: tuple[str, ...], hypothesis: tuple[str, ...], edits: list[Edit]) -> Explanation:
    """An explanation with these edits; each is made with probability 7/8."""
    parts = [
        Contribution(edit.state, edit.reference, edit.hypothesis, 0.875, POINTS[edit.state.split(":")[0]])
        for edit in edits
    ]
    score = BASE + ENTROPY + sum(part.points for part in parts)
    return Explanation(reference, hypothesis, score, tuple(edits), tuple(parts), ENTROPY, BASE)


def rotated(sentence: str, by: int) -> Explanation:
    """The last words come first in the hypothesis; every word has its line, over any distance."""
    words = tuple(sentence.split())
    n = len(words)
    edits = [matched(words[i], i, (i + by) % n) for i in range(n)]
    return summed(words, words[n - by :] + words[: n - by], edits)


def swapped() -> Explanation:
    """Two halves of a sentence change places, with three jumps; a stem matches, and another alignment is likely."""
    reference = ("yesterday", "the", "dog", "barked")
    hypothesis = ("the", "dogs", "barked", "yesterday")
    edits = [
        Edit("Jump", (0, 0), (0, 0), 1),
        Edit("S_word", (0, 1), (3, 4)),
        Edit("Jump", (0, 0), (0, 0), 2),
        Edit("S_word", (1, 2), (0, 1)),
        Edit("S_lemma", (2, 3), (1, 2)),
        Edit("S_word", (3, 4), (2, 3)),
        Edit("Jump", (0, 0), (0, 0), 3),
    ]
    best = [edit for edit in edits if edit.state != "Jump"]
    explanation = summed(reference, hypothesis, best)
    others = (
        Contribution("Delete", (0, 1), (0, 0), 0.125, -0.0625),
        Contribution("S_lemma", (0, 1), (2, 3), 0.25, 0.0156),
        Contribution("Jump", (0, 0), (0, 0), 2.625, -0.1875),
    )
    score = explanation.score + sum(part.points for part in others)
    return Explanation(
        reference, hypothesis, score, tuple(edits), (*explanation.contributions, *others), ENTROPY, BASE
    )
