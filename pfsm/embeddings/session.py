"""ONNX Runtime on one thread, as a function from the pieces of lines to their vectors."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.embeddings.onnx_model import Model
from pfsm.errors import PfsmError

Ids = NDArray[np.int64]
States = NDArray[np.float32]
# From int64 [b, n] to float32 [n_outputs, b, n, d]; may be called by several threads at once.
Run = Callable[[Ids], States]
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


def open_file(path: str) -> Run:
    """The function that a model file holds; its one output is that of the last layer.

    Raises:
        PfsmError: If ONNX Runtime cannot read it, or it is not a network from pieces to their vectors.
    """
    session = _session(path, _options(), path)
    return _function(session, [_output(session, path)], path)


def open_model(model: Model, where: str) -> Run:
    """The function that a model made here computes; its outputs are in the model's order.

    Args:
        model: The model.
        where: What to call it in errors.

    Raises:
        PfsmError: If ONNX Runtime cannot read it.
    """
    options = _options()
    # The session reads the arrays for as long as it lives, so the function keeps them.
    values = [runtime().OrtValue.ortvalue_from_numpy(tensor) for tensor in model.tensors.values()]
    options.add_external_initializers(list(model.tensors), values)
    session = _session(model.content, options, where)
    return _function(session, [entry.name for entry in session.get_outputs()], where, values)


def _options() -> Any:
    onnxruntime = runtime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 3
    return options


def _session(model: str | bytes, options: Any, where: str) -> Any:
    try:
        return runtime().InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        reason = str(error).splitlines()[0]
        raise PfsmError(f"{where}: ONNX Runtime cannot read it ({reason})") from None


def _function(session: Any, outputs: list[str], where: str, kept: object = None) -> Run:
    inputs = [entry.name for entry in session.get_inputs()]

    def run(ids: Ids, _kept: object = kept) -> States:
        given = {name: _input(name, ids) for name in inputs}
        try:
            states = np.array(session.run(outputs, given), dtype=np.float32)
        except Exception as error:
            reason = str(error).splitlines()[0]
            raise PfsmError(f"{where}: cannot encode a line ({reason})") from None
        if states.ndim != 4 or states.shape[1:3] != ids.shape or not np.isfinite(states).all():
            raise PfsmError(f"{where}: gives no finite vector for each piece of a line")
        return states

    return run


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
