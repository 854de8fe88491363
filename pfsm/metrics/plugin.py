"""Metrics and features of other packages: what they must be, and the check of what they say of pairs."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pfsm.arrays import Float
from pfsm.errors import PfsmError
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.inputs import as_texts, check_pairs
from pfsm.metrics.metric_group import MetricGroup
from pfsm.registry import origin_label
from pfsm.runtime.typed import Options

Compute = Callable[[Sequence[str], Sequence[str]], Any]


def metric_group(name: str, value: Any) -> MetricGroup:
    """A metric of another package as the registry holds it.

    Args:
        name: What it is registered under.
        value: A class derived from `pfsm.metrics.base.SegmentMetric`, or a function that makes such a metric; called
            with the metric's options as keyword arguments.

    Raises:
        PfsmError: If it cannot be called, or is a class of another kind or without what every metric has.
    """
    if not callable(value) or (isinstance(value, type) and not issubclass(value, SegmentMetric)):
        raise PfsmError(
            "must be a class derived from pfsm.metrics.base.SegmentMetric, or a function that makes a metric"
        )
    missing = ", ".join(f"{method}()" for method in sorted(getattr(value, "__abstractmethods__", ())))
    if missing:
        raise PfsmError(f"does not define {missing}")
    called = getattr(value, "name", name) if isinstance(value, type) else name
    if called != name:
        raise PfsmError(f"calls itself {called!r}; its name must be {name!r}, as it is registered")
    return MetricGroup({name: first_line(value)}, lambda _, options: _made(name, value, options))


def _made(name: str, make: Callable[..., SegmentMetric], options: Options) -> SegmentMetric:
    """The metric, its output validated, with its package and its options in its signature."""
    _check_options(name, make, options)
    metric = make(**options)
    if not isinstance(metric, SegmentMetric):
        raise PfsmError(f"metric {name!r}: makes a {type(metric).__name__}, which is not a SegmentMetric")
    if metric.name != name:
        raise PfsmError(f"metric {name!r}: calls itself {metric.name!r}; its name must be {name!r}")
    scores, entries, understood = metric.score_pairs, metric.entries, metric.understood_scores
    what = f"metric {name!r}"

    def signed() -> dict[str, str]:
        """The author's entries; options that these do not name with their values come before."""
        own = entries()
        rest = ",".join(
            f"{key}={value}" for key, value in sorted(options.items()) if own.get(key) != str(value)
        )
        return {"plugin": origin_label("metric", name), **({"options": rest} if rest else {}), **own}

    # Of this object alone: the author's class stays what it is.
    vars(metric).update(
        score_pairs=lambda hypotheses, references: validated(what, scores, hypotheses, references),
        entries=signed,
    )
    if type(metric).understood_scores is not SegmentMetric.understood_scores:
        vars(metric).update(
            understood_scores=lambda hypotheses, references: validated(
                what, understood, hypotheses, references, gaps=True
            )
        )
    return metric


def _check_options(name: str, make: Callable[..., object], options: Options) -> None:
    try:
        inspect.signature(make).bind(**options)
    except TypeError as error:
        raise PfsmError(f"metric {name}: takes no such options ({error})") from None


def feature_group(name: str, value: Any) -> MetricGroup:
    """A feature of another package as the registry holds it.

    Args:
        name: What it is registered under.
        value: A function from hypotheses and references to float64 [n_pairs].

    Raises:
        PfsmError: If it cannot be called.
    """
    if not callable(value):
        raise PfsmError("is not a function of hypotheses and references")

    def values(_: str, hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
        return {name: validated(f"feature {name!r}", value, hypotheses, references)}

    return MetricGroup(
        parts={name: (name,)},
        values=values,
        label=lambda feature: f"{feature}({origin_label('feature', name)})",
        about={name: first_line(value)},
    )


def validated(
    what: str, compute: Compute, hypotheses: Sequence[str], references: Sequence[str], *, gaps: bool = False
) -> Float:
    """What a plug-in says of pairs, float64 [n_pairs].

    Args:
        what: What messages call it.
        compute: The plug-in.
        hypotheses: Translations.
        references: As many references.
        gaps: Whether NaN may stand where it can say nothing.

    Raises:
        PfsmError: If that is not one finite number for each pair.
        ValueError: If the lists differ in length, or one of them is a single string.
    """
    hypotheses, references = as_texts(hypotheses, "hypotheses"), as_texts(references, "references")
    check_pairs(hypotheses, references)
    found = compute(hypotheses, references)
    try:
        values = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        raise PfsmError(f"{what}: gives a {type(found).__name__}, float64 [n_pairs] is needed") from None
    if values.shape != (len(hypotheses),):
        raise PfsmError(f"{what}: gives numbers of shape {values.shape} for {len(hypotheses)} pairs")
    good = np.isfinite(values) | (gaps & np.isnan(values))
    if not good.all():
        place = int(np.flatnonzero(~good)[0])
        raise PfsmError(f"{what}: gives {values[place]} for {hypotheses[place]!r} and {references[place]!r}")
    return values


def first_line(value: Any) -> str:
    """The first line of a docstring, without its full stop."""
    return (inspect.getdoc(value) or "").partition("\n")[0].removesuffix(".")
