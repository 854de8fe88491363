"""WordNet's database: the reader by hand, and the shipped table against NLTK's reader of the same files."""

import random
import shutil
from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from pfsm.lexicons.container import lexicon_bytes, read_lexicon
from pfsm.lexicons.registry import SUFFIX, shipped_folder
from pfsm.lexicons.synonyms import Part, SynonymTable, compile_synonyms
from pfsm.lexicons.wordnet import PARTS, is_wordnet, read_wordnet
from tests.lexicons.lexicon_cases import write_wordnet

DEBIAN = Path("/usr/share/wordnet")
SHIPPED = shipped_folder() / f"wordnet-3.0{SUFFIX}"


def test_by_hand(tmp_path: Path) -> None:
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


def test_what_ships() -> None:
    lexicon = read_lexicon(SHIPPED)
    assert lexicon.counts["lemmas"] == 147306  # distinct lemmas of WordNet 3.0, as its manual counts them
    assert lexicon.counts["synsets"] == 117659
    assert (shipped_folder() / "wordnet-3.0.LICENSE").read_text(encoding="utf-8").count("Princeton") > 3
    table = SynonymTable(lexicon)
    for one, other in (("children", "kids"), ("bought", "purchased"), ("7", "seven"), ("cars", "automobile")):
        assert set(table.synsets(one)) & set(table.synsets(other)), (one, other)
    assert not set(table.synsets("cat")) & set(table.synsets("dog"))


@pytest.mark.skipif(not is_wordnet(DEBIAN), reason="no WordNet database on this machine")
class TestAgainstTheDatabase:
    """Where Debian's wordnet-base is installed."""

    def test_the_shipped_table_is_compiled_from_these_files(self) -> None:
        shipped = read_lexicon(SHIPPED)
        parts, sources = read_wordnet(DEBIAN)
        compiled = compile_synonyms(
            shipped.name, parts, shipped.licence, sources, str(shipped.details["about"])
        )
        assert lexicon_bytes(compiled) == SHIPPED.read_bytes()

    @pytest.mark.skipif(not (DEBIAN / "data.noun").is_file(), reason="no data files")
    def test_synsets_are_those_of_nltks_reader(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        import nltk.data
        from nltk.corpus.reader.wordnet import WordNetCorpusReader

        folder = tmp_path / "corpora" / "wordnet"
        folder.mkdir(parents=True)
        monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
        # NLTK wants two more files, which Debian leaves out; nothing in them is looked at here.
        (folder / "index.sense").touch()
        for path in DEBIAN.iterdir():
            if path.is_file():
                shutil.copy(path, folder)
        (folder / "lexnames").write_text(
            "".join(f"{n:02d}\tname{n}\t1\n" for n in range(45)), encoding="utf-8"
        )
        with pytest.warns(UserWarning, match="multilingual"):
            reader = WordNetCorpusReader(str(folder), None)
        parts, _ = read_wordnet(DEBIAN)
        place: dict[tuple[str, int], int] = {}
        for tag, part in zip(PARTS, parts, strict=True):
            for key in sorted({key for keys in part.synsets.values() for key in keys}):
                place[tag, int(key)] = len(place)
        table = SynonymTable(read_lexicon(SHIPPED))
        for word in sample(parts):
            theirs = {(synset.pos().replace("s", "a"), synset.offset()) for synset in reader.synsets(word)}
            assert table.synsets(word) == sorted(place[key] for key in theirs), word


def sample(parts: list[Part]) -> list[str]:
    """Lemmas, irregular forms, and lemmas with every ending that English has."""
    chosen = random.Random(7)
    lemmas = sorted({lemma for part in parts for lemma in part.synsets})
    irregular = sorted({form for part in parts for form in part.irregular})
    stems = chosen.sample(lemmas, 300)
    endings = ("s", "es", "ed", "ing", "er", "est", "ies", "men", "ves", "xyz")
    return [
        *chosen.sample(lemmas, 500),
        *chosen.sample(irregular, 500),
        *(stem[: len(stem) - cut] + ending for stem in stems for ending in endings for cut in (0, 1)),
    ]
