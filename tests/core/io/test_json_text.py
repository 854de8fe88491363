"""JSON of files: what cannot be written again is refused with its place."""

import pytest

from pfsm.errors import PfsmError
from pfsm.io.json_text import parsed


@pytest.mark.parametrize(
    "text",
    [
        r'"a\ud800"',
        r'{"hypothesis": "a \uDFFF b"}',
        r'{"system": ["x", {"name": "\udc00\ud800"}]}',
        r'{"a\ud83d": 1}',
    ],
)
def test_half_of_a_surrogate_pair_is_refused(text: str) -> None:
    with pytest.raises(PfsmError, match=r"^f\.jsonl:7: half of a surrogate pair"):
        parsed(text, "f.jsonl:7")


def test_whole_pairs_and_their_spelling_are_text() -> None:
    assert parsed(r'{"a": "\ud83d\ude00", "b": "\\ud800"}', "f") == {"a": "\U0001f600", "b": "\\ud800"}
