"""Finished cells on disk; a cell whose key is found there is not computed again.

The folder ``cells/KEY`` holds ``model.json`` if a model was trained, ``scores.txt.gz`` with one score per line, in the
order of the distinct test pairs, and ``cell.json``. That is written last: without it the cell is not finished.
``statistics-N.txt.gz`` holds what the rows of the N-th corpora add to scores of systems or documents.
"""

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

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
            corpus_signatures = tuple(map(str, content.get("corpus_signatures", ())))
            statistics = tuple(
                _read_table(folder / _statistics(number)) for number in range(len(task.corpora))
            )
        except (PfsmError, ValueError, KeyError, TypeError, RecursionError):
            return None
        sizes = [corpora.members.size for corpora in task.corpora]
        if scores.size != len(task.hypotheses) or [len(table) for table in statistics] != sizes:
            return None
        if len(corpus_signatures) != len(sizes):
            return None
        return Outcome(model, signature, scores, statistics, corpus_signatures)

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
        for number, table in enumerate(outcome.statistics):
            with atomic_write(folder / _statistics(number)) as handle:
                handle.writelines("\t".join(map(repr, row)) + "\n" for row in table.tolist())
        content = {
            "format": FORMAT,
            "key": task.key,
            "cell": task.label,
            "model": outcome.model is not None,
            "pairs": len(task.hypotheses),
            "signature": outcome.signature,
        }
        if outcome.corpus_signatures:
            content["corpus_signatures"] = outcome.corpus_signatures
        with atomic_write(folder / "cell.json") as handle:
            handle.write(json.dumps(content, indent=1) + "\n")


def _statistics(number: int) -> str:
    return f"statistics-{number + 1}.txt.gz"


def _read_table(path: Path) -> NDArray[np.float64]:
    """float64 [n, k]."""
    rows = [[float(field) for field in line.split("\t")] for line in read_lines(path)]
    return np.array(rows, dtype=np.float64).reshape(len(rows), -1)


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
