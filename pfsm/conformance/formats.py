"""Checks of readers of formats."""

import io
import math
from collections.abc import Iterator

from pfsm.conformance.checks import Check, Subject, hold
from pfsm.data.formats import FORMATS, Judgment, Options, Reading, read_format, write_tsv
from pfsm.data.formats.records import REQUIRED, Record
from pfsm.errors import PfsmError


def checks(subject: Subject) -> Iterator[Check]:
    """The checks of a format; most need files of it."""
    trial = _Trial(subject)
    yield Check("it has a summary of one line", trial.has_a_summary)
    if subject.files:
        yield Check("its files give judgments or preferences, with texts and finite numbers", trial.reads)
        yield Check("columns are what the records fill", trial.has_columns)
        yield Check("the same files give the same records", trial.repeats)
        yield Check("they can be written as a TSV", trial.writes)
    yield Check("a file that is not there is refused in one line", trial.refuses_files)


class _Trial:
    def __init__(self, subject: Subject) -> None:
        self._name = subject.entry.name
        self._files = subject.files
        self._options = Options(**subject.options)

    def _reading(self) -> Reading:
        return read_format(self._files, self._options, self._name)

    def has_a_summary(self) -> str:
        summary = FORMATS[self._name].summary
        hold(isinstance(summary, str) and summary.isprintable() and summary, f"it has {summary!r}")
        return "" if self._files else "give files of the format with --sample, and they are read"

    def reads(self) -> str:
        count = 0
        for record in self._reading().records:
            count += 1
            texts = (*record.references, *_translations(record))
            hold(
                record.references and all(isinstance(text, str) for text in texts),
                f"record {count} lacks a text",
            )
            numbers = _numbers(record)
            good = all(isinstance(number, int | float) and math.isfinite(number) for number in numbers)
            hold(good, f"record {count} has the numbers {numbers}")
        hold(count, "there are none")
        return f"{count} of them"

    def has_columns(self) -> None:
        reading = self._reading()
        known = REQUIRED & set(reading.kind.__dataclass_fields__) | {"reference"}
        missing = sorted((known - {"votes"}) - set(reading.columns))
        hold(not missing, f"columns lack {', '.join(missing)}; use pfsm.data.formats.records.layout")

    def repeats(self) -> None:
        hold(list(self._reading().records) == list(self._reading().records), "they do not")

    def writes(self) -> None:
        file = io.StringIO()
        written = write_tsv(self._reading(), file)
        hold(len(file.getvalue().splitlines()) == written.rows + 1, "rows are missing")

    def refuses_files(self) -> None:
        try:
            for _ in read_format(["/no such file"], self._options, self._name).records:
                pass
        except PfsmError as error:
            hold("\n" not in str(error), "the message has several lines")
            return
        raise PfsmError("it reads a file that is not there; read with pfsm.io.files")


def _translations(record: Record) -> tuple[str, ...]:
    return (record.hypothesis,) if isinstance(record, Judgment) else (record.better, record.worse)


def _numbers(record: Record) -> tuple[float, ...]:
    return (
        (record.score,) if isinstance(record, Judgment) else (record.votes, record.votes_against, record.ties)
    )
