"""Lines without white space, and how long they are then."""

from collections.abc import Sequence


def spaceless(lines: Sequence[str]) -> tuple[str, list[int]]:
    """The characters of all lines that are no white space, one line after the other, and the number in each."""
    text = "".join(lines)
    if text.isprintable():
        return text.replace(" ", ""), _printable_sizes(lines)
    without = list(map(_without, lines))
    return "".join(without), list(map(len, without))


def spaceless_sizes(lines: Sequence[str]) -> list[int]:
    """The number of characters in each line that are no white space."""
    return (
        _printable_sizes(lines) if "".join(lines).isprintable() else [len(_without(line)) for line in lines]
    )


def _printable_sizes(lines: Sequence[str]) -> list[int]:
    # The only printable white space is the space.
    return [len(line) - line.count(" ") for line in lines]


def _without(line: str) -> str:
    return line.replace(" ", "") if line.isprintable() else "".join(line.split())
