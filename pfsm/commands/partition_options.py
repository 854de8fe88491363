"""Options of ``pfsm score --output``; what they lead to is in `pfsm.commands.score_partitions`."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace

from pfsm.commands.arguments import add_scheduler
from pfsm.distributed.partitions import FORMATS, LEAST_BYTES
from pfsm.errors import PfsmError
from pfsm.io.sizes import byte_size

PARQUET = "parquet"


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments for input in many files and for clusters."""
    add_scheduler(parser)
    parser.add_argument(
        "--output",
        "-o",
        metavar="DIR",
        help="write the scores of --table there, in partitions; what an earlier run has finished is kept",
    )
    parser.add_argument(
        "--output-format", choices=tuple(FORMATS), help="of the partitions of --output (default: parquet)"
    )
    parser.add_argument(
        "--keep", metavar="COLUMN[,COLUMN…]", help="with --output: copy these columns to the output, too"
    )
    parser.add_argument(
        "--partition-size",
        type=_size,
        metavar="SIZE",
        help="with --output: bytes of text in a partition, such as 64M (default: 8M)",
    )


def check(options: Namespace) -> None:
    """Refuses options that go with ``--output`` alone.

    Raises:
        PfsmError: One is given without it, or ``--output`` without a table.
    """
    if options.output is None:
        for name in ("output_format", "keep", "partition_size"):
            if getattr(options, name) is not None:
                raise PfsmError(f"--{name.replace('_', '-')} goes with --output DIR")
    elif options.table is None:
        raise PfsmError("--output is for --table FILE, a folder, or a pattern such as 'data/*.tsv.gz'")
    elif options.sentence_level:
        raise PfsmError("--sentence-level prints scores, --output writes them; give one of them")
    elif options.format == "tsv":
        raise PfsmError("--format tsv prints scores, --output writes them; give --output-format tsv")


def _size(text: str) -> int:
    """A number of bytes, for argparse."""
    size = byte_size(text)
    if size is None or size < LEAST_BYTES:
        raise ArgumentTypeError(f"{text!r} is not a number of bytes from {LEAST_BYTES}, such as 64M")
    return size
