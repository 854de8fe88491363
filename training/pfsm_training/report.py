"""The report of a training as a page."""

from collections.abc import Sequence

from pfsm.io.files import StrPath, atomic_write
from pfsm.io.pages import page_maker
from pfsm_training.fit.training import Training


def write_report(training: Training, path: StrPath, doubts: Sequence[str] = ()) -> str:
    """Write the report of a training as one self-contained page.

    It takes about as long as the training. The same training gives the same bytes, whatever the threads.

    Args:
        training: As `pfsm_training.train` gives it to ``after``.
        path: Where to write the page.
        doubts: Sentences on what is uncertain about the training, for the top of the page.

    Returns:
        A sentence on what more data would add; empty where that cannot be said.

    Raises:
        PfsmError: If the page cannot be written, or this installation makes no such pages.
    """
    page, hint = page_maker("training", "a report")(training, doubts)
    with atomic_write(path) as handle:
        handle.write(page)
    return str(hint)
