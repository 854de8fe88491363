"""Fingerprints of references, against sha256 of what their normal form should be."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.data import digest, digests, overlap


def test_the_published_value() -> None:
    # FIPS 180-2, appendix B.1: SHA-256 of "abc" begins ba7816bf 8f01cfea.
    assert digest("abc") == "ba7816bf8f"


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("", b""),
        (" \t\u3000\n", b""),
        ("  two\u00a0 words\r", b"two words"),
        ("cafe\u0301", b"caf\xc3\xa9"),
        ("caf\u00e9", b"caf\xc3\xa9"),
        ("\u212b", b"\xc3\x85"),  # the Angstrom sign is a letter in NFC
        ("\ufb01", b"\xef\xac\x81"),  # the ligature stays in NFC
        ("Case", b"Case"),
    ],
)
def test_the_normal_form(text: str, normal: bytes) -> None:
    assert digest(text) == hashlib.sha256(normal).hexdigest()[:10]


def test_digests_are_sorted_and_unique() -> None:
    texts = ["b", "abc", " abc", "a", "b"]
    listed = digests(texts).split(" ")
    assert listed == sorted(listed)
    assert set(listed) == {hashlib.sha256(text).hexdigest()[:10] for text in (b"a", b"b", b"abc")}
    assert digests([]) == ""
    assert digests(iter(texts)) == digests(reversed(texts))


@settings(deadline=None)
@given(st.sets(st.integers(0, 40)), st.sets(st.integers(0, 40)))
def test_overlap_is_the_size_of_the_intersection(texts: set[int], others: set[int]) -> None:
    known = digests(f"sentence {number}" for number in others)
    assert overlap([f" sentence\t{number}" for number in texts], known) == len(texts & others)


@settings(deadline=None)
@given(st.text())
def test_any_text_has_ten_hexadecimal_digits(text: str) -> None:
    value = digest(text)
    assert len(value) == 10
    assert int(value, 16) >= 0
    assert overlap([text], value) == 1
