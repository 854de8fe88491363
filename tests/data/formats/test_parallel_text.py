"""Plain files side by side."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.data.formats.judged_sets import JudgedSet, judged_sets, lines, write_texts
from tests.data.formats.reading import fault, judgments, reading, write


@settings(max_examples=50, deadline=None)
@given(judged_sets(), st.booleans(), st.booleans())
def test_round_trip(judged: JudgedSet, sources: bool, documents: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        options = write_texts(folder, judged)
        del options["system_outputs"]
        options = {
            key: value
            for key, value in options.items()
            if (key, False) not in {("sources", sources), ("documents", documents)}
        }
        scored = dict.fromkeys(system for system, _ in judged.scores)
        scores = tuple(
            lines(
                folder / f"scores/{system}",
                [str(judged.scores.get((system, at))) for at in range(len(judged))],
            )
            for system in scored
        )
        outputs = [str(folder / f"outputs/{system}.txt") for system in scored]
        read = reading(outputs, "parallel", scores=scores, **options)
        assert ("source" in read.columns, "document" in read.columns) == (sources, documents)
        found = judgments(outputs, "parallel", scores=scores, **options)
    got = {(each.system, int(each.segment_id) - 1): each for each in found}
    assert {place: each.score for place, each in got.items()} == judged.scores
    assert len(got) == len(found)
    for (system, at), each in got.items():
        assert each.hypothesis == judged.outputs[system][at]
        assert each.references == tuple(stream[at] for stream in judged.references)
        assert each.source == (judged.sources[at] if sources else "")
        assert each.document == (judged.documents[at] if documents else "")
        assert each.line == at + 1


@pytest.mark.parametrize(
    ("file", "content", "expected"),
    [
        ("hyp", "a\nb\nc\nd\n", "hyp: 4 lines, but ref has 3 lines; line i of both must be segment i"),
        ("hyp", "a\n", "hyp: 1 line, but ref has 3 lines; line i of both must be segment i"),
        ("ref", "a\nb\n", "hyp: 3 lines, but ref has 2 lines; line i of both must be segment i"),
        ("scores", "1\n2\n", "scores: 2 lines, but ref has 3 lines; line i of both must be segment i"),
        ("scores", "1\n\n2\n", "scores:2: score is '', a finite number (or None) is needed"),
        ("scores", "1\n2\nnan\n", "scores:3: score is 'nan', a finite number (or None) is needed"),
        ("docs", "d\nd\n", "docs: 2 lines, but hyp has 3 lines; line i of both must be segment i"),
        ("docs", "d\n" * 5, "docs: 5 lines, but hyp has 3 lines; line i of both must be segment i"),
        ("src", "s\n" * 9, "src: 9 lines, but ref has 3 lines; line i of both must be segment i"),
        ("hyp", b"a\n\xff\nb\n", "hyp:2: not UTF-8 (byte 0xff at position 1); convert the file to UTF-8"),
    ],
)
def test_malformed_files(file: str, content: str | bytes, expected: str, tmp_path: Path) -> None:
    contents: dict[str, str | bytes] = {
        "hyp": "a\n\nc\n",
        "ref": "r\n\nt\n",
        "scores": "1\n2\n3\n",
        "docs": "d\nd\ne\n",
        "src": "s\nt\nu\n",
    }
    paths = {name: write(tmp_path, name, each) for name, each in (contents | {file: content}).items()}
    options = {"references": (paths["ref"],), "scores": (paths["scores"],)}
    message = fault(paths["hyp"], "parallel", **options, documents=paths["docs"], sources=paths["src"])
    assert message == expected


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    hyp, empty = write(tmp_path, "hyp", "a\n"), write(tmp_path, "empty", "")
    assert fault(hyp, "parallel").startswith("plain files hold no references; give them with --references")
    assert fault(hyp, "parallel", references=(hyp,)).startswith(
        "1 files of translations and 0 of scores; give"
    )
    assert fault(empty, "parallel", references=(empty,), scores=(empty,)) == (
        "empty: no lines, at least one segment is needed"
    )
