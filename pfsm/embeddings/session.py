"""ONNX Runtime on one thread, as a function from the pieces of a line to their vectors."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError

Ids = NDArray[np.int64]
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
    import onnxruntime  # noqa: PLC0415 - an extra

    return onnxruntime


def open_session(model: str | bytes, where: str) -> Callable[[Ids], NDArray[np.float32]]:
    """A function from int64 [n] to float32 [n, dimension].

    Args:
        model: Path of a model file, or its content.
        where: What to call it in errors.

    Raises:
        PfsmError: If ONNX Runtime cannot read it, or it is not a network from pieces to their vectors.
    """
    onnxruntime = runtime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        reason = str(error).splitlines()[0]
        raise PfsmError(f"{where}: ONNX Runtime cannot read it ({reason})") from None
    inputs = [entry.name for entry in session.get_inputs()]
    output = _output(session, where)

    def run(ids: Ids) -> NDArray[np.float32]:
        given = {name: _input(name, ids) for name in inputs}
        try:
            states = session.run([output], given)[0]
        except Exception as error:
            reason = str(error).splitlines()[0]
            raise PfsmError(f"{where}: cannot encode a line ({reason})") from None
        rows = np.asarray(states, dtype=np.float32).reshape(-1, states.shape[-1])
        if rows.shape[0] != ids.size or not np.isfinite(rows).all():
            raise PfsmError(f"{where}: gives no finite vector for each piece of a line")
        return rows

    return run


def _output(session: Any, where: str) -> str:
    """The output with three dimensions: the one with the usual name, else the first."""
    names = [entry.name for entry in session.get_outputs() if len(entry.shape) == 3]
    if "input_ids" not in {entry.name for entry in session.get_inputs()} or not names:
        raise PfsmError(f"{where}: has no input input_ids or no output [lines, pieces, dimension]")
    return str(next((name for name in OUTPUTS if name in names), names[0]))


def _input(name: str, ids: Ids) -> Ids:
    """The ids of the pieces, a mask of ones, or zeros (the first segment), int64 [1, n]."""
    if name == "input_ids":
        return ids[np.newaxis]
    if name == "position_ids":
        return np.arange(ids.size)[np.newaxis]
    return np.full((1, ids.size), int(name == "attention_mask"), dtype=np.int64)
