"""Networks as functions from the pieces of lines to their vectors, by ONNX Runtime or by the package transformers.

ONNX Runtime works on one thread, or on a GPU (`use_device`). Transformers (the extra ``transformers``) computes in
torch, on a GPU if torch has one. A line's states must not depend on the rest of its batch. On a processor lines are
computed one by one, on one thread. On a GPU the shape of a batch decides how sums are split: a batch has as many lines
as its length allows, and is filled up with copies of its first line.
"""

import contextlib
import os
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.embeddings.bert_graph import Model
from pfsm.embeddings.pieces import TOKENIZER
from pfsm.embeddings.safetensors import Rows
from pfsm.errors import NotInstalledError, PfsmError

Ids = NDArray[np.int64]
States = NDArray[np.float32]
# From int64 [b, n] to float32 [n_outputs, b, n, d]; may be called by several threads at once.
Run = Callable[[Ids], States]
# Pieces in a batch: more make matrix products no faster, but no longer fit the processor's caches.
PIECES_AT_ONCE, PIECES_ON_GPU = 512, 8192
OUTPUTS = ("last_hidden_state", "token_embeddings")


def runtime() -> Any:
    """ONNX Runtime, with its telemetry turned off.

    Newer versions (1.31, for example) would write an identifier of this machine into the user's cache folder when
    imported, and send events. The environment variable must be set before the import. If the user has set it, the
    user's choice is kept.

    Raises:
        ImportError: If it is not installed.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime  # noqa: PLC0415 - takes a tenth of a second

    return onnxruntime


DEVICES = ("auto", "cpu", "cuda")
_CUDA = "CUDAExecutionProvider"
_wanted = {"device": "auto"}


def use_device(name: str) -> str:
    """Chooses where encoders compute from now on in this process: ``auto`` is a GPU where there is one to be used.

    Returns:
        What was chosen before.

    Raises:
        PfsmError: If there is no such device, or no GPU for ``cuda``.
    """
    if name not in DEVICES:
        raise PfsmError(f"device is {name!r:.40}, it must be auto, cpu or cuda")
    if name == "cuda" and not (
        (_CUDA in runtime().get_available_providers() or find_spec("torch")) and _has_driver()
    ):
        raise PfsmError(
            "device cuda: there is no GPU to be used; it takes one of NVIDIA and onnxruntime-gpu in place of "
            "onnxruntime, or PyTorch with CUDA for networks of transformers; auto takes the processor then"
        )
    before, _wanted["device"] = _wanted["device"], name
    return before


@cache
def _has_driver() -> bool:
    """Whether NVIDIA's driver is there; whether it works turns out when a network is opened."""
    return Path("/proc/driver/nvidia/version").exists() or which("nvidia-smi") is not None


def device() -> str:
    """What was chosen; ``cpu`` where ``auto`` has found no GPU to be used."""
    return _wanted["device"]


def on_gpu() -> bool:
    """Whether ONNX Runtime computes on a GPU."""
    return _wanted["device"] != "cpu" and _CUDA in runtime().get_available_providers() and _has_driver()


def open_file(path: str) -> Run:
    """The function that a model file holds; its one output is that of the last layer.

    Raises:
        PfsmError: If ONNX Runtime cannot read it, or it is not a network from pieces to their vectors.
    """
    session = _session(path, _options(), path)
    inputs = [entry.name for entry in session.get_inputs()]
    return _function(
        session, lambda ids: {name: _input(name, ids) for name in inputs}, [_output(session, path)], path
    )


def open_model(model: Model, words: Rows, where: str) -> Run:
    """The function that a model made here computes; its outputs are in the model's order.

    Args:
        model: The model, whose one input is the embeddings of pieces.
        words: The embeddings, [n_pieces, d].
        where: What to call it in errors.

    Raises:
        PfsmError: If ONNX Runtime cannot read it.
    """
    options = _options()
    # The session reads the arrays for as long as it lives, so the function keeps them.
    values = [runtime().OrtValue.ortvalue_from_numpy(tensor) for tensor in model.tensors.values()]
    options.add_external_initializers(list(model.tensors), values)
    session = _session(model.content, options, where)
    (name,) = (entry.name for entry in session.get_inputs())
    outputs = [entry.name for entry in session.get_outputs()]

    def given(ids: Ids) -> dict[str, NDArray[Any]]:
        if ids.max() >= words.shape[0]:
            raise PfsmError(
                f"{where}: has vectors of {words.shape[0]} pieces, {TOKENIZER} has more; copy both again"
            )
        return {name: words[ids]}

    return _function(session, given, outputs, where, values)


def _options() -> Any:
    onnxruntime = runtime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 3
    return options


def _session(model: str | bytes, options: Any, where: str) -> Any:
    providers: list[Any] = ["CPUExecutionProvider"]
    if on_gpu():  # Products of 10 bits of mantissa, its usual ones, would change scores.
        providers.insert(0, (_CUDA, {"use_tf32": "0"}))
    try:
        session = runtime().InferenceSession(model, options, providers=providers)
    except Exception as error:
        raise PfsmError(f"{where}: ONNX Runtime cannot read it ({_first_line(error)})") from None
    if _CUDA not in session.get_providers():
        if _wanted["device"] == "cuda":
            raise PfsmError(
                f"{where}: ONNX Runtime cannot use the GPU; install onnxruntime-gpu and its CUDA, or take auto"
            )
        if on_gpu():
            _wanted["device"] = "cpu"
    return session


def _function(
    session: Any, given: Callable[[Ids], dict[str, Any]], outputs: list[str], where: str, kept: object = None
) -> Run:
    largest = PIECES_ON_GPU if _CUDA in session.get_providers() else 0

    def run(ids: Ids, _kept: object = kept) -> States:
        inputs = given(_filled(ids, largest))
        try:
            states = np.array(session.run(outputs, inputs), dtype=np.float32)[:, : len(ids)]
        except Exception as error:
            raise PfsmError(f"{where}: cannot encode a line ({_first_line(error)})") from None
        if states.ndim != 4 or states.shape[1:3] != ids.shape or not np.isfinite(states).all():
            raise PfsmError(f"{where}: gives no finite vector for each piece of a line")
        return states

    return run


def _filled(ids: Ids, largest: int) -> Ids:
    """As many lines as a full batch has, with copies of the first: the shape decides how a GPU splits sums."""
    more = lines_at_once(ids.shape[1], largest) - len(ids)
    return np.concatenate([ids, np.repeat(ids[:1], more, axis=0)]) if more > 0 else ids


def _output(session: Any, where: str) -> str:
    """The output with three dimensions: the one with the usual name, else the first."""
    names = [entry.name for entry in session.get_outputs() if len(entry.shape) == 3]
    if "input_ids" not in {entry.name for entry in session.get_inputs()} or not names:
        raise PfsmError(f"{where}: has no input input_ids or no output [lines, pieces, dimension]")
    return str(next((name for name in OUTPUTS if name in names), names[0]))


def _input(name: str, ids: Ids) -> Ids:
    """The ids of the pieces, a mask of ones, or zeros (the first segment), int64 [b, n]."""
    if name == "input_ids":
        return ids
    if name == "position_ids":
        return np.broadcast_to(np.arange(ids.shape[1]), ids.shape).copy()
    return np.full(ids.shape, int(name == "attention_mask"), dtype=np.int64)


# Families without a graph of ours.
BY_TRANSFORMERS = ("modernbert", "deberta", "deberta-v2", "electra")


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
            ["transformers"],
            ["transformers"],
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
    here = _wanted["device"] != "cpu" and torch.cuda.is_available()
    if _wanted["device"] == "cuda" and not here:
        raise PfsmError(f"{folder}: PyTorch cannot use the GPU; install it with CUDA, or take --device auto")
    model = model.float().eval().to("cuda" if here else "cpu")
    largest = PIECES_ON_GPU if here else 1
    return _torch_function(torch, model, largest, str(folder)), largest


def _torch_function(torch: Any, model: Any, largest: int, where: str) -> Run:
    one_at_a_time = Lock()

    def run(ids: Ids) -> States:
        with one_at_a_time, _one_thread(torch), torch.inference_mode():
            given = torch.from_numpy(_filled(ids, largest)).to(model.device)
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


def lines_at_once(size: int, largest: int) -> int:
    """Number of sequences of so many pieces in a full batch."""
    return max(1, largest // size) if size > 1 else 1
