"""One module per command of the command line: ``add_arguments(parser)`` and ``run(options)``.

Whatever the user can put right is raised as `PfsmError`, in a line that names file, line or option and the fix.
Other packages add commands as entry points ``pfsm.commands``, each a `Command`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pfsm.errors import PfsmError
from pfsm.registry import Table


@dataclass(frozen=True)
class Command:
    """A command, as lists show it before its module is imported.

    Attributes:
        summary: What it does, in half a line.
        task: The heading of ``pfsm --help`` that it stands below.
        module: Has ``add_arguments(parser)`` and ``run(options)``; imported where the command runs.
        before: The command of the same task that it is listed before; empty: it is the last one.
        example: A call for the help, which runs in ``demo-output``; of the core's commands in `pfsm.commands.options`.
    """

    summary: str
    task: str
    module: str
    before: str = ""
    example: str = ""


TASKS = {
    "score and compare translations": {
        "score": "score translations",
        "compare": "say which of two or more systems is better",
        "explain": "show why translations got their scores",
        "mbr": "choose among candidates by expected score",
        "submit": "write score files for the WMT metrics task",
    },
    "train a metric": {
        "data": "convert, check and summarise human judgments",
        "train": "learn a metric from human scores",
        "tune": "tune the costs of TERp's edits to human scores",
        "show": "print what a model has learned",
    },
    "test a metric": {
        "evaluate": "measure how well scores agree with people",
        "probe": "test on minimal pairs whether a model notices faults",
        "experiment": "run a table of experiments from a YAML file",
    },
    "see what there is": {
        "models": "list the shipped models",
        "metrics": "list other metrics, and features of models",
        "resources": "list tables of synonyms and paraphrases; compile others",
        "plugins": "list what other packages add",
    },
    "language and machine": {
        "warmup": "compile all kernels ahead, for images and read-only machines",
    },
}
"""The core's commands and what they do, by task."""


def _checked(_: str, value: Any) -> Command:
    if not isinstance(value, Command):
        raise PfsmError("is not a pfsm.commands.Command")
    return value


COMMANDS: Table[Command] = Table(
    "command",
    {
        name: Command(summary, task, f"pfsm.commands.{name}")
        for task, commands in TASKS.items()
        for name, summary in commands.items()
    },
    _checked,
)
"""The commands, by name."""


def by_task(names: Iterable[str] = COMMANDS) -> dict[str, list[str]]:
    """Return the names of commands by task, in the order of the help; a plug-in that cannot be used is left out."""
    found: dict[str, list[str]] = {task: [] for task in TASKS}
    for name in names:
        try:
            command = COMMANDS[name]
        except PfsmError:
            continue
        listed = found.setdefault(command.task, [])
        listed.insert(listed.index(command.before) if command.before in listed else len(listed), name)
    return found
