"""`pfsm evaluate --statistics`, `--level` and the sources of scores, against the functions that compute them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import pfsm
from pfsm.evaluation import (
    accuracy_with_ties,
    calibrate_ties,
    kendall_tau_b,
    king,
    mean_removed_pearson,
    pearson,
    preference_counts,
    preference_interval,
    soft_pairwise_accuracy,
    system_pairwise_accuracy,
    system_scores,
    weighted_pearson,
    wmt_kendall,
)
from pfsm.metrics import get_metric
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
    def test_every_statistic(self, cli: Cli, made: Made) -> None:
        names = (
            "pearson,kendall,mean-removed,length-weighted,mean-removed-weighted,acc-t,wmt12,wmt13,wmt14,darr"
        )
        result = cli("evaluate", "d.tsv", "--column", "other", "--statistics", names, *FAST).document
        assert (result["name"], result["signature"], result["by"]) == ("other", None, "source_lang")
        found = result["correlation"]
        assert (found["level"], found["resampled"]) == ("segment", "segments")
        for entry, language in zip(found["groups"], ("cs", "de"), strict=True):
            metric, human, segments, _ = made.of(language)
            assert (entry["group"], entry["n"]) == (language, 18)
            calibrated = calibrate_ties(human, metric, segments)
            expected = {
                "pearson": pearson(metric, human),
                "kendall_tau_b": kendall_tau_b(metric, human),
                "mean_removed": mean_removed_pearson(metric, human, segments),
                "acc_t": calibrated.accuracy,
                "wmt12": wmt_kendall(human, metric, segments, "wmt12"),
                "wmt13": wmt_kendall(human, metric, segments, "wmt13"),
                "wmt14": wmt_kendall(human, metric, segments, "wmt14"),
                "darr": wmt_kendall(human, metric, segments, "darr"),
            }
            for name, value in expected.items():
                assert entry[name]["value"] == pytest.approx(value, abs=1e-12), name
                low, high = entry[name]["interval"]
                assert low <= high
            assert entry["acc_t"]["threshold"] == calibrated.threshold
            at_threshold = accuracy_with_ties(human, metric, segments, calibrated.threshold)
            assert entry["acc_t"]["value"] == pytest.approx(at_threshold)
        for name in expected:
            mean = np.mean([entry[name]["value"] for entry in found["groups"]])
            assert found["mean"][name]["value"] == pytest.approx(mean)

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

    def test_judgments_are_drawn_on_request(self, cli: Cli, made: Made) -> None:
        command = ("evaluate", "d.tsv", "--column", "other", "--resample", "judgments")
        found = cli(*command, "--statistics", "pearson,spearman", *FAST).document
        assert found["correlation"]["resampled"] == "judgments"
        usual = cli(*command, *FAST).document
        assert usual["correlation"]["groups"][0]["pearson"] == found["correlation"]["groups"][0]["pearson"]
        lines = cli(*command, "--confidence-n", "40").lines
        assert lines[-2] == "Intervals: judgments are resampled, one by one"

    def test_without_identifiers_references_are_segments(self, cli: Cli, write: Write, made: Made) -> None:
        write("plain.tsv", made.tsv("source_lang", "other"))
        for name in ("pearson", "mean-removed", "acc-t"):
            command = ("--column", "other", "--statistics", name, *FAST)
            named, plain = (
                cli("evaluate", file, *command).document["correlation"] for file in ("d.tsv", "plain.tsv")
            )
            assert named == plain
            assert plain["resampled"] == "segments"

    def test_text(self, cli: Cli, made: Made) -> None:
        lines = cli(
            "evaluate", "d.tsv", "--column", "other", "--statistics", "acc-t,darr", "--confidence-n", "40"
        ).lines
        assert lines[0] == "other"
        assert "acc-t" in lines[2]
        assert "DARR tau" in lines[2]
        assert lines[-2] == "Intervals: segments are resampled, each with all its translations"

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


class TestSystemLevel:
    def test_every_statistic(self, cli: Cli, made: Made) -> None:
        names = "pearson,spearman,kendall,accuracy,spa"
        result = cli(
            "evaluate", "d.tsv", "--column", "other", "--level", "system", "--statistics", names, *FAST
        ).document
        found = result["correlation"]
        assert found["level"] == "system"
        for entry, language in zip(found["groups"], ("cs", "de"), strict=True):
            metric, human, segments, systems = made.of(language)
            means = system_scores(metric, systems), system_scores(human, systems)
            expected = {
                "pearson": pearson(*means),
                "kendall_tau_b": kendall_tau_b(*means),
                "accuracy": system_pairwise_accuracy(means[1], means[0]),
                "spa": soft_pairwise_accuracy(human, metric, systems, segments),
            }
            for name, value in expected.items():
                assert entry[name]["value"] == pytest.approx(value, abs=1e-12), name
            assert entry["spa"]["interval"] == [None, None]

    def test_the_default(self, cli: Cli, made: Made) -> None:
        found = cli("evaluate", "d.tsv", "--column", "other", "--level", "system", *FAST).document
        assert list(found["correlation"]["mean"]) == ["pearson", "spearman", "kendall_tau_b", "accuracy"]
        body = cli("evaluate", "d.tsv", "--column", "other", "--level", "system", "--confidence-n", "9").out
        assert "pairwise accuracy" in body


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


class TestPreferences:
    NAMES = "accuracy,accuracy-with-ties,best-possible,random-baseline,wmt12,wmt13,wmt14,darr"

    def test_every_statistic(self, cli: Cli, write: Write) -> None:
        """Ties of a pair that is there in both orders count once: 1 + 2 of 10 judgments."""
        write("p.tsv", pairs())
        result = cli("evaluate", "p.tsv", "--column", "a", "--statistics", self.NAMES, *FAST).document
        (entry,) = result["preference"]["groups"]
        assert result["preference"]["resampled"] == "segments"
        # Concordant 2 + 1 votes, discordant 1 + 1 + 1, tied 1; nothing of what people tie is tied.
        expected = {
            "accuracy": 3 / 7,
            "accuracy_with_ties": 3 / 10,
            # a b: the order a b, then a, b: 2 + 1. c d: two of the circle of three, or the tie with one of them.
            "best_possible": (3 + 3) / 10,
            "random_baseline": 0.5 * 7 / 10,
            "wmt12": (3 - 4) / 7,
            "wmt13": 0.0,
            "wmt14": 0.0,
            "darr": (3 - 4) / 7,
        }
        for name, value in expected.items():
            assert entry[name]["value"] == pytest.approx(value), name
        assert entry["best_possible"]["exact"] is True

    def test_without_ties(self, cli: Cli, write: Write) -> None:
        write("p.tsv", pairs(with_ties=False))
        (entry,) = cli("evaluate", "p.tsv", "--column", "a", "--statistics", self.NAMES, *FAST).document[
            "preference"
        ]["groups"]
        assert entry["accuracy_with_ties"] == entry["accuracy"]
        assert entry["best_possible"]["value"] == pytest.approx((3 + 2) / 7)
        assert entry["random_baseline"]["value"] == 0.5

    def test_segments_are_drawn(self, cli: Cli, write: Write) -> None:
        """Also in the usual table; the values stay as they are."""
        write("p.tsv", pairs())
        command = ("evaluate", "p.tsv", "--column", "a")
        found, blind = (
            cli(*command, *more, *FAST).document["preference"] for more in ((), ("--resample", "judgments"))
        )
        assert (found["resampled"], blind["resampled"]) == ("segments", "pairs")
        assert found["mean"]["accuracy"]["value"] == blind["mean"]["accuracy"]["value"]
        assert found["mean"]["accuracy"]["interval"] != blind["mean"]["accuracy"]["interval"]
        assert "segments are resampled" in cli(*command, "--confidence-n", "40").out

    def test_the_interval_is_that_of_the_function(self, cli: Cli, write: Write) -> None:
        write("p.tsv", pairs())
        found = cli("evaluate", "p.tsv", "--column", "a", *FAST).document["preference"]["groups"][0]
        better, worse, votes = ([row[column] for row in PAIRS] for column in (6, 7, 3))
        expected = preference_interval(
            better,
            worse,
            votes,
            statistic="wmt12",
            segments=[row[5] for row in PAIRS],
            n_resamples=40,
            seed=pfsm.evaluation.bootstrap.group_seed(12345, "all"),
        )
        assert found["kendall_tau"]["interval"] == [expected.low, expected.high]
        assert found["kendall_tau"]["value"] == preference_counts(better, worse, votes).kendall_tau("wmt12")


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

    def test_another_metric(self, cli: Cli, made: Made) -> None:
        metric = get_metric("length_ratio")
        found = cli("evaluate", "d.tsv", "--metric", "length_ratio", *FAST).document
        assert (found["name"], found["signature"]) == (metric.name, metric.signature)
        scores = metric.score_pairs(made.hypotheses, made.references)
        expected = pearson(scores[:18], made.human[:18])
        assert found["correlation"]["groups"][0]["pearson"]["value"] == pytest.approx(expected)

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

    def test_versus_and_text(self, cli: Cli, write: Write) -> None:
        write("d.tsv", self.tsv())
        command = (
            "evaluate",
            "d.tsv",
            "-m",
            "hand.json",
            "--statistics",
            "king",
            "--versus",
            "metric:length_ratio",
        )
        result = cli(*command, *FAST).document["versus"]["likeness"]["king"]
        assert result["groups"][0]["n"] == 5
        assert result["mean"]["difference"] == pytest.approx(
            result["mean"]["value"] - result["mean"]["versus"]
        )
        assert "KING" in cli(*command, "--confidence-n", "9").out
        fault = cli(*command, "--test", "perm-both").fault
        assert fault.startswith("--test perm-both swaps scores of translations")
