"""What a check is, and how checks are run."""

import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pfsm.errors import PfsmError, PfsmWarning
from pfsm.registry import Entry


@dataclass(frozen=True)
class Check:
    """One thing that must hold.

    Attributes:
        name: What must hold, as a sentence.
        run: Finds out; returns what the author should know all the same, or nothing. Raises where it does not hold.
    """

    name: str
    run: Callable[[], str | None]


@dataclass(frozen=True)
class Result:
    """What came of a check: ``fault`` is empty where it holds."""

    name: str
    fault: str = ""
    note: str = ""


@dataclass(frozen=True)
class Subject:
    """What is to be checked, and with what.

    Attributes:
        entry: The plug-in.
        name: As it was asked for: of an analyser with its argument, of a metric with its options.
        options: Of a matcher.
        samples: Hypotheses and references to try it on.
        files: Of a format: files to read.
    """

    entry: Entry
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    samples: tuple[tuple[str, str], ...] = ()
    files: tuple[str, ...] = ()

    @property
    def hypotheses(self) -> list[str]:
        """One side of the samples."""
        return [pair[0] for pair in self.samples]

    @property
    def references(self) -> list[str]:
        """The other side."""
        return [pair[1] for pair in self.samples]

    @property
    def lines(self) -> list[str]:
        """Both, each line once."""
        return list(dict.fromkeys((*self.hypotheses, *self.references)))


def results(checks: Iterable[Check]) -> Iterator[Result]:
    """Runs checks one after the other. What a plug-in raises is a fault of it, not of ours."""
    for check in checks:
        try:
            with warnings.catch_warnings():
                # Odd lines are scored on purpose, and a model may say that they mean little.
                warnings.simplefilter("ignore", PfsmWarning)
                note = check.run() or ""
        except PfsmError as error:
            yield Result(check.name, str(error))
        except Exception as error:  # whatever the plug-in does
            line = str(error).partition("\n")[0]
            yield Result(check.name, f"{type(error).__name__}: {line}")
        else:
            yield Result(check.name, note=note)


def hold(condition: object, fault: str) -> None:
    """Refuses what does not hold.

    Raises:
        PfsmError: If the condition is false.
    """
    if not condition:
        raise PfsmError(fault)


def through_json(value: object) -> Any:
    """The value after it was written as JSON and read again.

    Raises:
        PfsmError: If JSON cannot hold it.
    """
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise PfsmError(f"{value!r} cannot be written as JSON ({error})") from None
