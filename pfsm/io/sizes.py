"""Numbers of bytes as people write them: ``64M``, ``1G``."""

UNITS = {"k": 1 << 10, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
# More than any memory needs; Python refuses to parse numbers of thousands of digits.
_MOST_DIGITS = 18


def byte_size(text: str) -> int | None:
    """The number of bytes of a size such as ``64M``, ``64MB`` or ``1000``; None if the text is no size.

    ``k`` and ``K`` mean the same. A number has at most 18 digits.
    """
    number = text.removesuffix("B")
    unit = UNITS.get(number[-1:], 1)
    digits = number[:-1] if unit > 1 else number
    whole = digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS
    return int(digits) * unit if whole else None
