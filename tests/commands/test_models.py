"""`pfsm models`: what ships."""

from pathlib import Path

from pfsm.model.shipped import DEFAULT_MODEL, find_model, shipped_models
from tests.command_runs import Cli


def test_every_shipped_model_is_listed(cli: Cli) -> None:
    lines = cli("models").lines
    headings = [line for line in lines if not line.startswith(" ")]
    assert headings == [
        f"{model.name} (default)" if model.name == DEFAULT_MODEL else model.name for model in shipped_models()
    ]
    assert f"{DEFAULT_MODEL} (default)" in headings
    assert f"    licence: {find_model(DEFAULT_MODEL).licence}" in lines


def test_json(cli: Cli) -> None:
    entries = {entry["name"]: entry for entry in cli("models", "--format", "json").document}
    assert list(entries) == [model.name for model in shipped_models()]
    for name, entry in entries.items():
        model = find_model(name)
        assert entry["language"] == model.settings.language
        assert entry["matchers"] == ", ".join(model.settings.matchers)
        assert entry["scale"] == model.scale.note
        assert entry["fingerprint"] == model.fingerprint
        assert Path(entry["card"]).read_text(encoding="utf-8").startswith(f"# {name}\n")
        assert entry.get("needs", "") == model.training.get("needs", "")
        files = len(model.training["data"])
        assert entry["trained on"] == (
            f"{model.training['judgments']} judgments in {'1 file' if files == 1 else f'{files} files'}"
        )
