"""The report of a training: what it has learned, how far to trust it, and which judgments to look at again."""

from pfsm_training.report.page import write_report

__all__ = ["write_report"]
