"""An encoder network in a local folder, computed by ONNX Runtime.

The folder holds ``tokenizer.json`` and ``model.onnx``, or ``tokenizer.json``, ``config.json`` and ``model.safetensors``
of BERT's family, or of another one that the package transformers computes. Lines of equal length are computed together
without padding, and one thread adds up each of their numbers in a fixed order. So the states of a line are the same
bytes whatever else is encoded, on any number of threads of one machine. A ``model.onnx`` may hold anything, so its
lines are computed one by one.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.embeddings.bert_graph import encoder_graph
from pfsm.embeddings.bert_weights import FAMILIES, Shape, Tuned, Weights, read_shape, take_weights, with_tuned
from pfsm.embeddings.pieces import TOKENIZER, PieceTokenizer
from pfsm.embeddings.safetensors import read_stored
from pfsm.embeddings.session import (
    BY_TRANSFORMERS,
    PIECES_AT_ONCE,
    PIECES_ON_GPU,
    Run,
    device,
    lines_at_once,
    on_gpu,
    open_file,
    open_model,
    open_transformers,
)
from pfsm.errors import PfsmError
from pfsm.io.files import checksum, decode, read_bytes
from pfsm.io.limits import DOCUMENT
from pfsm.runtime.terminal import Stage
from pfsm.runtime.threads import default_threads, each

Ids = NDArray[np.int64]
States = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class LineStates:
    """The pieces of a line and their hidden states.

    Attributes:
        ids: The pieces, int64 [n_pieces], without the marks of beginning and end.
        spans: First character and end of each piece in the line, int64 [n_pieces, 2].
        values: Hidden states, float32 [n_layers, n_pieces, dimension].
    """

    ids: Ids
    spans: NDArray[np.int64]
    values: States


@dataclass(frozen=True, eq=False)
class Window:
    """A part of a line as the network gets it.

    Attributes:
        ids: The pieces, int64 [n], with the marks of beginning and end.
        first: Place of the first one whose states are taken from here.
        end: Place behind the last one.
    """

    ids: Ids
    first: int
    end: int


CONFIG, ONNX, SAFETENSORS = "config.json", "model.onnx", "model.safetensors"
# One in so many pieces of a window is in the next one, too.
OVERLAP = 4
# Number of positions if the network does not say how many it has.
USUAL_POSITIONS = 512


class FolderEncoder:
    """The network in a folder.

    Args:
        folder: The folder with the network's files.
        by_transformers: Computed by transformers, whatever the family. Other families are in any case.
        tuned: What training changed of the network.
        label: Identifies what training changed.

    Raises:
        PfsmError: If a file is missing or malformed, or a package is not installed.
    """

    def __init__(
        self, folder: Path, *, by_transformers: bool = False, tuned: Tuned | None = None, label: str = ""
    ) -> None:
        self.folder = folder
        self._network = next((name for name in (ONNX, SAFETENSORS) if (folder / name).is_file()), "")
        for name in (TOKENIZER, self._network or f"{ONNX} or {SAFETENSORS}"):
            if not (folder / name).is_file():
                raise PfsmError(f"{folder}: no {name} in this folder, so it holds no network of vectors")
        if by_transformers and not self.has_layers:
            raise PfsmError(f"{folder}: no {SAFETENSORS} in this folder, which transformers would read")
        self._by_transformers = self.has_layers and (
            by_transformers or self._config.get("model_type") in BY_TRANSFORMERS
        )
        # What the configuration says is checked at once; a model file may come without.
        positions = self._config.get("max_position_embeddings", USUAL_POSITIONS)
        first = self.shape.first_position if self.has_layers and not self._by_transformers else 2
        is_number = type(positions) is int and positions > first
        self._positions = positions - first if is_number else USUAL_POSITIONS
        self.tokenizer = PieceTokenizer(folder / TOKENIZER)
        self._runs: dict[tuple[int, str], tuple[Run, int]] = {}
        self._opening = Lock()
        self._tuned, self._label = tuned or {}, label

    def tuned(self, tuned: Tuned, label: str) -> "FolderEncoder":
        """This network with what training changed of it.

        Args:
            tuned: What was learned, as `pfsm.embeddings.bert_weights` names it.
            label: Of what was learned, in the checksum and in errors.

        Raises:
            PfsmError: If only another program computes the network, or what was learned does not fit it.
        """
        other = FolderEncoder(self.folder, tuned=tuned, label=label)
        other.weights(self.layers)
        return other

    def weights(self, layers: int) -> Weights:
        """The weights of the embeddings and of the first layers, with what was learned of them.

        Raises:
            PfsmError: If only another program computes the network, or a tensor is missing or does not fit.
        """
        if not self.has_layers or self._by_transformers:
            raise PfsmError(
                f"{self.folder}: only an encoder of {', '.join(FAMILIES)} in {SAFETENSORS} can be tuned itself; "
                "use `tune: head`"
            )
        where = str(self.folder / SAFETENSORS)
        weights = take_weights(read_stored(where), self.shape, layers, where)
        return with_tuned(weights, self._tuned, self.shape.layers, f"head {self._label}")

    @property
    def has_layers(self) -> bool:
        """Whether layers below the last can be had; a model file gives its last only."""
        return self._network == SAFETENSORS

    @property
    def layers(self) -> int:
        """Number of the last layer; 0 if it is the only one that can be had."""
        if self._by_transformers:
            number = self._config.get("num_hidden_layers", self._config.get("n_layers"))
            if type(number) is not int or number < 0:
                raise PfsmError(f"{CONFIG}: num_hidden_layers is {number!r}, it must be a whole number")
            return number
        return self.shape.layers if self.has_layers else 0

    @cached_property
    def dimension(self) -> int:
        """Number of components of a state."""
        (states,) = self.encoded([np.zeros(0, dtype=np.int64)], [self.layers], 1)
        return int(states.shape[-1])

    @cached_property
    def checksum(self) -> str:
        """SHA-256 over the files that determine the states, 64 hexadecimal digits."""
        names = [TOKENIZER, self._network, *([CONFIG] if self.has_layers else [])]
        # Weights of an ONNX model may be in separate files next to it.
        names += sorted(path.name for path in self.folder.glob(f"{ONNX}?data*") if not self.has_layers)
        parts = [f"{name}:{checksum(self.folder / name)}" for name in names]
        parts += [f"tuned:{self._label}"] if self._label else []
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def states(
        self, lines: Sequence[str], layers: Sequence[int] | None = None, threads: int | None = None
    ) -> list[LineStates]:
        """Hidden states of the pieces of each line; equal lines share one result.

        Seven layers of 384 components take 11 KB a piece, so this is to be called on some hundred lines at a time.

        Args:
            lines: Untokenised lines.
            layers: Numbers of the layers in increasing order; None: all. Layers above the last are not computed.
            threads: Number of threads, on which results do not depend; None: as many as the process may use.

        Raises:
            PfsmError: If the network has no such layer, or a file cannot be read.
        """
        chosen = list(range(self.layers + 1)) if layers is None else list(layers)
        for layer in chosen:
            self.check_layer(layer)
        distinct = {line: self.tokenizer.pieces(encodable(line)) for line in dict.fromkeys(lines)}
        values = self.encoded([ids for ids, _ in distinct.values()], chosen, threads)
        found = {
            line: LineStates(ids, np.array(spans, dtype=np.int64).reshape(-1, 2), states)
            for (line, (ids, spans)), states in zip(distinct.items(), values, strict=True)
        }
        return [found[line] for line in lines]

    def encoded(
        self, lines: Sequence[Ids], layers: Sequence[int], threads: int | None = None
    ) -> list[States]:
        """Hidden states of lines already in pieces, float32 [n_layers, n_pieces, dimension] each.

        A line too long for the network is encoded in windows that overlap.
        """
        windows = [self._windows(ids) for ids in lines]
        (run, most_pieces), places = self._run(max(layers, default=0)), list(layers)

        def own(ids: Ids) -> States:
            states = run(ids)
            return states if len(states) == len(places) else states[places]

        parts = [window.ids for line in windows for window in line]
        threads = default_threads() if threads is None else threads
        rest = iter(_encoded_parts(own, parts, threads, most_pieces))
        return [
            np.concatenate([next(rest)[:, window.first : window.end] for window in line], axis=1)
            for line in windows
        ]

    def windows(self, line: str) -> list[Window]:
        """The pieces of a line as the network gets them; each piece belongs to one window."""
        return self._windows(self.tokenizer.pieces(encodable(line))[0])

    def _windows(self, ids: Ids) -> list[Window]:
        """Windows of equal size at equal distances; what two share is divided in its middle."""
        before, after = self.tokenizer.marks
        room = max(1, self._positions - before.size - after.size)
        overlap = room // OVERLAP
        count = max(1, -(-(ids.size - overlap) // (room - overlap)))
        size = min(room, ids.size)
        starts = [place * (ids.size - size) // max(1, count - 1) for place in range(count)]
        bounds = [(left + size + right) // 2 for left, right in pairwise(starts)]
        return [
            Window(
                np.concatenate([before, ids[start : start + size], after]),
                before.size + first - start,
                before.size + end - start,
            )
            for start, first, end in zip(starts, [0, *bounds], [*bounds, ids.size], strict=True)
        ]

    def check_layer(self, layer: int, *, explicit: bool = False) -> None:
        """Refuses a layer that the network does not have.

        Args:
            layer: Its number.
            explicit: A setting names it; the only one of a model file has no number.

        Raises:
            PfsmError: If there is no such layer.
        """
        if not self.has_layers and (layer or explicit):
            raise PfsmError(f"{self.folder / ONNX}: gives its last layer only; leave the option layer out")
        if not 0 <= layer <= self.layers:
            raise PfsmError(f"{self.folder}: layer is {layer}, but the network has {self.layers} layers")

    def _run(self, top: int) -> tuple[Run, int]:
        """The network up to a layer, or more of it, and the pieces of a batch; it is read when it is first used."""
        top = self.layers if self._by_transformers else top
        with self._opening:
            here = device() if self._by_transformers else str(on_gpu())
            if (top, here) not in self._runs:
                self._runs[top, here] = self._opened(top)
            return self._runs[top, here]

    def _opened(self, top: int) -> tuple[Run, int]:
        if self._by_transformers:
            return open_transformers(self.folder)
        path = str(self.folder / self._network)
        if not self.has_layers:
            return open_file(path), 1
        weights = self.weights(top)
        run = open_model(encoder_graph(weights, self.shape), weights.words, path)
        return run, PIECES_ON_GPU if on_gpu() else PIECES_AT_ONCE

    @cached_property
    def shape(self) -> Shape:
        """What its configuration says of a network with layers."""
        return read_shape(self._config, str(self.folder / CONFIG))

    @cached_property
    def _config(self) -> dict[str, Any]:
        path = self.folder / CONFIG
        if not self.has_layers and not path.is_file():
            return {}
        content = read_bytes(path, DOCUMENT)
        try:
            config = json.loads(decode(content, str(path)))
        except (ValueError, RecursionError):
            config = None
        if not isinstance(config, dict):
            raise PfsmError(f"{path}: not a JSON object; copy it again")
        return config


def encodable(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD; no file holds them, but a caller may pass them."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _encoded_parts(run: Run, parts: Sequence[Ids], threads: int, largest: int) -> list[States]:
    """Of sequences of pieces float32 [n_layers, n, dimension] each, so many pieces in a batch, by several threads."""
    # Sequences of equal length make a batch, without padding. Each row of a matrix product is the same sum in the same
    # order however many rows there are, so a line's states are the same to the last bit in any batch. A product with
    # one row alone is computed in another way: sequences of one piece are never put together.
    found: list[States | None] = [None] * len(parts)

    def work(batch: Sequence[int]) -> None:
        states = run(np.stack([parts[place] for place in batch]))
        for row, place in enumerate(batch):
            found[place] = states[:, row]
        stage.advance(len(batch))

    with Stage("encoder", "encoding", len(parts), "lines", patience=0.5) as stage:
        each(work, _batches([part.size for part in parts], largest), threads)
    return [states for states in found if states is not None]


def _batches(sizes: Sequence[int], largest: int) -> Iterator[list[int]]:
    """Places of sequences of equal size; large ones come first, so that threads end at about the same time."""
    by_size: dict[int, list[int]] = {}
    for place, size in enumerate(sizes):
        by_size.setdefault(size, []).append(place)
    for size in sorted(by_size, reverse=True):
        places = by_size[size]
        step = lines_at_once(size, largest)
        yield from (places[first : first + step] for first in range(0, len(places), step))
