"""Commands that take metrics and models work with those of other packages."""

from pathlib import Path

import pytest

from tests.command_runs import Cli, Write
from tests.plugins.packages import installed

SOURCE = """
    import numpy as np
    from pfsm.metrics.base import SegmentMetric

    class Letters(SegmentMetric):
        name = "letters"
        def score_pairs(self, hypotheses, references):
            pairs = zip(hypotheses, references, strict=True)
            return np.array([float(len(set(ours) & set(theirs))) for ours, theirs in pairs])

        def pair_statistics(self, hypotheses, references):
            return np.column_stack([self.score_pairs(hypotheses, references), [len(set(one)) for one in references]])

        def corpus_from_totals(self, totals):
            return 100.0 * totals[..., 0] / totals[..., 1]

    class Parted(Letters):
        name = "parted"
        def named_parts(self, hypotheses, references):
            return {"ours": np.array([float(len(line)) for line in hypotheses])}
"""
POINTS = {"letters": "letters_here:Letters", "parted": "letters_here:Parted"}


@pytest.fixture(autouse=True)
def _package(site: Path) -> None:
    installed(site, "pfsm-letters", {"metric": POINTS}, {"letters_here": SOURCE}, "2")


@pytest.fixture
def files(write: Write) -> tuple[str, str, str]:
    """A reference and two translations."""
    texts = {"r": "abcd\nxy\nq\n", "one": "abc\nx\nq\n", "two": "a\nx\np\n"}
    reference, one, two = (write(f"{name}.txt", lines * 5) for name, lines in texts.items())
    return reference, one, two


def test_the_score_of_a_corpus_pools_counts(cli: Cli, files: tuple[str, str, str]) -> None:
    scored = cli("score", files[0], "-i", files[1], "--metric", "letters", "-f", "json").document
    assert scored["score"] == pytest.approx(100 * 5 / 7)
    assert "level:corpus|plugin:pfsm-letters@2|" in scored["signature"]
    options = ("--metric", "letters", "-f", "json", "--confidence-n", "20")
    compared = cli("compare", files[0], "-i", *files[1:], *options)
    assert compared.status == 0, compared.err
    assert "pfsm-letters@2" in compared.out


def test_mbr(cli: Cli, write: Write) -> None:
    candidates = write("c.txt", "abc\nabd\nxyz\n")
    chosen = cli("mbr", "-i", candidates, "-n", "3", "--metric", "letters")
    assert (chosen.status, chosen.out.strip().split("\t")[-1]) in {(0, "abc"), (0, "abd")}, chosen.err


def test_explain_needs_parts(cli: Cli, files: tuple[str, str, str]) -> None:
    fault = cli("explain", files[0], "-i", files[1], "--metric", "letters").fault
    assert fault.startswith(
        "metric letters: its scores have no parts that explain them; metrics with parts: bleu, "
    )
    explained = cli("explain", files[0], "-i", files[1], "--metric", "parted", "-f", "json").document
    assert explained[0]["segments"][0]["parts"] == {"ours": 3.0}
