"""``pfsm experiment``: from a YAML file to tables and the models behind them."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from pfsm.commands.options import declare
from pfsm.commands.output import tell
from pfsm.errors import PfsmError

OPTIONS = """
config CONFIG.yaml  what is trained on what, and how it is tested (`docs/experiments.md`)
--data DIR!  folder that the file's paths are relative to
--output, -o DIR!  folder for results; an earlier run there is resumed
--jobs, -j N  processes (default: all processors; results do not depend on it)
@resource
--fresh  work out again what an earlier run has finished
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    declare(parser, OPTIONS)


def run(options: Namespace) -> None:
    """Runs, reports, names what was written."""
    config, data, output = Path(options.config), Path(options.data), Path(options.output)
    if not data.is_dir():
        raise PfsmError(f"{data}: no such folder of data")
    from pfsm_experiments import run_experiment  # noqa: PLC0415 - takes time to import
    from pfsm_experiments.report.tables import markdown_table, result_tables  # noqa: PLC0415

    results = run_experiment(config, data, output, jobs=options.jobs, fresh=options.fresh)
    for table in result_tables(results.entries):
        print(f"{markdown_table(table)}\n")
    for note in results.notes:
        tell(f"note: {note}")
    print(f"wrote {output / 'table.md'}")
