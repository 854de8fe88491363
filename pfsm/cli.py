"""The command line: parses, calls a command, turns what a user can put right into one line and status 2."""

import argparse
import errno
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from pfsm.errors import PfsmError
from pfsm.runtime.interrupts import kept_interrupts

COMMANDS = {
    "train": "learn a metric from human scores",
    "tune": "tune the costs of TERp's edits to human scores",
    "score": "score translations",
    "compare": "say which of two or more systems is better",
    "evaluate": "measure how well scores agree with people",
    "submit": "write score files for the WMT metrics task",
    "explain": "show why translations got their scores",
    "mbr": "choose among candidates by expected score",
    "probe": "test on minimal pairs whether a model notices faults",
    "data": "convert, check and summarise human judgments",
    "experiment": "run a table of experiments from a YAML file",
    "models": "list the models that ship with pfsm",
    "metrics": "list other metrics, and features of models",
    "show": "print what a model has learned",
    "parse": "tag and parse text, or evaluate a parser",
    "resources": "list tables of synonyms and paraphrases; compile others",
}
DESCRIPTION = "Learned translation metrics you can train on your own judgments, run on a laptop, and read."


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit status (0, 2 for bad input, 130 after Ctrl-C)."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    try:
        with kept_interrupts():
            return _run(arguments)
    except PfsmError as error:
        print(f"pfsm: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\npfsm: interrupted", file=sys.stderr)
        return 130
    except MemoryError:
        print("pfsm: not enough memory; give less at once", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader (head, less) went away: not our error.
        _drop_output()
        return 0
    except OSError as error:
        if error.filename is not None:
            # Asked whether a name is a folder, the system may refuse the name itself: too long, not to be seen.
            print(f"pfsm: {error.filename}: cannot be used ({error.strerror})", file=sys.stderr)
            return 2
        if error.errno not in {errno.ENOSPC, errno.EIO}:
            raise
        _drop_output()
        print(f"pfsm: standard output: cannot be written ({error.strerror})", file=sys.stderr)
        return 2


def _drop_output() -> None:
    """Sends what is left in the buffer nowhere, lest Python try once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _ClosedOutput(io.TextIOBase):
    """Standard output where it was closed before we began: what should go there must not be lost unnoticed."""

    def write(self, _: str) -> int:
        raise PfsmError("standard output is closed, there is nowhere to write to")


def _run(arguments: list[str]) -> int:
    if sys.stdout is None:
        sys.stdout = _ClosedOutput()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Names of files may hold what the terminal's encoding has not.
        sys.stdout.reconfigure(errors="backslashreplace")
    parser = argparse.ArgumentParser(prog="pfsm", description=DESCRIPTION)
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    # argparse leaves room for names as long as this one, less three letters.
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND ARGUMENTS", title="commands")
    # Only the command that runs is imported: `pfsm --help` stays quick.
    chosen = next((word for word in arguments if word in COMMANDS), None)
    for name, summary in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=summary, description=f"{summary.capitalize()}.")
        if name == chosen:
            command = import_module(f"pfsm.commands.{name}")
            command.add_arguments(subparser)
            subparser.set_defaults(run=command.run)
    options = parser.parse_args(arguments)
    if options.version:
        from pfsm.version import __version__

        print(f"pfsm {__version__}")
        return 0
    if options.command is None:
        parser.print_help()
        return 0
    options.run(options)
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
