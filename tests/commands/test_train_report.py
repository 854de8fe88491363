"""`pfsm train --report`: written whole or refused before training; with every kind of data; what the log says."""

from pathlib import Path

import pytest

from tests.command_runs import Cli, Write
from tests.judgment_cases import preferences, rows, tsv


@pytest.fixture(autouse=True)
def data(write: Write) -> None:
    write("d.tsv", tsv(rows(30, seed=2)))
    write("pairs.tsv", preferences(rows(30, seed=3)))
    write("c.yaml", "lambda: [1, 20]\nmixture: 0.4\nstart: matches\n")


def page() -> str:
    return Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("files", [["d.tsv"], ["pairs.tsv"], ["d.tsv", "pairs.tsv"]])
def test_with_every_kind_of_data(cli: Cli, files: list[str]) -> None:
    done = cli(
        "train", *files, "-o", "m.json", "--config", "c.yaml", "--report", "page.html", "--name", "mine <1>"
    )
    assert done.lines[-1] == "wrote m.json and page.html"
    assert "<h1>Training of mine &lt;1&gt;</h1>" in page()
    assert "What cross-validation tried" in page()
    first = page()
    model = Path("m.json").read_bytes()
    cli(
        "train",
        *reversed(files),
        "-o",
        "m.json",
        "--config",
        "c.yaml",
        "--report",
        "page.html",
        "--name",
        "mine <1>",
        "--threads",
        "1",
    )
    assert page() == first
    assert Path("m.json").read_bytes() == model


def test_few_judgments_have_a_page_that_says_what_is_missing(cli: Cli, write: Write) -> None:
    write("few.tsv", tsv(rows(4, seed=2)))
    cli("train", "few.tsv", "-o", "m.json", "--report", "page.html")
    assert "too few judgments for cross-validation" in page()
    assert "intervals of weights need" in page()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("missing/page.html", "no such folder"),
        (".", "is a folder"),
        ("d.tsv", "is an input"),
        ("m.json", "--report and --output are the same file"),
        ("./m.json", "--report and --output are the same file"),
    ],
)
def test_it_is_refused_before_training(cli: Cli, path: str, said: str) -> None:
    before = Path("d.tsv").read_bytes()
    assert said in cli("train", "d.tsv", "-o", "m.json", "--report", path).fault
    assert not Path("m.json").exists()
    assert Path("d.tsv").read_bytes() == before
