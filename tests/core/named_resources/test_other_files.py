"""Every other kind of file that a command reads: whatever is planted in it, nothing runs."""

import gzip
import os
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.command_runs import Cli, Write, text
from tests.core.embeddings.networks import write_network
from tests.core.named_resources.conftest import COMMAND, Canary
from tests.core.named_resources.test_model_files import options
from tests.judgment_cases import rows, tsv
from tests.model_cases import saved


class Bomb:
    """What runs a program when it is unpickled."""

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, ("touch canary",)


PICKLE = pickle.dumps(Bomb())
YAML = '!!python/object/apply:os.system ["touch canary"]\n'
PAYLOADS: dict[str, bytes] = {
    "a pickle": PICKLE,
    "a pickle, gzipped": gzip.compress(PICKLE, mtime=0),
    "an old pickle": pickle.dumps(Bomb(), protocol=0),
    "tagged YAML": YAML.encode(),
    "tagged YAML in a key": f"language: {YAML}".encode(),
    "the name of a program": f"{COMMAND}\n".encode(),
    "a row with one": f"reference\thypothesis\tbetter\tworse\tscore\tkind\n{COMMAND}\t$(touch canary)\n".encode(),
    "JSON": b'{"format": "pfsm-model-1", "settings": {"__reduce__": ["os.system", "touch canary"]}}',
    "an expression": b"__import__('os').system('touch canary')\n",
}
NET = ("score", "ref.txt", "-i", "one.txt", "-m", "net.json")
CALLS: dict[str, tuple[str, tuple[str, ...]]] = {
    "model": ("planted", ("score", "ref.txt", "-i", "one.txt", "-m", "planted")),
    "model to show": ("planted", ("show", "planted")),
    "lexicon": ("resources/evil.lexicon", ("score", "ref.txt", "-i", "one.txt", "-m", "para.json")),
    "word vectors": ("resources/planted", ("score", "ref.txt", "-i", "one.txt", "-m", "emb.json")),
    "tokenizer": ("resources/net/tokenizer.json", NET),
    "configuration of a network": ("resources/net/config.json", NET),
    "weights of a network": ("resources/net/model.safetensors", NET),
    "graph of a network": ("resources/net/model.onnx", NET),
    "parser": ("planted.parser", ("parse", "ref.txt", "--parser", "planted.parser")),
    "CoNLL-U": ("planted", ("parse", "ref.txt", "--parser", "file:planted")),
    "settings": ("planted", ("train", "data.tsv", "--config", "planted", "-o", "out.json")),
    "experiment": ("planted", ("experiment", "planted", "--data", ".", "-o", "out")),
    "judgments": ("planted", ("evaluate", "planted", "-m", "hand.json")),
    "training data": ("planted", ("train", "planted", "-o", "out.json")),
    "data": ("planted", ("data", "info", "planted")),
    "minimal pairs": ("planted", ("probe", "planted", "-m", "hand.json")),
    "weights": ("planted", ("mbr", "-i", "one.txt", "-n", "2", "--weights", "planted", "-m", "hand.json")),
    "scores": ("planted", ("evaluate", "data.tsv", "--scores", "planted")),
    "checkpoint": ("out.json.checkpoint", ("train", "data.tsv", "-o", "out.json", "--resume")),
    "record of scores": (
        "parts/_parts/data.tsv.00000.json", ("score", "--table", "data.tsv", "-m", "hand.json", "-o", "parts")
    ),
    "table of synonyms": ("planted", ("resources", "compile", "synonyms", "planted", "--name", "x")),
    "table of paraphrases": ("planted", ("resources", "compile", "paraphrases", "planted", "--name", "x")),
}  # fmt: skip
"""By what the file is: where it stands, and a call that reads it."""


@pytest.fixture(autouse=True)
def files(write: Write, tmp_path: Path, canary: Canary) -> None:
    write("ref.txt", text(["the red bird sings", "a small house"]))
    write("one.txt", text(["red birds sing", "a house"]))
    write("data.tsv", tsv(rows(12)))
    saved(tmp_path)
    weights = {"S_word": 1.0}
    saved(tmp_path, "para.json", settings=options("para", table="evil"), weights=weights)
    saved(tmp_path, "emb.json", settings=options("emb", source="planted"), weights=weights)
    saved(tmp_path, "net.json", settings=options("emb", source="net"), weights=weights)
    (tmp_path / "resources").mkdir()


@pytest.mark.parametrize("place", range(len(CALLS)))
def test_nothing_runs(place: int, cli: Cli, tmp_path: Path, canary: Canary) -> None:
    """Every kind of file with one payload, and every payload in some file."""
    file, (name, call) = list(CALLS.items())[place]
    path = tmp_path / name
    if path.parent.name == "net":
        write_network(path.parent)
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(list(PAYLOADS.values())[place % len(PAYLOADS)])
    outcome = cli(*call)
    # Of word vectors only the lines of words that occur are read; a record that is none is written anew.
    if file not in {"word vectors", "record of scores"} or outcome.status:
        # One line and status 2: `fault` says so of the whole outcome.
        assert outcome.fault
    assert canary.silent


def test_lists_run_nothing(cli: Cli, tmp_path: Path, canary: Canary) -> None:
    for number, payload in enumerate(PAYLOADS.values()):
        for ending in ("lexicon", "parser", "json"):
            (tmp_path / "resources" / f"evil{number}.{ending}").write_bytes(payload)
    for call in (("resources",), ("models",), ("metrics",), ("plugins",)):
        assert cli(*call).status == 0
    assert canary.silent


def test_the_payloads_are_live(canary: Canary) -> None:
    def live(load: Callable[[], object]) -> None:
        load()
        assert canary.is_there
        canary.path.unlink()

    live(lambda: pickle.loads(PICKLE))
    live(lambda: pickle.loads(PAYLOADS["an old pickle"]))
    live(lambda: yaml.unsafe_load(YAML))
    assert {entry.partition("(")[0] for entry in canary.started} == {"os.system"}
