"""The checks of each kind of plug-in: ``pfsm plugins check NAME``, and `failures` for the tests of a plug-in."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pfsm.conformance import numbers, texts
from pfsm.conformance.checks import PAIRS, Check, Subject, results
from pfsm.errors import PfsmError
from pfsm.registry import table

CHECKS: Mapping[str, Callable[[Subject], Iterator[Check]]] = {
    "matcher": numbers.matcher_checks,
    "metric": numbers.metric_checks,
    "feature": numbers.feature_checks,
    "analyser": texts.analyser_checks,
    "tokeniser": texts.tokeniser_checks,
    "stemmer": texts.stemmer_checks,
    "format": texts.format_checks,
    "statistic": numbers.statistic_checks,
}


def failures(
    kind: str,
    name: str,
    *,
    options: Mapping[str, Any] | None = None,
    samples: Sequence[tuple[str, str]] = (),
    files: Sequence[str] = (),
) -> list[str]:
    """What ``pfsm plugins check`` finds wrong, as a list of lines: for the tests of a plug-in.

    Args:
        kind: ``matcher``, ``metric``, …
        name: Of the plug-in; of an analyser ``NAME:ARGUMENT``, of a metric ``NAME(KEY=VALUE,…)``.
        options: Of a matcher or format.
        samples: Hypotheses and references to try it on, in addition to built-in ones.
        files: Of a format: files to read.

    Raises:
        PfsmError: If there is no plug-in of this name.
    """
    subject = subject_of(kind, name, options or {}, samples, files)
    return [f"{result.name}: {result.fault}" for result in results(CHECKS[kind](subject)) if result.fault]


def subject_of(
    kind: str, name: str, options: Mapping[str, Any], samples: Sequence[tuple[str, str]], files: Sequence[str]
) -> Subject:
    """What is to be checked; arguments as of `failures`.

    Raises:
        PfsmError: If there is no such plug-in, or it cannot be used.
    """
    bare = name.partition("(")[0].partition(":")[0]
    entry = next((entry for entry in table(kind).plugins() if entry.name in {name, bare}), None)
    if entry is None:
        raise PfsmError(f"there is no plug-in {kind} {name!r}")
    table(kind).loaded(entry)
    return Subject(entry, name, options, (*PAIRS, *samples), tuple(files))
