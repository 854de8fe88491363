"""Tokens and word pieces: texts, spans, sums."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pfsm.embeddings.network import line_of, token_sums


def test_texts_and_places_of_tokens() -> None:
    tokens = ["``", "Do", "n't", "go", "''", ",", "said", "Ann", "'s"]
    text, spans = line_of(tokens)
    assert text == "\" Don't go \" , said Ann's"
    assert [text[start:end] for start, end in spans] == ['"', "Do", "n't", "go", '"', *tokens[5:]]
    assert line_of([]) == ("", [])
    assert line_of(["a\ud800b"])[0] == "a\ufffdb"


@st.composite
def spans(draw: st.DrawFn, overlapping: bool) -> list[tuple[int, int]]:
    cuts = sorted(draw(st.lists(st.integers(0, 30), max_size=12)))
    found = list(pairwise(cuts))
    if not overlapping:
        return [span for span in found if span[1] > span[0]][::2]
    return sorted(found + [span for span in found if draw(st.booleans())])


@given(spans(overlapping=False), spans(overlapping=True))
def test_pieces_that_share_a_character(tokens: list[tuple[int, int]], pieces: list[tuple[int, int]]) -> None:
    found = token_sums(np.eye(len(pieces), dtype=np.int16), tokens, pieces)
    wanted = [[bool(set(range(*token)) & set(range(*piece))) for piece in pieces] for token in tokens]
    assert found.tolist() == wanted
