"""Draws docs/images/*.svg from what pfsm computes, from the tables of configs/results and from benchmarks/measured.

python scripts/build_pictures.py            # says what is stale, exit status 1
python scripts/build_pictures.py --write
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from charts import (
    DELETE,
    FAINT,
    INK,
    INSERT,
    JUMP,
    MATCH,
    accuracy,
    edit_weights,
    learning_curve,
    line,
    svg,
    text,
    training_time,
)
from results import rates, training_times

import pfsm
from pfsm.model.explain.explanation import Explanation

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images"
REFERENCE, HYPOTHESIS = "The dog did not see the cat .", "The dog saw the big cat ."
EXPLAINED = (
    "The president did not attend the ceremony.",
    "The president attended the big ceremony.",
)


def lattice() -> str:
    """The cells of a pair, its matches, and the best edit sequence."""
    explanation = pfsm.load("en-small").explain(HYPOTHESIS, REFERENCE)
    reference, hypothesis = explanation.reference, explanation.hypothesis
    step, left, top = 64, 90, 60

    def at(i: int, j: int) -> tuple[float, float]:
        return left + j * step, top + i * step

    parts = [line(at(i, 0), at(i, len(hypothesis)), FAINT) for i in range(len(reference) + 1)]
    parts += [line(at(0, j), at(len(reference), j), FAINT) for j in range(len(hypothesis) + 1)]
    parts += [
        text(left - 14, top + (i + 0.55) * step, word, anchor="end") for i, word in enumerate(reference)
    ]
    parts += [text(left + (j + 0.5) * step, top - 16, word) for j, word in enumerate(hypothesis)]
    matched = {"S_word", "S_lemma", "S_punct"}
    offered = sorted(
        {(one.reference[0], one.hypothesis[0]) for one in explanation.contributions if one.state in matched}
    )
    parts += [line(at(i, j), at(i + 1, j + 1), MATCH, 1.5, 'stroke-dasharray="4 4"') for i, j in offered]
    i = j = 0
    for edit in explanation.edits:
        after = (edit.reference[1], edit.hypothesis[1])
        colour = {"Insert": INSERT, "Delete": DELETE}.get(edit.state, MATCH)
        parts.append(line(at(i, j), at(*after), colour, 4, 'marker-end="url(#tip)" stroke-linecap="round"'))
        i, j = after
    for i in range(len(reference) + 1):
        for j in range(len(hypothesis) + 1):
            x, y = at(i, j)
            parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="3" fill="{INK}"/>')
    bottom = top + len(reference) * step
    for place, (label, colour) in enumerate((("match", MATCH), ("Delete", DELETE), ("Insert", INSERT))):
        x = left + place * 130
        parts += [
            line((x, bottom + 34), (x + 28, bottom + 34), colour, 4),
            text(x + 36, bottom + 39, label, anchor="start"),
        ]
    width = left + len(hypothesis) * step + 40
    return svg(width, bottom + 60, "Lattice of edits of one sentence pair, with the best sequence", parts)


def jump() -> str:
    """A swap of two blocks: ahead, back, and to the end."""
    reference, hypothesis = ["yesterday", "he", "left"], ["he", "left", "yesterday"]
    step, left, top = 120, 110, 70

    def at(i: int, j: int) -> tuple[float, float]:
        return left + j * step, top + i * step

    parts = [line(at(i, 0), at(i, 3), FAINT) for i in range(4)]
    parts += [line(at(0, j), at(3, j), FAINT) for j in range(4)]
    parts += [
        text(left - 14, top + (i + 0.55) * step, word, anchor="end") for i, word in enumerate(reference)
    ]
    parts += [text(left + (j + 0.5) * step, top - 16, word) for j, word in enumerate(hypothesis)]
    curves = (
        ((0, 0), (1, 0), "Jump 1: ahead", -1),
        ((3, 2), (0, 2), "Jump 2: back", 1),
        ((1, 3), (3, 3), "Jump 3: on", 1),
    )
    steps = (
        ((1, 0), (2, 1), "S_word(he)"),
        ((2, 1), (3, 2), "S_word(left)"),
        ((0, 2), (1, 3), "S_word(yesterday)"),
    )
    for start, end, label in steps:
        (x, y), (u, v) = at(*start), at(*end)
        parts.append(line((x, y), (u, v), MATCH, 4, 'marker-end="url(#tip)" stroke-linecap="round"'))
        parts.append(text((x + u) / 2 + 8, (y + v) / 2 - 8, label, MATCH, "start"))
    for start, end, label, side in curves:
        (x, y), (u, v) = at(*start), at(*end)
        bend = x + side * 46
        parts.append(
            f'<path d="M{x:g} {y:g} C{bend:g} {y:g} {bend:g} {v:g} {u:g} {v:g}" fill="none" stroke="{JUMP}"'
            ' stroke-width="2.5" stroke-dasharray="6 4" marker-end="url(#tip)"/>'
        )
        turn = bend if side > 0 else x + 8
        parts.append(
            text(
                turn - 4 if side > 0 else turn, (y + v) / 2 + (20 if side > 0 else -14), label, JUMP, "start"
            )
        )
    return svg(left + 3 * step + 150, top + 3 * step + 40, "A swap of two blocks by three jumps", parts)


def explained() -> str:
    """Aligned words of a pair, and what each edit takes from a perfect score or adds to it."""
    explanation = pfsm.load("en-small").explain(EXPLAINED[1], EXPLAINED[0])
    parts = [
        text(
            24,
            32,
            f"pfsm explain: {explanation.score:.1f} points of 100",
            anchor="start",
            more='font-weight="600"',
        )
    ]
    places: list[list[float]] = []
    for y, words, label in (
        (80, explanation.reference, "reference"),
        (170, explanation.hypothesis, "translation"),
    ):
        parts.append(text(24, y, label, "#59636e", "start"))
        x, row = 130.0, []
        for word in words:
            width = 9.0 * len(word) + 18
            row.append(x + width / 2)
            x += width
        places.append(row)
    parts += _words(explanation, places)
    x, y = 130.0, 226
    parts.append(text(24, 226, "edits", "#59636e", "start"))
    for edit in explanation.edits:
        word = " ".join(
            explanation.reference[slice(*edit.reference)] or explanation.hypothesis[slice(*edit.hypothesis)]
        )
        colour = {"Insert": INSERT, "Delete": DELETE}.get(edit.state, MATCH)
        width = 7.2 * len(f"{edit.state} {word}") + 12
        if x + width > 880:
            x, y = 130.0, y + 24
        parts.append(text(x, y, f"{edit.state} {word}", colour, "start", 'font-size="12"'))
        x += width
    return svg(
        900, 270, "An explanation: aligned words of a reference and a translation, and the edits", parts
    )


def _words(explanation: Explanation, places: list[list[float]]) -> list[str]:
    """Words in the colours of their edits, and lines between those that are aligned."""
    top = dict.fromkeys(range(len(explanation.reference)), DELETE)
    low = dict.fromkeys(range(len(explanation.hypothesis)), INSERT)
    lines = []
    for i, j in explanation.alignment:
        top[i] = low[j] = MATCH
        lines.append(line((places[0][i], 90), (places[1][j], 152), MATCH, 2))
    words = [text(places[0][i], 80, word, top[i]) for i, word in enumerate(explanation.reference)]
    return [
        *lines,
        *words,
        *(text(places[1][j], 170, word, low[j]) for j, word in enumerate(explanation.hypothesis)),
    ]


PICTURES: dict[str, Callable[[], str]] = {
    "lattice.svg": lattice,
    "jump.svg": jump,
    "explanation.svg": explained,
    "accuracy.svg": lambda: accuracy(rates()),
    "learning-curve.svg": learning_curve,
    "training-time.svg": lambda: training_time(training_times()),
    "edit-weights.svg": edit_weights,
}


def main() -> None:
    """Draws the pictures, or says which are stale."""
    parser = argparse.ArgumentParser(description="Draws docs/images/*.svg.")
    parser.add_argument("--write", action="store_true", help="write the pictures")
    write = parser.parse_args().write
    stale = []
    for name, draw in PICTURES.items():
        made = draw()
        path = FOLDER / name
        if not path.is_file() or path.read_text(encoding="utf-8") != made:
            stale.append(name)
            if write:
                path.write_text(made, encoding="utf-8")
    print("\n".join(stale))
    sys.exit(bool(stale) and not write)


if __name__ == "__main__":
    main()
