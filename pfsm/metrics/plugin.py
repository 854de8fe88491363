"""Features of other packages: what they must be, and a watch over what they say."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.metrics.family import Family
from pfsm.registry import origin_label

Float = NDArray[np.float64]
Compute = Callable[[Sequence[str], Sequence[str]], Any]


def feature_family(name: str, value: Any) -> Family:
    """A feature of another package as the registry holds it.

    Args:
        name: What it is registered under.
        value: A function from hypotheses and references to float64 [n_pairs].

    Raises:
        PfsmError: If it cannot be called.
    """
    if not callable(value):
        raise PfsmError("is no function of hypotheses and references")

    def values(_: str, hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
        return {name: watched_values(f"feature {name!r}", value, hypotheses, references)}

    return Family(
        parts={name: (name,)},
        values=values,
        label=lambda feature: f"{feature}({origin_label('feature', name)})",
        about={name: first_line(value)},
    )


def watched_values(
    what: str, compute: Compute, hypotheses: Sequence[str], references: Sequence[str]
) -> Float:
    """What a plug-in says of pairs, float64 [n_pairs].

    Raises:
        PfsmError: If that is not one finite number for each pair.
        ValueError: If the lists differ in length.
    """
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(references)} references for {len(hypotheses)} hypotheses")
    found = compute(hypotheses, references)
    try:
        values = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        raise PfsmError(f"{what}: gives a {type(found).__name__}, float64 [n_pairs] is needed") from None
    if values.shape != (len(hypotheses),):
        raise PfsmError(f"{what}: gives numbers of shape {values.shape} for {len(hypotheses)} pairs")
    if not np.isfinite(values).all():
        place = int(np.flatnonzero(~np.isfinite(values))[0])
        raise PfsmError(f"{what}: gives {values[place]} for {hypotheses[place]!r} and {references[place]!r}")
    return values


def first_line(value: Any) -> str:
    """The first line of a docstring, without its full stop."""
    return (inspect.getdoc(value) or "").partition("\n")[0].removesuffix(".")
