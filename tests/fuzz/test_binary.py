"""Parsers of binary files: every way to cut them short, bits flipped one at a time, damage drawn at random."""

import gzip
import hashlib
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given

from pfsm.embeddings.safetensors import read_stored
from pfsm.errors import PfsmError
from pfsm.io.containers import DIGEST_SIZE
from pfsm.io.files import read_bytes
from tests.core.embeddings.networks import write_network
from tests.fuzz.mutations import EFFORT, damaged, effort
from tests.fuzz.test_arrays import files

FLIPS, MOST_FLIPS = 60, 100_000


def sealed(content: bytes) -> bytes:
    """A container with the checksum of its content, so that damage is not found by the checksum alone."""
    body = content[:-DIGEST_SIZE]
    return body + hashlib.sha256(body).digest()


def network(path: Path) -> object:
    from pfsm.embeddings.network import NetworkVectors

    pytest.MonkeyPatch().setenv("PFSM_RESOURCES", str(path.parent / "resources"))
    return NetworkVectors(path.parent).of_tokens([["the", "cat"], ["Ж", "dogs"]])


SEALED = ("paraphrases", "synonyms", "relations", "parser", "labeller")


def outcome(read: Callable[[Path], object], path: Path) -> None:
    """Reads; what is wrong is one line."""
    fault = None
    try:
        read(path)
    except PfsmError as error:
        fault = str(error)
    assert fault is None or (fault and "\n" not in fault)


def flipped(content: bytes, count: int) -> Iterator[bytes]:
    """Files with one bit flipped: all of them, or a sample."""
    bits = range(8 * len(content))
    chosen = bits if len(bits) <= count else random.Random(0).sample(bits, count)
    for bit in chosen:
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        yield bytes(changed)


@pytest.mark.parametrize("kind", [*SEALED, "head", "gzip"])
def test_every_truncation_and_flipped_bits(kind: str, tmp_path: Path) -> None:
    formats = {name: (made(arrays), read) for name, (arrays, made, read) in files(tmp_path).items()}
    formats["gzip"] = (gzip.compress(b"a lamp\n" * 20, mtime=0), lambda path: bool(read_bytes(path)))
    path, (content, read) = tmp_path / ("x.gz" if kind == "gzip" else "x"), formats[kind]
    cuts = [content[:end] for end in range(0, len(content), max(1, len(content) // (80 * EFFORT)))]
    for changed in (*cuts, *flipped(content, min(MOST_FLIPS, FLIPS * EFFORT))):
        path.write_bytes(changed)
        if kind in SEALED:
            with pytest.raises(PfsmError):
                read(path)
            if len(changed) > DIGEST_SIZE:
                path.write_bytes(sealed(changed))
        outcome(read, path)
    path.write_bytes(content)
    assert read(path)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tiny network; its vectors are not kept."""
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path / "resources"))
    write_network(tmp_path / "net")
    return tmp_path / "net"


@pytest.mark.parametrize("name", ["tokenizer.json", "config.json"])
def test_documents_of_a_network(name: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    content = (folder / name).read_bytes()

    @effort(60)
    @given(damaged(content))
    def run(changed: bytes) -> None:
        (folder / name).write_bytes(changed)
        outcome(network, folder / name)

    run()
    # No report of a panic beside the line.
    assert capfd.readouterr().err == ""


def test_weights_of_a_network(folder: Path) -> None:
    path = folder / "model.safetensors"
    content = path.read_bytes()
    size = 8 + int.from_bytes(content[:8], "little")

    @effort(60)
    @given(damaged(content[:size]))
    def run(header: bytes) -> None:
        path.write_bytes(header + content[size:])
        outcome(read_stored, path)

    run()
    for end in range(0, len(content), max(1, len(content) // (100 * EFFORT))):
        path.write_bytes(content[:end])
        with pytest.raises(PfsmError):
            read_stored(path)


def test_a_tokenizer_that_panics(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A mark in the template that is not among the marks: the library ends in a panic, which is not an Exception."""
    path = folder / "tokenizer.json"
    text = path.read_text(encoding="utf-8")
    mark = '{"SpecialToken":{"id":"[SEP]"'
    assert mark in text
    path.write_text(text.replace(mark, mark.replace("SEP", "MISSING"), 1), encoding="utf-8")
    with pytest.raises(PfsmError, match=r"tokenizer\.json: ") as refused:
        network(path)
    assert "\n" not in str(refused.value)
    assert capfd.readouterr().err == ""
