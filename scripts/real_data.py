"""Where the real judgments are: scripts that need them read the folder's name from PFSM_DATA."""

import os
from pathlib import Path

from refusals import refuse

CHECKOUT = Path(__file__).resolve().parent.parent


def data_folder() -> Path:
    """The folder of judgment sets; the program ends with one line where it is not there."""
    name = os.environ.get("PFSM_DATA", "")
    if not name or not Path(name).is_dir():
        refuse("PFSM_DATA must name the folder of judgment sets (wmt15-daseg, wmt16-daseg, …)")
    return Path(name)


def into_english(folder: Path) -> list[Path]:
    """The files of a set whose target is English, in order of their names."""
    files = sorted(folder.glob("*-en-*.tsv.gz"))
    if not files:
        refuse(f"{folder}: no files named XX-en-*.tsv.gz")
    return files
