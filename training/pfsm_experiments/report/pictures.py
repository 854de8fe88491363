"""Writes one picture into a file of the user's choice, in the style of an experiment's plots."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pfsm.errors import PfsmError
from pfsm_experiments.report.plots import KINDS, picture_bytes, picture_style, write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def check_picture(path: str) -> None:
    """Checks the name of a picture.

    Raises:
        PfsmError: If it does not end in one of the kinds.
    """
    if Path(path).suffix.lower().removeprefix(".") not in KINDS:
        endings = ", ".join(f".{kind}" for kind in KINDS)
        raise PfsmError(f"--plot is {path!r}, its name must end in one of {endings}")


def write_picture(path: str, draw: Callable[[], "Figure"]) -> None:
    """Draws and writes a picture; the same figure gives the same bytes.

    Raises:
        PfsmError: If the name has another ending, or the file cannot be written.
    """
    check_picture(path)
    with picture_style():
        content = picture_bytes(draw(), Path(path).suffix.lower().removeprefix("."))
    write_bytes(Path(path), content)
