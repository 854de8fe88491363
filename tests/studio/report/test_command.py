"""`pfsm train --report`: the page is written whole, or refused before anything is trained."""

from pathlib import Path

import pytest

from tests.command_runs import Cli, Write
from tests.judgment_cases import preferences, rows, tsv


@pytest.fixture(autouse=True)
def data(write: Write) -> None:
    write("d.tsv", tsv(rows(30, seed=2)))
    write("pairs.tsv", preferences(rows(30, seed=3)))
    write("report.yaml", "lambda: [1, 20]\nmixture: 0.4\nstart: matches\n")


def page() -> str:
    return Path("page.html").read_text(encoding="utf-8")


def test_with_judgments_and_preferences(cli: Cli) -> None:
    command = ("-o", "m.json", "--config", "report.yaml", "--report", "page.html", "--name", "mine <1>")
    done = cli("train", "d.tsv", "pairs.tsv", *command)
    assert done.lines[-1] == "wrote m.json and page.html"
    first = page()
    assert "<h1>Training of mine &lt;1&gt;</h1>" in first
    assert "What cross-validation tried" in first
    model = Path("m.json").read_bytes()
    cli("train", "pairs.tsv", "d.tsv", *command, "--threads", "1")
    assert page() == first
    assert Path("m.json").read_bytes() == model


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("missing/page.html", "no such folder"),
        ("d.tsv", "is an input"),
        ("./m.json", "--report and --output are the same file"),
    ],
)
def test_it_is_refused_before_training(cli: Cli, path: str, said: str) -> None:
    before = Path("d.tsv").read_bytes()
    assert said in cli("train", "d.tsv", "-o", "m.json", "--report", path).fault
    assert not Path("m.json").exists()
    assert Path("d.tsv").read_bytes() == before
