"""Where something is missing or wrong, a script ends as pfsm does: one line, exit status 2."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from pfsm.errors import PfsmError


def refuse(message: str) -> NoReturn:
    """Ends the script."""
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(2)


def explained(main: Callable[[], None]) -> None:
    """Runs a script's main function; an error of pfsm's ends it without a traceback."""
    try:
        main()
    except PfsmError as error:
        refuse(str(error))
