"""Ends a script on an error as pfsm does: with one line and exit status 2."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from pfsm.errors import PfsmError


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
