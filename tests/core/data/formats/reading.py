"""Reading in tests: records as a list, faults without the name of the file."""

from pathlib import Path
from typing import Any

import pytest

from pfsm.data.formats import Judgment, Options, Preference, Reading, read_format
from pfsm.errors import PfsmError


def judgments(paths: list[str] | str, name: str | None = None, **options: Any) -> list[Judgment]:
    """All absolute judgments of files."""
    found = list(reading(paths, name, **options).records)
    assert all(isinstance(record, Judgment) for record in found)
    return [record for record in found if isinstance(record, Judgment)]


def preferences(paths: list[str] | str, name: str | None = None, **options: Any) -> list[Preference]:
    """All preferences of files."""
    found = list(reading(paths, name, **options).records)
    assert all(isinstance(record, Preference) for record in found)
    return [record for record in found if isinstance(record, Preference)]


def reading(paths: list[str] | str, name: str | None = None, **options: Any) -> Reading:
    """A reading that has not begun."""
    return read_format([paths] if isinstance(paths, str) else paths, Options(**options), name)


def fault(paths: list[str] | str, name: str | None = None, **options: Any) -> str:
    """The one line that refuses the files, with every folder taken out of it."""
    with pytest.raises(PfsmError) as caught:
        list(reading(paths, name, **options).records)
    message = str(caught.value)
    assert "\n" not in message
    for path in [paths] if isinstance(paths, str) else paths:
        message = message.replace(f"{Path(path).parent}/", "")
    return message


def write(folder: Path, name: str, content: str | bytes) -> str:
    """Writes a file and returns its path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)
