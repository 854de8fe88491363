"""Values of pairs under a head: which lines are encoded, and that it makes no difference."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm.embeddings.encoders import pinned
from pfsm.encoder import feature
from pfsm.encoder.feature import PieceReader
from pfsm.encoder.heads import remember
from tests.encoder.encoders import LINES, head, network

REFERENCES = LINES
SYSTEMS = LINES[1:] + LINES[:1], LINES[2:] + LINES[:2], ("the mat sat", "a dog", "dogs sat", "n't", "")


class Counted:
    """An encoder that notes the lines it is given."""

    def __init__(self, encoder: Any) -> None:
        self.encoder, self.lines = encoder, list[str]()

    def states(self, lines: Sequence[str], layers: Sequence[int]) -> Any:
        self.lines += lines
        return self.encoder.states(lines, layers)


@pytest.fixture
def source(tmp_path: Path) -> str:
    return pinned(network(tmp_path))


@pytest.fixture
def reader(source: str) -> PieceReader:
    return PieceReader(remember(head()), source)


def test_references_are_encoded_once(reader: PieceReader, caplog: pytest.LogCaptureFixture) -> None:
    reader.encoder = counted = Counted(reader.encoder)  # type: ignore[assignment]
    caplog.set_level("INFO", "pfsm.encoder")
    values = [reader.values(system, REFERENCES) for system in SYSTEMS]
    # The first system's lines are all references; of the others, only lines that are none are new.
    assert sorted(counted.lines) == sorted({*REFERENCES, *SYSTEMS[2]})
    assert f"scoring: 0 of {len(REFERENCES)} pairs" in caplog.messages  # so that a bar has the time left
    for system, found in zip(SYSTEMS, values, strict=True):
        alone = [reader.values([h], [r])[0] for h, r in zip(system, REFERENCES, strict=True)]
        assert found.tolist() == alone
        own = reader.values(REFERENCES, REFERENCES)
        assert reader.values(system, REFERENCES, relative=True).tolist() == (found - own).tolist()


def test_lines_that_are_all_compared_are_encoded_once(reader: PieceReader) -> None:
    """As candidates are for minimum Bayes risk: in batches, of which each has some of them as references."""
    reader.encoder = counted = Counted(reader.encoder)  # type: ignore[assignment]
    lines = [f"{line} {number}" for line in LINES for number in range(3)]
    for some in (lines[:5], lines[5:10]):
        reader.values(lines * len(some), [line for line in some for _ in lines])
    assert sorted(counted.lines) == sorted(lines)


def test_what_is_remembered_is_bounded(
    reader: PieceReader, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = reader.values(SYSTEMS[1], REFERENCES)
    # Six pieces of eight components, float32: the longest reference has seven.
    monkeypatch.setattr(feature, "KNOWN_BYTES", 6 * 8 * 4)
    bounded = PieceReader(remember(head()), source)
    counted: Any = Counted(bounded.encoder)
    bounded.encoder = counted
    for _ in range(3):
        assert np.array_equal(bounded.values(SYSTEMS[1], REFERENCES), expected)
    times = {line: counted.lines.count(line) for line in REFERENCES}
    assert times[REFERENCES[0]] == 3
    assert max(times.values()) == 3
