"""`pfsm evaluate --statistics`, `--level` and the sources of scores, against the functions that compute them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import pfsm
from pfsm.evaluation import (
    king,
    mean_removed_pearson,
    weighted_pearson,
)
from tests.command_runs import Cli, Write
from tests.judgment_cases import rows
from tests.model_cases import saved

FAST = ("-f", "json", "--confidence-n", "40")


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

    def of(self, language: str) -> tuple[NDArray[np.float64], NDArray[np.float64], list[str], list[str]]:
        """Metric, people, segments and systems of one language."""
        keep = [number for number in range(36) if self.languages[number] == language]
        return (
            self.scores[keep],
            self.human[keep],
            [self.segments[number] for number in keep],
            [self.systems[number] for number in keep],
        )


ALL = ("source_lang", "segment_id", "system", "other")


@pytest.fixture
def made(write: Write) -> Made:
    judgments = Made()
    write("d.tsv", judgments.tsv(*ALL))
    return judgments


class TestSegmentLevel:
    def test_lengths_are_tokens_of_the_reference(self, cli: Cli, made: Made) -> None:
        result = cli(
            "evaluate",
            "d.tsv",
            "--column",
            "other",
            "--by",
            "other_language",
            "--statistics",
            "pearson",
            *FAST,
        ).fault
        assert result.startswith("d.tsv: no column 'other_language'")
        found = cli(
            "evaluate", "d.tsv", "--column", "other", "--statistics", "length-weighted", *FAST
        ).document
        for entry, language in zip(found["correlation"]["groups"], ("cs", "de"), strict=True):
            metric, human, _, _ = made.of(language)
            start = 0 if language == "cs" else 18
            lengths = [len(reference.split()) for reference in made.references[start : start + 18]]
            assert entry["length_weighted"]["value"] == pytest.approx(
                weighted_pearson(metric, human, lengths)
            )

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


PAIRS = (
    # reference, better, worse, votes, ties, segment, a_better, a_worse
    ("a b", "a b", "a", 2, 1, "1", 0.9, 0.5),
    ("a b", "a", "a b", 1, 1, "1", 0.5, 0.9),
    ("a b", "a b", "b", 1, 0, "1", 0.9, 0.9),
    ("c d", "c d", "d", 1, 0, "2", 0.1, 0.2),
    ("c d", "d", "c", 1, 0, "2", 0.2, 0.3),
    ("c d", "c", "c d", 1, 2, "2", 0.3, 0.1),
)


def pairs(with_ties: bool = True) -> str:
    names = ["reference", "better", "worse", "votes", "ties", "segment_id", "a_better", "a_worse"]
    keep = [column for column in range(8) if with_ties or column != 4]
    return "".join("\t".join(str(row[column]) for column in keep) + "\n" for row in [names, *PAIRS])


class TestSources:
    def test_a_file_of_scores_is_the_column(self, cli: Cli, write: Write, made: Made) -> None:
        write("p.tsv", pairs())
        write("scores.txt", "".join(f"{score}\n" for score in made.scores))
        lines = [f"{row[6]}\t{row[7]}" for row in PAIRS]
        write("both.txt", "".join(f"{line}\n" for line in [*lines, *made.scores]))
        found = cli("evaluate", "d.tsv", "--scores", "scores.txt", *FAST).document
        assert (
            found["correlation"]
            == cli("evaluate", "d.tsv", "--column", "other", *FAST).document["correlation"]
        )
        assert found["name"] == "scores.txt"
        both = cli("evaluate", "p.tsv", "d.tsv", "--scores", "both.txt", "--by", "segment_id", *FAST).document
        alone = cli("evaluate", "p.tsv", "--column", "a", "--by", "segment_id", *FAST).document
        assert both["preference"] == alone["preference"]
        assert "correlation" in both

    @pytest.mark.parametrize(
        ("arguments", "fault"),
        [
            (("--column", "nope"), "d.tsv: no column 'nope'"),
            (("--column", "system"), "d.tsv:2: system is 'a', a finite number is needed"),
            (("--column", "other", "--metric", "bleu"), "give either --metric or --column"),
            (("--metric", "blue"), "unknown metric 'blue'"),
            (("--scores", "nope.txt"), "nope.txt: no such file"),
            (("--scores", "few.txt"), "few.txt: 2 lines, but the data has 36 rows"),
            (("--scores", "word.txt"), "word.txt:2: score is 'two', a finite number is needed"),
            (("--scores", "wide.txt"), "wide.txt:3: 2 scores, 1 needed for d.tsv"),
            (("--statistics", "pearson,persimmon"), "--statistics: no 'persimmon' here; there are pearson"),
            (("--statistics", ""), "--statistics: no '' here"),
            (("--statistics", "pearson, pearson"), "--statistics: pearson is named twice"),
            (("--statistics", "best-possible"), "--statistics: no 'best-possible' here"),
            (
                ("--statistics", "acc-t", "--level", "system"),
                "--statistics: no 'acc-t' here; there are pearson",
            ),
            (("--statistics", "king"), "king needs two references of a segment"),
            (("--statistics", "king", "--column", "other"), "king scores references too, for which 'other'"),
            (("--versus", "nope.json"), "nope.json: "),
            (("--versus", "column:nope"), "d.tsv: no column 'nope'"),
        ],
    )
    def test_refusals(
        self, arguments: tuple[str, ...], fault: str, cli: Cli, write: Write, made: Made
    ) -> None:
        write("few.txt", "1\n2\n")
        write("word.txt", "1\ntwo\n")
        write("wide.txt", "1\n1\n1\t2\n" + "1\n" * 33)
        assert cli("evaluate", "d.tsv", *arguments).fault.startswith(fault)

    def test_columns_that_a_statistic_needs(self, cli: Cli, write: Write) -> None:
        write("d.tsv", Made().tsv("other"))
        write("p.tsv", pairs())
        for arguments, fault in (
            (
                ("d.tsv", "--statistics", "king"),
                "d.tsv: king needs absolute scores with the column segment_id",
            ),
            (("d.tsv", "--level", "system"), "d.tsv: no column 'system'; the columns are 'other', "),
            (("p.tsv", "--level", "system"), "p.tsv: preferences have no system level"),
            (("p.tsv", "--column", "b"), "p.tsv: no column 'b_better'"),
        ):
            assert cli("evaluate", *arguments).fault.startswith(fault)


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
