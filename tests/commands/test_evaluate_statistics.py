"""`pfsm evaluate --statistics`, `--versus` and the sources of scores, against the functions that compute them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pfsm
from pfsm.evaluation import king, mean_removed_pearson, pearson, williams_test
from tests.command_runs import Cli, Write
from tests.judgment_cases import rows
from tests.model_cases import saved

FAST = ("-f", "json", "--confidence-n", "60")


@pytest.fixture(autouse=True)
def model(tmp_path: Path) -> None:
    saved(tmp_path)


class Made:
    """Three translations of each of twelve segments, in two languages, by systems a, b and c."""

    def __init__(self) -> None:
        made = rows(36, seed=5)
        self.references = [made[number - number % 3][0] for number in range(36)]
        self.hypotheses = [row[1] for row in made]
        self.human = np.array([round(float(row[2]) * 20) for row in made], dtype=np.float64)
        self.segments = [f"{number // 3 % 6}" for number in range(36)]  # the same names in both languages
        self.languages = ["cs" if number < 18 else "de" for number in range(36)]
        self.systems = ["abc"[number % 3] for number in range(36)]
        self.scores = np.round(np.random.default_rng(6).normal(size=36), 2)

    def tsv(self, *columns: str) -> str:
        available: dict[str, Any] = {
            "source_lang": self.languages,
            "segment_id": self.segments,
            "system": self.systems,
            "other": self.scores,
        }
        names = [*columns, "reference", "hypothesis", "score"]
        table = [available[name] for name in columns]
        lines = zip(*table, self.references, self.hypotheses, self.human, strict=True)
        return "".join("\t".join(str(field) for field in line) + "\n" for line in [names, *lines])


ALL = ("source_lang", "segment_id", "system", "other")


@pytest.fixture
def made(write: Write) -> Made:
    judgments = Made()
    write("d.tsv", judgments.tsv(*ALL))
    return judgments


class TestSegmentLevel:
    def test_within_segments_by_default_where_they_have_several_translations(
        self, cli: Cli, write: Write, made: Made
    ) -> None:
        command = ("--column", "other", *FAST)
        found = cli("evaluate", "d.tsv", *command).document["correlation"]
        within = mean_removed_pearson(made.scores[:18], made.human[:18], made.segments[:18])
        assert found["groups"][0]["mean_removed"]["value"] == pytest.approx(within)
        alone = made.tsv(*ALL).splitlines(keepends=True)
        write("one.tsv", "".join(alone[:1] + alone[1::3]))
        found = cli("evaluate", "one.tsv", *command).document["correlation"]
        assert "mean_removed" not in found["groups"][0]

    def test_identifiers_are_those_of_their_file(self, cli: Cli, write: Write, made: Made) -> None:
        """The same identifier in another file is another segment; another reference in one file is not."""
        header, *lines = made.tsv("segment_id", "other").splitlines(keepends=True)
        write("one.tsv", header + "".join(lines[:18]))
        write("two.tsv", header + "".join(lines[18:]))
        write("both.tsv", header + "".join(lines))
        command = ("--column", "other", "--statistics", "mean-removed", *FAST)
        apart = cli("evaluate", "one.tsv", "two.tsv", *command).document["correlation"]["groups"][0]
        named = [f"{at // 18} {segment}" for at, segment in enumerate(made.segments)]
        expected = mean_removed_pearson(made.scores, made.human, named)
        assert apart["mean_removed"]["value"] == pytest.approx(expected)
        together = cli("evaluate", "both.tsv", *command).document["correlation"]["groups"][0]
        expected = mean_removed_pearson(made.scores, made.human, made.segments)
        assert together["mean_removed"]["value"] == pytest.approx(expected)


class TestSources:
    def test_a_file_of_scores_is_the_column(self, cli: Cli, write: Write, made: Made) -> None:
        write("scores.txt", "".join(f"{score}\n" for score in made.scores))
        found = cli("evaluate", "d.tsv", "--scores", "scores.txt", *FAST).document
        column = cli("evaluate", "d.tsv", "--column", "other", *FAST).document
        assert found["correlation"] == column["correlation"]
        assert found["name"] == "scores.txt"

    @pytest.mark.parametrize(
        ("arguments", "fault"),
        [
            (("--column", "system"), "d.tsv:2: system is 'a', a finite number is needed"),
            (("--scores", "few.txt"), "few.txt: 2 lines, but the data has 36 rows"),
            (("--scores", "word.txt"), "word.txt:2: score is 'two', a finite number is needed"),
            (("--scores", "wide.txt"), "wide.txt:3: 2 scores, 1 needed for d.tsv"),
            (
                ("--statistics", "pearson,persimmon"),
                "--statistics: no 'persimmon' here; did you mean pearson?; there are pearson",
            ),
            (("--statistics", "king"), "king needs two references of a segment"),
            (("--statistics", "king", "--column", "other"), "king scores references too, for which 'other'"),
            (("--versus", "nope.json"), "nope.json: "),
        ],
    )
    def test_refusals(
        self, arguments: tuple[str, ...], fault: str, cli: Cli, write: Write, made: Made
    ) -> None:
        write("few.txt", "1\n2\n")
        write("word.txt", "1\ntwo\n")
        write("wide.txt", "1\n1\n1\t2\n" + "1\n" * 33)
        assert cli("evaluate", "d.tsv", *arguments).fault.startswith(fault)


class TestLikeness:
    TABLE = (
        # segment, reference, reference_2, reference_3, hypothesis
        ("1", "a red bird", "the red bird", "", "a red bird"),
        ("1", "a red bird", "the red bird", "", "bird"),
        ("2", "small house", "a small house", "the small house", "river"),
        ("3", "birds sing", "", "", "birds sing"),
    )

    def tsv(self) -> str:
        names = ["segment_id", "reference", "reference_2", "reference_3", "hypothesis", "score"]
        return "".join("\t".join(row) + "\n" for row in [names, *((*row, "1") for row in self.TABLE)])

    def test_references_are_held_out_in_turn(self, cli: Cli, write: Write) -> None:
        write("d.tsv", self.tsv())
        score = pfsm.load("hand.json").score_pairs
        human, automatic, cases = [], [], []
        for segment in ("1", "2"):
            part = [row for row in self.TABLE if row[0] == segment]
            references = [text for text in part[0][1:4] if text]
            for held in references:
                others = [text for text in references if text != held]
                human.append(max(score([held] * len(others), others)))
                for row in part:
                    automatic.append(max(score([row[4]] * len(others), others)))
                    cases.append(len(human) - 1)
        expected = king(human, range(len(human)), automatic, cases)
        result = cli("evaluate", "d.tsv", "-m", "hand.json", "--statistics", "king,pearson", *FAST).document
        (entry,) = result["likeness"]["groups"]
        assert entry["n"] == len(human) == 5
        assert entry["king"]["value"] == pytest.approx(expected)
        assert 0 < expected < 1
        assert "pearson" in result["correlation"]["mean"]


OTHER = ("--versus", "column:other")


def test_williams_where_judgments_are_independent(cli: Cli, write: Write) -> None:
    made = rows(30, seed=9)
    other = np.random.default_rng(1).normal(size=30)
    lines = [f"{one}\t{two}\t{score}\t{value}" for (one, two, score), value in zip(made, other, strict=True)]
    write("d.tsv", "".join(f"{line}\n" for line in ["reference\thypothesis\tscore\tother", *lines]))
    document = cli("evaluate", "d.tsv", "-m", "hand.json", *OTHER, *FAST).document
    found = document["versus"]["correlation"]
    human = np.array([float(row[2]) for row in made])
    metric = pfsm.load("hand.json").score_pairs([row[1] for row in made], [row[0] for row in made])
    expected = williams_test(pearson(human, metric), pearson(human, other), pearson(metric, other), 30)
    assert found["pearson"]["groups"][0]["williams_p"] == pytest.approx(expected.p_value)
    assert "williams_p" not in found["spearman"]["groups"][0]
    assert found["unit"] == "judgments"
    assert set(found) == {"unit", "pearson", "spearman", "kendall_tau_b"}
    body = cli("evaluate", "d.tsv", "-m", "hand.json", *OTHER, "--confidence-n", "60").out
    assert "Williams p" in body
    assert f"{expected.p_value:.4f}" in body
