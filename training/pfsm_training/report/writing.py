"""From a training to the file of its report."""

from collections.abc import Sequence
from dataclasses import dataclass

from pfsm.io.files import StrPath
from pfsm_training.fit.training import Training
from pfsm_training.report.findings import findings
from pfsm_training.report.page import write_page
from pfsm_training.report.sections import hints, noun_of, statistic_of
from pfsm_training.trainer import one_torch_thread


@dataclass(frozen=True)
class TrainingReport:
    """What a report found, for the log.

    Attributes:
        hints: Sentences on what more data would add; none where that cannot be said.
    """

    hints: tuple[str, ...]


def write_report(training: Training, path: StrPath, doubts: Sequence[str] = ()) -> TrainingReport:
    """Works out the report of a training and writes it as one self-contained page.

    It takes about as long as the training and its cross-validation. The same training gives the same bytes, whatever
    the threads.

    Args:
        training: As `pfsm_training.train` gives it to ``after``.
        path: Where to write the page.
        doubts: Sentences on what is uncertain about the training, to stand at the top.

    Raises:
        PfsmError: If the page cannot be written, or PFSM_SEED is no seed.
    """
    with one_torch_thread():
        found = findings(training)
    write_page(found, path, doubts)
    return TrainingReport(tuple(hints(found.curve, noun_of(found), statistic_of(found))))
