"""Checkpoint file: each iteration saves the state of training to it as JSON, and training resumes from it."""

import base64
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.io.files import atomic_write, decode, read_bytes

FORMAT = "pfsm-checkpoint-2"


@dataclass(frozen=True, eq=False)
class State:
    """The state after an iteration; a minimisation that resumes from it gives the same result as one never interrupted.

    Attributes:
        parameters: float64 [n_parameters], theta, and alpha if it is free.
        damping: The multiple of the squared step.
        iterations: Number of iterations so far.
        evaluations: Number of evaluations of the objective so far.
        correction: float64 [n_parameters, n_parameters], symmetric; added to the curvature of the model.
    """

    parameters: NDArray[np.float64]
    damping: float
    iterations: int
    evaluations: int
    correction: NDArray[np.float64]


class Checkpoint:
    """The states of all fits of one training, in the order in which the fits run.

    Args:
        path: The checkpoint file.
        resume: Whether to resume from the file if it exists; otherwise it is replaced.
    """

    def __init__(self, path: str | Path, *, resume: bool) -> None:
        self.path = Path(path)
        self.resume = resume
        self._key = ""
        self._fits = 0
        self.states: list[State | None] = []
        self._learned: dict[str, bytes] = {}

    def begin(self, decisive: Mapping[str, Any]) -> None:
        """Starts a training.

        Args:
            decisive: Everything that the result depends on; training resumes only where it is the same.

        Raises:
            PfsmError: If the file to resume from belongs to another training, or is damaged.
        """
        text = json.dumps(decisive, sort_keys=True, ensure_ascii=False, default=repr)
        self._key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        self._fits = 0
        self.states, self._learned = self._read() if self.resume and self.path.exists() else ([], {})

    def next_fit(self) -> "FitMemory":
        """The memory of the next fit."""
        self._fits += 1
        if self._fits > len(self.states):
            self.states.append(None)
        return FitMemory(self, self._fits - 1)

    def learned(self, name: str) -> bytes | None:
        """What a fit over an encoder came to; None if it has not ended."""
        return self._learned.get(name)

    def keep_learned(self, name: str, content: bytes) -> None:
        """Saves what a fit over an encoder came to.

        Raises:
            PfsmError: If the file cannot be written.
        """
        self._learned[name] = content
        self.write()

    def write(self) -> None:
        """Writes the file.

        Raises:
            PfsmError: If it cannot be written.
        """
        fits = [None if one is None else _state_values(one) for one in self.states]
        learned = {name: base64.b64encode(one).decode("ascii") for name, one in self._learned.items()}
        content = {"format": FORMAT, "key": self._key, "fits": fits}
        with atomic_write(self.path) as handle:
            json.dump(content | ({"encoder": learned} if learned else {}), handle)
            handle.write("\n")

    def remove(self) -> None:
        """Deletes the file, once training has ended and the model is written."""
        self.path.unlink(missing_ok=True)

    def _read(self) -> tuple[list[State | None], dict[str, bytes]]:
        name = str(self.path)
        try:
            content = json.loads(decode(read_bytes(name), name))
            if content["format"] != FORMAT:
                raise ValueError
            key = content["key"]
            states = [None if one is None else _state(one) for one in content["fits"]]
            learned = {
                name: base64.b64decode(one, validate=True) for name, one in content.get("encoder", {}).items()
            }
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise PfsmError(f"{name}: not a checkpoint of pfsm; remove it, or leave --resume out") from None
        if key != self._key:
            raise PfsmError(
                f"{name}: checkpoint of a training with other data, settings or version; "
                "remove it, or leave --resume out"
            )
        return states, learned


@dataclass(frozen=True)
class FitMemory:
    """The memory of one fit, by number: the state after each of its iterations."""

    checkpoint: Checkpoint
    number: int

    def load(self) -> State | None:
        """The state to resume from; None: start from the beginning."""
        return self.checkpoint.states[self.number]

    def save(self, state: State) -> None:
        """Saves the state to the checkpoint file; errors as those of `Checkpoint.write`."""
        self.checkpoint.states[self.number] = state
        self.checkpoint.write()


def _state_values(state: State) -> dict[str, Any]:
    return {
        "parameters": state.parameters.tolist(),
        "damping": state.damping,
        "iterations": state.iterations,
        "evaluations": state.evaluations,
        "correction": state.correction.tolist(),
    }


def _state(values: Mapping[str, Any]) -> State:
    parameters = np.array(values["parameters"], dtype=np.float64)
    damping = float(values["damping"])
    correction = np.array(values["correction"], dtype=np.float64)
    if parameters.ndim != 1 or correction.shape != (parameters.size, parameters.size):
        raise ValueError
    if not (np.isfinite(parameters).all() and np.isfinite(correction).all() and math.isfinite(damping)):
        raise ValueError
    return State(parameters, damping, int(values["iterations"]), int(values["evaluations"]), correction)
