"""Tiny networks and files of vectors, made on the spot."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "sat", "on", "mat", "dog"]
PIECES += ["##s", "##ting", "n", "'", "t", "."]
SHAPE = {"d": 8, "heads": 2, "inner": 12, "layers": 2, "positions": 12}

Tensors = dict[str, NDArray[np.float32]]


def write_vectors(path: Path, vectors: dict[str, list[float]], header: bool = False) -> Path:
    """A text file of word vectors."""
    lines = [f"{len(vectors)} {len(next(iter(vectors.values())))}"] if header else []
    lines += [" ".join([word, *map(str, numbers)]) for word, numbers in vectors.items()]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def write_tokenizer(folder: Path) -> None:
    """A word-piece tokenizer.json with BERT's marks around a line, in lower case, that truncates and pads."""
    from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
    from tokenizers.models import WordPiece

    vocabulary = {piece: place for place, piece in enumerate(PIECES)}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.enable_truncation(5)
    tokenizer.enable_padding(length=9)
    folder.mkdir(exist_ok=True)
    (folder / "tokenizer.json").write_text(tokenizer.to_str(), encoding="utf-8")


def random_tensors(seed: int = 1) -> Tensors:
    """Weights of a tiny encoder, by the names that checkpoints of BERT have."""
    random = np.random.default_rng(seed)
    d, inner = SHAPE["d"], SHAPE["inner"]
    tensors: Tensors = {}

    def add(name: str, *sizes: int, around: float = 0.0) -> None:
        tensors[name] = (around + random.normal(0.0, 0.3, sizes)).astype(np.float32)

    def norm(name: str) -> None:
        add(f"{name}.weight", d, around=1.0)
        add(f"{name}.bias", d)

    def linear(name: str, d_in: int, d_out: int) -> None:
        add(f"{name}.weight", d_out, d_in)
        add(f"{name}.bias", d_out)

    add("embeddings.word_embeddings.weight", len(PIECES), d)
    add("embeddings.position_embeddings.weight", SHAPE["positions"], d)
    add("embeddings.token_type_embeddings.weight", 2, d)
    norm("embeddings.LayerNorm")
    for layer in range(SHAPE["layers"]):
        stem = f"encoder.layer.{layer}"
        for what in ("query", "key", "value"):
            linear(f"{stem}.attention.self.{what}", d, d)
        linear(f"{stem}.attention.output.dense", d, d)
        norm(f"{stem}.attention.output.LayerNorm")
        linear(f"{stem}.intermediate.dense", d, inner)
        linear(f"{stem}.output.dense", inner, d)
        norm(f"{stem}.output.LayerNorm")
    return tensors


def write_safetensors(path: Path, tensors: Tensors, kind: str = "float32") -> None:
    """A safetensors file as the package safetensors writes it."""
    import torch
    from safetensors.torch import save_file

    values = {name: torch.tensor(array).to(getattr(torch, kind)) for name, array in tensors.items()}
    save_file(values, path, metadata={"format": "pt"})


def config(family: str = "bert", **changes: Any) -> dict[str, Any]:
    """What config.json says of the tiny encoder."""
    return {
        "model_type": family,
        "num_hidden_layers": SHAPE["layers"],
        "num_attention_heads": SHAPE["heads"],
        "max_position_embeddings": SHAPE["positions"],
        "hidden_act": "gelu",
        **changes,
    }


def write_network(folder: Path, seed: int = 1, **changes: Any) -> Path:
    """A folder as transformers writes it."""
    folder.mkdir(exist_ok=True)
    write_tokenizer(folder)
    write_safetensors(folder / "model.safetensors", random_tensors(seed))
    (folder / "config.json").write_text(json.dumps(config(**changes)), encoding="utf-8")
    return folder
