"""``pfsm models``: lists the models that ship with pfsm."""

import json
from argparse import ArgumentParser, Namespace

from pfsm.commands.arguments import add_format
from pfsm.model.file import Model, load_model
from pfsm.model.shipped import DEFAULT_MODEL, ShippedModel, shipped_models


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    add_format(parser, "text", "json")


def run(options: Namespace) -> None:
    """Lists the models."""
    documents = [_document(shipped, load_model(shipped.path)) for shipped in shipped_models()]
    if options.format == "json":
        print(json.dumps(documents, indent=1, ensure_ascii=False))
        return
    for document in documents:
        name = document["name"]
        print(f"{name}{' (default)' if name == DEFAULT_MODEL else ''}")
        for key, value in document.items():
            if key != "name":
                print(f"    {key}: {value}")


def _document(shipped: ShippedModel, model: Model) -> dict[str, object]:
    data = model.training.get("data", [])
    card = shipped.path.with_suffix(".md")
    return {
        "name": shipped.name,
        **{key: model.training[key] for key in ("uses", "needs") if key in model.training},
        "language": model.settings.language,
        "matchers": ", ".join(model.settings.matchers),
        **({"features": ", ".join(model.settings.features)} if model.settings.features else {}),
        "trained on": f"{model.training.get('judgments', '?')} judgments in {len(data)} "
        f"{'file' if len(data) == 1 else 'files'}",
        "scale": model.scale.note,
        "licence": model.licence,
        "fingerprint": model.fingerprint,
        **({"card": str(card)} if card.is_file() else {}),
    }
