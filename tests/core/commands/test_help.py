"""Help, listings and warm-up: pages that messages cite, mistyped names, what ships, what is compiled."""

import re
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from pfsm.commands import COMMANDS, by_task, warmup
from pfsm.commands.options import EXAMPLES, Parser, example_of
from pfsm.commands.warmup import USUAL, all_runs, write_inputs
from pfsm.metrics.registry import describe_feature, feature_names, metric_names
from pfsm.model.shipped import find_model, shipped_models
from pfsm_kernels.cache import FILLED
from tests.command_runs import Cli, Write

ROOT = Path(__file__).resolve().parents[3]


def test_messages_cite_pages_that_exist() -> None:
    cited = {
        page
        for folder in ("pfsm", "training", "linguistics")
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
        import_module(COMMANDS[name].module).add_arguments(parser)
        for command in helps(parser):
            seen.add(command)
            text = cli(*command.split(), "--help").out
            lines = text.splitlines()
            assert len(lines) <= 70, command
            assert max(map(len, lines)) <= 80, command
            assert (example := example_of(command)).splitlines()[0] in "\n".join(lines[:9])
            assert set(re.findall(r"\b[a-z]+\.(?:txt|tsv|yaml|json|html)", example)) <= demo | made
            assert len(lines) < 45 or "\nrunning:\n" in text or "\nscores:\n" in text, "options have headings"
    assert seen >= set(EXAMPLES) - {"pfsm"}


def test_the_commands_are_listed_by_task(cli: Cli) -> None:
    lines = cli("--help").lines
    for task, commands in by_task().items():
        start = lines.index(f"{task}:") + 1
        assert [line.split()[0] for line in lines[start : start + len(commands)]] == list(commands)


def test_models(cli: Cli) -> None:
    names = [model.name for model in shipped_models()]
    head, *rows = cli("models").lines[: 1 + len(names)]
    assert head.split() == ["name", "languages", "agreement", "pairs/s", "size", "needs"]
    assert [row.split()[0] for row in rows] == names
    assert max(map(len, rows)) <= 80
    sizes = dict(zip(names, (float(row.split(" MB")[0].split()[-1]) for row in rows), strict=True))
    assert sizes["en-small"] < 1.0
    assert sizes["en"] > 20.0, "the encoder counts"
    entries = {entry["name"]: entry for entry in cli("models", "--format", "json").document}
    assert list(entries) == names
    for name, entry in entries.items():
        model = find_model(name)
        assert entry["language"] == model.settings.language
        assert entry["fingerprint"] == model.fingerprint
        assert Path(entry["card"]).read_text(encoding="utf-8").startswith(f"# {name}\n")


def test_metrics_and_features(cli: Cli) -> None:
    assert [line.split()[0] for line in cli("metrics").lines[:-1]] == list(metric_names())
    assert [line.split()[0] for line in cli("metrics", "--features").lines] == list(feature_names())
    document = cli("metrics", "--features", "-f", "json").document
    assert document["bleu"] == describe_feature("bleu")
    assert document["bleu.1"] == "part of bleu"
    assert document["embedding_recall"] == "the recall in embedding_f1"
    assert all(document.values())


def test_the_runs_are_commands_with_files_that_are_there(tmp_path: Path) -> None:
    """All models and metrics are among them, so a new one is compiled ahead, too."""
    write_inputs(tmp_path)
    models: set[str] = set()
    metrics: set[str] = set()
    for name, arguments in all_runs():
        parser = ArgumentParser(exit_on_error=False)
        import_module(COMMANDS[name].module).add_arguments(parser)
        options = vars(parser.parse_args(list(arguments)))
        for kind, scorer in options.get("scorers") or []:
            (metrics if kind == "metric" else models).add(scorer)
        inputs = options.get("input") or []
        paths = [*([inputs] if isinstance(inputs, str) else inputs), *(options.get("references") or [])]
        paths += [*(options.get("data") or []), *filter(None, [options.get("config")])]
        assert paths or name == "parse"
        for path in paths:
            assert (tmp_path / path).is_file(), (name, path)
    assert metrics == set(metric_names())
    assert models >= {model.name for model in shipped_models()}
    tour = (Path(__file__).parents[3] / "scripts" / "demo.py").read_text(encoding="utf-8")
    told = re.findall(r'^    pfsm\(\s*"(\w+)"', tour, re.MULTILINE)
    assert (told[0], {*told[1:]}) == ("warmup", {name for name, _ in USUAL})


def test_it_says_where_kernels_are_and_what_was_left_out(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warmup, "FOLDER", tmp_path)
    monkeypatch.setattr(warmup, "all_runs", lambda: [("score", ()), ("train", ())])
    monkeypatch.setattr(warmup, "run_quietly", lambda run, _: "no PyTorch" if run[0] == "train" else None)
    assert (cli("warmup", "--usual").status, (tmp_path / FILLED).exists()) == (0, False)  # not all are there
    done = cli("warmup")
    assert done.status == 0, done.err
    assert done.lines == ["left out of `pfsm train`: no PyTorch", f"compiled kernels are in {tmp_path}"]
    assert (tmp_path / FILLED).exists()
    assert cli("warmup", "--quiet").out == ""


def test_kernels_that_nobody_could_use_are_not_compiled(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "is_kept", lambda: False)
    assert cli("warmup").fault == (
        "no folder can be written in which compiled kernels could be kept; set NUMBA_CACHE_DIR to one that can"
    )
