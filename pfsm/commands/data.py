"""``pfsm data``: converts, checks and summarises judgments in the field's formats, and makes minimal pairs."""

from argparse import ArgumentParser, Namespace

from pfsm.commands import data_convert, data_info, data_perturb

ACTIONS = {
    "convert": (data_convert, "turn judgments in any format into the TSV of pfsm"),
    "info": (data_info, "count, check and summarise judgments"),
    "perturb": (data_perturb, "make minimal pairs from good translations, for pfsm probe and for training"),
}


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command: those of its actions."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions", required=True)
    for name, (module, summary) in ACTIONS.items():
        action = actions.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
        module.add_arguments(action)


def run(options: Namespace) -> None:
    """Runs the action."""
    module, _ = ACTIONS[options.action]
    module.run(options)
