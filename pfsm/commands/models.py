"""``pfsm models``: lists the shipped models."""

import json
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

from pfsm.commands.options import declare
from pfsm.commands.output import print_columns, print_json
from pfsm.io.named_resources import DISTRIBUTIONS, MODELS, folder_beside
from pfsm.model.file import Model, load_model
from pfsm.model.shipped import DEFAULT_MODEL, ShippedModel, shipped_models
from pfsm.text.language_names import ANY, english_name

UNKNOWN = "–"
_ENCODER = re.compile(r"head=(\w+),source=shipped:(\w+)")


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    declare(parser, "@format text json")


def run(options: Namespace) -> None:
    """Lists the models."""
    found = documents()
    if options.format == "json":
        print_json(found)
        return
    print_columns([("name", "languages", "agreement", "pairs/s", "size", "needs"), *map(_row, found)])
    for name in sorted(set(MODELS) - {document["name"] for document in found}):
        print(f"{name} is not installed; in a checkout: pip install {DISTRIBUTIONS[MODELS[name]]}")
    peer = _figures()["chrF++"]
    print(f"""
{DEFAULT_MODEL} is the default. agreement: Kendall's tau with people's rankings (WMT12); chrF++ {peer["agreement"]}
pairs/s: new pairs a second on one core; chrF++ {peer["pairs_per_second"]:,}. {UNKNOWN}: not measured
`pfsm models -f json` has more, such as the path of each model's card.""")


def documents() -> list[dict[str, Any]]:
    """What `pfsm models --format json` prints: a mapping for each model that is installed."""
    figures = _figures()
    return [_document(shipped, load_model(shipped.path), figures) for shipped in shipped_models()]


def _figures() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(
        (files("pfsm.resources") / "figures.json").read_text(encoding="utf-8")
    )
    return found


def _row(document: dict[str, Any]) -> tuple[str, ...]:
    speed = document.get("pairs_per_second")
    return (
        document["name"],
        "any but English" if document["language"] == ANY else english_name(document["language"]),
        document.get("agreement", UNKNOWN),
        UNKNOWN if speed is None else f"{speed:,}",
        f"{document['bytes'] / 1e6:.1f} MB",
        document.get("needs", "nothing more"),
    )


def _document(shipped: ShippedModel, model: Model, figures: dict[str, dict[str, Any]]) -> dict[str, Any]:
    data = model.training.get("data", [])
    card = shipped.path.with_suffix(".md")
    return {
        "name": shipped.name,
        **{key: model.training[key] for key in ("uses", "needs") if key in model.training},
        "language": model.settings.language,
        **figures.get(shipped.name, {}),
        "bytes": sum(path.stat().st_size for path in _files(shipped.path, model.settings.features)),
        "matchers": ", ".join(model.settings.matchers),
        **({"features": ", ".join(model.settings.features)} if model.settings.features else {}),
        "trained on": f"{model.training.get('judgments', '?')} judgments in {len(data)} "
        f"{'file' if len(data) == 1 else 'files'}",
        "scale": model.scale.note,
        "licence": model.licence,
        "fingerprint": model.fingerprint,
        **({"card": str(card)} if card.is_file() else {}),
    }


def _files(path: Path, features: Iterable[str]) -> list[Path]:
    """The model's file, and those of its encoder."""
    found = [path]
    for head, name in _ENCODER.findall(" ".join(features)):
        folder = folder_beside(name) or Path(str(files("pfsm.resources") / "encoder" / name))
        found += [path.parent / f"encoder-{head}.safetensors", *folder.iterdir()]
    return [one for one in found if one.is_file()]
