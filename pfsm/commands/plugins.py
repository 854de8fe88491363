"""``pfsm plugins``: what other packages add to pfsm."""

from argparse import ArgumentParser, Namespace

from pfsm.commands.options import declare
from pfsm.commands.output import print_columns, print_json
from pfsm.errors import PfsmError
from pfsm.registry import KINDS, PAGE, Entry, group, plugins, table


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    declare(parser, "@format text json")


def run(options: Namespace) -> None:
    """Lists the plug-ins."""
    rows = [_row(entry) for entry in plugins(*KINDS)]
    if options.format == "json":
        print_json(rows)
    elif rows:
        print_columns([[row[key] for key in ("kind", "name", "package", "state")] for row in rows])
    else:
        groups = ", ".join(map(group, KINDS))
        print(f"no plug-ins; packages add them through the entry points {groups} ({PAGE})")


def _row(entry: Entry) -> dict[str, str]:
    try:
        table(entry.kind).loaded(entry)
        state = "ok"
    except PfsmError as error:
        state = f"broken: {str(error).removeprefix(f'{entry}: ')}"
    return {"kind": entry.kind, "name": entry.name, "package": entry.origin, "state": state}
