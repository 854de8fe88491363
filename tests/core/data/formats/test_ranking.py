"""Rankings unrolled to pairs, against brute force over the definition, and against published data."""

import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.data.formats.judged_sets import JudgedSet, judged_sets, write_texts
from tests.core.data.formats.reading import fault, preferences, reading, write

FIVE = [f"system{n}" for n in range(1, 6)]
HEADER_2012 = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,"
    + "".join(f"{name}Number,{name}Id," for name in FIVE)
    + ",".join(f"{name}rank" for name in FIVE)
)
HEADER_2014 = "srclang,trglang,srcIndex,segmentId,judgeId," + ",".join(
    f"{name}Id,{name}rank" for name in FIVE
)
HEADER_2016 = (
    "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID"
)


@dataclass(frozen=True)
class Ranking:
    """One row: the segment from 0, the rater, five or two systems and their ranks."""

    at: int
    rater: str
    ranks: tuple[tuple[str, int], ...]


@st.composite
def rankings(draw: st.DrawFn, judged: JudgedSet) -> list[Ranking]:
    """Rankings of a set's systems; a system may stand in a row more than once, or without a rank."""
    systems = st.sampled_from(sorted(judged.outputs))
    ranks = st.sampled_from([-1, 1, 2, 3, 4, 5])
    row = st.builds(
        Ranking,
        st.integers(0, len(judged) - 1),
        st.sampled_from(["judge1", "judge2"]),
        st.tuples(*[st.tuples(systems, ranks)] * 5),
    )
    return draw(st.lists(row, min_size=1, max_size=8))


def csv(rows: Iterable[Ranking], header: str) -> str:
    """The rows under one of the headers."""
    lines, pair = [header], "Czech,English"
    for row in rows:
        index = str(row.at + 1)
        if header == HEADER_2012:
            fields = [pair, index, "-1", index, row.rater]
            fields += [f"-1,{system}" for system, _ in row.ranks] + [str(rank) for _, rank in row.ranks]
        else:
            fields = [pair, index, index, row.rater, *(f"{system},{rank}" for system, rank in row.ranks)]
        lines.append(",".join(fields))
    return "".join(f"{line}\n" for line in lines)


def brute_force(rows: Iterable[Ranking], per_rater: bool) -> tuple[Counter[tuple[int, str, str, str]], ...]:
    """Wins and ties by segment, the two systems in order, and rater: every ordered pair of places of a row."""
    wins: Counter[tuple[int, str, str, str]] = Counter()
    ties: Counter[tuple[int, str, str, str]] = Counter()
    for row in rows:
        rater = row.rater if per_rater else ""
        for (one, rank), (other, other_rank) in permutations(row.ranks, 2):
            if one != other and rank > 0 and other_rank > 0:
                wins[row.at, one, other, rater] += rank < other_rank
                ties[row.at, one, other, rater] += rank == other_rank
    return +wins, +ties


@settings(max_examples=60)
@given(st.data(), judged_sets(), st.booleans(), st.booleans(), st.sampled_from([HEADER_2012, HEADER_2014]))
def test_against_brute_force(
    data: st.DataObject, judged: JudgedSet, per_rater: bool, keep_ties: bool, header: str
) -> None:
    rows = data.draw(rankings(judged))
    wins, ties = brute_force(rows, per_rater)
    with tempfile.TemporaryDirectory() as folder:
        options = write_texts(Path(folder), judged)
        path = write(Path(folder), "x.csv", csv(rows, header))
        read = reading(path, per_rater=per_rater, keep_ties=keep_ties, test_set="t", **options)
        assert ("rater" in read.columns, "ties" in read.columns) == (per_rater, keep_ties)
        found = preferences(path, per_rater=per_rater, keep_ties=keep_ties, test_set="t", **options)
    expected = set(wins)
    if keep_ties:
        expected |= {
            (at, a, b, rater)
            for at, a, b, rater in ties
            if a < b and not wins[at, a, b, rater] and not wins[at, b, a, rater]
        }
    places = [
        (int(each.segment_id[2:]) - 1, each.better_system, each.worse_system, each.rater) for each in found
    ]
    assert places == sorted(expected)
    for (at, better, worse, rater), each in zip(places, found, strict=True):
        assert each.votes == wins[at, better, worse, rater]
        assert each.votes_against == wins[at, worse, better, rater]
        assert each.ties == ties[at, better, worse, rater]
        assert (each.better, each.worse) == (judged.outputs[better][at], judged.outputs[worse][at])
        assert each.references == tuple(stream[at] for stream in judged.references)
        assert (each.source, each.document) == (judged.sources[at], judged.documents[at])
        assert (each.source_lang, each.target_lang, each.segment_id) == ("cs", "en", f"t.{at + 1}")


def texts(folder: Path, names: Sequence[str] = ("A", "B", "C")) -> dict[str, Any]:
    """Two segments, of some systems."""
    for name in names:
        write(folder, f"out/{name}", f"{name} one\n{name} two\n")
    return {"references": (write(folder, "ref", "one\ntwo\n"),), "system_outputs": (str(folder / "out"),)}


def two(rows: str) -> str:
    """Rows of 2016 under their header."""
    return f"{HEADER_2016}\n{rows}"


def test_2016_with_identifiers_as_published(tmp_path: Path) -> None:
    options = texts(tmp_path, ("newstest2016.A.4361.cs-en", "newstest2016.online-B.0.cs-en"))
    row = "cze,eng,2,2,judge1,newstest2016.A.4361.cs-en,1,newstest2016.online-B.0.cs-en,3,1\n"
    [first] = preferences(write(tmp_path, "x.csv", two(row)), **options)
    assert (first.better_system, first.worse_system, first.votes) == ("A.4361", "online-B.0", 1)
    assert (first.test_set, first.segment_id, first.source_lang) == ("newstest2016", "newstest2016.2", "cs")
    assert first.better == "newstest2016.A.4361.cs-en two"


def test_language_pairs_are_chosen_or_refused(tmp_path: Path) -> None:
    options = texts(tmp_path)
    content = two("Czech,English,1,1,j,A,1,B,2,1\nGerman,English,1,1,j,A,2,B,1,1\n")
    path = write(tmp_path, "x.csv", content)
    assert fault(path, **options) == (
        "x.csv:3: de-en after rankings of cs-en; choose one language pair with --source-lang and --target-lang"
    )
    for code in ("de", "German", "ger"):
        read = reading(path, source_lang=code, **options)
        assert [each.better_system for each in read.records if hasattr(each, "better_system")] == ["B"]
        assert read.notes == {"rankings of other language pairs left out": 1}
    assert fault(path, source_lang="fr", **options).startswith("no rankings of this language pair")


ROW = "cs,en,1,1,j,A,1,B,2,1\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", ": empty file, a header row is needed"),
        (two(""), "no rankings of this language pair; check --source-lang and --target-lang"),
        (
            two(ROW + "cs,en,1,1,j,A,1,B,0,1\n"),
            ":3: system2rank is '0', a rank from 1 or -1 for none is needed",
        ),
        (two(ROW + "cs,en,0,1,j,A,1,B,2,1\n"), ":3: srcIndex is '0', a whole number from 1 is needed"),
        (two(ROW + ROW + "cs,en,3,1,j,A,1,B,2,1\n"), ":4: srcIndex is '3', but ref has 2 lines"),
        (two(ROW + "cs,en,1,1,j,A,1,B,2\n"), ":3: 9 fields, the header has 10 fields"),
    ],
)
def test_malformed_rankings(content: str, expected: str, tmp_path: Path) -> None:
    options = texts(tmp_path)
    message = fault(write(tmp_path, "x.csv", content), "wmt-ranking", **options)
    assert message.removeprefix("x.csv") == expected
