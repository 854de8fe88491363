"""Finished cells on disk; a cell whose key is found there is not computed again.

The folder ``cells/KEY`` holds ``model.json`` if a model was trained, ``scores.txt.gz`` with one score per line, in the
order of the distinct test pairs, and ``cell.json``. That is written last: without it the cell is not finished.
"""

import json
from pathlib import Path

import numpy as np

from pfsm.errors import PfsmError
from pfsm.io.files import atomic_write, decode, read_bytes, read_lines
from pfsm.model.file import load_model, save_model
from pfsm_experiments.task import Outcome, Task

FORMAT = "pfsm-cell-1"


class CellStore:
    """The cells in an output folder.

    Args:
        folder: The output folder.
        ignore: Whether to ignore finished cells.
    """

    def __init__(self, folder: Path, *, ignore: bool = False) -> None:
        self.folder = folder / "cells"
        self.ignore = ignore

    def load(self, task: Task) -> Outcome | None:
        """The stored outcome of a task; None if there is none or it is damaged."""
        if self.ignore:
            return None
        folder = self.folder / task.key
        try:
            content = json.loads(decode(read_bytes(folder / "cell.json"), "cell.json"))
            if content["format"] != FORMAT or content["key"] != task.key:
                return None
            scores = np.array(
                [float(line) for line in read_lines(folder / "scores.txt.gz")], dtype=np.float64
            )
            model = load_model(folder / "model.json") if content["model"] else None
            signature = str(content["signature"])
        except (PfsmError, ValueError, KeyError, TypeError):
            return None
        return Outcome(model, signature, scores) if scores.size == len(task.hypotheses) else None

    def save(self, task: Task, outcome: Outcome) -> None:
        """Stores an outcome.

        Raises:
            PfsmError: If it cannot be written.
        """
        folder = self.folder / task.key
        make_folder(folder)
        if outcome.model is not None:
            save_model(outcome.model, folder / "model.json")
        with atomic_write(folder / "scores.txt.gz") as handle:
            handle.writelines(f"{score!r}\n" for score in outcome.scores.tolist())
        content = {
            "format": FORMAT,
            "key": task.key,
            "cell": task.label,
            "model": outcome.model is not None,
            "pairs": len(task.hypotheses),
            "signature": outcome.signature,
        }
        with atomic_write(folder / "cell.json") as handle:
            handle.write(json.dumps(content, indent=1) + "\n")


def make_folder(folder: Path) -> None:
    """Creates a folder and its parents.

    Raises:
        PfsmError: If it cannot be created.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise PfsmError(f"{folder}: is a file, a folder is needed") from None
    except OSError as error:
        raise PfsmError(f"{folder}: cannot be created ({error.strerror})") from None
