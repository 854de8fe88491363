"""Cards of models: what they say of changes made on purpose."""

import sys
from pathlib import Path

from pfsm.data import DataSource
from pfsm.data.minimal_pairs import MinimalPairs
from pfsm.evaluation.probe import probe
from tests.evaluation.test_probe import Numbers

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import model_cards


def test_changed_texts() -> None:
    pairs = MinimalPairs(
        ("synonym", "tense", "empty", "empty"),
        ("r",) * 4,
        ("9", "9", "9", "9"),
        ("8", "9", "5", "1"),
        DataSource("x.tsv", 4, ""),
        severities=("none", "major", "critical", "critical"),
    )
    text = "\n".join(model_cards._changed({"references of X": probe(Numbers(), pairs, n_resamples=5)}))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    # The harmless change loses 1; the critical ones lose 4 and 8, 6 in the middle.
    assert rows == [
        "| kind | severity | references of X |",
        "|---|---|---|",
        "| empty | critical | 100% |",
        "| tense | major | 0% |",
        "| synonym | none | costs 0.17 |",
        "| mean of kinds | | **50%** |",
        "| harmless / critical, medians | | 0.17 |",
    ]
    assert list(model_cards._changed({})) == []
