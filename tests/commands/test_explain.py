"""`pfsm explain`."""

from pathlib import Path

import pytest

from tests.command_runs import Cli, Write


@pytest.fixture
def files(write: Write) -> list[str]:
    return [
        write("ref.txt", "The cat sat down.\n\nWe met on Tuesday.\n"),
        write("hyp.txt", "The cat sits down.\nhello\nOn Tuesday we met.\n"),
        write("other.txt", "A cat.\n\nWe met.\n"),
    ]


def test_json_adds_up(cli: Cli, files: list[str]) -> None:
    outcome = cli("explain", files[0], "-i", *files[1:], "--format", "json")
    assert [entry["system"] for entry in outcome.document] == files[1:]
    for entry in outcome.document:
        assert [segment["segment"] for segment in entry["segments"]] == [0, 1, 2]
        for segment in entry["segments"]:
            parts = [*segment["contributions"], *segment["features"]]
            points = sum(part["points"] for part in parts)
            assert segment["base"] + segment["entropy"] + points == pytest.approx(segment["score"], abs=1e-9)


def test_alignments(cli: Cli, files: list[str], tmp_path: Path) -> None:
    outcome = cli("explain", files[0], "-i", files[1], "--alignments", "pairs.txt")
    assert outcome.status == 0
    lines = (tmp_path / "pairs.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("0-0 1-1")
    assert lines[1] == ""


def test_a_page_for_two_systems(cli: Cli, files: list[str], tmp_path: Path) -> None:
    outcome = cli("explain", files[0], "-i", *files[1:], "--html", "page.html")
    assert (outcome.status, outcome.lines) == (0, [])
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert "Tuesday" in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in page
    refused = cli("explain", files[0], "-i", *files[1:], files[0], "--html", "page.html")
    assert refused.status == 2
    assert "at most two" in refused.fault
