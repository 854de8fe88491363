"""WordNet: its files by hand, look-ups and relations against the dictionary, lemmas, and what ships."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.errors import PfsmError
from pfsm.lexicons.compiling import Part, compile_synonyms
from pfsm.lexicons.container import Lexicon, lexicon_bytes, read_lexicon, write_lexicon
from pfsm.lexicons.registry import SUFFIX, shipped_folder
from pfsm.lexicons.relations import Relations, RelationTable, compile_relations, load_relations
from pfsm.lexicons.synonyms import SynonymTable
from pfsm.lexicons.wordnet import is_wordnet, read_wordnet, read_wordnet_relations
from tests.core.lexicons.lexicon_cases import write_wordnet

SHIPPED = shipped_folder() / f"wordnet-3.0{SUFFIX}"


def test_files_of_wordnet(tmp_path: Path) -> None:
    folder = write_wordnet(tmp_path / "db")
    assert is_wordnet(folder)
    assert not is_wordnet(tmp_path)
    parts, sources = read_wordnet(folder)
    assert [part.tag for part in parts] == ["n", "v", "a", "r"]
    assert parts[0].synsets == {"kid": ["00000100", "00000200"], "child": ["00000100"], "goat": ["00000200"]}
    assert [dict(part.irregular) for part in parts] == [
        {"children": ["child"]}, {"went": ["go"]}, {"better": ["good"]}, {"better": ["well"]},
    ]  # fmt: skip
    assert [source.name for source in sources][:2] == ["index.noun", "noun.exc"]
    table = SynonymTable(compile_synonyms("t", parts, "free", sources))
    assert set(table.synsets("better")) == {*table.synsets("finer"), *table.synsets("well")}
    assert table.synsets("departed") == [number for number in table.synsets("went") if number != 3]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("index_verb", "go v\n", r"index\.verb:1: not a line of a WordNet index: 'go v'"),
        ("index_adv", "well r 1 0 1 1 00000009\nill r 2 0 1 1 00000009\n", r"index\.adv:2: not a line"),
        (
            "noun_exc",
            "children child\nalone\n",
            r"noun\.exc:2: not a line of a WordNet exception list: 'alone'",
        ),
    ],
)
def test_lines_that_are_not_wordnets(tmp_path: Path, name: str, content: str, message: str) -> None:
    with pytest.raises(PfsmError, match=message):
        read_wordnet(write_wordnet(tmp_path / "db", **{name: content}))


def test_a_missing_file(tmp_path: Path) -> None:
    folder = write_wordnet(tmp_path / "db")
    (folder / "verb.exc").unlink()
    with pytest.raises(PfsmError, match=r"verb\.exc: no such file"):
        read_wordnet(folder)


def test_the_dictionary_that_ships() -> None:
    lexicon = read_lexicon(SHIPPED)
    assert lexicon.counts["lemmas"] == 147306  # distinct lemmas of WordNet 3.0, as its manual counts them
    assert lexicon.counts["synsets"] == 117659
    assert (shipped_folder() / "wordnet-3.0.LICENSE").read_text(encoding="utf-8").count("Princeton") > 3
    table = SynonymTable(lexicon)
    for one, other in (("children", "kids"), ("bought", "purchased"), ("7", "seven"), ("cars", "automobile")):
        assert set(table.synsets(one)) & set(table.synsets(other)), (one, other)
    assert not set(table.synsets("cat")) & set(table.synsets("dog"))


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


def test_relations_by_hand(tmp_path: Path) -> None:
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


def test_the_relations_that_ship() -> None:
    table = load_relations(NAME)
    for one, other in (("hot", "cold"), ("increased", "decreasing"), ("victory", "defeats")):
        assert table.are_antonyms(one, other), (one, other)
    assert not table.are_antonyms("hot", "warm")
    assert table.is_kind_of("dogs", "animal", 3)
    assert not table.is_kind_of("animal", "dog", 3)


words = st.text("abs", min_size=1, max_size=4)
dictionaries = st.dictionaries(words, st.lists(st.sampled_from("123"), min_size=1, max_size=3), max_size=8)
parts = st.builds(
    Part,
    st.just(""),
    dictionaries,
    st.dictionaries(words, st.lists(words, min_size=1, max_size=2), max_size=4),
    st.lists(st.tuples(st.text("abs", min_size=1, max_size=2), st.text("ab", max_size=1)), max_size=3).map(
        tuple
    ),
)


def keys_of(word: str, given: Sequence[Part]) -> set[tuple[str, str]]:
    """The synsets of a word by the definition, as (part, key)."""
    found = set()
    for part in given:
        bases = {word}
        if word in part.irregular:
            bases |= set(part.irregular[word])
        else:
            bases |= {word.removesuffix(old) + new for old, new in part.detachments if word.endswith(old)}
        found |= {(part.tag, key) for base in bases for key in part.synsets.get(base, ())}
    return found


@settings(deadline=None)
@given(st.lists(parts, max_size=3), st.lists(words, max_size=8))
def test_look_ups_are_those_of_the_dictionary(given: list[Part], asked: list[str]) -> None:
    given = [replace(part, tag=str(number)) for number, part in enumerate(given)]
    table = SynonymTable(compile_synonyms("t", given, "free", []))
    every = sorted(
        {key for word in {*asked, *(w for p in given for w in p.synsets)} for key in keys_of(word, given)}
    )
    numbers = {key: number for number, key in enumerate(sorted({k for p in given for k in all_keys(p)}))}
    assert table.size == len(numbers)
    assert set(every) <= set(numbers)
    for word in [*asked, *(w.upper() for p in given for w in p.synsets)]:
        assert table.synsets(word) == sorted(numbers[key] for key in keys_of(word.lower(), given))


def all_keys(part: Part) -> set[tuple[str, str]]:
    return {(part.tag, key) for keys in part.synsets.values() for key in keys}


def test_the_order_of_the_dictionary_does_not_matter() -> None:
    part = Part("n", {"b": ["2", "1"], "a": ["1"]}, {"y": ["b"], "x": ["a"]})
    other = Part("n", {"a": ["1"], "b": ["1", "2", "1"]}, {"x": ["a"], "y": ["b"]})
    one, two = (lexicon_bytes(compile_synonyms("t", [entry], "free", [])) for entry in (part, other))
    assert one == two


def test_lemma_of_a_table() -> None:
    nouns = Part(
        "n", {"glass": ["1"], "glasses": ["2"], "foot": ["3"]}, {"feet": ["foot"]}, (("es", ""), ("s", ""))
    )
    verbs = Part("v", {"glaze": ["1"]}, {}, (("ed", "e"), ("s", "")))
    table = SynonymTable(compile_synonyms("x", [nouns, verbs], "", []))
    assert table.lemma("glasses", "n") == "glasses"
    assert table.lemma("foots", "n") == "foot"
    assert table.lemma("feet", "n") == "foot"
    # A lemma of another part of speech is none of this one.
    assert table.lemma("glazed", "v") == "glaze"
    assert table.lemma("glazed", "n") == "glazed"
    assert table.lemma("foots", "v") == "foots"
    assert table.lemma("foots", "x") == "foots"
