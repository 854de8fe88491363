"""``pfsm help``, mistyped names, and keys in the wrong place."""

import re
from pathlib import Path

import pytest

from pfsm.commands import COMMANDS
from pfsm.commands.help import topics
from pfsm.errors import PfsmError
from pfsm.matchers.registry import MATCHERS
from pfsm.model.settings import KEYS as SETTINGS
from pfsm.model.settings import settings_from_dict
from pfsm.runtime import yaml_keys as places
from tests.command_runs import Cli, Write

ROOT = Path(__file__).resolve().parents[2]


class TestHelp:
    def test_lists_every_page(self, cli: Cli) -> None:
        lines = cli("help").lines
        for path in (ROOT / "docs").glob("*.md"):
            title = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
            assert any(line.split()[:1] == [path.stem] and line.endswith(title) for line in lines)

    def test_prints_a_page_without_links_to_files(self, cli: Cli) -> None:
        printed = cli("help", "settings").out
        assert printed.startswith("# ")
        assert not re.search(r"\]\([^)]*\)", printed)

    @pytest.mark.parametrize("command", [name for name in COMMANDS if name not in topics()])
    def test_explains_a_command(self, command: str, cli: Cli) -> None:
        assert cli("help", command).out.startswith(f"usage: pfsm {command} ")

    def test_an_unknown_topic(self, cli: Cli) -> None:
        fault = cli("help", "setings").fault
        assert (
            fault == "no topic and no command 'setings'; did you mean settings?; `pfsm help` lists the topics"
        )

    def test_messages_cite_topics_that_exist(self) -> None:
        cited = {
            topic
            for folder in ("pfsm", "training")
            for path in (ROOT / folder).rglob("*.py")
            for topic in re.findall(r"pfsm help ([a-z-]+)`", path.read_text(encoding="utf-8"))
        }
        assert {"settings", "security", "extending", "experiments"} <= cited <= set(topics()) | {"help"}

    def test_no_message_cites_a_file_that_the_wheel_lacks(self) -> None:
        quoted = re.compile(r'"[^"\n]*\b(?:docs|configs|tests|scripts)/[^"\n]*"')
        for folder in ("pfsm", "training"):
            for path in (ROOT / folder).rglob("*.py"):
                if path.name != "card.py":  # a card says how a parser was built, not what to do
                    assert not quoted.search(path.read_text(encoding="utf-8")), path


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
