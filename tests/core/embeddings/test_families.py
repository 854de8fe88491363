"""Tiny random networks of every family, against the hidden states that the package transformers gives itself."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm.embeddings.encoders import check_source, label, load_encoder, load_vectors
from pfsm.embeddings.folder import FolderEncoder
from pfsm.errors import PfsmError
from pfsm.io.named_resources import downloads
from tests.core.embeddings.networks import PIECES, write_tokenizer

transformers = pytest.importorskip("transformers", reason="the package transformers is not installed")
torch = pytest.importorskip("torch")
huggingface_hub = pytest.importorskip("huggingface_hub")

SIZES = {
    "vocab_size": len(PIECES),
    "hidden_size": 16,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "intermediate_size": 20,
    "max_position_embeddings": 40,
    "pad_token_id": 0,
}
OWN: dict[str, dict[str, Any]] = {
    "bert": {},
    "roberta": {"type_vocab_size": 1},
    "xlm-roberta": {"type_vocab_size": 1},
    "camembert": {"type_vocab_size": 1},
    "distilbert": {},
    "electra": {"embedding_size": 8},
    "mpnet": {"pad_token_id": 1, "max_position_embeddings": 180},
    "modernbert": {"local_attention": 4, "global_attn_every_n_layers": 2, "bos_token_id": 2, "eos_token_id": 3,
                   "cls_token_id": 2, "sep_token_id": 3},
    "deberta": {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "type_vocab_size": 0},
    "deberta-v2": {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "type_vocab_size": 0,
                   "position_biased_input": False, "share_att_key": True, "position_buckets": 4,
                   "norm_rel_ebd": "layer_norm"},
}  # fmt: skip
LINES = [
    "the cat sat on the mat .",
    "the dog",
    "",
    "cats",
    "the dogs sat on the mat .",
    "the " * 50,
    "the cat sat on " * 40,
]


def write_family(folder: Path, family: str, seed: int = 1) -> Path:
    """A network of the family with weights drawn large enough to tell mistakes from rounding."""
    torch.manual_seed(seed)
    sizes = {**SIZES, **OWN[family]}
    if family == "distilbert":
        names = {"hidden_size": "dim", "num_hidden_layers": "n_layers", "num_attention_heads": "n_heads",
                 "intermediate_size": "hidden_dim"}  # fmt: skip
        sizes = {names.get(name, name): value for name, value in sizes.items()}
    model = transformers.AutoModel.from_config(transformers.AutoConfig.for_model(family, **sizes)).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.copy_(torch.randn_like(weight) * 0.3 + (1.0 if weight.ndim == 1 else 0.0))
    model.save_pretrained(folder)
    write_tokenizer(folder)
    return folder


def by_transformers(folder: Path, ids: list[int]) -> np.ndarray:
    """All hidden states of one line between its marks; the last layer is the network's result."""
    model = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    given = torch.tensor([[2, *ids, 3]])
    with torch.no_grad():
        found = model(given, attention_mask=torch.ones_like(given), output_hidden_states=True)
    states = torch.stack([*found.hidden_states[:-1], found.last_hidden_state])
    return np.asarray(states[:, 0, 1:-1].numpy())


@pytest.mark.parametrize("family", OWN)
def test_states_are_those_of_transformers(tmp_path: Path, family: str) -> None:
    folder = write_family(tmp_path / "n", family)
    encoder = FolderEncoder(folder)
    assert (encoder.layers, encoder.dimension) == (3, 16)
    for states in encoder.states(LINES[:-2]):
        if states.ids.size:
            np.testing.assert_allclose(states.values, by_transformers(folder, states.ids.tolist()), atol=1e-4)
    (middle,) = encoder.states(LINES[:1], [1, 2])
    np.testing.assert_array_equal(middle.values, encoder.states(LINES[:1])[0].values[1:3])
    together = encoder.states(LINES * 2, threads=2)
    assert len(together[-2].ids) == 50  # longer than the network: encoded in parts
    for line, states in zip(LINES, together[: len(LINES)], strict=True):
        np.testing.assert_array_equal(encoder.states([line], threads=1)[0].values, states.values)


def in_cache(cache: Path, name: str, folder: Path) -> Path:
    """The folder as huggingface_hub keeps it."""
    place = cache / f"models--{name.replace('/', '--')}"
    (place / "refs").mkdir(parents=True)
    (place / "refs" / "main").write_text("0" * 40)
    shutil.copytree(folder, place / "snapshots" / ("0" * 40))
    return place / "snapshots" / ("0" * 40)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "hub"
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(folder))
    return folder


def test_a_network_is_downloaded_only_where_asked_and_then_read_from_the_cache(
    cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[bool] = []
    usual = huggingface_hub.snapshot_download

    def snapshot(name: str, *, allow_patterns: list[str], local_files_only: bool) -> str:
        asked.append(local_files_only)
        assert not any(pattern.endswith((".bin", ".py")) for pattern in allow_patterns)
        if local_files_only:
            raise OSError("not there")
        return str(in_cache(cache, name, write_family(tmp_path / "n", "electra")))

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot)
    with pytest.raises(
        PfsmError, match="is not in the local cache; say --download to let this call fetch it"
    ):
        load_encoder("transformers:someone/tiny")
    assert asked == [True]
    with downloads(True):
        assert load_encoder("transformers:someone/tiny").layers == 3
    assert asked == [True, True, False]
    monkeypatch.setattr("huggingface_hub.snapshot_download", usual)
    source = check_source("transformers:someone/tiny", "x")
    (states,) = load_encoder(source).states(LINES[:1])
    folder = tmp_path / "n"
    np.testing.assert_allclose(states.values, by_transformers(folder, states.ids.tolist()), atol=1e-4)
    assert load_encoder(source).checksum == FolderEncoder(folder).checksum
    assert label(source) == f"tiny@{load_vectors(source).checksum[:8]}"
