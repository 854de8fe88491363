"""Lines without white space, and how long they are then."""

from collections.abc import Sequence


def spaceless(lines: Sequence[str]) -> tuple[str, list[int]]:
    """The characters of all lines that are no white space, one line after the other, and the number in each."""
    # The only printable white space is the space.
    text = "".join(lines)
    if text.isprintable():
        return text.replace(" ", ""), [len(line) - line.count(" ") for line in lines]
    without = [line.replace(" ", "") if line.isprintable() else "".join(line.split()) for line in lines]
    return "".join(without), list(map(len, without))
