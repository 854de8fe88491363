"""The file of a lexicon: what goes in comes out, and nothing damaged does, whatever is wrong."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pfsm.errors import PfsmError
from pfsm.lexicons.compiling import Part, compile_synonyms
from pfsm.lexicons.container import Lexicon, Source, read_lexicon, write_lexicon
from pfsm.lexicons.paraphrases import ParaphraseTable
from pfsm.lexicons.relations import Relations, RelationTable, compile_relations
from pfsm.lexicons.synonyms import SynonymTable
from tests.core.lexicons.lexicon_cases import NOUNS, VERBS, paraphrases, synonyms

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


Unpack = Callable[[Lexicon], object]
PAIRS = {("a dog", "hound"): 0.5, ("hound", "a dog"): 0.25, ("cat", "kitty"): 1.0}
DAMAGED = r"^(few|more): (the table is damaged; compile it again|belongs to )"
BEASTS = [Part("n", {"dog": ["2"], "beast": ["1"]}, {}, ())]


def related(folder: Path) -> tuple[Lexicon, SynonymTable]:
    """A table of relations and the synonyms that it goes with."""
    write_lexicon(compile_synonyms("few", BEASTS, "free", []), folder / "few.lexicon")
    table = read_lexicon(folder / "few.lexicon")
    relations = [Relations("n", [("dog", "beast")], {"2": ["1"]})]
    return compile_relations("more", relations, table, BEASTS, []), SynonymTable(table)


def opened(folder: Path, lexicon: Lexicon) -> Lexicon:
    """The lexicon by way of a file, whose checksum is right whatever is in it."""
    write_lexicon(lexicon, folder / "damaged.lexicon")
    return read_lexicon(folder / "damaged.lexicon")


@pytest.mark.parametrize("kind", ["synonyms", "paraphrases", "relations"])
def test_arrays_that_are_missing(kind: str, tmp_path: Path) -> None:
    """Other damage is drawn in tests/fuzz/test_arrays.py."""
    made, table = related(tmp_path)
    lexicon = {"synonyms": synonyms(), "paraphrases": paraphrases(PAIRS), "relations": made}[kind]
    unpack: dict[str, Unpack] = {
        "synonyms": SynonymTable,
        "paraphrases": ParaphraseTable,
        "relations": lambda one: RelationTable(one, table),
    }
    unpack[kind](opened(tmp_path, lexicon))
    for name in lexicon.arrays:
        without = {key: value for key, value in lexicon.arrays.items() if key != name}
        with pytest.raises(PfsmError, match=DAMAGED):
            unpack[kind](opened(tmp_path, replace(lexicon, arrays=without)))


@pytest.mark.parametrize(
    "change",
    [
        {"details": {}},
        {"details": {"parts": [["n", "first", 2, []]]}},
        {"details": {"parts": [["n", 0, 4, [["s"]]], ["v", 4, 7, []]]}},
        {"counts": {"synsets": 1}},
    ],
)
def test_details_that_do_not_fit(change: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(PfsmError, match=DAMAGED):
        SynonymTable(opened(tmp_path, replace(synonyms(), **change)))


def test_an_irregular_form_of_nothing(tmp_path: Path) -> None:
    lexicon = compile_synonyms("few", [replace(NOUNS, irregular={"went": []}), VERBS], "free", [])
    with pytest.raises(PfsmError, match=DAMAGED):
        SynonymTable(opened(tmp_path, lexicon))
