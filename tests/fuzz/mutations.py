"""Damage to files, drawn by hypothesis: bytes flipped, cut out, doubled, moved, and parts that parsers look at."""

import os

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

# `make fuzz` raises it; CI takes about a minute for all of tests/fuzz.
EFFORT = int(os.environ.get("PFSM_FUZZ", "1"))
PARTS = (
    b"", b"\0", b"\n", b"\r\n", b"\t", b" ", b'"', b"'", b"\\", b"{", b"}", b"[", b"]", b"<", b">", b"&", b"%",
    b"#", b":", b",", b"-", b"--", b"0", b"-1", b"1e999", b"nan", b"inf", b"9" * 400, b"18446744073709551616",
    b"null", b"true", b"{}", b"[]", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xe2\x80\xa8",
    b"\xf0\x9f\x98\x80", b"\x1f\x8b", b"PK\x03\x04", b"PAR1", b"&a [*a]", b"!!python/object:os.system",
    b"<!ENTITY x 'y'>", b"<![CDATA[", b"]]>", b"command:sh x.sh", b"../x", b"_", b"(", b")", b"\x80\x04.",
    b"A" * 5000, b"[" * 2000, b"\xff\xff\xff\xff\xff\xff\xff\x7f",
)  # fmt: skip


def effort(examples: int) -> settings:
    """Settings of a fuzz test: the same inputs in every run, more of them with ``PFSM_FUZZ``."""
    return settings(
        max_examples=examples * EFFORT,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


@st.composite
def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """The content with one to four kinds of damage."""
    for _ in range(draw(st.integers(1, 4))):
        first = draw(st.integers(0, len(content)))
        last = min(len(content), first + draw(st.integers(0, 40)))
        part = content[first:last]
        new = draw(
            st.one_of(
                st.sampled_from(PARTS),
                st.just(part + part),
                st.binary(max_size=8),
                st.just(bytes(byte ^ 1 << draw(st.integers(0, 7)) for byte in part[:1]) + part[1:]),
            )
        )
        content = content[:first] + new + content[last:]
    return content
