"""Networks computed by the package transformers in torch (the extra ``transformers``), on a GPU if torch has one.

A line's states must not depend on what stands beside it. On a processor lines are computed one by one, on one thread.
On a GPU the shape of a batch decides how sums are split: a batch has as many lines as its length allows, and is filled
up with copies of its first line.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from pfsm.embeddings.encoder import lines_at_once
from pfsm.embeddings.session import Ids, Run, States
from pfsm.errors import NotInstalledError, PfsmError

EXTRA = "transformers"
# Families without a graph of ours.
FAMILIES = ("modernbert", "deberta", "deberta-v2", "electra")
PIECES_ON_GPU = 8192


def open_transformers(folder: Path) -> tuple[Run, int]:
    """The network in a folder, with all its layers, and the number of pieces that a batch may have.

    Raises:
        PfsmError: If transformers is not installed or cannot read the folder.
    """
    try:
        import torch  # noqa: PLC0415 - an extra
        import transformers  # noqa: PLC0415
    except ImportError:
        raise NotInstalledError(
            f"{folder}: an encoder of this family needs transformers, which is not installed",
            [EXTRA],
            [EXTRA],
        ) from None
    try:
        with _quiet(transformers.utils.logging):
            model, report = transformers.AutoModel.from_pretrained(
                folder,
                local_files_only=True,
                use_safetensors=True,
                trust_remote_code=False,
                output_loading_info=True,
            )
    except Exception as error:
        raise PfsmError(f"{folder}: transformers cannot read it ({_first_line(error)})") from None
    # Weights that are not in the file would be random; those of the pooling above the last layer are not used.
    missing = sorted(name for name in report["missing_keys"] if "pooler" not in name)
    if missing:
        raise PfsmError(
            f"{folder}: has no tensor {missing[0]}; is it an encoder of {model.config.model_type}?"
        )
    on_gpu = torch.cuda.is_available()
    model = model.float().eval().to("cuda" if on_gpu else "cpu")
    largest = PIECES_ON_GPU if on_gpu else 1
    return _function(torch, model, largest, str(folder)), largest


def _function(torch: Any, model: Any, largest: int, where: str) -> Run:
    one_at_a_time = Lock()

    def run(ids: Ids) -> States:
        filled = np.concatenate(
            [ids, np.repeat(ids[:1], lines_at_once(ids.shape[1], largest) - len(ids), axis=0)]
        )
        with one_at_a_time, _one_thread(torch), torch.inference_mode():
            given = torch.from_numpy(filled).to(model.device)
            try:
                found = model(
                    input_ids=given, attention_mask=torch.ones_like(given), output_hidden_states=True
                )
            except Exception as error:
                raise PfsmError(f"{where}: cannot encode a line ({_first_line(error)})") from None
            layers = torch.stack([*found.hidden_states[:-1], found.last_hidden_state])
            states: States = layers[:, : len(ids)].float().cpu().numpy()
        if not np.isfinite(states).all():
            raise PfsmError(f"{where}: gives no finite vector for each piece of a line")
        return states

    return run


@contextlib.contextmanager
def _one_thread(torch: Any) -> Iterator[None]:
    """Torch on one thread, which adds up in a fixed order; then as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def _quiet(logging: Any) -> Iterator[None]:
    """Without transformers' progress bars and remarks in the block."""
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)
