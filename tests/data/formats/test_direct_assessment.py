"""Segment scores of direct assessment: what SID counts, and which file a system means."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.data.formats.judged_sets import JudgedSet, judged_sets, write_texts
from tests.data.formats.reading import fault, judgments, write

HEADER = "SYS SID RAW.SCR Z.SCR N "


def da(judged: JudgedSet, by_document: bool) -> str:
    """The scores, as the task publishes them; z is the negative of raw."""
    number = list(range(1, len(judged) + 1))
    if by_document:
        names = sorted(set(judged.documents))
        in_order = [at for name in names for at, document in enumerate(judged.documents) if document == name]
        number = [in_order.index(at) + 1 for at in range(len(judged))]
    lines = [HEADER]
    lines += [
        f"{system} {number[at]} {score!r} {-score!r} {at + 1} "
        for (system, at), score in judged.scores.items()
    ]
    return "".join(f"{line}\n" for line in lines)


@settings(max_examples=60)
@given(judged_sets(), st.booleans(), st.sampled_from(["", "da_raw", "da_z"]))
def test_round_trip(judged: JudgedSet, by_document: bool, column: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        options = write_texts(Path(folder), judged)
        path = write(Path(folder), "ad-seg-scores-cs-en.csv", da(judged, by_document))
        found = judgments(
            path, sid_order="document" if by_document else None, score_column=column, test_set="t", **options
        )
    assert len(found) == len(judged.scores)
    for ((system, at), score), each in zip(judged.scores.items(), found, strict=True):
        assert (each.system, each.segment_id, each.document) == (system, f"t.{at + 1}", judged.documents[at])
        assert each.score == (-score if column == "da_z" else score)
        assert each.further.keys() == {"da_raw", "da_z", "n_raters"}
        assert float(each.further["da_raw"]) == score
        assert float(each.further["da_z"]) == -score
        assert each.further["n_raters"] == str(at + 1)
        assert (each.hypothesis, each.source) == (judged.outputs[system][at], judged.sources[at])
        assert each.references == tuple(stream[at] for stream in judged.references)
        assert (each.source_lang, each.target_lang) == ("cs", "en")


def texts(folder: Path) -> dict[str, Any]:
    """Three segments of two documents, of one system."""
    write(folder, "out/newstest2021.is-en.hyp.Online-A.en", "a\nb\nc\n")
    write(folder, "out/newstest2021.de-en.hyp.Online-A.en", "another pair\n")
    write(folder, "out/.hidden", "")
    return {
        "references": (write(folder, "ref", "r\ns\nt\n"),),
        "system_outputs": (str(folder / "out"),),
        "documents": write(folder, "docs", "news second\nnews second\nnews first\n"),
    }


ROW = "Online-A.0 1 50 0.5 1 \n"


def test_2021_wants_to_know_what_sid_counts(tmp_path: Path) -> None:
    options = texts(tmp_path)
    for folder in ("newstest2021-toen", "wmt22", "generaltest2022"):
        path = write(tmp_path / folder, "ad-seg-scores-is-en.csv", f"{HEADER}\n{ROW}")
        assert "SID counts segments by document; give --sid-order document" in fault(path, **options)
    [found] = judgments(path, sid_order="document", **options)
    assert (found.hypothesis, found.segment_id, found.system) == ("c", "3", "Online-A")
    [found] = judgments(path, sid_order="file", **options)
    assert (found.hypothesis, found.segment_id) == ("a", "1")
    earlier = write(tmp_path, "ad-seg-scores-is-en.csv", f"{HEADER}\n{ROW}")
    assert judgments(earlier, **options)[0].hypothesis == "a"


def test_order_by_document_needs_documents_in_one_piece(tmp_path: Path) -> None:
    options = texts(tmp_path)
    path = write(tmp_path, "x-is-en.csv", f"{HEADER}\n{ROW}")
    without = {**options, "documents": ""}
    assert fault(path, sid_order="document", **without).startswith("--sid-order document: give the document")
    write(tmp_path, "docs", "b\na\nb\n")
    assert "docs: a document that is not in one piece" in fault(path, sid_order="document", **options)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", ": empty file, a header row is needed"),
        (f"{HEADER}\n{ROW}Online-A 4 1 1 1\n", ":3: SID is '4', but ref has 3 lines"),
        (f"{HEADER}\n{ROW}Online-A 0 1 1 1\n", ":3: SID is '0', a whole number from 1 is needed"),
        (f"{HEADER}\n{ROW}Online-A 1 NA 1 1\n", ":3: RAW.SCR is 'NA', a finite number is needed"),
        (f"{HEADER}\n{ROW}Online A 1 1 1 1\n", ":3: 6 fields, the header has 5 fields"),
    ],
)  # fmt: skip
def test_malformed_scores(content: str, expected: str, tmp_path: Path) -> None:
    message = fault(write(tmp_path, "x-is-en.csv", content), "wmt-da", **texts(tmp_path))
    assert message == f"x-is-en.csv{expected}"


def test_systems_without_or_with_two_outputs(tmp_path: Path) -> None:
    options = texts(tmp_path)
    path = write(tmp_path, "x-is-en.csv", f"{HEADER}\n{ROW}human 1 1 1 1\n")
    assert len(judgments(path, skip_unknown_systems=True, **options)) == 1
    assert fault(path, **options).startswith(
        "x-is-en.csv:3: no output of system 'human' was given, only of On"
    )
    again = {**options, "system_outputs": (*options["system_outputs"], f"Online-A={tmp_path}/ref")}
    assert fault(path, **again).startswith("ref: a second file of system 'Online-A' after out/newstest2021")
