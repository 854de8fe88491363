"""Arguments that several commands share, so that they are spelled and explained alike."""

from argparse import ArgumentParser, ArgumentTypeError

from pfsm.models import DEFAULT_MODEL


def positive(text: str) -> int:
    """A whole number from 1, for argparse."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def add_model(parser: ArgumentParser) -> None:
    """``--model NAME|FILE``."""
    parser.add_argument(
        "--model",
        "-m",
        default=DEFAULT_MODEL,
        metavar="NAME|FILE",
        help=f"a shipped model (see `pfsm models`) or a model file (default: {DEFAULT_MODEL})",
    )


def add_format(parser: ArgumentParser, *formats: str) -> None:
    """``--format``; the first is the default."""
    parser.add_argument("--format", "-f", choices=formats, default=formats[0], help=f"default: {formats[0]}")


def add_threads(parser: ArgumentParser) -> None:
    """``--threads N``."""
    parser.add_argument(
        "--threads",
        type=positive,
        metavar="N",
        help="threads (default: all processors; results do not depend on it)",
    )


def add_resamples(parser: ArgumentParser) -> None:
    """``--confidence-n N``."""
    parser.add_argument(
        "--confidence-n",
        type=positive,
        default=1000,
        metavar="N",
        help="bootstrap resamples (default: 1000; the seed is in PFSM_SEED, default 12345)",
    )
