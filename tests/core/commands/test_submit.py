"""`pfsm submit`: files with the scores of `pfsm score`, and names taken from the input files."""

import gzip
from pathlib import Path

import numpy as np
import pytest

import pfsm
from pfsm.metrics import get_metric
from tests.command_runs import Cli, Write, text
from tests.model_cases import saved

REFERENCE = ("a red bird", "the small house", "birds sing", "")
OTHER = ("one red bird", "a small house", "the birds sing", "river")
ONLINE = ("a red bird", "the house", "bird sings", "river")
UNI = ("red", "the small house .", "birds sing", "")
NAMED = ("--metric-name", "ours", "--language-pair", "en-de", "--testset", "test23")


@pytest.fixture(autouse=True)
def files(write: Write, tmp_path: Path) -> None:
    saved(tmp_path)
    write("en-de.refA.txt", text(REFERENCE))
    write("en-de.refB.txt", text(OTHER))
    write("online.txt", text(ONLINE))
    write("uni.txt.gz", gzip.compress(text(UNI).encode()))


def submit(cli: Cli, *arguments: str) -> list[str]:
    return cli("submit", "en-de.refA.txt", *arguments, *NAMED, "-m", "hand.json").signed_lines


def rows(path: str | Path) -> list[list[str]]:
    return [line.split("\t") for line in Path(path).read_text(encoding="utf-8").splitlines()]


def expected(lines: tuple[str, ...], *references: tuple[str, ...]) -> list[float]:
    found = pfsm.load("hand.json").segment_scores(lines, references)
    return [float(score) for score in found]


def test_wmt(cli: Cli) -> None:
    out = submit(cli, "-i", "online.txt", "uni.txt.gz", "-o", "ours")
    assert out == ["wrote ours.seg.score", "wrote ours.sys.score"]
    segments = rows("ours.seg.score")
    assert [row[:8] for row in segments[:5]] == [
        *(
            ["ours", "en-de", "test23", "all", "all", "refA", "online", f"{number}"]
            for number in (1, 2, 3, 4)
        ),
        ["ours", "en-de", "test23", "all", "all", "refA", "uni", "1"],
    ]
    assert [float(row[8]) for row in segments] == [*expected(ONLINE, REFERENCE), *expected(UNI, REFERENCE)]
    systems = rows("ours.sys.score")
    assert [row[:6] for row in systems] == [
        ["ours", "en-de", "test23", "all", "refA", "online"],
        ["ours", "en-de", "test23", "all", "refA", "uni"],
    ]
    assert float(systems[1][6]) == pytest.approx(np.mean(expected(UNI, REFERENCE)))


def test_every_reference_by_itself(cli: Cli) -> None:
    submit(cli, "en-de.refB.txt", "-i", "online.txt", "-o", "each")
    found = [(row[5], float(row[8])) for row in rows("each.seg.score")]
    assert found == [
        *(("refA", score) for score in expected(ONLINE, REFERENCE)),
        *(("refB", score) for score in expected(ONLINE, OTHER)),
    ]


def test_documents_and_domains(cli: Cli, write: Write) -> None:
    write("en-de.docs", "news d1\nnews d1\nsocial d2\nsocial d2\n")
    submit(cli, "-i", "uni.txt.gz", "-o", "one", "--documents", "en-de.docs")
    write("docs", "d1\nd1\nd2\nd2\n")
    write("domains", "news\nnews\nsocial\nsocial\n")
    submit(cli, "-i", "uni.txt.gz", "-o", "two", "--documents", "docs", "--domains", "domains")
    assert rows("one.seg.score") == rows("two.seg.score")
    assert rows("one.sys.score") == rows("two.sys.score")
    assert [row[3:5] for row in rows("one.seg.score")] == [["news", "d1"]] * 2 + [["social", "d2"]] * 2
    systems = {row[3]: float(row[6]) for row in rows("one.sys.score")}
    assert systems["social"] == pytest.approx(np.mean(expected(UNI, REFERENCE)[2:]))
    assert set(systems) == {"all", "news", "social"}
    write("none", "all\n" * 4)
    submit(cli, "-i", "uni.txt.gz", "-o", "mtme", "-f", "mtme", "--domains", "none")
    assert not Path("mtme-refA.domain.score").exists()


def test_systems_have_corpus_scores(cli: Cli, write: Write) -> None:
    write("domains", "news\nnews\nsocial\nsocial\n")
    command = ("submit", "en-de.refA.txt", *NAMED, "--metric", "ter", "-i", "online.txt")
    cli(*command, "-o", "ours", "--domains", "domains")
    metric = get_metric("ter")
    # In these files higher is better.
    wanted = {
        "all": -metric.corpus_score(ONLINE, [REFERENCE]),
        "news": -metric.corpus_score(ONLINE[:2], [REFERENCE[:2]]),
        "social": -metric.corpus_score(ONLINE[2:], [REFERENCE[2:]]),
    }
    assert {row[3]: float(row[6]) for row in rows("ours.sys.score")} == wanted
    cli("submit", "en-de.refB.txt", *command[1:], "-o", "both", "--together", "-f", "mtme")
    ((_, score),) = rows("both-refB.refA.sys.score")
    assert float(score) == -metric.corpus_score(ONLINE, [OTHER, [line or None for line in REFERENCE]])


REFUSED = [
    (("-o", "no/ours"), "no: no such folder"),
    (("online.txt", "-o", "ours"), "two systems are called online"),
    (("-o", "ours", "--system-names", "a", "b"), "2 names for 1 system files"),
    (("-o", "ours", "--documents", "short"), "short: 1 line, but en-de.refA.txt has 4"),
    (("-o", "ours", "--documents", "both", "--domains", "short"), "both: has domains"),
    (("-o", "ours", "--documents", "mixed"), "mixed:2: every line needs a document, or every line a domain"),
]


def test_refusals(cli: Cli, write: Write, tmp_path: Path) -> None:
    write("short", "d1\n")
    write("both", "news d1\n" * 4)
    write("mixed", "news d1\nd2\n" * 2)
    for arguments, fault in REFUSED:
        command = ("submit", "en-de.refA.txt", *NAMED, "-m", "hand.json", "-i", "online.txt")
        assert cli(*command, *arguments).fault.startswith(fault)
    assert not list(tmp_path.glob("*.score"))
