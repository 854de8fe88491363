"""COMET's way to score: rows of ``mt`` and ``ref`` in, ``scores`` and ``system_score`` out."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from pfsm.data.segments import FURTHER_REFERENCE, given_references
from pfsm.data.table import COMET_NAMES, finite_number, shown
from pfsm.errors import PfsmError

HYPOTHESIS, REFERENCE, SOURCE = "hypothesis", "reference", "source"


class Prediction(dict[str, Any]):
    """What COMET's ``predict`` gives: ``scores`` and ``system_score``, as attributes and as keys.

    Attributes:
        scores: A score for each row, in their order.
        system_score: Their mean.
    """

    @property
    def scores(self) -> list[float]:
        """A score for each row, in their order."""
        return cast("list[float]", self["scores"])

    @property
    def system_score(self) -> float:
        """The mean of the scores."""
        return cast("float", self["system_score"])


class Rows:
    """What is to be scored, row by row.

    Args:
        data: Dictionaries with ``mt`` and ``ref`` (also ``hypothesis``, ``reference``; several references as a list, or
            as ``reference_2`` …), a pandas or polars frame or a dictionary of columns with these names, or pairs
            (hypothesis, reference). What else they have is ignored.
        columns: Names of numbers that the model reads beside the texts.

    Raises:
        PfsmError: No rows, a key is missing, a text is not text, a reference is blank.
    """

    def __init__(self, data: Any, columns: Sequence[str] = ()) -> None:
        self.hypotheses: list[str] = []
        self.references: list[tuple[str, ...]] = []
        self.numbers: dict[str, list[float]] = {name: [] for name in columns}
        self.sources = False
        for place, row in enumerate(_rows(data)):
            self._add(f"data[{place}]", row)
        if not self.hypotheses:
            raise PfsmError(
                "no rows to score; give at least one, such as {'mt': 'A cat.', 'ref': 'The cat.'}"
            )

    def _add(self, where: str, row: Any) -> None:
        fields = self._fields(where, row)
        self.sources |= SOURCE in fields
        self.hypotheses.append(_text(fields[HYPOTHESIS], f"{where}: mt"))
        first = fields[REFERENCE]
        several = list(first) if isinstance(first, list | tuple) else [first]
        several += [
            value
            for name, value in fields.items()
            if FURTHER_REFERENCE.fullmatch(name) and isinstance(value, str)
        ]
        texts = [_text(one, f"{where}: ref") for one in several]
        if not any(text.strip() for text in texts):
            raise PfsmError(f"{where}: ref is blank, there is nothing to compare with; leave such rows out")
        self.references.append(given_references(texts))
        for name, values in self.numbers.items():
            number = finite_number(str(fields[name]))
            if number is None:
                raise PfsmError(f"{where}: {name} is {_shown(fields[name])}, a finite number is needed")
            values.append(number)

    def _fields(self, where: str, row: Any) -> dict[str, Any]:
        """A row under our names; all that is needed is there."""
        if isinstance(row, list | tuple) and len(row) == 2:
            row = dict(zip(("mt", "ref"), row, strict=True))
        if not isinstance(row, Mapping):
            raise PfsmError(f"{where} is {_shown(row)}; a dictionary with mt and ref is needed")
        fields = {COMET_NAMES.get(str(name), str(name)): value for name, value in row.items()}
        keys = ", ".join(map(str, row)) or "none"
        for theirs, ours in (("mt", HYPOTHESIS), ("ref", REFERENCE)):
            if ours not in fields:
                raise PfsmError(f"{where} has no {theirs!r} (or {ours!r}); its keys are {keys}")
        for name in self.numbers:
            if name not in fields:
                raise PfsmError(f"{where} has no {name!r}, which the model reads; its keys are {keys}")
        return fields


def _rows(data: Any) -> Iterable[Any]:
    """The rows of a list, a frame or a dictionary of columns."""
    if hasattr(data, "to_dicts"):
        return cast("Iterable[Any]", data.to_dicts())
    if hasattr(data, "to_dict") and hasattr(data, "columns"):
        return cast("Iterable[Any]", data.to_dict("records"))
    if isinstance(data, Mapping):
        columns = {name: list(values) for name, values in data.items() if not isinstance(values, str)}
        lengths = {len(values) for values in columns.values()}
        if len(columns) < len(data):
            raise PfsmError("data is a single dictionary of texts; give a list of them")
        if len(lengths) > 1:
            counts = ", ".join(f"{name} {len(values)}" for name, values in columns.items())
            raise PfsmError(f"the columns are not equally long: {counts}")
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if isinstance(data, str) or not isinstance(data, Iterable):
        raise PfsmError(f"data is {_shown(data)}; a list of dictionaries with mt and ref is needed")
    return data


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise PfsmError(f"{where} is {_shown(value)}, text is needed")
    return value


def _shown(value: object) -> str:
    return shown(value) if isinstance(value, str) else repr(value)[:40]
