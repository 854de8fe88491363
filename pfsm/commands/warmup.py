"""``pfsm warmup``: compiles all kernels ahead, for images and for machines where nothing may be written."""

import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path

from pfsm.commands.arguments import add_quiet, hush
from pfsm.commands.warmup_runs import all_runs, run_quietly, write_inputs
from pfsm.errors import PfsmError
from pfsm.runtime.progress import Stage
from pfsm_kernels.cache import FOLDER, is_kept


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.description = (
        "Compile all kernels ahead, by running other commands on a few made-up sentences. They are kept below "
        "NUMBA_CACHE_DIR if that is set, else beside the installed package, else in the user's cache folder."
    )
    add_quiet(parser)


def run(options: Namespace) -> None:
    """Compiles, and says where the kernels are."""
    hush(options)
    if not is_kept():
        raise PfsmError(
            "no folder can be written in which compiled kernels could be kept; set NUMBA_CACHE_DIR to one that can"
        )
    runs = all_runs()
    left_out: dict[str, str] = {}
    with (
        tempfile.TemporaryDirectory(prefix="pfsm-warmup-") as name,
        Stage("warmup", "compiling", total=len(runs), unit="runs") as stage,
    ):
        folder = Path(name)
        write_inputs(folder)
        for one in runs:
            reason = run_quietly(one, folder)
            if reason is not None:
                left_out.setdefault(reason, one[0])
            stage.advance(1)
    if not options.quiet:
        for reason, command in left_out.items():
            print(f"left out of `pfsm {command}`: {reason}")
        print(f"compiled kernels are in {FOLDER}")
