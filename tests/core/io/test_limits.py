"""Files that are made to fill the memory: one line, no more memory than the limit. Limits are small here, not files."""

import bz2
import gzip
import json
import lzma
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from pfsm.data import read_table
from pfsm.embeddings.safetensors import read_stored
from pfsm.embeddings.words import FileVectors
from pfsm.errors import PfsmError
from pfsm.io import limits
from pfsm.io.files import read_bytes, read_lines
from pfsm.io.limits import LIMITS
from pfsm.lexicons.paraphrase_formats import lines_of
from pfsm.model.file import load_model
from pfsm_training.yaml_file import read_yaml_mapping
from tests.command_runs import Cli, Write
from tests.judgment_cases import rows, tsv
from tests.model_cases import saved

MORE = r"; if that is right, set {} to more$"
TOO_LARGE = r": the file, decompressed, is larger than 100k" + MORE.format("PFSM_LARGEST_FILE")
TOO_LONG = r":2: a line is longer than 1000" + MORE.format("PFSM_LARGEST_LINE")


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in (
        ("PFSM_LARGEST_FILE", "100k"),
        ("PFSM_LARGEST_LINE", "1000"),
        ("PFSM_LARGEST_DOCUMENT", "50k"),
        ("PFSM_LARGEST_SETTINGS", "5k"),
    ):
        monkeypatch.setenv(variable, value)


def test_a_bomb_of_gzip_takes_no_more_memory_than_the_limit(tmp_path: Path) -> None:
    """64 MB of zeros in 65 kB, in a file of several members too."""
    path = tmp_path / "bomb.gz"
    for content in (gzip.compress(bytes(1 << 26)), gzip.compress(b"a\n") * 2 + gzip.compress(bytes(1 << 26))):
        path.write_bytes(content)
        tracemalloc.start()
        for read in (read_bytes, read_lines, read_table):
            with pytest.raises(PfsmError, match="bomb.gz" + TOO_LARGE):
                read(path)
        with pytest.raises(PfsmError, match="a JSON document is larger than 50k"):
            load_model(path)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        # What was read, a block of a megabyte, and what the libraries hold.
        assert peak < 1 << 23


def test_what_decompresses_to_more_than_a_hundred_times_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(bytes(3000)))
    monkeypatch.setattr(limits, "_ALWAYS_UNPACKED", 2000)
    assert len(read_bytes(path)) == 3000  # the limit is set
    monkeypatch.delenv("PFSM_LARGEST_FILE")
    assert len(read_bytes(path)) == 3000  # not a hundred times as large
    path.write_bytes(gzip.compress(bytes(30000)))
    with pytest.raises(
        PfsmError, match="more than 100 times as large; if that is right, set PFSM_LARGEST_FILE"
    ):
        read_bytes(path)


def test_other_compressed_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    for content, kind in (
        (lzma.compress(b"a\n"), "xz"),
        (bz2.compress(b"a\n"), "bzip2"),
        (b"\x28\xb5\x2f\xfd\x04\x00", "Zstandard"),
        (b"PK\x03\x04\x14\x00", "ZIP"),
    ):
        path.write_bytes(content)
        with pytest.raises(PfsmError, match=f"x.txt: is {kind}, which is not read; unpack it"):
            read_lines(path)
    path.write_bytes(b"BZhar is a word\n")
    assert read_lines(path) == ["BZhar is a word"]


@pytest.mark.parametrize("length", [1000, 1001])
def test_a_long_line(length: int, tmp_path: Path) -> None:
    content = b"a\tb\n" + b"x" * (length - 2) + b"\ty\n" + b"c\td\n"
    plain, packed = tmp_path / "x.tsv", tmp_path / "y.gz"
    plain.write_bytes(content)
    packed.write_bytes(gzip.compress(content))
    for path in (plain, packed):
        for read in (read_lines, read_table, lambda path: list(lines_of(path))):
            if length <= 1000:
                assert read(path)
            else:
                with pytest.raises(PfsmError, match=TOO_LONG):
                    read(path)
    if length > 1000:
        plain.write_bytes(content.replace(b"\t", b" 1 "))
        with pytest.raises(PfsmError, match=TOO_LONG):
            FileVectors(plain)


def test_documents(tmp_path: Path) -> None:
    deep = "[" * 20000
    for content, fault in (
        (json.dumps({"x": ["a" * 500] * 200}, indent=0), "a JSON document is larger than 50k"),
        (deep, "nested too deeply"),
        ('{"format": ' + deep, "nested too deeply"),
        ('{"a": ' + "9" * 10000 + "}", "thousands of digits"),
    ):
        (tmp_path / "m.json").write_text(content)
        with pytest.raises(PfsmError, match=fault):
            load_model(tmp_path / "m.json")


def laughs(levels: int) -> str:
    """Nine to the power of levels, in a few hundred bytes."""
    lines = ["a0: &a0 [lol, lol]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" for k in range(1, levels + 1)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "content",
    [
        laughs(4),
        laughs(60),
        "a0: &a0 {k: v}\n" + "".join(f"a{k}: &a{k} {{<<: [*a{k - 1}, *a{k - 1}, *a{k - 1}]}}\n" for k in range(1, 40)),
        "a: " + "x" * 900 + "\n" + "".join(f"b{k}: {'y' * 900}\n" for k in range(6)),
    ],
)  # fmt: skip
def test_aliases_of_yaml(content: str, tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(content)
    with pytest.raises(PfsmError, match=r"x\.yaml: a YAML file, its aliases written out, is larger than 5k"):
        read_yaml_mapping(path, ("a",))


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "F32", "shape": [1 << 60], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [1 << 31, 1 << 31, 0], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [-1], "data_offsets": [4, 0]},
    ],
)
def test_tensors_of_any_shape(entry: object, tmp_path: Path) -> None:
    header = json.dumps({"x": entry}).encode()
    path = tmp_path / "m.safetensors"
    for size in (len(header), (1 << 64) - 1, 1 << 27):
        path.write_bytes(size.to_bytes(8, "little") + header + bytes(4))
        with pytest.raises(PfsmError, match="not a complete safetensors file"):
            read_stored(path)


def test_a_bomb_of_zstd(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pfsm.distributed.pieces import input_files, survey

    path = tmp_path / "x.tsv.zst"
    with pa.OSFile(str(path), "wb") as raw, pa.CompressedOutputStream(raw, "zstd") as stream:
        for _ in range(64):
            stream.write(bytes(1 << 20))
    (file,) = input_files(str(path))
    fault = survey(file, 1 << 20)
    assert isinstance(fault, str)
    assert "x.tsv.zst: the file, decompressed, is larger than 100k" in fault


def test_commands_say_it_in_one_line(cli: Cli, write: Write, tmp_path: Path) -> None:
    pytest.importorskip("torch")  # some of the commands train
    saved(tmp_path)
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(bytes(1 << 22)))
    write("ref.txt", "a b\n")
    write("long.tsv", tsv(rows(12)).replace("\n", "\n" + "x" * 2000, 1))
    write("laughs.yaml", laughs(60))
    for call in (
        ("score", "bomb.gz", "-i", "ref.txt", "-m", "hand.json"),
        ("score", "ref.txt", "-i", "ref.txt", "-m", "bomb.gz"),
        ("train", "bomb.gz", "-o", "x.json"),
        ("train", "long.tsv", "--config", "laughs.yaml", "-o", "x.json"),
        ("experiment", "laughs.yaml", "--data", ".", "-o", "out"),
        ("data", "info", "long.tsv"),
    ):
        assert " to more" in cli(*call).fault
    assert "to more" in cli("score", "-", "-i", "ref.txt", "-m", "hand.json", stdin=b"a\n" * (1 << 17)).fault


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.variable)
def test_a_limit_that_is_no_size(limit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("x", "0", "-1", "1.5", "9" * 19, "١"):
        monkeypatch.setenv(limit.variable, value)
        with pytest.raises(PfsmError, match=rf"is '{value}', it must be a size above 0 such as "):
            _ = limit.value
