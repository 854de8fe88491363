"""All references of the rows of a table: ``reference``, ``reference_2`` and so on."""

import re
from collections.abc import Mapping, Sequence

FURTHER_REFERENCE = re.compile(r"reference_([1-9][0-9]*)", re.ASCII)


def all_references(first: Sequence[str], columns: Mapping[str, Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """The references of every row: the first one, then those of the columns ``reference_2`` … that are not empty.

    Args:
        first: [n_rows], the column ``reference``.
        columns: Other columns by name, [n_rows] each.
    """
    further = [columns[name] for name in _further_references(columns)]
    if not further:
        return tuple((reference,) for reference in first)
    return tuple(
        (reference, *filter(None, others)) for reference, *others in zip(first, *further, strict=True)
    )


def _further_references(columns: Mapping[str, Sequence[str]]) -> list[str]:
    """The columns ``reference_2``, ``reference_3`` …, by number; gaps in the numbers do not matter."""
    numbers = {name: int(match[1]) for name in columns if (match := FURTHER_REFERENCE.fullmatch(name))}
    return sorted((name for name, number in numbers.items() if number > 1), key=numbers.__getitem__)
