"""What `pfsm evaluate` can resample."""

from typing import Any

import numpy as np
import pytest

from tests.command_runs import Cli, Write
from tests.judgment_cases import rows, tsv

FAST = ("--column", "other", "-f", "json", "--confidence-n", "40")


@pytest.fixture(autouse=True)
def files(write: Write) -> None:
    """Three translations of each of eight segments of four documents; the same without columns."""
    made = rows(24, seed=5)
    texts = [(made[at - at % 3][0], made[at][1], made[at][2]) for at in range(24)]
    other = np.round(np.random.default_rng(6).normal(size=24), 2).tolist()
    columns: dict[str, Any] = {
        "segment_id": [f"{at // 3}" for at in range(24)],
        "system": ["abc"[at % 3] for at in range(24)],
        "document": [f"talk {at // 6}" for at in range(24)],
        "other": [str(score) for score in other],
    }
    write("d.tsv", tsv(texts, **columns))
    write("holes.tsv", tsv(texts, **{**columns, "document": ["x"] * 23 + [""]}))
    write("plain.tsv", tsv(texts, other=columns["other"]))


def test_williams_needs_independent_items(cli: Cli) -> None:
    """Judgments that share a reference are not independent, unless the user says so."""
    command = ("evaluate", "plain.tsv", *FAST, "--versus", "column:score", "--statistics", "pearson")
    (group,) = cli(*command).document["versus"]["correlation"]["pearson"]["groups"]
    assert "williams_p" not in group
    (group,) = cli(*command, "--resample", "judgments").document["versus"]["correlation"]["pearson"]["groups"]
    assert "williams_p" in group


REFUSED = [
    ("d.tsv --level document --resample segments", "the document level resamples documents, not segments"),
    ("d.tsv --level system --resample systems",
     "the system level compares systems, so every resample must hold each of them; resample segments, "),
    ("d.tsv --statistics pearson,mean-removed --resample judgments",
     "mean-removed compares translations of one segment, which resampling judgments would tear apart; "),
    ("holes.tsv --resample documents", "resampling documents needs the column 'document', filled in every row"),
    ("d.tsv --statistics document-pearson,spearman",
     "--statistics: document-pearson of documents and spearman of segments; ask about one level at a time"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "fault"), REFUSED)
def test_refusals(cli: Cli, arguments: str, fault: str) -> None:
    assert cli("evaluate", *arguments.split(), "--column", "other").fault.startswith(fault)
