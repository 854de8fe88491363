"""Antonyms and hypernyms: by hand, from lines of WordNet's data, and the shipped table against NLTK's reader."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from pfsm.lexicons.container import Lexicon, lexicon_bytes, read_lexicon, write_lexicon
from pfsm.lexicons.registry import SUFFIX, shipped_folder
from pfsm.lexicons.relations import Relations, RelationTable, compile_relations, load_relations
from pfsm.lexicons.synonyms import Part, SynonymTable, compile_synonyms
from pfsm.lexicons.wordnet import is_wordnet, read_wordnet, read_wordnet_relations

DEBIAN = Path("/usr/share/wordnet")
NAME = "wordnet-relations-3.0"
PARTS = [
    Part("n", {"dog": ["3"], "puppy": ["4"], "pet": ["2"], "beast": ["1"], "hound": ["3"]}, {}, (("s", ""),)),
    Part("v", {"rise": ["1"], "fall": ["2"], "dog": ["3"]}, {"rose": ["rise"], "fell": ["fall"]}),
    Part("a", {"hot": ["1"], "cold": ["2"]}, {}, (("er", ""),)),
]
RELATIONS = [
    Relations("n", [("pet", "beast")], {"4": ["3"], "3": ["2", "1"], "2": ["1"]}),
    Relations("v", [("rise", "fall"), ("fall", "rise")]),
    Relations("a", [("hot", "cold")]),
]


def tables(
    tmp_path: Path, relations: Sequence[Relations] = RELATIONS, parts: Sequence[Part] = PARTS
) -> tuple[Lexicon, SynonymTable]:
    path = tmp_path / "few.lexicon"
    write_lexicon(compile_synonyms("few", parts, "free", []), path)
    synonyms = read_lexicon(path)
    return compile_relations("more", relations, synonyms, parts, []), SynonymTable(synonyms)


def test_by_hand(tmp_path: Path) -> None:
    lexicon, synonyms = tables(tmp_path)
    assert lexicon.counts == {"antonym pairs": 3, "hypernyms": 4}
    table = RelationTable(lexicon, synonyms)
    for one, other in (("rose", "FELL"), ("hot", "colder"), ("pets", "beasts")):
        assert table.are_antonyms(one, other)
        assert table.are_antonyms(other, one)
    for one, other in (("rise", "rose"), ("hot", "fall"), ("dog", "unheard"), ("", "cold")):
        assert not table.are_antonyms(one, other)
    assert table.is_kind_of("puppy", "hounds", 1)
    assert not table.is_kind_of("puppy", "pet", 1)
    assert table.is_kind_of("puppy", "pet", 2)
    assert table.is_kind_of("puppy", "beast", 2)
    assert not table.is_kind_of("dog", "puppy", 9)
    assert not table.is_kind_of("dog", "hound", 9)
    assert table.above("rise", 5) == frozenset()


def test_a_cycle_ends(tmp_path: Path) -> None:
    lexicon, synonyms = tables(tmp_path, [Relations("n", [], {"1": ["2"], "2": ["1"]}), *RELATIONS[1:]])
    assert len(RelationTable(lexicon, synonyms).above("pet", 100)) == 1


def test_tables_that_do_not_go_together(tmp_path: Path) -> None:
    lexicon, _ = tables(tmp_path)
    _, others = tables(tmp_path, parts=[*PARTS[:2], Part("a", {"hot": ["1"], "cool": ["2"]})])
    with pytest.raises(
        PfsmError, match=r"more: belongs to few@[0-9a-f]{8}, not to few@[0-9a-f]{8}; compile it again"
    ):
        RelationTable(lexicon, others)


DATA = {
    "noun": "  1 A licence.\n00000001 03 n 02 pet 0 Fancy_dog 0 001 ! 00000002 n 0201 | a gloss | with bars\n"
    "00000002 03 n 01 beast 0 002 @ 00000003 n 0000 ! 00000001 n 0102 | \n"
    "00000003 03 n 01 being 0 000 | \n",
    "verb": "00000004 30 v 01 go 0 000 01 + 02 00 | \n",
    "adj": "00000005 00 a 01 alive(p) 0 001 ! 00000006 a 0101 | \n00000006 00 s 01 dead 0 000 | \n",
    "adv": "",
}


def write_data(folder: Path, **changed: str) -> Path:
    for suffix, content in {**DATA, **changed}.items():
        (folder / f"data.{suffix}").write_text(content, encoding="utf-8")
    return folder


def test_lines_of_data(tmp_path: Path) -> None:
    (nouns, verbs, adjectives, adverbs), sources = read_wordnet_relations(write_data(tmp_path))
    assert list(nouns.antonyms) == [("fancy_dog", "beast"), ("beast", "fancy_dog")]
    assert nouns.hypernyms["00000002"] == ["00000003"]
    assert list(adjectives.antonyms) == [("alive", "dead")]
    assert (list(verbs.antonyms), list(adverbs.antonyms)) == ([], [])
    assert [source.name for source in sources] == ["data.noun", "data.verb", "data.adj", "data.adv"]


@pytest.mark.parametrize("line", ["00000001 03 n\n", "00000001 03 n zz pet 0 000 |\n"])
def test_lines_that_are_no_data(tmp_path: Path, line: str) -> None:
    with pytest.raises(PfsmError, match=r"data\.verb:1: not a line of WordNet's data"):
        read_wordnet_relations(write_data(tmp_path, verb=line))


def test_what_ships() -> None:
    table = load_relations(NAME)
    for one, other in (("hot", "cold"), ("increased", "decreasing"), ("victory", "defeats")):
        assert table.are_antonyms(one, other), (one, other)
    assert not table.are_antonyms("hot", "warm")
    assert table.is_kind_of("dogs", "animal", 3)
    assert not table.is_kind_of("animal", "dog", 3)


@pytest.mark.skipif(not is_wordnet(DEBIAN), reason="no WordNet database on this machine")
def test_the_shipped_table_is_compiled_from_these_files() -> None:
    folder = shipped_folder()
    shipped = read_lexicon(folder / f"{NAME}{SUFFIX}")
    parts, _ = read_wordnet(DEBIAN)
    relations, sources = read_wordnet_relations(DEBIAN)
    table = read_lexicon(folder / f"wordnet-3.0{SUFFIX}")
    compiled = compile_relations(NAME, relations, table, parts, sources, str(shipped.details["about"]))
    assert lexicon_bytes(compiled) == (folder / f"{NAME}{SUFFIX}").read_bytes()
    pointers = sum(
        line.split(" | ")[0].count(f" {mark} ")
        for name in ("data.noun", "data.verb")
        for line in (DEBIAN / name).read_text(encoding="utf-8").splitlines()
        for mark in ("@", "@i")
        if not line.startswith(" ")
    )
    assert shipped.counts["hypernyms"] == pointers
