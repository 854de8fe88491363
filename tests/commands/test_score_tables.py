"""`pfsm score --table`: references and hypotheses side by side in one file."""

from pathlib import Path

import pytest

import pfsm
from tests.command_runs import Cli, Write, text
from tests.model_cases import saved

REFERENCES = ["the red bird sings", "a small house .", "", "walking near the river"]
HYPOTHESES = ["the red bird sang", "small houses", "", ""]


@pytest.fixture
def model(tmp_path: Path) -> str:
    return Path(saved(tmp_path)).name


def expected(references: list[str] = REFERENCES, hypotheses: list[str] = HYPOTHESES) -> list[float]:
    return [float(score) for score in pfsm.load("hand.json").score_pairs(hypotheses, references)]


ROWS = tuple(zip(REFERENCES, HYPOTHESES, strict=True))


def test_tsv(cli: Cli, write: Write, model: str) -> None:
    write("t.tsv", "id\thypothesis\treference\n" + text([f"7\t{h}\t{r}" for r, h in ROWS]))
    assert cli("score", "--table", "t.tsv", "-m", model, "-sl").lines == [
        f"{score:.4f}" for score in expected()
    ]
    (line,) = cli("score", "--table", "t.tsv", "-m", model).lines
    assert line == f"{pfsm.load(model).get_short_signature(1)} = {sum(expected()) / 4:.4f}"


def test_comet_csv(cli: Cli, write: Write, model: str) -> None:
    write("t.csv", 'src,mt,ref\n"one, two","red, bird","the ""red"" bird"\nx,a,a\n')
    scores = expected(['the "red" bird', "a"], ["red, bird", "a"])
    assert cli("score", "--table", "t.csv", "-m", model, "-sl").lines == [f"{score:.4f}" for score in scores]


def test_further_references_where_they_are_not_empty(cli: Cli, write: Write, model: str) -> None:
    write(
        "t.tsv",
        "reference\thypothesis\treference_2\treference_3\n"
        "a red bird\tthe bird\tthe bird\t\n"
        "a red bird\tthe bird\t\t\n"
        "a red bird\tthe bird\t\tbird\n",
    )
    result = cli("score", "--table", "t.tsv", "-m", model, "-f", "json", "-sl").document
    red, the, bird = (
        expected([reference], ["the bird"])[0] for reference in ("a red bird", "the bird", "bird")
    )
    assert result["segment_scores"] == [max(red, the), red, max(red, bird)]
    assert result["signature"].startswith("nrefs:var|refs:best|")
    write("u.tsv", "reference\thypothesis\treference_2\na\tb\tc\nd\te\tf\n")
    result = cli("score", "--table", "u.tsv", "-m", model, "-f", "json").document
    assert result["signature"].startswith("nrefs:2|refs:best|")


def test_the_means_of_the_systems_in_it(cli: Cli, write: Write, model: str) -> None:
    write("t.tsv", "system\treference\thypothesis\nB\ta bird\tbird\nA\ta bird\ta bird\nB\tred\tblue\n")
    bird, same, blue = expected(["a bird", "a bird", "red"], ["bird", "a bird", "blue"])
    result = cli("score", "--table", "t.tsv", "-m", model, "-f", "json").document
    assert result["systems"] == pytest.approx({"A": same, "B": (bird + blue) / 2}, abs=1e-15)
    assert result["score"] == pytest.approx((bird + same + blue) / 3, abs=1e-15)
    lines = cli("score", "--table", "t.tsv", "-m", model, "-b").lines
    assert lines == [f"{(bird + same + blue) / 3:.4f}", f"A\t{same:.4f}", f"B\t{(bird + blue) / 2:.4f}"]


def test_two_columns_of_one_name_say_how_they_differ(cli: Cli, write: Write) -> None:
    write("ref.txt", "The red bird\n")
    write("hyp.txt", "the red bird\n")
    asked = ("--metric", "chrf", "--metric", "chrf(lowercase=true)")
    lines = cli("score", "ref.txt", "-i", "hyp.txt", *asked).lines
    for line, label, case in zip(lines[-2:], lines[0].split()[1:], ("mixed", "lc"), strict=True):
        assert line.startswith(f"{label}: nrefs:1|")
        assert f"|case:{case}|" in line
