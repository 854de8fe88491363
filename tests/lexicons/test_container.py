"""The file of a lexicon: what goes in comes out, and nothing damaged does."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pfsm.errors import PfsmError
from pfsm.lexicons.container import Lexicon, Source, read_lexicon, write_lexicon

any_array = st.sampled_from(["uint8", "int32", "int64", "float32"]).flatmap(
    lambda kind: arrays(kind, st.integers(0, 9), elements={"allow_nan": False} if kind == "float32" else None)
)


def lexicon(**contents: np.ndarray[Any, Any]) -> Lexicon:
    return Lexicon(
        "synonyms",
        "table",
        "a licence — ©",
        (Source("a.txt", "0" * 64),),
        {"words": 3},
        contents,
        {"x": [1, None]},
    )


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from("abcd"), any_array))
def test_what_goes_in_comes_out(tmp_path_factory: pytest.TempPathFactory, contents: dict[str, Any]) -> None:
    path = tmp_path_factory.mktemp("container") / "table.lexicon"
    given = lexicon(**contents)
    write_lexicon(given, path)
    read = read_lexicon(path)
    assert list(read.arrays) == list(contents)
    for name, array in contents.items():
        assert read.arrays[name].dtype == array.dtype
        assert read.arrays[name].tobytes() == array.tobytes()
        assert not read.arrays[name].flags.writeable
    assert replace(read, arrays=given.arrays, checksum="").__dict__ == given.__dict__


def resealed(header: dict[str, Any]) -> bytes:
    body = json.dumps(header).encode() + b"\n"
    return body + hashlib.sha256(body).digest()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"format": "pfsm-lexicon-2"},
            "format is 'pfsm-lexicon-2', this version of pfsm reads 'pfsm-lexicon-1'",
        ),
        ({"format": "other"}, "not a lexicon of pfsm; compile one"),
        ({"kind": "spells"}, "cannot read lexicons of 'spells'; known are synonyms, paraphrases"),
        ({"arrays": [["a", "int32", 4]]}, "its header or arrays do not fit together"),
        ({"arrays": [["a", "object", 0]]}, "its header or arrays do not fit together"),
        ({"arrays": [["a", "int8", 10**30]]}, "its header or arrays do not fit together"),
        ({"sources": [{}]}, "its header or arrays do not fit together"),
    ],
)
def test_another_header_is_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = tmp_path / "table.lexicon"
    header = {
        "format": "pfsm-lexicon-1", "kind": "synonyms", "name": "t", "licence": "l",
        "sources": [], "counts": {}, "details": {}, "arrays": [],
    }  # fmt: skip
    path.write_bytes(resealed(header))
    assert read_lexicon(path).name == "t"
    path.write_bytes(resealed({**header, **change}))
    with pytest.raises(PfsmError, match=message):
        read_lexicon(path)
