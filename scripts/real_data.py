"""Finds the real judgments, writes generated files, and ends scripts on an error with one line and exit status 2."""

import argparse
import gzip
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NoReturn

from pfsm.data import read_judgments
from pfsm.errors import PfsmError

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


def distinct_pairs(sources: list[Path], most: int = 10_000) -> tuple[list[str], list[str]]:
    """References and hypotheses of the first distinct pairs of the files."""
    pairs: dict[tuple[str, str], None] = {}
    for source in sources:
        judgments = read_judgments(source)
        pairs |= dict.fromkeys(zip(judgments.references, judgments.hypotheses, strict=True))
    chosen = list(pairs)[:most]
    return [reference for reference, _ in chosen], [hypothesis for _, hypothesis in chosen]


def rows_of(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a file of judgments, by the names of its columns."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        names = file.readline().rstrip("\n").split("\t")
        for line in file:
            yield dict(zip(names, line.rstrip("\n").split("\t"), strict=True))


def write_or_tell(made: Mapping[Path, str]) -> None:
    """With ``--write`` writes the files that differ from what was made now; else names them, exit status 1."""
    parser = argparse.ArgumentParser(description="Says which generated files are stale.")
    parser.add_argument("--write", action="store_true", help="write them")
    write = parser.parse_args().write
    stale = {
        path: text
        for path, text in made.items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    }
    for path, text in stale.items():
        print(path.relative_to(CHECKOUT))
        if write:
            path.write_text(text, encoding="utf-8")
    sys.exit(bool(stale) and not write)


def refuse(message: str) -> NoReturn:
    """Prints a message and ends the script with status 2."""
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(2)


def explained(main: Callable[[], None]) -> None:
    """Runs the main function of a script; a `PfsmError` ends it without a traceback."""
    try:
        main()
    except PfsmError as error:
        refuse(str(error))
