"""``pfsm models``: what ships with this installation."""

import json
from argparse import ArgumentParser, Namespace

from pfsm.commands.arguments import add_format
from pfsm.model import Model, load_model
from pfsm.models import DEFAULT_MODEL, shipped_models


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    add_format(parser, "text", "json")


def run(options: Namespace) -> None:
    """Lists the models."""
    models = [(shipped.name, load_model(shipped.path)) for shipped in shipped_models()]
    if options.format == "json":
        print(json.dumps([_document(name, model) for name, model in models], indent=1, ensure_ascii=False))
        return
    for name, model in models:
        print(f"{name}{' (default)' if name == DEFAULT_MODEL else ''}")
        for key, value in _document(name, model).items():
            if key != "name":
                print(f"    {key}: {value}")


def _document(name: str, model: Model) -> dict[str, object]:
    data = model.training.get("data", [])
    return {
        "name": name,
        "language": model.settings.language,
        "matchers": ", ".join(model.settings.matchers),
        "trained on": f"{model.training.get('judgments', '?')} judgments in {len(data)} files",
        "scale": model.scale.note,
        "licence": model.licence,
        "fingerprint": model.fingerprint,
    }
