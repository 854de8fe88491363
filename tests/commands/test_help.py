"""Pages that messages cite, mistyped names, and keys in the wrong place."""

import re
from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from pfsm.matchers.registry import MATCHERS
from pfsm.model.settings import KEYS as SETTINGS
from pfsm.model.settings import settings_from_dict
from pfsm.runtime import yaml_keys as places
from tests.command_runs import Cli, Write

ROOT = Path(__file__).resolve().parents[2]


def test_messages_cite_pages_that_exist() -> None:
    cited = {
        page
        for folder in ("pfsm", "training")
        for path in (ROOT / folder).rglob("*.py")
        for page in re.findall(r"`(docs/[a-z/-]+\.md)`", path.read_text(encoding="utf-8"))
    }
    assert len(cited) > 3
    assert all((ROOT / page).is_file() for page in cited)


MISTYPED = [
    (("score", "ref.txt", "--inptu", "h.txt"), "--inptu", "--input", "score"),
    (("compare", "ref.txt", "--inptu", "a.txt", "b.txt"), "--inptu", "--input", "compare"),
    (("train", "d.tsv", "--ouput=m.json"), "--ouput", "--output", "train"),
    (("data", "info", "--formt", "json", "d.tsv"), "--formt", "--format", "data info"),
]


@pytest.mark.parametrize(("words", "typed", "meant", "command"), MISTYPED)
def test_a_mistyped_option(words: tuple[str, ...], typed: str, meant: str, command: str, cli: Cli) -> None:
    outcome = cli(*words)
    assert outcome.status == 2
    assert outcome.err.startswith(f"usage: pfsm {command} ")
    (line,) = [line for line in outcome.err.splitlines() if "error:" in line]
    assert line.startswith(f"pfsm {command}: error: unknown option {typed}; did you mean {meant}?")


def test_a_mistyped_command_and_choice(cli: Cli, write: Write) -> None:
    assert "did you mean score?" in cli("scoer").err
    assert "did you mean convert?" in cli("data", "convrt").err
    write("r.txt", "a\n")
    assert "did you mean json?" in cli("score", "r.txt", "-f", "jsn").err


def test_values_that_look_like_options(cli: Cli, write: Write) -> None:
    write("r.txt", "a\n")
    write("--h.txt", "a\n")
    assert cli("score", "--metric", "chrf", "-i", "r.txt", "--", "r.txt").status == 0
    assert cli("score", "--metr", "chrf", "r.txt", "--input=--h.txt").status == 0, (
        "a unique beginning is enough"
    )


class TestPlaces:
    def test_the_lists_are_complete(self) -> None:
        assert places.SETTINGS == SETTINGS
        for name, keys in places.OPTIONS.items():
            for key in keys:
                with pytest.raises(PfsmError) as raised:
                    MATCHERS[name].check({key: object()}, "here")
                assert "unknown option" not in str(raised.value)

    @pytest.mark.parametrize(
        ("key", "place"),
        [
            ("folds", "at the top of an experiment's file"),
            ("score_column", "in a data set of an experiment, under `train:` or `test:`, or on the command line"),
            ("direction", "under `options: {para: …}`"),
            ("lambda", "at the top of a settings file (`pfsm train --config`), or under `train:`"),
        ],
    )  # fmt: skip
    def test_a_key_in_the_wrong_place(self, key: str, place: str) -> None:
        with pytest.raises(
            PfsmError, match=re.escape(f"c.yaml: unknown setting '{key}'; it belongs {place}")
        ):
            settings_from_dict({key: 1}, "c.yaml")


@pytest.mark.parametrize(
    ("name", "code"), [("german", "de"), ("German", "de"), ("Icelandic", "is"), ("deu", "deu")]
)
def test_names_of_languages(name: str, code: str) -> None:
    settings = settings_from_dict({"language": name}, "c.yaml")
    assert settings.language == code
    assert settings == settings_from_dict({"language": code}, "c.yaml")
