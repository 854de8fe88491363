"""The parser of the command line, and tables of options, written as the help shows them.

Help begins with an example, and messages say what was probably meant.
"""

import math
import re
import sys
from argparse import (
    SUPPRESS,
    Action,
    ArgumentError,
    ArgumentParser,
    ArgumentTypeError,
    Namespace,
    RawDescriptionHelpFormatter,
    _ActionsContainer,
)
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from textwrap import fill, wrap
from typing import Any, NoReturn

from pfsm.commands import COMMANDS
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


# Commands that run in demo-output; those of an action stand under its command's name and its own.
EXAMPLES = {
    "pfsm": "pfsm score reference.txt -i birch.txt",
    "score": "pfsm score reference.txt -i amber.txt birch.txt --confidence",
    "compare": "pfsm compare reference.txt -i amber.txt birch.txt --html page.html",
    "explain": "pfsm explain reference.txt -i birch.txt --segment 2",
    "mbr": "paste -d '\\n' amber.txt birch.txt cedar.txt | pfsm mbr -n 3",
    "submit": "pfsm submit reference.txt -i amber.txt birch.txt --metric-name pfsm \\\n"
    "    --language-pair de-en --testset demo -o demo",
    "data": "pfsm data info train.tsv",
    "data convert": "pfsm data convert train.tsv -o judgments.tsv",
    "data split": "pfsm data split train.tsv --by segment --test .25 --seed 1",
    "data info": "pfsm data info train.tsv",
    "data perturb": "pfsm data perturb test.tsv -o pairs.tsv",
    "train": "pfsm train train.tsv -o model.json --name demo",
    "tune": "pfsm tune train.tsv --restarts 1",
    "show": "pfsm show en-small",
    "evaluate": "pfsm evaluate test.tsv --versus metric:chrf++",
    "probe": "pfsm probe",
    "experiment": "pfsm experiment table.yaml --data . -o table",
    "models": "pfsm models",
    "metrics": "pfsm metrics",
    "resources": "pfsm resources list",
    "resources list": "pfsm resources list",
    "resources compile": "pfsm resources list",
    "resources compile synonyms": "printf '1-n\\tlemma\\tglad\\n1-n\\tlemma\\thappy\\n' > words.tab\n"
    "  pfsm resources compile synonyms words.tab --name mine",
    "resources compile paraphrases": "printf '0.5\\nin fact\\nindeed\\n' > phrases.txt\n"
    "  pfsm resources compile paraphrases phrases.txt --name mine",
    "resources learn-paraphrases": "pfsm resources learn-paraphrases train.tsv --name mine",
    "plugins": "pfsm plugins",
    "parse": "pfsm parse reference.txt",
    "warmup": "pfsm warmup",
}
# Headings of the help, and the options below each; what has none here is below "options".
_GROUPS = {
    "what is scored": "references data files input table test_set language_pair column scores "
    "skip_missing_references mtme score_column segments documents domains unquote",
    "models and metrics": "model metric language resource download force",
    "statistics": "level statistics by tau system_scores versus test resample confidence confidence_n sentence_level "
    "fail_if_worse margin spans",
    "output": "output format signature width score_only html title alignments report output_format keep "
    "partition_size name licence plot json junit",
    "running": "threads processes jobs scheduler resume fresh no_cache quiet strict color verbose help device",
}
# Fewer options than these need no headings but argparse's.
_MANY = 8
# Similarity by difflib's measure, 0 to 1.
_ALIKE = 0.6


def example_of(name: str) -> str:
    """Return the example of a command or action; empty where there is none."""
    command = None if name in EXAMPLES else COMMANDS.get(name.rpartition(" ")[2])
    return EXAMPLES.get(name, "") if command is None else command.example


class _Formatter(RawDescriptionHelpFormatter):
    """Short options first, and the value once: ``-m, --model NAME|FILE``."""

    def __init__(self, prog: str, **settings: Any) -> None:
        super().__init__(prog, max_help_position=26, **settings)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _format_action_invocation(self, action: Action) -> str:
        if not action.option_strings:
            return super()._format_action_invocation(action)
        names = ", ".join(sorted(action.option_strings, key=lambda name: (name.startswith("--"), len(name))))
        value = self._format_args(action, action.dest.upper()) if action.nargs != 0 else ""
        return f"{names} {value.partition(' [')[0] + ' …' if ' [' in value else value}".rstrip()


class Parser(ArgumentParser):
    """A parser of arguments whose messages say what was probably meant."""

    _has_actions = False

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"formatter_class": _Formatter, **settings})
        self._tasks: Mapping[str, Iterable[str]] = {}

    def add_subparsers(self, *, tasks: Mapping[str, Iterable[str]] | None = None, **settings: Any) -> Any:
        """As in argparse; ``tasks`` are headings of the help, and the names below each."""
        self._has_actions = True
        self._tasks = tasks or {}
        return super().add_subparsers(**settings)

    def format_usage(self) -> str:
        """What has to be given; all options are in the help."""
        formatter = self.formatter_class(prog=f"{self.prog} [options]")
        needed = [action for action in self._actions if action.required or not action.option_strings]
        formatter.add_usage(None, needed, [])
        return formatter.format_help()

    def format_help(self) -> str:
        """Usage, an example, and the options under headings."""
        formatter = self._get_formatter()
        formatter.add_text(fill(self.description or "", formatter._width))  # noqa: SLF001
        example = example_of(self.prog.removeprefix("pfsm ").partition(" [options]")[0])
        if example:
            formatter.add_text(f"Example, in demo-output (`make demo` writes it):\n  {example}")
        for title, actions in self._sections():
            formatter.start_section(title)
            formatter.add_arguments(actions)
            formatter.end_section()
        return f"{self.format_usage()}\n{formatter.format_help()}"

    def _sections(self) -> Iterable[tuple[str, list[Action]]]:
        given = [(str(group.title), group._group_actions) for group in self._action_groups]  # noqa: SLF001
        loose, own = [*given[0][1], *given[1][1]], given[2:]
        if self._tasks:
            names: Any = own[0][1][0]
            known = {one.dest: one for one in names._get_subactions()}  # noqa: SLF001
            yield from (
                (title, [known[name] for name in commands]) for title, commands in self._tasks.items()
            )
            own = []
        if len(loose) < _MANY or self._has_actions:
            yield from own
            yield from given[:2]
            return
        places = {name: title for title, names in _GROUPS.items() for name in names.split()}
        placed = [(places.get(action.dest, "options"), action) for action in loose]
        for title in ("options", *_GROUPS):
            yield title, [action for place, action in placed if place == title]
            if title == "options":
                yield from own

    def parse_known_args(  # type: ignore[override]  # argparse's own overloads differ only in the namespace's type
        self, args: Sequence[str] | None = None, namespace: Namespace | None = None
    ) -> tuple[Namespace, list[str]]:
        """As in argparse; a command itself refuses what it does not know, with its own usage."""
        words = sys.argv[1:] if args is None else list(args)
        if not self._has_actions:
            self._check_names(words)
        found, others = super().parse_known_args(words, namespace)
        if others and not self._has_actions:
            self.error(f"unrecognized arguments: {' '.join(others)}")
        return found, others

    def _check_names(self, words: Iterable[str]) -> None:
        """Finds a mistyped option first: without it argparse often only misses another one."""
        for word in words:
            if word == "--":
                return
            name = word.partition("=")[0]
            if not name.startswith("--") or " " in word:  # argparse takes words with spaces for values
                continue
            # Those of argument groups are among them.
            known = self._option_string_actions
            if not any(option.startswith(name) for option in known):
                self.error(f"unknown option {name}{meant(name, known)}")

    def _check_value(self, action: Action, value: Any) -> None:
        """As in argparse, and what was meant; a list that is long is not repeated."""
        try:
            super()._check_value(action, value)
        except ArgumentError:
            known = [str(choice) for choice in action.choices or ()]
            near = meant(str(value), known)
            choices = f"; choose from {', '.join(known)}" if len(known) <= _MANY or not near else ""
            raise ArgumentError(action, f"unknown: {value!r}{near}{choices}") from None

    def error(self, message: str) -> NoReturn:
        """Prints the message; ends with status 2."""
        self.exit(2, f"{self.prog}: error: {message} (`{self.prog} --help` explains all options)\n")


def meant(name: str, known: Iterable[str]) -> str:
    """``; did you mean X?`` with the most similar name; empty if none is similar."""
    by_letters = {one.casefold(): one for one in sorted(known)}
    near = get_close_matches(name.casefold(), by_letters, 1, _ALIKE)
    return f"; did you mean {by_letters[near[0]]}?" if near else ""
