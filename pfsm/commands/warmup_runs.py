"""What `pfsm warmup` runs: other commands on a few made-up sentences, with all models, metrics and statistics.

Which machine code a kernel needs depends on the types of what it is called with, so nothing but the commands
themselves tells: they are run as people run them.
"""

import contextlib
import io
import json
import warnings
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from pfsm.embeddings.encoders import DEFAULT_SOURCE, load_encoder, pinned
from pfsm.encoder.head import N_KNOTS, PARTS, Head
from pfsm.encoder.heads import feature_name, remember
from pfsm.errors import PfsmError, PfsmWarning
from pfsm.evaluation.catalogue import BY_LEVEL, DOCUMENT, LEVELS, PREFERENCES, SEGMENT, SYSTEM
from pfsm.lattice.names import sentence_feature
from pfsm.metrics import metric_names
from pfsm.model.file import Model, save_model
from pfsm.model.settings import Settings
from pfsm.model.shipped import shipped_models

Run = tuple[str, tuple[str, ...]]

_REFERENCES = (
    "The old baker opens his small shop at six in the morning .",
    "She did not read the long letter , because it was raining .",
    "Two children are playing near the river with a red ball .",
    "It costs 25 euros .",
)
_OTHERS = (
    "The old baker opened the little shop at six a.m. .",
    "She never read that long letter since it rained .",
    "Near the river two kids play with a red ball .",
    "The price is 25 euros .",
)
_SYSTEMS = (
    (
        "At six in the morning the old baker opens his store .",
        "She did not reads the letter long , it was raining .",
        "Two child plays by the river with red balls .",
        "It costs 52 euros .",
    ),
    (
        "Old baker his small shop opens at six .",
        "She read the long letter .",
        "Near the river , two children are playing with a red ball .",
        "",
    ),
)
_JUDGED = 5
# Models of which none ships, with their jump limits and scales of weights: with swaps; with weights so large that
# another rate has to be found, or that sums are taken in log space.
MADE = (("jump", 2, 1.0), ("wide-range", 0, 60.0), ("large", 0, 500.0), ("large-jump", 2, 500.0))
PIECES = "pieces.json"
_WEIGHTS = {"Insert": -0.5, "Delete": -1.25, "S_word": 2.0, "S_lemma": 1.0, "Insert>Insert": -0.25}
_HEADER = "system\tdocument\tsegment_id\treference\treference_2\thypothesis\tother\tscore"
_PREFERENCES = "reference\tbetter\tworse\tbetter_system\tworse_system\tsegment_id"


def write_inputs(folder: Path) -> None:
    """Writes the files that `all_runs` names."""
    texts: dict[str, Sequence[str]] = {
        "ref": _REFERENCES,
        "ref2": _OTHERS,
        "one": _SYSTEMS[0],
        "two": _SYSTEMS[1],
    }
    texts["candidates"] = [line for pair in zip(*_SYSTEMS, strict=True) for line in pair]
    # Many different characters in one pair, and many matches in one batch.
    texts["wide"] = ["".join(map(chr, range(0x4E00, 0x4E00 + 1100)))]
    texts["many"] = [*_REFERENCES, *_OTHERS] * 8
    for name, lines in texts.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    judged, preferred = [_HEADER], [_PREFERENCES]
    for round_ in range(_JUDGED):
        for place, reference in enumerate(_REFERENCES):
            segment = round_ * len(_REFERENCES) + place
            sides = [system[(place + round_) % len(_REFERENCES)] or "." for system in (*_SYSTEMS, _OTHERS)]
            for number, side in enumerate(sides):
                score = number + 0.25 * place + 0.125 * (round_ % 3)
                judged.append(
                    f"s{number}\td{place % 2}\t{segment}\t{reference}\t{_OTHERS[place]}\t{side}\t{segment % 4}\t{score}"
                )
                worse = sides[number - 1]
                preferred.append(f"{reference}\t{side}\t{worse}\ts{number}\ts{(number - 1) % 3}\t{segment}")
    (folder / "judged.tsv").write_text("\n".join(judged) + "\n", encoding="utf-8")
    (folder / "preferred.tsv").write_text("\n".join(preferred) + "\n", encoding="utf-8")
    for name, jump, scale in MADE:
        (folder / f"{name}.json").write_text(json.dumps(_model(name, jump, scale)), encoding="utf-8")
    _write_over_encoder(folder)
    for name, settings in (("plain", {}), ("jumps", {"max_jump": 2})):
        text = json.dumps({"language": "en", "lambda": 1.0, **settings})
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")


def _write_over_encoder(folder: Path) -> None:
    """A model with something learned over the encoder that ships, and the file beside it."""
    source = pinned(DEFAULT_SOURCE)
    encoder = load_encoder(source)
    d, layers = encoder.dimension, encoder.layers + 1
    shapes = {"mix": (layers,), "token_edits": (d, 3), "token_weight": (d,), "transitions": (3, 3)}
    arrays: dict[str, Any] = {name: np.zeros(shape, dtype=np.float32) for name, shape in shapes.items()}
    head = Head(
        **arrays | {"mix": np.full(layers, 1.0 / layers, dtype=np.float32)},
        projection=np.eye(d, dtype=np.float32),
        knots=np.linspace(-4.0, 2.0, N_KNOTS, dtype=np.float32),
        edits=np.full(2, -1.0, dtype=np.float32),
        linear=np.ones(len(PARTS), dtype=np.float32),
        constant=np.zeros(1, dtype=np.float32),
    )
    name = feature_name(remember(head), source)
    weights = {sentence_feature(name): 1.0}
    save_model(Model("pieces", Settings(features={name: (0.0, 1.0)}), weights), folder / PIECES)


def _model(name: str, jump: int, scale: float) -> dict[str, Any]:
    weights = {**_WEIGHTS, **({"Jump": -1.0} if jump else {})}
    return {
        "format": "pfsm-model-1",
        "name": name,
        "settings": {"language": "en", "max_jump": jump, "max_block": 2},
        "weights": {key: scale * value for key, value in weights.items()},
        "alpha": 0.25,
        "scale": {"mean": 0, "sd": 1},
        "training": {},
        "licence": "not stated",
    }


def all_runs() -> list[Run]:
    """Commands with their arguments, which name files of `write_inputs`."""
    models = [model.name for model in shipped_models()]
    made = [*(f"{name}.json" for name, *_ in MADE), PIECES]
    runs: list[Run] = [("score", ("ref", "-i", "one", "-m", name)) for name in (*models, *made)]
    runs += [("score", ("ref", "ref2", "-i", "one", "two", "-sl", "-m", name)) for name in models]
    runs += [("explain", ("ref", "-i", "one", "-m", name)) for name in (*models, *made)]
    for name in metric_names():
        runs += [("score", ("ref", "ref2", "-i", "one", "--metric", name))]
        runs += [("score", ("ref", "-i", "one", "-sl", "--metric", name))]
    runs += [("score", (name, "-i", name, "-m", "en")) for name in ("wide", "many")]
    runs += [("compare", ("ref", "-i", "one", "two", "--confidence-n", "20"))]
    runs += [("mbr", ("-i", "candidates", "-n", "2"))]
    runs += [("parse", ("ref", "--format", form, "--no-cache")) for form in ("conllu", "ptb", "nbest")]
    runs += [("evaluate", arguments) for arguments in _evaluations()]
    runs += [
        ("train", ("judged.tsv", "-o", f"{name}.model", "--config", f"{name}.yaml"))
        for name in ("plain", "jumps")
    ]
    return runs


def _evaluations() -> Iterator[tuple[str, ...]]:
    usual = "--confidence-n", "20"
    for level in LEVELS:
        names = ",".join(BY_LEVEL[level])
        yield "judged.tsv", "--column", "other", "--level", level, "--statistics", names, *usual
    yield "judged.tsv", "--metric", "chrf", "--level", SYSTEM, "--statistics", "spa", *usual
    yield "judged.tsv", "--metric", "bleu", "--level", DOCUMENT, *usual
    for test in ("bootstrap", "perm-both"):
        yield "judged.tsv", "--column", "other", "--versus", "metric:chrf", "--test", test, *usual
    yield "preferred.tsv", "--metric", "chrf", "--statistics", ",".join(PREFERENCES), *usual
    yield "judged.tsv", "--metric", "chrf", "--statistics", ",".join((*BY_LEVEL[SEGMENT], "king")), *usual


def run_quietly(run: Run, folder: Path) -> str | None:
    """Runs one command in a folder and throws away what it prints.

    Returns:
        Why it cannot run, such as what is not installed; None if it could.
    """
    name, arguments = run
    command = import_module(f"pfsm.commands.{name}")
    parser = ArgumentParser(prog=f"pfsm {name}")
    command.add_arguments(parser)
    options = parser.parse_args(list(arguments))
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", PfsmWarning)
        try:
            command.run(options)
        except PfsmError as error:
            return str(error)
    return None


__all__: Sequence[str] = ["Run", "all_runs", "run_quietly", "write_inputs"]
