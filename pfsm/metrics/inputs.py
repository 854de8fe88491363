"""What metrics are given, checked: lists and columns of strings, streams of references, pairs."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics.references import Streams, check_streams
from pfsm.metrics.texts import as_stream, as_texts

Float = NDArray[np.float64]


def checked_streams(hypotheses: Any, references: Any) -> tuple[Sequence[str], Streams]:
    """Hypotheses and streams of references as lists.

    Raises:
        ValueError: As `check_streams`.
        TypeError: If an entry is no string.
    """
    if isinstance(references, str) or (
        not isinstance(references, Sequence) and not hasattr(references, "__iter__")
    ):
        raise ValueError("references must be a list of streams, each a list of strings")
    streams = [
        stream if isinstance(stream, str) else as_stream(stream, f"references[{number}]")
        for number, stream in enumerate(references)
    ]
    lines = as_texts(hypotheses, "hypotheses")
    check_streams(lines, streams)
    return lines, streams


def of_texts(method: Callable[..., Float]) -> Callable[..., Float]:
    """A method of pairs that takes lists and columns of strings, and refuses everything else."""

    @wraps(method)
    def checked(self: Any, hypotheses: Any, references: Any, *more: Any, **named: Any) -> Float:
        lines = as_texts(hypotheses, "hypotheses"), as_texts(references, "references")
        return method(self, *lines, *more, **named)

    return checked


def sides_of(pair: Any, place: int) -> tuple[str, Sequence[str]]:
    """The hypothesis and the references of a pair."""
    if isinstance(pair, str | bytes) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise TypeError(f"pairs[{place}] is no pair of a hypothesis and its reference or references")
    hypothesis, references = pair
    several = [references] if isinstance(references, str) or references is None else references
    if isinstance(several, Sequence) and not several:
        raise ValueError(f"pairs[{place}] has no reference")
    where = f"pairs[{place}]"
    return as_texts([hypothesis], f"{where}, hypothesis, ")[0], as_texts(several, f"{where}, references, ")
