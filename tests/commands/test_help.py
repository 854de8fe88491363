"""Pages that messages cite, mistyped names, and keys in the wrong place."""

import re
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from pfsm.commands import COMMANDS, TASKS
from pfsm.commands.parsers import EXAMPLES, Parser
from pfsm.errors import PfsmError
from pfsm.matchers.registry import MATCHERS
from pfsm.model.settings import KEYS as SETTINGS
from pfsm.model.settings import settings_from_dict
from pfsm.runtime import names as places
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


def test_mistyped_names(cli: Cli, write: Write) -> None:
    outcome = cli("data", "info", "--formt", "json", "d.tsv")
    assert outcome.status == 2
    assert outcome.err.startswith("pfsm data info: error: unknown option --formt; did you mean --format?")
    unknown = cli("scoer").err
    assert "did you mean score?" in unknown
    assert unknown.count("\n") == 1
    assert len(unknown) < 120, "a long list of names is not repeated"
    write("r.txt", "a\n")
    assert "did you mean json?" in cli("score", "r.txt", "-f", "jsn").err


def helps(parser: ArgumentParser) -> Iterator[str]:
    """A command, and its actions."""
    yield parser.prog.removeprefix("pfsm ")
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for one in action.choices.values():
                yield from helps(one)


def test_every_help_is_a_page_that_begins_with_an_example(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    demo = {"train.tsv", "test.tsv", "table.yaml", *(f"{name}.txt" for name in ("amber", "birch", "cedar"))}
    made = {"model.json", "page.html", "judgments.tsv", "pairs.tsv", "phrases.txt", "reference.txt"}
    seen = set()
    for name in COMMANDS:
        parser = Parser(prog=f"pfsm {name}")
        import_module(f"pfsm.commands.{name}").add_arguments(parser)
        for command in helps(parser):
            seen.add(command)
            text = cli(*command.split(), "--help").out
            lines = text.splitlines()
            assert len(lines) <= 70, command
            assert max(map(len, lines)) <= 80, command
            assert EXAMPLES[command].splitlines()[0] in "\n".join(lines[:9])
            assert set(re.findall(r"\b[a-z]+\.(?:txt|tsv|yaml|json|html)", EXAMPLES[command])) <= demo | made
            assert len(lines) < 45 or "\nrunning:\n" in text or "\nscores:\n" in text, "options have headings"
    assert seen == set(EXAMPLES) - {"pfsm"}


def test_the_commands_are_listed_by_task(cli: Cli) -> None:
    lines = cli("--help").lines
    for task, commands in TASKS.items():
        start = lines.index(f"{task}:") + 1
        assert [line.split()[0] for line in lines[start : start + len(commands)]] == list(commands)


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
