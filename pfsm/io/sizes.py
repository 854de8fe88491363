"""Numbers of bytes as people write them: ``64M``, ``1G``."""

UNITS = {"k": 1 << 10, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
# More bytes than there are; Python refuses to read numbers of thousands of digits.
_MOST_DIGITS = 18


def byte_size(text: str) -> int | None:
    """The number of bytes that a text such as ``64M``, ``64MB`` or ``1000`` says; None where it says none.

    ``k`` and ``K`` are the same; a number has 18 digits at most.
    """
    number = text.removesuffix("B")
    unit = UNITS.get(number[-1:], 1)
    digits = number[:-1] if unit > 1 else number
    whole = digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS
    return int(digits) * unit if whole else None
