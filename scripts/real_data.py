"""Finds the real judgments: PFSM_DATA names their folder."""

import os
from pathlib import Path

from refusals import refuse

CHECKOUT = Path(__file__).resolve().parent.parent


def data_folder() -> Path:
    """The folder of judgment sets; without it the script ends with one line."""
    name = os.environ.get("PFSM_DATA", "")
    if not name or not Path(name).is_dir():
        refuse("PFSM_DATA must name the folder of judgment sets (wmt15-daseg, wmt16-daseg, …)")
    return Path(name)


def into_english(folder: Path) -> list[Path]:
    """The files of a set with translations into English, in the order of their names."""
    files = sorted(folder.glob("*-en-*.tsv.gz"))
    if not files:
        refuse(f"{folder}: no files named XX-en-*.tsv.gz")
    return files
