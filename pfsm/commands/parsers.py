"""The parser of the command line: help that begins with an example, and messages that say what was probably meant."""

import sys
from argparse import Action, ArgumentError, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from textwrap import fill, wrap
from typing import Any, NoReturn

from pfsm.commands import COMMANDS

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
