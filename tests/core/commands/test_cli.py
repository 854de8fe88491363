"""The command line as a whole: imports, closed pipes, full disks, odd file names, no home."""

import os
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest

from pfsm.installation import install_command
from tests.command_runs import Cli, Write, text
from tests.judgment_cases import rows, tsv
from tests.model_cases import saved

POSIX = pytest.mark.skipif(os.name != "posix", reason="signals and terminals are POSIX's")
HEAVY = ("numba", "torch", "nltk", "scipy.stats")
LONGEST_WAIT = 300.0


def python(code: str, *arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST_WAIT,
    )


class TestImports:
    """What is heavy is imported when it is needed and not before."""

    RUN = """
import sys
if sys.argv[1] == "without torch":
    sys.modules["torch"] = None
heavy = sys.argv[2].split()
import pfsm
from pfsm.cli import main
status = 0
for line in sys.argv[3:]:
    try:
        status = main(line.split()) or status
    except SystemExit as stop:
        status = stop.code or status
    loaded = [name for name in heavy if sys.modules.get(name) is not None]
    print("loaded:", *loaded, file=sys.stderr)
sys.exit(status)
"""

    def test_help_models_and_show_need_none_of_it(self, tmp_path: Path) -> None:
        lines = ["", "--help", "train --help", "score --help", "models", "show en-small", "--version"]
        done = python(self.RUN, "with torch", " ".join(HEAVY), *lines, folder=tmp_path)
        assert (done.returncode, done.stderr.splitlines()) == (0, ["loaded:"] * len(lines))

    def test_scoring_needs_little_and_all_but_training_no_torch(self, tmp_path: Path, write: Write) -> None:
        write("ref.txt", "a b\nc\n")
        write("hyp.txt", "a\nc\n")
        write("d.tsv", tsv(rows(6)))
        small = "score ref.txt -i hyp.txt -m en-small"
        lines = [small, "compare ref.txt -i hyp.txt ref.txt --confidence-n 9"]
        lines += ["evaluate d.tsv --confidence-n 9", "train d.tsv -o m.json"]
        done = python(self.RUN, "without torch", "torch nltk scipy.stats", *lines, folder=tmp_path)
        assert (done.returncode, done.stderr.splitlines()) == (
            2,
            [
                *["loaded:"] * 3,
                f"pfsm: training needs PyTorch, which is not installed; {install_command(['train'])}",
                "loaded:",
            ],
        )
        # The kernels are compiled by now; compiling imports more.
        heavy = "scipy.linalg pfsm.evaluation pfsm.metrics.meteor.metric pfsm_linguistics.analysers.cache"
        done = python(self.RUN, "with torch", heavy, small, folder=tmp_path)
        assert (done.returncode, done.stderr.splitlines()[-1]) == (0, "loaded:")


@POSIX
class TestOutput:
    @pytest.fixture
    def many(self, write: Write, tmp_path: Path) -> tuple[str, ...]:
        """A command that prints more than a pipe holds."""
        write("many.txt", text(["a b c"] * 20_000))
        model = saved(tmp_path)
        return (sys.executable, "-m", "pfsm", "score", "many.txt", "-i", "many.txt", "-m", model, "-sl")

    def test_who_leaves_opens_no_gate(self, many: tuple[str, ...], write: Write, tmp_path: Path) -> None:
        write("few.txt", "a b c\n" * 2)
        write("bad.txt", "c b\n" * 2)
        asked = ("few.txt", "-i", "few.txt", "bad.txt", "--fail-if-worse", "--margin", "0", "-m", many[-2])
        gate = *many[:3], "compare", *asked
        for command, status in ((many, 0), (gate, 1)):
            with subprocess.Popen(command, cwd=tmp_path, stdout=PIPE, stderr=PIPE) as process:
                assert process.stdout is not None
                first = process.stdout.readline() if status == 0 else b"."
                process.stdout.close()
                complaint = process.stderr.read() if process.stderr else b""
            assert first.strip()
            assert (process.returncode, complaint) == (status, b"")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
    def test_a_full_disk(self, many: tuple[str, ...], tmp_path: Path) -> None:
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                many, cwd=tmp_path, stdout=full, stderr=PIPE, text=True, check=False, timeout=LONGEST_WAIT
            )
        assert (done.returncode, done.stderr) == (
            2,
            "pfsm: standard output: cannot be written (No space left on device)\n",
        )

    def test_no_standard_output_at_all(
        self, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # What Python makes of a descriptor that was closed before it began.
        monkeypatch.setattr(sys, "stdout", None)
        outcome = cli("show", saved(tmp_path))
        assert outcome.status == 2  # what was asked for is lost
        assert outcome.err == "pfsm: standard output is closed, there is nowhere to write to\n"


class TestFileNames:
    """Bytes that are not UTF-8 in the name of a file: Python hands them on as lone surrogates."""

    NAME = "h\udcff.txt"

    @pytest.fixture(autouse=True)
    def files(self, tmp_path: Path, write: Write) -> None:
        saved(tmp_path)
        write("ref.txt", "a b\nc\n")
        try:
            write(self.NAME, "a\nc\n")
        except (OSError, UnicodeError):
            pytest.skip("this system has no such file names")

    def test_score_and_compare(self, cli: Cli, tmp_path: Path) -> None:
        lines = cli("score", "ref.txt", "-i", self.NAME, "ref.txt", "-sl", "-m", "hand.json").lines
        assert lines[0].startswith("h\\udcff.txt\t1\t")
        systems = cli("score", "ref.txt", "-i", self.NAME, "-m", "hand.json", "-f", "json").document
        assert systems["system"] == self.NAME
        outcome = cli("compare", "ref.txt", "-i", self.NAME, "ref.txt", "-m", "hand.json", "--junit", "j.xml")
        assert outcome.status == 0
        assert "ref.txt is not worse than h\ufffd.txt" in (tmp_path / "j.xml").read_text(encoding="utf-8")


def test_without_memory_it_says_so_and_exits_with_2(
    cli: Cli, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pfsm.commands import models

    def full(_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(models, "run", full)
    assert cli("models").fault == "not enough memory; give less at once"


HOMELESS = """
import os, pwd, sys
from pfsm.__main__ import main
def unknown(_): raise KeyError
for home in sys.argv[1:]:
    if home == "unset":
        # A user whom the system does not know has no home even there.
        del os.environ["HOME"]
        pwd.getpwuid = unknown
    for words in ("score r -i h --metric chrf", "resources", "models", "plugins"):
        sys.argv = ["pfsm", *words.split()]
        assert not main(), (home, words)
"""


def test_commands_do_without_a_home(tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """One behind a door that is shut, and none."""
    write("r", "He sings .\n")
    write("h", "He sang .\n")
    (tmp_path / "door").mkdir(mode=0)
    for name in os.environ:
        if name.startswith("XDG_"):
            monkeypatch.delenv(name)
    try:
        done = python(HOMELESS, "shut", "unset", folder=tmp_path, HOME=str(tmp_path / "door/home"))
    finally:
        (tmp_path / "door").chmod(0o700)
    assert (done.returncode, done.stderr) == (0, "")
