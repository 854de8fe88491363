"""``pfsm score --metric``: other metrics in the same rows."""

import pytest

from pfsm.metrics import get_metric
from tests.command_runs import Cli, Write


def test_a_metric_scores_files_like_a_model(cli: Cli, write: Write) -> None:
    write("ref.txt", "the cat sat down\na dog\n")
    write("hyp.txt", "the cat sat\na dog\n")
    wanted = get_metric("chrf").score_pairs(["the cat sat", "a dog"], ["the cat sat down", "a dog"])
    document = cli(
        "score", "ref.txt", "-i", "hyp.txt", "--metric", "chrf", "-sl", "--format", "json"
    ).document
    assert document["name"] == "chrf"
    assert document["segment_scores"] == wanted.tolist()
    assert document["score"] == pytest.approx(wanted.mean(), rel=1e-15)
    assert document["signature"] == get_metric("chrf").signature
    assert cli("score", "ref.txt", "-i", "hyp.txt", "--metric", "chrf").lines == [
        f"chrf|{get_metric('chrf').signature} = {wanted.mean():.4f}"
    ]


def test_several_references_and_tables(cli: Cli, write: Write) -> None:
    write("one.txt", "a b\n")
    write("two.txt", "c d\n")
    write("hyp.txt", "c d\n")
    (line,) = cli("score", "one.txt", "two.txt", "-i", "hyp.txt", "--metric", "ter").lines
    assert line.startswith("ter|nrefs:2|refs:best|level:segment|sign:negative|")
    assert line.endswith("= 0.0000")
    write(
        "table.tsv",
        "system\treference\treference_2\thypothesis\nA\ta b\tc d\tc d\nB\ta b\t\tc d\n",
    )
    lines = cli("score", "--table", "table.tsv", "--metric", "length_ratio", "--format", "tsv").lines
    assert lines[1].split("\t")[3].startswith("nrefs:")
    assert len(lines) == 4


def test_what_is_refused(cli: Cli, write: Write) -> None:
    write("ref.txt", "a\n")
    assert "unknown metric 'blue'; did you mean bleu?" in cli("score", "ref.txt", "--metric", "blue").fault
    fault = cli("score", "ref.txt", "--metric", "bleu", "--model", "en-small").fault
    assert fault == "give either --model or --metric, not both"
