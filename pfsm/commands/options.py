"""Tables of options, written as the help shows them, and what several commands check of their values."""

import math
import re
from argparse import (
    SUPPRESS,
    Action,
    ArgumentError,
    ArgumentParser,
    ArgumentTypeError,
    Namespace,
    _ActionsContainer,
)
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from pfsm.errors import PfsmError

# More digits than these a number in double precision does not have.
MOST_DECIMALS = 17
# Rows that several commands have; ``{}`` is what follows the name in their tables.
SHARED = {
    "model": """
--model, -m NAME|FILE [{}]  see `pfsm models`, or a model file (default: {})
@resource""",
    "resource": """
--resource NAME=PATH...  path or `command:PROGRAM` of a resource that a model names (docs/security.md)""",
    "scorer": """
--model, -m NAME|FILE  see `pfsm models`, or a model file (default: {})
@resource
--metric NAME  instead of a model: see `pfsm metrics`
@language the translations""",
    "scorers": """
--model, -m NAME|FILE  see `pfsm models`, or a model file (default: en)
@resource
--metric NAME  see `pfsm metrics`; --metric and --model add up
@language the translations""",
    "language": """
--language LANG  of {}, such as German, de, zh-Hans: chooses model and tokenisers
--force  score text that the model cannot split into words""",
    "test-set": """
--test-set, -t NAME  instead of REF: a test set in sacrebleu's cache, as wmt16
--language-pair, -l LP  of the test set, such as de-en
--download  fetch the test set, or a network of vectors, if it is missing""",
    "signature": "--signature KIND [short]  short (default) or long: all that can change a score",
    "quiet": "--quiet, -q  print errors only: no warnings, no progress",
    "strict": "--strict  treat warnings as errors: exit status 2",
    "skipping": "--skip-missing-references  leave out segments without a reference",
    "device": "--device DEVICE  of encoders: auto (a GPU if any), cpu, cuda",
    "unquote": "--unquote  take the quotes of pandas out of tables",
    "threads": "--threads N  cores to use (default: all; changes no result)",
    "resamples": "--confidence-n N [1000]  bootstrap resamples (default: 1000; the seed is PFSM_SEED)",
    "width": "--width, -w N [4]  decimals in text (default: 4)",
    "score-column": "--score-column NAME [score]  column of the scores (default: score)",
    "name": """
--name NAME [{}]  name of the model, recorded in its file and shown with scores (default: {})
--licence TEXT [not stated]  licence of the model, recorded in its file""",
    "no-cache": "--no-cache  neither read nor write the cache of analyses",
}  # fmt: skip
_ROW = re.compile(
    r"(?P<names>--?[\w-]+(?:, --?[\w-]+)*|\w+)(?: (?P<value>\S+?)(?P<times>\*|\+|\?|\.\.\.)?(?P<needed>!)?)?"
    r"(?: \[(?P<default>.*?)\])?  +(?P<help>.*)", re.DOTALL
)  # fmt: skip

Types = Callable[[str], Any] | tuple[str, ...] | Mapping[str, Any]


def declare(parser: _ActionsContainer, table: str, **types: Types) -> None:
    """Adds the arguments of a table, written as the help shows them: names and value, two spaces, what it is.

        references REF*       reference files, one segment a line
        --input, -i HYP+      hypothesis files
        --by WHAT! [segment]  what stays together
        --sid-order {file,document}  what SID counts
        --list                print all
        @threads

    ``*``, ``+`` and ``?`` are argparse's ``nargs``; ``...`` is an option that may be repeated, ``!`` one that must be
    given; brackets hold the default value; an option without a value is a flag. N, S and MB are whole numbers from 1 if
    nothing else is said. Lines that begin with a space go on with the one before. ``@NAME`` are rows of `SHARED`, and
    ``@format A B; MORE`` is ``--format`` with these choices, the first of them the default.

    Args:
        parser: Takes the arguments.
        table: The rows.
        types: By the name of the attribute: what reads a value, what can be chosen, or settings of argparse.
    """
    for row in re.split(r"\n(?! )", table.strip("\n")):
        if row.startswith("@format "):
            formats, _, more = row.removeprefix("@format ").partition(";")
            first, *others = formats.split()
            told = f"{first} (default), {', '.join(others)}{more and f'; {more.strip()}'}"
            parser.add_argument(
                "--format", "-f", choices=(first, *others), default=first, metavar="FORMAT", help=told
            )
        elif row.startswith("@"):
            name, _, value = row[1:].partition(" ")
            if name == "scorers":
                parser.set_defaults(scorers=None)
            declare(parser, SHARED[name].replace("{}", value), **{**_SHARED_TYPES.get(name, {}), **types})
        else:
            _add(parser, row, types)


def _add(parser: _ActionsContainer, row: str, types: Mapping[str, Types]) -> None:
    match = _ROW.fullmatch(row)
    assert match is not None, row
    names, value, times, default = (
        match["names"].split(", "),
        match["value"],
        match["times"],
        match["default"],
    )
    settings: dict[str, Any] = {"help": " ".join(match["help"].split())}
    if value is None:
        settings["action"] = "store_true"
    elif value.startswith("{"):
        settings["choices"] = tuple(value[1:-1].split(","))
    else:
        settings["metavar"] = value
    if value in {"N", "S", "MB"}:
        settings["type"] = positive
    if times == "...":
        settings |= {"action": "append", "default": []}
    elif times is not None:
        settings["nargs"] = times
    if default is not None:
        settings["default"] = default if default or times is None else []
    if match["needed"]:
        settings["required"] = True
    known_as = next((name for name in names if name.startswith("--")), names[0])
    given = types.get(known_as.lstrip("-").replace("-", "_"))
    if isinstance(given, Mapping):
        settings |= given
    elif given is not None:
        settings["choices" if isinstance(given, tuple) else "type"] = given
    parser.add_argument(*names, **settings)


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    """A whole number within bounds, for argparse."""

    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not least <= int(text) <= (most or int(text)):
            raise ArgumentTypeError(
                f"{text!r} is not a whole number from {least}{'' if most is None else f' to {most}'}"
            )
        return int(text)

    return read


positive = whole(1)


def number_where(fits: Callable[[float], bool], needed: str) -> Callable[[str], float]:
    """A number that fits, for argparse; ``needed`` follows the value in the message."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not fits(value):
            raise ArgumentTypeError(f"{text!r} {needed}")
        return value

    return read


def _named(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise ArgumentTypeError(f"{text!r} must be written NAME=PATH")
    return name, path


def _language(text: str) -> str:
    from pfsm.text.languages import language_code  # noqa: PLC0415 - `pfsm --help` does without it

    try:
        return language_code(text)
    except PfsmError as error:
        raise ArgumentTypeError(str(error)) from None


class _Once(Action):
    """Takes one value; of several it would not be clear which one counts."""

    def __call__(
        self,
        parser: ArgumentParser,  # noqa: ARG002 - argparse's signature
        namespace: Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        given: set[str] = getattr(namespace, "given_once", set())
        if self.dest in given:
            raise ArgumentError(self, f"{option_string} is given twice; this command takes one")
        namespace.given_once = {*given, self.dest}
        setattr(namespace, self.dest, values)


class _Scorer(Action):
    """Notes a model or a metric in the order of the command line."""

    def __call__(
        self,
        parser: ArgumentParser,  # noqa: ARG002 - argparse's signature
        namespace: Namespace,
        values: object,
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        namespace.scorers = [*(namespace.scorers or []), (self.dest, str(values))]


_ONE, _SEVERAL = {"action": _Once}, {"action": _Scorer, "default": SUPPRESS}
_SHARED_TYPES: dict[str, dict[str, Types]] = {
    "model": {"model": _ONE},
    "scorer": {"model": _ONE, "metric": _ONE},
    "scorers": {"model": _SEVERAL, "metric": _SEVERAL},
    "resource": {"resource": _named},
    "language": {"language": _language},
    "signature": {"signature": ("short", "long")},
    "width": {"width": whole(0, MOST_DECIMALS)},
    "device": {"device": ("auto", "cpu", "cuda")},
}


def check_output(path: str | None, inputs: Iterable[str | None]) -> None:
    """Checks before the work begins that a file can be written and replaces no input; None is none that was named."""
    if path is None:
        return
    from pfsm.io.files import check_writable  # noqa: PLC0415 - `pfsm --help` needs no files

    check_writable(path)
    for name in filter(None, inputs):
        try:
            same = Path(path).samefile(name)
        except (OSError, ValueError):  # one of the files does not exist; reading it will report that
            same = False
        if same and Path(path).is_file():
            raise PfsmError(
                f"{path}: is an input, which the output would replace; give the output another name"
            )


def refuse_without(options: Namespace, names: Iterable[str], needed: str) -> None:
    """Refuses options that are given without the one that they go with."""
    for name in names:
        if getattr(options, name) not in {None, False}:
            raise PfsmError(f"--{name.replace('_', '-')} goes with {needed}")
