"""Faulty settings, models, outputs and options: status 2, one line, nothing overwritten."""

from pathlib import Path

import pytest

from tests.command_runs import Cli, Write
from tests.commands.refusals import MODEL, compare, evaluate, train
from tests.model_cases import saved

pytestmark = pytest.mark.usefixtures("good_files")


class TestConfig:
    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            ("lambda: 5\nlanguage: en\nlambda: 1\n", "c.yaml:3: duplicate key 'lambda'"),
            ("options:\n  syn:\n    table: a\n    table: b\n", "c.yaml:4: duplicate key 'table'"),
            ("lamda: 5\n", "c.yaml: unknown key 'lamda'; did you mean lambda"),
            ("a: [1\nb: 2\n", "c.yaml:2: not valid YAML ("),
            ("max_block: 2\n\tlambda: 1\n", "c.yaml:2: not valid YAML ("),
            ("- lambda\n", "c.yaml: must hold lines `key: value`; keys are "),
            ("5\n", "c.yaml: must hold lines `key: value`; keys are "),
            ("1: 2\n", "c.yaml: must hold lines `key: value`; keys are "),
            ("x: !!python/object:os.system 1\n", "c.yaml:1: not valid YAML ("),
            ("x: \x07\n", "c.yaml: not valid YAML ("),
            ("lambda: 2024-13-45\n", "c.yaml: not valid YAML ("),
            ("[" * 5000, "c.yaml: not valid YAML ("),
            ("lambda: -1\n", "c.yaml: lambda is -1, it must be a number from 0"),
            ("lambda: .nan\n", "c.yaml: lambda is nan, it must be a number from 0"),
            ("lambda: true\n", "c.yaml: lambda is True, it must be a number from 0"),
            ("lambda: Auto\n", "c.yaml: lambda is 'Auto', it must be a number from 0"),
            ("lambda:\n", "c.yaml: lambda is None, it must be a number from 0"),
            ("language: no\n", "c.yaml: language is False, it must be a name in quotes"),
            ("matchers: [word, wrod]\n", "c.yaml: unknown matcher 'wrod'; known are punct, word, lemma"),
            ("matching: both\n", "c.yaml: matching is 'both', it must be one of exclusive, overlapping"),
            ("max_block: {word: 0}\n", "c.yaml: max_block is 0, it must be a whole number from 1 to 9"),
            ("max_jump: 1.5\n", "c.yaml: max_jump is 1.5, it must be a whole number from 0"),
            ("solver: sgd\n", "c.yaml: solver is 'sgd', it must be one of gauss-newton, lbfgs"),
            ("objective: [squared_error]\n", "c.yaml: objective is ['squared_error'], it must be one of "),
        ],
    )
    def test_bad_yaml(self, content: str, expected: str, cli: Cli, write: Write) -> None:
        write("c.yaml", content)
        assert train(cli, "good.tsv", "--config", "c.yaml").startswith(expected)

    def test_undecodable_and_missing(self, cli: Cli, write: Write) -> None:
        write("c.yaml", b"language: \xff\n")
        assert train(cli, "good.tsv", "--config", "c.yaml").startswith("c.yaml:1: not UTF-8 (byte 0xff")
        assert train(cli, "good.tsv", "--config", "nope.yaml") == "nope.yaml: no such file"

    @pytest.mark.parametrize("option", ["--config", "--init", "--dev"])
    def test_an_option_left_empty_by_a_script_is_not_ignored(self, option: str, cli: Cli) -> None:
        assert train(cli, "good.tsv", option, "").startswith("'': ")


class TestModels:
    """In every command that takes one; what is wrong with a file is in tests/test_model_refusal.py."""

    COMMANDS = (
        ("score", "ref.txt", "-i", "hyp.txt", "-m"),
        ("score", "--table", "good.tsv", "-m"),
        ("compare", "ref.txt", "-i", "hyp.txt", "other.txt", "--sentences", "out.tsv", "-m"),
        ("evaluate", "good.tsv", "-m"),
        ("show",),
        ("train", "good.tsv", "--output", "out.json", "--init"),
    )

    @pytest.mark.parametrize("command", COMMANDS)
    def test_unknown(self, command: tuple[str, ...], cli: Cli) -> None:
        for name in ("en-smal", "no/such/file.json", "x" * 400, ""):
            fault = cli(*command, name).fault
            assert fault.startswith(
                f"{name or repr(name)}: no such file and no model of this name; shipped models: en-"
            )

    @pytest.mark.parametrize("command", COMMANDS)
    def test_broken(self, command: tuple[str, ...], cli: Cli, write: Write) -> None:
        write("m.json", '{"format": "pfsm-model-1",\n"name": oops}')
        assert cli(*command, "m.json").fault == "m.json:2: not valid JSON (Expecting value)"
        write("m.json", '{"format": "pfsm-model-2"}')
        assert cli(*command, "m.json").fault.startswith(
            "m.json: format is 'pfsm-model-2', this version of pfsm reads"
        )
        write("m.json", b"\x80")
        assert cli(*command, "m.json").fault.startswith("m.json:1: not UTF-8 (byte 0x80")
        assert cli(*command, ".").fault == ".: is a folder, a file is needed"

    @pytest.mark.parametrize("command", COMMANDS)
    def test_mangled_by_hand(self, command: tuple[str, ...], cli: Cli, tmp_path: Path) -> None:
        saved(tmp_path, "m.json", weights={"Insert": 1, "S_wrod": 2})
        assert cli(*command, "m.json").fault.startswith(
            "m.json: weights names 'S_wrod', which no machine has"
        )
        saved(tmp_path, "m.json", settings={"matchers": "word"})
        assert (
            cli(*command, "m.json").fault
            == "m.json: settings: matchers is 'word', it must be a list of names"
        )
        saved(tmp_path, "m.json", alpha=float("nan"))
        assert cli(*command, "m.json").fault == "m.json: alpha is nan, a finite number is needed"
        saved(tmp_path, "m.json", training={"data": [5]})
        assert cli(*command, "m.json").fault == "m.json: training.data must be a list of objects, in braces"


class TestOutput:
    @pytest.fixture(params=["train", "compare"])
    def command(self, request: pytest.FixtureRequest) -> tuple[str, ...]:
        """A command up to the name of its output."""
        commands = {
            "train": ("train", "good.tsv", "--output"),
            "compare": ("compare", "ref.txt", "-i", "hyp.txt", "other.txt", *MODEL, "--sentences"),
        }
        return commands[str(request.param)]

    def test_a_folder_that_does_not_exist(self, command: tuple[str, ...], cli: Cli) -> None:
        assert cli(*command, "no/such/file").fault == "no/such: no such folder; create it first"

    def test_a_folder_and_no_name(self, command: tuple[str, ...], cli: Cli, tmp_path: Path) -> None:
        assert cli(*command, str(tmp_path)).fault == f"{tmp_path}: is a folder, a file name is needed"
        assert cli(*command, "").fault == "output '': is not a file name; give the name of a file"

    def test_a_file_in_the_place_of_a_folder(self, command: tuple[str, ...], cli: Cli) -> None:
        assert cli(*command, "ref.txt/x").fault == "ref.txt: is not a folder"

    def test_no_permission(self, command: tuple[str, ...], cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("pfsm.io.files.os.access", lambda *_, **__: False)
        assert cli(*command, "new").fault.endswith(": no permission to write into this folder")

    def test_an_input_is_not_replaced(self, command: tuple[str, ...], cli: Cli, tmp_path: Path) -> None:
        name = "good.tsv" if command[0] == "train" else "other.txt"
        before = (tmp_path / name).read_bytes()
        (tmp_path / "link").symlink_to(tmp_path / name)
        for path in (name, f"./{name}", str(tmp_path / name), "link"):
            fault = cli(*command, path).fault
            assert (
                fault == f"{path}: is an input, which the output would replace; give the output another name"
            )
        assert (tmp_path / name).read_bytes() == before

    def test_nor_are_references_models_settings_and_development_sets(self, cli: Cli, write: Write) -> None:
        write("c.yaml", "lambda: 5\n")
        compared = ("compare", "ref.txt", "-i", "hyp.txt", "other.txt", *MODEL, "--sentences")
        trained = ("train", "good.tsv", "--config", "c.yaml", "--dev", "pairs.tsv", "--output")
        for command, names in (
            (compared, ("ref.txt", "hyp.txt", "hand.json")),
            (trained, ("c.yaml", "pairs.tsv")),
        ):
            for name in names:
                assert cli(*command, name).fault.startswith(f"{name}: is an input")


class TestArguments:
    @pytest.mark.parametrize("name", ["", " ", "two\nlines", "bell\x07", "\udcff"])
    @pytest.mark.parametrize("option", ["--name", "--licence"])
    def test_a_name_that_a_model_file_cannot_have(self, option: str, name: str, cli: Cli) -> None:
        assert train(cli, "good.tsv", option, name) == f"{option} is {name!r}, it must be a line of text"

    @pytest.mark.parametrize("seed", ["x", "-1", "1.5", "", "0x10"])
    def test_a_seed_that_is_no_number(self, seed: str, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PFSM_SEED", seed)
        expected = f"environment variable PFSM_SEED is {seed!r}, a whole number from 0 up is needed"
        assert evaluate(cli, "good.tsv") == expected
        assert compare(cli, "ref.txt", "-i", "hyp.txt", "other.txt") == expected

    @pytest.mark.parametrize(
        "arguments",
        [
            (),
            ("--threads", "0"),
            ("--threads", "two"),
            ("--threads", "²"),
            ("--width", "-1"),
            ("--width", "99999999999"),
            ("--format", "xml"),
            ("--no-such-option",),
        ],
    )
    def test_wrong_usage(self, arguments: tuple[str, ...], cli: Cli) -> None:
        command = ("score", "ref.txt", "-i", "hyp.txt", *MODEL, *arguments) if arguments else ("train",)
        outcome = cli(*command)
        assert (outcome.status, outcome.out) == (2, "")
        assert f"pfsm {command[0]}: error: " in outcome.err or "pfsm: error: " in outcome.err
        assert "Traceback" not in outcome.err

    def test_an_unknown_command(self, cli: Cli) -> None:
        outcome = cli("scoer")
        assert (outcome.status, outcome.out) == (2, "")
        assert "invalid choice: 'scoer'" in outcome.err
