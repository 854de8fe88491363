"""What `pfsm evaluate` resamples, by default and on request, and the names that statistics answer to."""

from typing import Any

import numpy as np
import pytest

from pfsm.evaluation.catalogue import BY_LEVEL
from tests.command_runs import Cli, Write
from tests.judgment_cases import rows, tsv

FAST = ("--column", "other", "-f", "json", "--confidence-n", "40")


@pytest.fixture(autouse=True)
def files(write: Write) -> None:
    """Three translations of each of eight segments of four documents; the same without columns; pairs."""
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
    # Every segment in two documents.
    write("torn.tsv", tsv(texts, **{**columns, "document": columns["system"]}))
    lines = ["segment_id\treference\tbetter\tworse\tother_better\tother_worse"]
    lines += [f"{at // 3}\t{texts[at][0]}\tx {at}\ty\t{other[at]}\t{other[at - 1]}" for at in range(24)]
    write("p.tsv", "".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize(
    ("resample", "told"),
    [
        ((), "segments are resampled, each with all its translations"),
        (("--resample", "documents"), "documents are resampled, each with all its translations"),
        (("--resample", "judgments"), "judgments are resampled, one by one"),
    ],
)
def test_what_is_resampled_is_told(cli: Cli, resample: tuple[str, ...], told: str) -> None:
    versus = ("--versus", "column:score", "--column", "other", "--confidence-n", "40")
    lines = cli("evaluate", "d.tsv", *resample, *versus).lines
    assert f"Intervals: {told}" in lines
    assert f"p: paired bootstrap of {told.split(maxsplit=1)[0]}, two-sided" in lines


def test_williams_needs_independent_items(cli: Cli) -> None:
    """Judgments that share a reference are not independent, unless the user says so."""
    command = ("evaluate", "plain.tsv", *FAST, "--versus", "column:score", "--statistics", "pearson")
    (group,) = cli(*command).document["versus"]["correlation"]["pearson"]["groups"]
    assert "williams_p" not in group
    (group,) = cli(*command, "--resample", "judgments").document["versus"]["correlation"]["pearson"]["groups"]
    assert "williams_p" in group


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (
            ("d.tsv", "--level", "document", "--resample", "segments"),
            "the document level resamples documents, not segments",
        ),
        (
            ("d.tsv", "--level", "system", "--resample", "systems"),
            "the system level compares systems, so every resample must hold each of them; resample segments, ",
        ),
        (
            ("d.tsv", "--statistics", "pearson,mean-removed", "--resample", "judgments"),
            "mean-removed compares translations of one segment, which resampling judgments would tear apart; ",
        ),
        (
            ("torn.tsv", "--statistics", "wmt13", "--resample", "documents"),
            "wmt13 compares translations of one segment, which resampling documents ",
        ),
        (
            ("holes.tsv", "--resample", "documents"),
            "resampling documents needs the column 'document', filled in every row",
        ),
        (
            ("d.tsv", "--statistics", "document-pearson,spearman"),
            "--statistics: document-pearson of documents and spearman of segments; ask about one level at a time",
        ),
        ("--level system: document-pearson is a statistic of documents",),
        (("d.tsv", "--statistics", "document-acc-t"),),
    ],
)
def test_refusals(cli: Cli, arguments: tuple[str, ...], fault: str) -> None:
    assert cli("evaluate", *arguments, "--column", "other").fault.startswith(fault)


@pytest.mark.parametrize("level", BY_LEVEL)
def test_every_name_of_a_statistic(cli: Cli, level: str) -> None:
    def found(name: str, *more: str) -> Any:
        return cli("evaluate", "d.tsv", *FAST, *more, "--statistics", name).document

    for statistic in BY_LEVEL[level].values():
        expected = found(statistic.name, "--level", level)
        assert statistic.key in expected["correlation"]["mean"]
        for name in {statistic.name, statistic.key, *statistic.aliases}:
            assert found(f"{level}-{name}") == expected
            assert found(name, "--level", level) == expected
