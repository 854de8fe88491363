"""`pfsm probe`: the numbers are those of the model's scores, on shipped pairs and on one's own."""

from pathlib import Path

import numpy as np
import pytest

import pfsm
import pfsm.metrics
from pfsm.data.minimal_pairs import KINDS, shipped_minimal_pairs
from tests.command_runs import Cli, Write, text
from tests.model_cases import saved

OWN = text(
    [
        "kind\treference\tbetter\tworse",
        "drop\twe walk home .\twe walk home\twe walk .",
        "drop\twe walk home .\twe walk .\twe walk home",
        "same\ta cat\ta cat\ta cat",
        "négation\tit is not cold\tit is not so cold\tit is so cold",
    ]
)


def test_the_shipped_pairs_in_json(cli: Cli, tmp_path: Path) -> None:
    path = saved(tmp_path)
    document = cli("probe", "-m", path, "--format", "json", "--confidence-n", "50").document
    metric = pfsm.load(path)
    assert (document["name"], document["signature"]) == ("hand", metric.get_signature(1))
    pairs = shipped_minimal_pairs()
    assert (document["pairs"], document["sha256"]) == ("en.tsv", pairs.source.checksum)
    assert (document["resamples"], document["seed"]) == (50, 12345)
    assert [entry["kind"] for entry in document["kinds"]] == [*KINDS, "all"]
    assert sum(entry["n"] for entry in document["kinds"][:-1]) == document["kinds"][-1]["n"] == len(pairs)
    better = metric.score_pairs(pairs.better, pairs.references)
    worse = metric.score_pairs(pairs.worse, pairs.references)
    for entry in document["kinds"]:
        rows = np.array([entry["kind"] in {kind, "all"} for kind in pairs.kinds])
        gains = (better - worse)[rows]
        assert entry["worse_is_lower"]["value"] == np.mean(gains > 0)
        assert entry["ties"] == (gains == 0).sum()
        assert entry["difference"]["value"] == pytest.approx(gains.mean())
        for estimate in (entry["worse_is_lower"], entry["difference"]):
            low, high = estimate["interval"]
            assert low <= estimate["value"] <= high


def test_every_pair_with_its_scores(cli: Cli, write: Write, tmp_path: Path) -> None:
    path, own = saved(tmp_path), write("own.tsv", OWN)
    metric = pfsm.load(path)
    header, *rows = [line.split("\t") for line in cli("probe", own, "-m", path, "--list").lines]
    assert header == ["kind", "reference", "better", "worse", "better_score", "worse_score"]
    assert ["\t".join(row[:4]) for row in rows] == OWN.splitlines()[1:]
    listed = cli("probe", own, "-m", path, "--list", "-f", "json").document["scores"]
    for row, entry in zip(rows, listed, strict=True):
        assert row[:4] == [entry[key] for key in header[:4]]
        for version, score in (("better", row[4]), ("worse", row[5])):
            exact = metric.score_pairs([entry[version]], [entry["reference"]])[0]
            assert entry[f"{version}_score"] == exact
            assert float(score) == pytest.approx(exact, abs=5e-5)
    # What is listed can be read again.
    again = write("again.tsv", text(["\t".join(row) for row in [header, *rows]]))
    assert cli("probe", again, "-m", path).lines[3:] == cli("probe", own, "-m", path).lines[3:]


def test_what_is_refused(cli: Cli, write: Write, tmp_path: Path) -> None:
    german = saved(tmp_path, "de.json", settings={"language": "de"})
    assert cli("probe", "-m", german).fault.startswith(
        "there are no shipped minimal pairs for 'de', only for en; give your own file"
    )
    own = write("own.tsv", OWN)
    assert cli("probe", own, "-m", german).lines
    two = ("-m", german, "--metric", "bleu")
    assert (
        cli("probe", own, *two, "--list").fault == "--list prints the scores of one model or metric; give one"
    )
    bad = write("bad.tsv", "kind\treference\tbetter\tworse\tseverity\nk\ta\tb\tc\tgrave\n")
    assert cli("probe", bad).fault == (
        "bad.tsv:2: severity is 'grave', one of none, minor, major, critical is needed"
    )


GRADED = text(
    [
        "kind\treference\tbetter\tworse\tseverity",
        "drop\twe walk home .\twe walk home .\twe walk .\tcritical",
        "typo\twe walk home .\twe walk home .\twe wlak home .\tminor",
        'quote\t“home”\t“home”\t"home"\tnone',
    ]
)


def test_severities_and_several_metrics(cli: Cli, write: Write, tmp_path: Path) -> None:
    path, own = saved(tmp_path), write("graded.tsv", GRADED)
    arguments = ("probe", own, "--confidence-n", "20")
    one = cli(*arguments, "-m", path, "-f", "json").document
    other = cli(*arguments, "--metric", "chrf", "-f", "json").document
    both = cli(*arguments, "-m", path, "--metric", "chrf", "-f", "json").document
    assert both == {"metrics": [one, other]}
    assert list(other["severity"]["median_loss"]) == ["none", "minor", "critical"]
    scores = pfsm.metrics.get_metric("chrf")
    lost = {
        kind: scores.score_pairs([better], [reference])[0] - scores.score_pairs([worse], [reference])[0]
        for kind, reference, better, worse, _ in (line.split("\t") for line in GRADED.splitlines()[1:])
    }
    assert other["severity"]["median_loss"]["critical"]["value"] == lost["drop"]
    assert other["severity"]["harmless_share"]["value"] == lost["quote"] / lost["drop"]
    lines = cli(*arguments, "-m", path, "--metric", "chrf").lines
    rows = {line[:14].strip(): line.split() for line in lines}
    assert rows["kind"] == ["kind", "n", "hand", "chrf"]
    assert any(line.startswith("median loss: harmless / critical") for line in lines)
    assert "harmless" in "".join(cli(*arguments, "--metric", "chrf").lines)
    plot = ("probe", own, "--metric", "chrf", "--confidence-n", "20", "--plot")
    assert cli(*plot, "a.svg").status == 0
    assert (tmp_path / "a.svg").read_bytes().startswith(b"<?xml")
    assert cli(*plot, "x.gif").fault == "--plot is 'x.gif', its name must end in one of .svg, .png, .pdf"
