"""METEOR's, TERp's and PPDB's tables: the same entries, whatever the format."""

import gzip
import math
from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from pfsm.lexicons.paraphrase_formats import format_of, pruned, read_paraphrases

ENTRIES = [("of course", "naturally", 0.25), ("kids", "children", 1.0)]
METEOR = "0.25\nof course\nnaturally\n1.0\nkids\nchildren\n"
TERP = "0.25 <p>of course</p> <p>naturally</p>\n1 <p>kids</p><p>children</p>\n"
LOG = "1.3862943611198906"
PPDB_2 = (
    f"[RB] ||| of course ||| naturally ||| PPDB2.0Score=4.1 -logp(e1|e2)=9 -logp(e2|e1)={LOG} A=1 "
    "||| 0-0 ||| Equivalence\n"
    "[NNS] ||| kids ||| children ||| -logp(e2|e1)=0 ||| 0-0 ||| Equivalence\n"
)
PPDB_1 = (
    f"[RB] ||| of course ||| naturally ||| Abstract=0 p(e|f)={LOG} p(f|e)=9 ||| 0-0\n"
    "[NNS] ||| kids ||| children ||| p(e|f)=0 p(f|e)=9 ||| 0-0\n"
)


def written(folder: Path, content: str, name: str = "table") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
    return path


@pytest.mark.parametrize(
    ("content", "layout", "name"),
    [
        (METEOR, "meteor", "table"),
        (TERP, "terp", "table.gz"),
        (PPDB_2, "ppdb", "table"),
        (PPDB_1, "ppdb", "table.gz"),
    ],
)
def test_all_formats_give_the_same_entries(tmp_path: Path, content: str, layout: str, name: str) -> None:
    path = written(tmp_path, content, name)
    assert format_of(path) == layout
    for (one, other, value), expected in zip(read_paraphrases(path, layout), ENTRIES, strict=True):
        assert (one, other) == expected[:2]
        assert value == pytest.approx(expected[2], rel=1e-15)
    crlf = written(tmp_path, content.replace("\n", "\r\n"), name)
    assert [entry[:2] for entry in read_paraphrases(crlf, layout)] == [entry[:2] for entry in ENTRIES]


def test_another_feature_of_ppdb(tmp_path: Path) -> None:
    path = written(tmp_path, PPDB_1)
    assert [value for _, _, value in read_paraphrases(path, "ppdb", "p(f|e)")] == [math.exp(-9)] * 2
    with pytest.raises(PfsmError, match="table:1: no number under x: "):
        list(read_paraphrases(path, "ppdb", "x"))


@pytest.mark.parametrize(
    ("content", "layout", "message"),
    [
        (METEOR + "high\na\nb\n", "meteor", "table:7: probability is 'high'"),
        ("nan\na\nb\n", "meteor", "table:1: probability is 'nan'"),
        (
            TERP + "0.5 a b\n",
            "terp",
            "table:3: not a line `PROBABILITY <p>phrase</p> <p>paraphrase</p>`: '0.5 a b'",
        ),
        (PPDB_2 + "[X] ||| a ||| b\n", "ppdb", r"table:3: not a line `LHS \|\|\| phrase"),
        (
            "[X] ||| a ||| b ||| A=1 ||| 0-0\n",
            "ppdb",
            r"table:1: no number under -logp\(e2\|e1\) or p\(e\|f\)",
        ),
    ],
)
def test_lines_that_are_not_such(tmp_path: Path, content: str, layout: str, message: str) -> None:
    with pytest.raises(PfsmError, match=message):
        list(read_paraphrases(written(tmp_path, content), layout))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    whole = gzip.compress(METEOR.encode() * 1000)
    (tmp_path / "cut.gz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "latin").write_bytes(b"0.5\nna\xefve\nnaive\n")
    for name, message in (
        ("cut.gz", "the gzip data is damaged"),
        ("latin", "not UTF-8"),
        ("none", "cannot be read"),
    ):
        with pytest.raises(PfsmError, match=message):
            list(read_paraphrases(tmp_path / name, "meteor"))


@pytest.mark.parametrize(
    ("entry", "kept"),
    [
        (("Of Course", "naturally", 0.5), {(("of", "course"), ("naturally",)): 0.5}),
        (("a b c", "d", 0.5), {}),
        ((" a  b ", "d", 0.5), {(("a", "b"), ("d",)): 0.5}),
        (("same", "Same", 0.5), {}),
        (("a ,", "b", 0.5), {}),
        (("a", "b", 0.0099), {}),
        (("a", "b", 0.01), {(("a",), ("b",)): 0.01}),
        (("a", "b", 227.9), {(("a",), ("b",)): 1.0}),
        (("7", "seven", 0.5), {(("7",), ("seven",)): 0.5}),
    ],
)
def test_which_entries_are_kept(entry: tuple[str, str, float], kept: dict[object, float]) -> None:
    assert pruned([entry]) == (kept, 1)


def test_the_larger_of_two_counts_in_either_order() -> None:
    for values in ((0.2, 0.6), (0.6, 0.2)):
        pairs, _ = pruned([("a", "B" if value < 0.5 else "b", value) for value in values])
        assert pairs == {(("a",), ("b",)): 0.6}


def test_other_bounds() -> None:
    entries = [("a b c", "d", 0.001), ("a b c d", "e", 0.5), ("a", "b", 0.0)]
    assert pruned(entries, longest=3, smallest=0.0) == ({(("a", "b", "c"), ("d",)): 0.001}, 3)
