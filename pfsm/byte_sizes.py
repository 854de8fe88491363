"""Numbers of bytes as people write them: ``64M``, ``1G``."""

UNITS = {"k": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def byte_size(text: str) -> int | None:
    """The number of bytes that a text such as ``64M``, ``64MB`` or ``1000`` says; None where it says none."""
    number = text.removesuffix("B")
    unit = UNITS.get(number[-1:], 1)
    digits = number[:-1] if unit > 1 else number
    return int(digits) * unit if digits.isascii() and digits.isdigit() else None
