"""Commands on damaged files: exit status 0 or 2, at most one line of a fault, no traceback, nothing changed."""

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.command_runs import Cli, Write
from tests.fuzz.mutations import damaged, effort
from tests.fuzz.samples import SAMPLES
from tests.judgment_cases import rows, tsv
from tests.model_cases import saved

# The file that is damaged, and calls that read it.
CALLS: dict[str, tuple[tuple[str, ...], ...]] = {
    "text.txt": (
        ("score", "text.txt", "-i", "text.txt", "-m", "hand.json", "-sl"),
        ("compare", "text.txt", "-i", "text.txt", "text.txt", "-m", "hand.json", "--confidence-n", "9"),
        ("mbr", "-i", "text.txt", "-n", "1", "-m", "hand.json"),
        ("explain", "text.txt", "-i", "text.txt", "-m", "hand.json"),
    ),
    "judgments.tsv": (
        ("evaluate", "judgments.tsv", "-m", "hand.json", "--confidence-n", "9"),
        ("score", "--table", "judgments.tsv", "-m", "hand.json", "-sl"),
        ("data", "info", "judgments.tsv"),
        ("data", "convert", "judgments.tsv", "--output", "made"),
    ),
    "model.json": (
        ("show", "model.json"),
        ("score", "good.txt", "-i", "good.txt", "-m", "model.json", "-sl"),
    ),
    "settings.yaml": (("train", "good.tsv", "--config", "settings.yaml", "-o", "made"),),
    "set.sgm": (("data", "convert", "good.tsv", "--references", "set.sgm", "--output", "made"),),
    "terp.txt": (("resources", "compile", "paraphrases", "terp.txt", "--name", "x"),),
}  # fmt: skip


@pytest.fixture(autouse=True)
def files(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path / "resources"))
    saved(tmp_path)
    write("good.txt", "a lamp\nrain falls\n")
    write("good.tsv", tsv(rows(10)))


def contents(folder: Path) -> dict[str, str]:
    """Every file but those that calls make."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.is_file() and path.name != "made"
    }


@pytest.mark.parametrize("name", CALLS)
def test_damaged_files(name: str, cli: Cli, write: Write, tmp_path: Path) -> None:
    # Training takes a second.
    examples = 4 if name == "settings.yaml" else 25

    @effort(examples)
    @given(damaged(SAMPLES[name]), st.sampled_from(CALLS[name]))
    def run(content: bytes, call: tuple[str, ...]) -> None:
        write(name, content)
        before = contents(tmp_path)
        done = cli(*call)
        assert done.status in {0, 2}
        faults = [line for line in done.err.splitlines() if not line.startswith("pfsm: warning: ")]
        if done.status == 2:
            assert len(faults) == 1, done.err
            assert faults[0].startswith("pfsm: ")
        assert "Traceback" not in done.err
        assert "nan" not in done.out.lower().split()
        assert contents(tmp_path) == before

    run()
