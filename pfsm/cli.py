"""The command line: parses, calls a command, and turns errors that the user can fix into one line and status 2."""

import contextlib
import errno
import io
import os
import re
import sys
import traceback
import warnings
from argparse import Namespace
from collections.abc import Sequence
from importlib import import_module
from itertools import chain
from typing import TextIO

from pfsm.commands import COMMANDS, by_task
from pfsm.commands.options import Parser, declare
from pfsm.errors import PfsmError, PfsmNote, PfsmWarning
from pfsm.registry import fault_of_plugin
from pfsm.runtime.process import kept_interrupts
from pfsm.runtime.terminal import AUTO, CHOICES, colored, error_line, shown_compiling, visible_errors

__all__ = ["COMMANDS", "main"]

ENCODING = frozenset({"score", "compare", "explain", "evaluate", "mbr", "submit", "probe"})
TABLES = frozenset({"score", "compare", "train", "tune", "evaluate", "probe", "submit", "experiment"})
OPTIONS = f"""
--verbose  progress in plain lines where no bar is drawn
--color WHEN [{AUTO}]  auto (a terminal without NO_COLOR), always, never
"""
# What an error quotes is told up to 200 characters.
_QUOTED = re.compile(r"(['\"])((?:(?!\1).){200})(?:(?!\1).)+\1")
DESCRIPTION = "Learned translation metrics you can train on your own judgments, run on a laptop, and read."


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit status (0, 1 where a gate is closed, 2 for bad input, 130 after Ctrl-C)."""
    with visible_errors():
        return _status(sys.argv[1:] if arguments is None else list(arguments))


def _status(arguments: list[str]) -> int:
    """Run one command; turn what goes wrong into one line and a status."""
    try:
        with kept_interrupts(), warnings.catch_warnings():
            _show_warnings()
            return _run(arguments)
    except (PfsmError, PfsmWarning) as error:  # warnings: with --strict
        told = " ".join(_QUOTED.sub(r"\1\2…\1", str(error)).splitlines())
        print(f"pfsm: {told}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\npfsm: interrupted", file=sys.stderr)
        return 130
    except MemoryError:
        print("pfsm: not enough memory; give less at once", file=sys.stderr)
        return 2
    except BrokenPipeError:  # of the help
        _drop_output()
        return 0
    except OSError as error:
        if error.filename is not None:
            # The system may refuse the name itself, for example one that is too long, even when asked what it is.
            print(f"pfsm: {error.filename}: cannot be used ({error.strerror})", file=sys.stderr)
            return 2
        if error.errno not in {errno.ENOSPC, errno.EIO}:
            return _said_of_plugin(error, arguments)
        _drop_output()
        print(f"pfsm: standard output: cannot be written ({error.strerror})", file=sys.stderr)
        return 2
    except Exception as error:
        return _said_of_plugin(error, arguments)


def _said_of_plugin(error: Exception, arguments: Sequence[str]) -> int:
    """Says which plug-in has failed; what no plug-in has done is a fault of ours, and goes on as it is."""
    fault = fault_of_plugin(error)
    if fault is None:
        raise error
    if "--verbose" in arguments:
        traceback.print_exception(error)
    print(f"pfsm: {fault}", file=sys.stderr)
    return 2


def _show_warnings() -> None:
    """Prints our warnings as one line each, until `warnings.catch_warnings` ends."""
    others = warnings.showwarning

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if issubclass(category, PfsmWarning):
            error_line(f"pfsm: {'note' if issubclass(category, PfsmNote) else 'warning'}: {message}")
        else:
            others(message, category, filename, lineno, file, line)

    warnings.simplefilter("default", PfsmWarning)
    warnings.showwarning = show


def _drop_output() -> None:
    """Discards what is left in the buffer, so that Python does not try to write it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _ClosedOutput(io.TextIOBase):
    """Stands in for a standard output that is closed from the start, so that no output is lost unnoticed."""

    def write(self, _: str) -> int:
        raise PfsmError("standard output is closed, there is nowhere to write to")


def _permissions(options: Namespace) -> contextlib.ExitStack:
    """What holds for the whole command: progress, ``--threads``, ``--resource`` and the like."""
    stack = contextlib.ExitStack()
    if options.verbose or (sys.stderr is not None and sys.stderr.isatty()):
        from pfsm.runtime.bars import shown_progress

        shown = shown_progress(verbose=options.verbose, quiet=getattr(options, "quiet", False))
        stack.enter_context(shown)
    if getattr(options, "threads", None) is not None:
        from pfsm.runtime.threads import at_most

        stack.enter_context(at_most(options.threads))
    if hasattr(options, "resource"):
        from pfsm.io.named_resources import given_within

        resources = dict(options.resource)
        if len(resources) < len(options.resource):
            raise PfsmError("--resource: a name is given twice; give each resource once")
        stack.enter_context(given_within(resources))
    if getattr(options, "device", None) is not None:
        from pfsm.embeddings.session import use_device

        stack.callback(use_device, use_device(options.device))
    if getattr(options, "unquote", False):
        from pfsm.data.table import unquoting

        stack.enter_context(unquoting())
    if getattr(options, "download", False):
        from pfsm.io.named_resources import downloads

        stack.enter_context(downloads(True))
    return stack


def _run(arguments: list[str]) -> int:
    if sys.stdout is None:
        sys.stdout = _ClosedOutput()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Files and programs get UTF-8, whatever the locale; a terminal, or the name of a file, may lack characters.
        sys.stdout.reconfigure(encoding=None if sys.stdout.isatty() else "utf-8", errors="backslashreplace")
    parser = Parser(prog="pfsm", description=DESCRIPTION)
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    # Only the command that runs is imported, and the core's run without a look at what other packages offer.
    chosen = next((word for word in arguments if word[:1] != "-" and word in COMMANDS), None)
    quick = chosen in COMMANDS.built_in or "--version" in arguments
    tasks = by_task(COMMANDS.built_in if quick else COMMANDS)
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", tasks=tasks)
    for name in chain.from_iterable(tasks.values()):
        summary = COMMANDS[name].summary
        subparser = subparsers.add_parser(
            name, help=summary, description=f"{summary[0].upper()}{summary[1:]}."
        )
        if name == chosen:
            command = import_module(COMMANDS[name].module)
            command.add_arguments(subparser)
            declare(subparser, OPTIONS, color=CHOICES)
            if name in ENCODING:
                declare(subparser, "@device")
            if name in TABLES:
                declare(subparser, "@unquote")
            subparser.set_defaults(run=command.run)
    options = parser.parse_args(arguments)
    if options.version:
        from pfsm.version import __version__

        print(f"pfsm {__version__}")
        return 0
    if options.command is None:
        parser.print_help()
        return 0
    with (
        _permissions(options),
        shown_compiling(quiet=getattr(options, "quiet", False)),
        colored(options.color),
    ):
        try:
            status: int | None = options.run(options)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader (head, less) went away: not our error. A gate stays closed whoever has read enough.
            _drop_output()
            status = getattr(options, "status", 0)
    return status or 0
