"""The tables of ``pfsm probe``: one model or metric in detail, several side by side."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pfsm.commands.evaluation_text import NO_INTERVAL
from pfsm.data.minimal_pairs import KINDS, SEVERITIES
from pfsm.english.perturbation.kind import NAMES, kind_named
from pfsm.evaluation.bootstrap import Estimate, Interval
from pfsm.evaluation.probe import ALL, KindResult, ProbeResult, SeverityResult

HEADINGS = ("kind", "n", "worse is lower", "mean difference", "what is worse")
MEAN = "mean of kinds"


@dataclass(frozen=True)
class Tested:
    """A model or metric with its outcome.

    Attributes:
        name: Its name.
        heading: What text calls it: its short or its long signature.
        signature: Its signature.
        short_signature: Its short signature.
        result: The outcome.
    """

    name: str
    heading: str
    signature: str
    short_signature: str
    result: ProbeResult


def print_one(tested: Tested, note: str) -> None:
    """Prints every kind with its intervals, then what severity makes of the losses."""
    result = tested.result
    print(tested.heading)
    print()
    _print_rows([HEADINGS, *map(_cells, result.kinds)])
    if result.severity is not None:
        print()
        _print_rows([(name, *cells) for name, cells in _severity_rows(result.severity)])
        print(f"{MEAN}: {result.mean_of_kinds:.1%}")
    print(f"[{note}]")


def print_several(tested: Sequence[Tested], note: str) -> None:
    """Prints a column for each model or metric: the share of pairs whose worse version scores lower, by kind."""
    for one in tested:
        print(one.heading)
    print()
    names = [one.name for one in tested]
    rows = [
        (kinds[0].kind, f"{kinds[0].n:>4}", *(_share(kind.lower) for kind in kinds))
        for kinds in zip(*(one.result.kinds for one in tested), strict=True)
    ]
    means = (MEAN, "", *(f"{one.result.mean_of_kinds:6.1%}" for one in tested))
    _print_rows([("kind", "n", *names), *rows, means])
    severities = [one.result.severity for one in tested if one.result.severity is not None]
    if severities:
        print()
        columns = [_severity_rows(one) for one in severities]
        _print_rows(
            [
                ("", *names),
                *((row[0][0], *(cells[-1] for _, cells in row)) for row in zip(*columns, strict=True)),
            ]
        )
    print(f"[{note}]")


def _print_rows(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())


def _cells(result: KindResult) -> tuple[str, ...]:
    difference = result.difference
    notes = [
        "" if result.kind == ALL else _about(result),
        "harmless" if result.severity == SEVERITIES[0] else result.severity,
        f"{result.ties} tied" * bool(result.ties),
    ]
    return (
        result.kind,
        f"{result.n:>4}",
        _share(result.lower),
        f"{difference.value:+9.4f} {_range(difference.interval, '{:+.3f}')}",
        "; ".join(filter(None, notes)),
    )


def _about(result: KindResult) -> str:
    """What is changed: as `pfsm data perturb` has it where the file tells severities, else as in the shipped pairs."""
    if result.severity and result.kind in NAMES:
        return kind_named(result.kind).about
    return KINDS.get(result.kind, "")


def _severity_rows(result: SeverityResult) -> list[tuple[str, tuple[str, ...]]]:
    rows: list[tuple[str, tuple[str, ...]]] = [
        (f"median loss, {'harmless' if one.severity == SEVERITIES[0] else one.severity}",
         (f"{one.n:>4}", f"{one.median.value:+9.4f} {_range(one.median.interval, '{:+.3f}')}"))
        for one in result.losses
    ]  # fmt: skip
    for name, estimate, form in (
        ("rank correlation of severity and loss", result.correlation, "{:+.3f}"),
        ("a critical error loses more than a minor one", result.critical_above_minor, "{:.1%}"),
        ("median loss: harmless / critical", result.harmless_share, "{:.1%}"),
    ):
        value = "–" if math.isnan(estimate.value) else form.format(estimate.value)
        rows.append((name, ("", f"{value:>9} {_range(estimate.interval, form)}")))
    return rows


def _share(estimate: Estimate) -> str:
    return f"{estimate.value:6.1%} {_range(estimate.interval, '{:.0%}')}"


def _range(interval: Interval, form: str) -> str:
    if math.isnan(interval.low):
        return NO_INTERVAL
    return f"[{form.format(interval.low)}, {form.format(interval.high)}]"
