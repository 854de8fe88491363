"""Systems to compare: sentences of our own, with faults that are known."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pfsm.comparison import Compared, SegmentFacts, compare_outputs
from pfsm.metrics import SegmentMetric
from pfsm.model.metric import Metric
from tests.model_cases import model

BIRDS = ("red", "blue", "small", "large")
REFERENCES = [
    f"The {bird} bird sings near the river{' at 7 in Oslo' if at % 3 == 0 else ''}{' again' * (at % 5)} ."
    for at in range(10)
    for bird in BIRDS
]


def good(line: str, at: int) -> str:
    """A synonym now and then."""
    return line.replace("sings", "chirps") if at % 4 == 0 else line


def short(line: str, at: int) -> str:
    """The end is missing."""
    return " ".join(line.split()[: 4 + at % 3])


def turned(line: str, at: int) -> str:
    """The first words come last."""
    words = line.split()
    return " ".join([*words[2:], *words[:2]]) if at % 2 else line


OUTPUTS: Mapping[str, Sequence[str]] = {
    f"{change.__name__}.txt": [change(line, at) for at, line in enumerate(REFERENCES)]
    for change in (good, short, turned)
}


def human_of(scores: Sequence[float]) -> np.ndarray:
    """Human scores that follow the places, with every seventh translation left out."""
    values = np.array(scores, dtype=np.float64)
    values[::7] = np.nan
    return values


def facts() -> SegmentFacts:
    """Documents, languages, sources, and human scores of two systems."""
    n = len(REFERENCES)
    return SegmentFacts(
        [line.replace("bird", "Vogel") for line in REFERENCES],
        {
            "document": [f"d{at // 8}" for at in range(n)],
            "source_lang": ["de" if at % 2 else "fr" for at in range(n)],
        },
        {
            "good.txt": human_of([at % 5 + 2 for at in range(n)]),
            "short.txt": human_of([at % 3 for at in range(n)]),
        },
    )


def compared(*metrics: SegmentMetric, known: SegmentFacts | None = None) -> Compared:
    """The comparison by these metrics, or by a model made by hand."""
    own = metrics or (Metric(model(), 1),)
    return compare_outputs(OUTPUTS, [REFERENCES], own, n_resamples=100, seed=7, facts=known)


def data_in(path: Path) -> Any:
    """What a page holds, read as a browser does."""
    page = path.read_text(encoding="utf-8")
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])
