"""The manifest of a folder of scores: what each file holds, of which input, by which metric.

It is one JSON file, replaced whole. Only the program that gives out the work writes it.
"""

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pfsm.distributed.addresses import below, read_small, write_whole
from pfsm.distributed.partitions import Piece
from pfsm.errors import PfsmError
from pfsm.metrics.inputs import NumberOfReferences

NAME = "_manifest.json"
FORMAT = "pfsm-scores-1"
# Seconds between two writings, at least; and writing may take this share of the time.
INTERVAL = 2.0
SHARE = 0.05


@dataclass(frozen=True)
class Entry:
    """A finished partition.

    Attributes:
        input: Name of the input file below its folder.
        identity: Of the input file when it was read: size, time of change or the store's checksum, digested.
        number: The partition's place in the file.
        start: First byte of the content, or first row of the row group.
        stop: Behind the last.
        row_group: Of a Parquet file.
        sha256: Of what was read.
        output: Name of the file of scores below the folder.
        bytes: Size of that file.
        rows: Number of scores.
        total: Their sum.
        references: Fewest and most references of a row; None without rows.
        totals: Sums of the rows' statistics, where the corpus score is not the mean.
    """

    input: str
    identity: str
    number: int
    start: int
    stop: int
    row_group: int | None
    sha256: str
    output: str
    bytes: int
    rows: int
    total: float
    references: tuple[int, int] | None
    totals: tuple[float, ...] | None = None

    @property
    def key(self) -> tuple[str, int]:
        """Which partition it is."""
        return self.input, self.number

    def is_of(self, piece: Piece) -> bool:
        """Whether it covers the same part of the file, whatever is in it now."""
        mine = (self.input, self.number, self.start, self.stop, self.row_group)
        return mine == (piece.file.name, piece.number, piece.start, piece.stop, piece.row_group)


def references_of(entries: Iterable[Entry]) -> NumberOfReferences:
    """How many references each row of some partitions has, or ``var``."""
    counts = {count for entry in entries if entry.references is not None for count in entry.references}
    return counts.pop() if len(counts) == 1 else "var"


class Manifest:
    """The manifest of a folder, as it was found and as it grows.

    Attributes:
        entries: The finished partitions, by file and number.
        was_there: Whether the folder had a manifest before.

    Args:
        folder: Address of the folder.
        settings: What decides the scores and their files; must be as it was where there are some already. Their
            ``signature`` is one of any number of references.
        signature: From the number of references to the signature that is written down; None: that of the settings.
    """

    def __init__(
        self,
        folder: str,
        settings: Mapping[str, Any],
        signature: Callable[[NumberOfReferences], str] | None = None,
    ) -> None:
        self.folder = folder
        self.settings = dict(settings)
        self._signature = signature
        self.entries: dict[tuple[str, int], Entry] = {}
        self._written = time.monotonic()
        self._pause = INTERVAL
        self._is_new = False
        document = read_small(below(folder, NAME))
        self.was_there = document is not None
        if document is not None:
            self._take(document)

    def add(self, entry: Entry) -> None:
        """Adds a finished partition; the file follows within seconds."""
        self.entries[entry.key] = entry
        self._is_new = True
        if time.monotonic() - self._written >= self._pause:
            self.write()

    def write(self, faults: Iterable[str] = ()) -> None:
        """Replaces the file."""
        start = time.monotonic()
        settings = dict(self.settings)
        if self._signature is not None and self.entries:
            settings["signature"] = self._signature(references_of(self.entries.values()))
        document = {
            "format": FORMAT,
            **settings,
            "rows": sum(entry.rows for entry in self.entries.values()),
            "faults": list(faults),
            "partitions": [asdict(self.entries[key]) for key in sorted(self.entries)],
        }
        text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=0)
        write_whole(below(self.folder, NAME), text.encode("utf-8", "backslashreplace") + b"\n")
        self._written = time.monotonic()
        self._pause = max(INTERVAL, (self._written - start) / SHARE)
        self._is_new = False

    def _take(self, content: bytes) -> None:
        try:
            document = json.loads(content)
            if document["format"] != FORMAT:
                raise ValueError
            entries = [_entry(one) for one in document["partitions"]]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise PfsmError(
                f"{below(self.folder, NAME)}: not a manifest of pfsm; give another folder, or remove it"
            ) from None
        for key, value in self.settings.items():
            # Without scores there is nothing to keep apart: the run that left it was stopped, or misspelled.
            if entries and _comparable(key, document.get(key)) != _comparable(key, value):
                raise PfsmError(
                    f"{self.folder}: holds scores with {key} {document.get(key)!r}, not {value!r}; give another folder"
                )
        self.entries = {entry.key: entry for entry in entries}


def _comparable(key: str, value: Any) -> Any:
    """What a setting is compared by: of signatures the number of references does not count."""
    if key != "signature" or not isinstance(value, str):
        return value
    return [part for part in value.split("|") if part.partition(":")[0] not in {"nrefs", "refs"}]


def _entry(values: Mapping[str, Any]) -> Entry:
    series = {key: values.get(key) for key in ("references", "totals")}
    return Entry(**{**values, **{key: None if one is None else tuple(one) for key, one in series.items()}})
