"""Real sentences, where PFSM_DATA names a folder of judgments."""

import gzip
import os
from pathlib import Path
from zlib import crc32

import pytest

SETS = ("wmt15-daseg", "wmt16-daseg", "mlqe-pe", "wmt12-rr", "sum-realsumm")
COLUMNS = ("reference", "hypothesis", "better", "worse")
KEPT_PERCENT = 38  # of about 100,000 distinct sentences


def _sentences(path: Path) -> set[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        names = next(lines).rstrip("\n").split("\t")
        places = [place for place, name in enumerate(names) if name in COLUMNS]
        rows = (line.rstrip("\n").split("\t") for line in lines)
        return {row[place] for row in rows for place in places}


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of judgments."""
    folder = os.environ.get("PFSM_DATA")
    if not folder:
        pytest.skip("PFSM_DATA names no folder of judgments")
    return Path(folder)


@pytest.fixture(scope="session")
def sentences(data: Path) -> list[str]:
    """About 38,000 distinct sentences, always the same, in order of text."""
    found: set[str] = set()
    for name in SETS:
        for path in (data / name).glob("*.tsv.gz"):
            found |= _sentences(path)
    assert found
    return sorted(text for text in found if crc32(text.encode()) % 100 < KEPT_PERCENT)
