"""Versions of segments from files."""

from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from pfsm_training.paraphrases import read_versions, version_pairs
from tests.command_runs import text


def test_all_versions_of_a_reference_come_together(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(
        text(
            [
                "reference\thypothesis\treference_2\tscore",
                "one ref\tsys b\tother ref\t1",
                "one ref\tsys a\tother ref\t2",
                "post-edit\tpost-edit\t\t0",
                "\tnothing to compare with\t\t0",
            ]
        ),
        encoding="utf-8",
    )
    (tmp_path / "b.tsv").write_text(
        text(["reference\tbetter\tworse", "one ref\tsys c\tsys a"]), encoding="utf-8"
    )
    segments, sources = read_versions([tmp_path / "a.tsv", tmp_path / "b.tsv"])
    assert segments == [("one ref", "other ref", "sys a", "sys b", "sys c"), ("post-edit",)]
    assert [source.name for source in sources] == ["a.tsv", "b.tsv"]
    assert read_versions([tmp_path / "b.tsv", tmp_path / "a.tsv"])[0] == segments


def test_columns_that_are_needed(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(text(["reference\tscore", "a\t1"]), encoding="utf-8")
    with pytest.raises(PfsmError, match=r"a\.tsv: no column 'hypothesis', nor 'better' and 'worse'"):
        read_versions([tmp_path / "a.tsv"])
    (tmp_path / "a.tsv").write_text(text(["hypothesis\tscore", "a\t1"]), encoding="utf-8")
    with pytest.raises(PfsmError, match=r"a\.tsv: no column 'reference'"):
        read_versions([tmp_path / "a.tsv"])


def test_every_two_versions_in_lists_of_whole_segments() -> None:
    segments = [("a", "b", "c"), ("d",), ("e", "f"), ("g", "h")]
    pairs = [(0, "a", "b"), (0, "a", "c"), (0, "b", "c"), (2, "e", "f"), (3, "g", "h")]
    assert list(version_pairs(segments, 100)) == [pairs]
    assert list(version_pairs(segments, 1)) == [pairs[:3], pairs[3:4], pairs[4:]]
    assert list(version_pairs(segments, 4)) == [pairs[:4], pairs[4:]]
