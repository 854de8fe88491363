"""How much a file may hold: bounds against files that are made to fill the memory. Each is an environment variable.

They lie far above what people write. Whoever has more raises them; the message says how.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from pfsm.errors import PfsmError

UNITS = {"k": 1 << 10, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
# More than any memory needs; Python refuses to parse numbers of thousands of digits.
_MOST_DIGITS = 18


def byte_size(text: str) -> int | None:
    """The number of bytes of a size such as ``64M``, ``64MB`` or ``1000``; None if the text is not a size.

    ``k`` and ``K`` mean the same. A number has at most 18 digits.
    """
    number = text.removesuffix("B")
    unit = UNITS.get(number[-1:], 1)
    digits = number[:-1] if unit > 1 else number
    whole = digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS
    return int(digits) * unit if whole else None


_BLOCK = 1 << 20
# Characters of what an error quotes.
MOST_QUOTED = 200


@dataclass(frozen=True)
class Limit:
    """One bound.

    Attributes:
        variable: The environment variable that sets it.
        default: Its value without, as people write sizes.
        what: What is larger, in messages.
    """

    variable: str
    default: str
    what: str

    @property
    def value(self) -> int:
        """The bound."""
        text = os.environ.get(self.variable) or self.default
        value = byte_size(text)
        if not value:
            raise PfsmError(f"{self.variable} is {text!r}, it must be a size above 0 such as {self.default}")
        return value

    def exceeded(self, where: str) -> PfsmError:
        """The error to raise; ``where`` names the file, with the line if there is one."""
        text = os.environ.get(self.variable) or self.default
        return PfsmError(f"{where}: {self.what} {text}; if that is right, set {self.variable} to more")


FILE = Limit("PFSM_LARGEST_FILE", "4G", "the file, decompressed, is larger than")
LINE = Limit("PFSM_LARGEST_LINE", "16M", "a line is longer than")
LINES = Limit("PFSM_MOST_LINES", "20M", "has more lines than")
DOCUMENT = Limit("PFSM_LARGEST_DOCUMENT", "64M", "a JSON document is larger than")
SETTINGS = Limit("PFSM_LARGEST_SETTINGS", "1M", "a YAML file, its aliases written out, is larger than")
HEAD = Limit("PFSM_LARGEST_HEAD", "256M", "what was learned over an encoder is larger than")
LIMITS = (FILE, LINE, LINES, DOCUMENT, SETTINGS, HEAD)


# Text rarely shrinks to a twentieth of its size: what grows more than this, and beyond this size, was made to do so.
_MOST_GROWTH, _ALWAYS_UNPACKED = 100, 64 << 20


def read_limited(stream: BinaryIO, name: str, limit: Limit = FILE, packed: int | None = None) -> bytes:
    """All that is in a stream; ``packed``: the number of bytes that it decompresses, None where it is plain.

    Whoever sets the limit also lifts the bound on growth.
    """
    most, content = limit.value, bytearray()
    grown = most
    if packed is not None and not os.environ.get(limit.variable):
        grown = max(_ALWAYS_UNPACKED, _MOST_GROWTH * packed)
    while part := stream.read(_BLOCK):
        if len(content) + len(part) > most:
            raise limit.exceeded(name)
        if len(content) + len(part) > grown:
            raise PfsmError(
                f"{name}: decompressed, it is more than {_MOST_GROWTH} times as large; if that is right, set "
                f"{limit.variable} to its size, or unpack it"
            )
        content += part
    return bytes(content)


def check_size(size: int, name: str, limit: Limit) -> None:
    """Refuses what is too large."""
    if size > limit.value:
        raise limit.exceeded(name)


def limited_lines(stream: BinaryIO, name: str) -> Iterator[bytes]:
    r"""The lines of a stream with their ``\n``, one at a time."""
    limit, number = LINE.value, 0
    while line := stream.readline(limit + 1):
        number += 1
        if len(line) > limit and not line.endswith(b"\n"):
            raise LINE.exceeded(f"{name}:{number}")
        yield line


def check_lines(content: bytes, name: str) -> None:
    """Refuses text that has too many lines, or one that is too long."""
    check_size(content.count(b"\n"), name, LINES)
    limit, start = LINE.value, 0
    while len(content) - start > limit:
        end = content.rfind(b"\n", start, start + limit + 1)
        if end < 0:
            number = content.count(b"\n", 0, start) + 1
            raise LINE.exceeded(f"{name}:{number}")
        start = end + 1
