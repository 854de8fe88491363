"""How checks of plug-ins are run, and what those of all kinds have in common."""

import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import eq
from typing import Any, TypeVar

from pfsm.errors import PfsmError, PfsmWarning
from pfsm.registry import Entry
from pfsm.runtime.workers import Workers

Item = TypeVar("Item")
Found = TypeVar("Found")


@dataclass
class Result:
    """What came of a check: its name, the fault, empty where it holds, and what the author should know all the same."""

    name: str
    fault: str = ""
    note: str = ""


class Trial:
    """Runs checks, each a block of code: ``with trial("no words have no stems"): ...``.

    What a plug-in raises is a fault of it, not of ours: the checks that follow are run all the same.

    Args:
        report: Told of each result.
    """

    def __init__(self, report: Callable[[Result], None]) -> None:
        self._report = report

    @contextmanager
    def __call__(self, name: str) -> Iterator[Result]:
        """A check, named by what must hold, as a sentence; the block may set the note of the result."""
        result = Result(name)
        try:
            with warnings.catch_warnings():
                # Odd lines are scored on purpose, and a model may say that they mean little.
                warnings.simplefilter("ignore", PfsmWarning)
                yield result
        except PfsmError as error:
            result.fault = str(error)
        except Exception as error:  # whatever the plug-in does
            line = str(error).partition("\n")[0]
            result.fault = f"{type(error).__name__}: {line}"
        self._report(result)


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
    def sides(self) -> tuple[list[str], list[str]]:
        """Hypotheses and references of the samples."""
        return [pair[0] for pair in self.samples], [pair[1] for pair in self.samples]

    @property
    def lines(self) -> list[str]:
        """Both, each line once."""
        ours, theirs = self.sides
        return list(dict.fromkeys((*ours, *theirs)))


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


def signable(text: str) -> bool:
    """Whether a signature can hold a label."""
    return text.isprintable() and not set(" |") & set(text)


def depends_on_nothing_else(
    work: Callable[[Sequence[Item]], Sequence[Found]],
    items: Sequence[Item],
    same: Callable[[Found, Found], bool] = eq,
) -> None:
    """Does the work on items together, once more, in reverse order and one by one.

    Raises:
        PfsmError: If what comes of an item changes.
    """
    together = work(items)
    for when, others in (
        ("the second time", work(items)),
        ("in reverse order", work(items[::-1])[::-1]),
        ("alone", [work([one])[0] for one in items]),
    ):
        same_of_all(items, together, others, when, same)


def same_of_all(
    items: Sequence[object],
    ones: Sequence[Found],
    others: Sequence[Found],
    when: str,
    same: Callable[[Found, Found], bool] = eq,
) -> None:
    """Refuses what differs between two goes at the same items.

    Raises:
        PfsmError: The message names the item, and what it gives each time.
    """
    for item, one, other in zip(items, ones, others, strict=True):
        hold(same(one, other), f"{_shown(item)} gives {_shown(one)}, but {when} {_shown(other)}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def in_another_process(work: Callable[..., Found], *arguments: Any) -> Found:
    """The result of a function of this package, worked out by a fresh process, as workers and clusters have it.

    Raises:
        PfsmError: If the process ends, or what the function raises.
    """
    with Workers(1) as pool:
        try:
            return pool.submit(work, *arguments).result()
        except BrokenProcessPool:
            raise PfsmError("the process ended before it was done") from None


PAIRS = (
    ("The cat sat on the mat.", "A cat was sitting on the mat."),
    (
        "The engine must be switched off before the cover is opened.",
        "Turn the engine off before opening the cover.",
    ),
    ("the the the the", "the the"),
    ("Prices rose by 3.5% in 2019, he said.", "In 2019 prices increased by 3.5 %, he said."),
    ("It doesn't matter (really)!", "“It does not matter”, really…"),
    ("Not one of them came.", "One of them came."),
    ("Das Mädchen liest l'été à Ærø", "Ein Mädchen las im Sommer auf Ærø"),
    ("猫がマットの上に座った。", "猫はマットの上にいた。"),
    ("قطة على الحصيرة", "كانت القطة على الحصيرة"),
    ("e\u0301 and é 👍🏽 a\u200bb", "é and e\u0301 👍 ab"),
    ("word " * 40, "words " * 35),
    ("A line without a partner", ""),
    ("", "A reference without a translation"),
    ("", ""),
    ("  two  spaces \t and a tab ", "two spaces and a tab"),
    ("The cat sat on the mat.", "A cat was sitting on the mat."),
)
"""Hypotheses and references to try plug-ins on, and what is easily forgotten. The first stands again at the end."""
