"""What a message says of the names that there are, where one is given that is not among them."""

from collections.abc import Sequence
from difflib import get_close_matches

# Letters: as many as a line has room for besides what is wrong.
_FEW = 110
_MOST = 3
# By difflib's measure, 0 to 1.
_ALIKE = 0.7


def known_names(name: object, known: Sequence[str], listing: str) -> str:
    """All names where they are few, else those most like the one given and what lists all.

    Args:
        name: The one that is not there, not always text; what stands in parentheses behind it does not count.
        known: Those that are, the order of the list.
        listing: What lists all: a command, a page of the documentation.
    """
    everything = ", ".join(known)
    if len(everything) <= _FEW:
        return f"known are {everything}"
    # Others write names of metrics in capitals.
    by_letters = {one.casefold(): one for one in known}
    wanted = str(name).partition("(")[0].strip().casefold()
    near = [by_letters[one] for one in get_close_matches(wanted, by_letters, _MOST, _ALIKE)]
    meant = f"did you mean {' or '.join(filter(None, (', '.join(near[:-1]), near[-1])))}? " if near else ""
    return f"{meant}{listing} lists all"
