"""Numbers of bytes as people write them."""

import pytest

from pfsm.io.limits import byte_size


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("77", 77),
        ("77B", 77),
        ("4k", 4096),
        ("4K", 4096),
        ("4KB", 4096),
        ("9" * 18, 10**18 - 1),
        ("512M", 2**29),
        ("2GB", 2**31),
        ("1T", 2**40),
    ],
)
def test_a_number_and_a_unit(text: str, size: int) -> None:
    assert byte_size(text) == size


@pytest.mark.parametrize(
    "text",
    ["", "B", "G", "GB", "-1", "1.5G", "1 G", "9" * 19, "9" * 5000, "9" * 5000 + "G", "١", "1GG", "much"],
)
def test_what_is_no_number_of_bytes(text: str) -> None:
    assert byte_size(text) is None
