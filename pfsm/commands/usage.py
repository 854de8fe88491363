"""What a mistyped option, command or choice is answered with: the command's usage, and the name that was meant."""

import sys
from argparse import Action, ArgumentError, ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

# Similarity by difflib's measure, 0 to 1.
_ALIKE = 0.6


class Parser(ArgumentParser):
    """A parser of arguments whose messages say what was probably meant."""

    _has_actions = False

    def add_subparsers(self, **settings: Any) -> Any:
        """As in argparse."""
        self._has_actions = True
        return super().add_subparsers(**settings)

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
        """As in argparse, and what was meant."""
        try:
            super()._check_value(action, value)
        except ArgumentError as error:
            error.message += meant(str(value), [str(choice) for choice in action.choices or ()])
            raise

    def error(self, message: str) -> NoReturn:
        """Prints the usage and the message; ends with status 2."""
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: error: {message} (`{self.prog} --help` explains all options)\n")


def meant(name: str, known: Iterable[str]) -> str:
    """``; did you mean X?`` with the most similar name; empty if none is similar."""
    by_letters = {one.casefold(): one for one in sorted(known)}
    near = get_close_matches(name.casefold(), by_letters, 1, _ALIKE)
    return f"; did you mean {by_letters[near[0]]}?" if near else ""
