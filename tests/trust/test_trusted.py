"""`pfsm trust`: the user's own list of model files, by their content."""

import gzip
import hashlib
from pathlib import Path

import pytest

import pfsm
from pfsm.errors import PfsmError
from pfsm.io.user_folders import configuration_folder
from pfsm.model.trusted import FILE, is_trusted, trusted_models, write_trusted
from tests.command_runs import Cli, Write, text
from tests.model_cases import saved
from tests.trust.conftest import COMMAND, Canary
from tests.trust.plants import PROGRAMS

SCORE = ("score", "ref.txt", "-i", "one.txt", "-m", "theirs.json", "-sl")


@pytest.fixture(autouse=True)
def settings(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, canary: Canary) -> Path:
    monkeypatch.setenv("PFSM_CONFIG", str(tmp_path / "settings"))
    write("ref.txt", text(["the red bird sings"]))
    write("one.txt", text(["red birds sing"]))
    saved(tmp_path, "theirs.json", settings=PROGRAMS["an option of a matcher"])
    return tmp_path / "settings" / FILE


def test_a_listed_model_needs_no_word(cli: Cli, canary: Canary, settings: Path, tmp_path: Path) -> None:
    assert "the model would run" in cli(*SCORE).fault
    assert cli("trust", "theirs.json").lines == [
        f"theirs.json: may run {COMMAND}",
        f"[written to {settings}]",
    ]
    assert canary.silent  # nothing runs when the model is listed
    digest = hashlib.sha256((tmp_path / "theirs.json").read_bytes()).hexdigest()
    assert settings.read_text() == f"{digest}  {tmp_path / 'theirs.json'}\n"
    assert cli("trust").lines == [f"{digest[:12]}  {tmp_path / 'theirs.json'}"]
    assert len(cli(*SCORE).lines) == 1
    assert canary.is_there
    assert pfsm.load("theirs.json", 1).score_pairs(["a"], ["a"]).shape == (1,)


def test_the_content_counts_not_the_name(cli: Cli, canary: Canary, tmp_path: Path) -> None:
    path = tmp_path / "theirs.json"
    assert cli("trust", "theirs.json").lines
    original = path.read_bytes()
    path.write_bytes(original + b"\n")
    assert "the model would run" in cli(*SCORE).fault
    assert canary.silent
    path.write_bytes(gzip.compress(original))
    assert len(cli(*SCORE).lines) == 1


def test_removing(cli: Cli, settings: Path, tmp_path: Path) -> None:
    digest = hashlib.sha256((tmp_path / "theirs.json").read_bytes()).hexdigest()
    for name in ("theirs.json", digest[:8], digest):
        assert cli("trust", "theirs.json").lines
        assert cli("trust", "--remove", name).lines == [f"[written to {settings}]"]
        assert "the model would run" in cli(*SCORE).fault
        assert settings.read_text() == ""
    assert cli("trust", "--remove", "other.json").fault == (
        "other.json: is not among the trusted models; `pfsm trust` lists them"
    )
    assert cli("trust", "--remove").fault == "--remove needs the models that are to be trusted no longer"
    assert cli("trust").lines == [f"no model is trusted; `pfsm trust MODEL` adds one to {settings}"]


def test_a_model_that_needs_no_trust_is_not_listed(cli: Cli, settings: Path, tmp_path: Path) -> None:
    saved(tmp_path, "plain.json")
    assert cli("trust", "plain.json").lines == ["plain.json: needs no trust, it is only data"]
    assert cli("trust", "en").fault == "en: ships with pfsm and needs no trust"
    assert cli("trust", "ref.txt").fault.startswith("ref.txt:1: not valid JSON")
    assert not settings.exists()


def test_one_bad_file_adds_nothing(cli: Cli, settings: Path) -> None:
    assert cli("trust", "theirs.json", "none.json").fault == "none.json: no such file"
    assert not settings.exists()


@pytest.mark.parametrize("line", ["theirs.json", "0" * 63, "G" * 64, f"{'0' * 64}x"])
def test_a_list_that_cannot_be_read_grants_nothing(
    line: str, cli: Cli, canary: Canary, settings: Path
) -> None:
    assert cli("trust", "theirs.json").lines
    settings.write_text(f"# mine\n{settings.read_text()}{line}\n")
    assert cli(*SCORE).fault.startswith(f"{settings}:3: not an entry")
    assert canary.silent


def test_names_cannot_make_entries(settings: Path) -> None:
    evil = hashlib.sha256(b"evil").hexdigest()
    write_trusted({"0" * 64: f"a\n{evil}  b"})
    assert list(trusted_models()) == ["0" * 64]
    assert not is_trusted(b"evil")


def test_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PFSM_CONFIG")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "x"))
    assert configuration_folder() == tmp_path / "x" / "pfsm"
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert configuration_folder() == tmp_path / "home" / ".config" / "pfsm"
    # Never a folder that depends on where the command runs: a stranger may have made it.
    monkeypatch.setenv("HOME", "home")
    assert configuration_folder() is None
    assert not is_trusted(b"")
    with pytest.raises(PfsmError, match="set PFSM_CONFIG"):
        write_trusted({})


def test_workers_of_a_cluster_inherit_trust(canary: Canary, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    from pfsm.distributed.cluster import open_cluster
    from pfsm.distributed.scorers import cached_scorer, spec_of

    path = str(tmp_path / "theirs.json")
    with pytest.raises(PfsmError, match="would run"):
        pfsm.load(path)
    metric = pfsm.load(path, 1, trust=True)

    def scores(spec: object) -> list[float]:
        with cached_scorer(spec) as there:  # type: ignore[arg-type]
            return there.score_pairs(["a red bird sings"], ["the red bird sings"]).tolist()  # type: ignore[no-any-return]

    with open_cluster("local:1") as cluster:
        there = cluster.client.submit(scores, spec_of(metric), pure=False).result()
    assert canary.is_there  # the worker has run it: nothing was scored here yet
    assert there == metric.score_pairs(["a red bird sings"], ["the red bird sings"]).tolist()
