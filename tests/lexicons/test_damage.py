"""Tables in undamaged files with invalid content: one line, whatever is wrong."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pfsm.errors import PfsmError
from pfsm.lexicons.container import Lexicon, read_lexicon, write_lexicon
from pfsm.lexicons.paraphrases import ParaphraseTable
from pfsm.lexicons.relations import Relations, RelationTable, compile_relations
from pfsm.lexicons.synonyms import Part, SynonymTable, compile_synonyms
from tests.lexicons.lexicon_cases import NOUNS, VERBS, paraphrases, synonyms

Unpack = Callable[[Lexicon], object]
PAIRS = {("a dog", "hound"): 0.5, ("hound", "a dog"): 0.25, ("cat", "kitty"): 1.0}
DAMAGED = r"^(few|more): (the table is damaged; compile it again|belongs to )"
WORDS = [Part("n", {"dog": ["2"], "beast": ["1"]}, {}, ())]


def related(folder: Path) -> tuple[Lexicon, SynonymTable]:
    """A table of relations and the synonyms that it goes with."""
    write_lexicon(compile_synonyms("few", WORDS, "free", []), folder / "few.lexicon")
    table = read_lexicon(folder / "few.lexicon")
    relations = [Relations("n", [("dog", "beast")], {"2": ["1"]})]
    return compile_relations("more", relations, table, WORDS, []), SynonymTable(table)


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
