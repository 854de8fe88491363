"""`pfsm data`: conversion of every format from the command line, and what is said about files."""

import gzip
from pathlib import Path

import pytest

from pfsm.data import read_preferences
from tests.command_runs import Cli, Write
from tests.judgment_cases import rows, tsv

RANKING = (
    "srclang,trglang,srcIndex,segmentId,judgeId,system1Id,system1rank,system2Id,system2rank\n"
    "Czech,English,2,2,j1,A,1,B,2\nCzech,English,2,2,j2,A,2,B,1\nCzech,English,2,2,j3,A,1,B,1\n"
    "Czech,English,1,1,j1,A,2,B,2\n"
)


@pytest.fixture
def texts(write: Write, tmp_path: Path) -> None:
    """References and the outputs of two systems, two segments each."""
    (tmp_path / "out").mkdir()
    for name in ("out/A", "out/B"):
        write(name, f"{name} one\n{name} two\n")
    write("ref.txt", "one\ntwo\n")


def convert(cli: Cli, *arguments: str) -> list[str]:
    """What a successful conversion to out.tsv says, standard output being empty."""
    outcome = cli("data", "convert", *arguments, "-o", "out.tsv")
    assert (outcome.status, outcome.out) == (0, ""), outcome
    return outcome.err.splitlines()


@pytest.mark.usefixtures("texts")
def test_rankings(cli: Cli, write: Write, tmp_path: Path) -> None:
    write("x.csv", RANKING)
    needed = ("x.csv", "--references", "ref.txt", "--system-outputs", "out", "--test-set", "t")
    assert convert(cli, *needed) == ["pfsm: out.tsv: 2 preferences"]
    assert (tmp_path / "out.tsv").read_text(encoding="utf-8") == (
        "test_set\tsource_lang\ttarget_lang\tsegment_id\treference\tbetter\tworse\tbetter_system\tworse_system\t"
        "votes\tvotes_against\n"
        "t\tcs\ten\tt.2\ttwo\tout/A two\tout/B two\tA\tB\t1\t1\n"
        "t\tcs\ten\tt.2\ttwo\tout/B two\tout/A two\tB\tA\t1\t1\n"
    )
    assert convert(cli, *needed, "--keep-ties") == ["pfsm: out.tsv: 3 preferences"]
    assert [line.split("\t")[-3:] for line in (tmp_path / "out.tsv").read_text().splitlines()[1:]] == [
        ["0", "0", "1"],
        ["1", "1", "1"],
        ["1", "1", "1"],
    ]
    assert convert(cli, *needed, "--per-rater", "--keep-ties") == ["pfsm: out.tsv: 4 preferences"]
    assert read_preferences(tmp_path / "out.tsv").columns["rater"] == ("j1", "j1", "j3", "j2")


@pytest.mark.usefixtures("texts")
def test_parallel_files_and_gzip(cli: Cli, write: Write, tmp_path: Path) -> None:
    write("s", "1\n0.5\n")
    arguments = ("out/A", "--from", "parallel", "--references", "ref.txt", "--scores", "s")
    outcome = cli("data", "convert", *arguments, "--source-lang", "Czech", "-o", "out.tsv.gz")
    assert (outcome.status, outcome.err) == (0, "pfsm: out.tsv.gz: 2 judgments\n")
    assert gzip.decompress((tmp_path / "out.tsv.gz").read_bytes()).decode() == (
        "source_lang\tsegment_id\tsystem\treference\thypothesis\tscore\n"
        "cs\t1\tA\tone\tout/A one\t1\ncs\t2\tA\ttwo\tout/A two\t0.5\n"
    )


@pytest.mark.usefixtures("good_files")
class TestRefusals:
    """Each leaves what was at the output untouched, says one line and ends with status 2."""

    def test_an_output_that_is_an_input(self, cli: Cli) -> None:
        fault = cli("data", "convert", "good.tsv", "-o", "good.tsv").fault
        assert fault.startswith("good.tsv: is an input, which the output would replace")
        fault = cli("data", "convert", "good.tsv", "--references", "A=ref.txt", "-o", "ref.txt").fault
        assert fault.startswith("ref.txt: is an input, which the output would replace")

    def test_formats_and_options(self, cli: Cli, write: Write) -> None:
        fault = cli("data", "convert", "hyp.txt", "-o", "out.tsv").fault
        assert fault.startswith("hyp.txt: the format cannot be detected; name it with --from (tsv, comet, ")
        fault = cli("data", "convert", "good.tsv", "--per-rater", "-o", "out.tsv").fault
        assert fault == (
            "--per-rater does not apply to tsv, which uses --score-column, --source-lang, --target-lang, --test-set, "
            "--unquote"
        )


class TestInfo:
    def test_text(self, cli: Cli, write: Write) -> None:
        write(
            "x.tsv",
            tsv([("a", "a", "1"), ("b", "c", "2"), ("", "c", "4")], source_lang="cs", system=["X", "Y", "Y"]),
        )
        lines = cli("data", "info", "x.tsv").lines
        assert lines[:7] == [
            "x.tsv: 3 judgments",
            "  columns         source_lang, system, reference, hypothesis, score",
            "  language pairs  cs (3)",
            "  systems         2: X (1), Y (2)",
            "  segments        2",
            "  references      0 of 1 rows, 1 of 2 rows",
            "  scores          mean 2.333, sd 1.528",
        ]
        assert lines[-6:-4] == [
            "  checks",
            "           1  empty reference  (first: line 4)",
        ]

    @pytest.mark.usefixtures("texts")
    def test_any_format(self, cli: Cli, write: Write) -> None:
        write("x.csv", RANKING)
        lines = cli("data", "info", "x.csv", "--references", "ref.txt", "--system-outputs", "out").lines
        assert lines[0] == "x.csv: 2 preferences"
        assert cli("data", "info", "-", "--from", "tsv", stdin=tsv(rows(2))).lines[0] == "-: 2 judgments"


class TestSplit:
    TABLE = tsv(
        [(f"ref {row // 4}", f"hyp {row}", str(row)) for row in range(80)],
        segment_id=[str(row) for row in range(80)],
        document=[f"d{row // 8}" for row in range(80)],
        system=[f"s{row % 4}" for row in range(80)],
    )

    def halves(self, cli: Cli, folder: Path, *options: str) -> list[list[list[str]]]:
        """The rows of both parts, once the command has said how many there are."""
        outcome = cli("data", "split", "mine.tsv", *options)
        parts = [(folder / f"mine.{part}.tsv").read_text(encoding="utf-8") for part in ("train", "test")]
        tables = [[line.split("\t") for line in part.splitlines()] for part in parts]
        for line, table, part in zip(outcome.lines, tables, ("train", "test"), strict=True):
            assert line.startswith(f"mine.{part}.tsv: {len(table) - 1} judgments ("), line
        assert tables[0][0] == tables[1][0] == self.TABLE.splitlines()[0].split("\t")
        return [table[1:] for table in tables]

    @pytest.mark.parametrize("by", ["document", "segment", "system", "score"])
    def test_no_group_is_on_both_sides(self, cli: Cli, write: Write, tmp_path: Path, by: str) -> None:
        """Rows of one reference are one segment though every row has its own identifier."""
        write("mine.tsv", self.TABLE)
        train, test = self.halves(cli, tmp_path, "--by", by, "--test", ".25", "--seed", "3")
        header = self.TABLE.splitlines()[0].split("\t")
        place = header.index("reference" if by == "segment" else by)
        assert not {row[place] for row in train} & {row[place] for row in test}
        assert sorted(train + test) == sorted(line.split("\t") for line in self.TABLE.splitlines()[1:])
        assert abs(len(test) - 20) <= 4
        lines = self.TABLE.splitlines()
        write("mine.tsv", "\n".join([lines[0], *reversed(lines[1:])]) + "\n")
        again = self.halves(cli, tmp_path, "--by", by, "--test", ".25", "--seed", "3")
        assert again == [train[::-1], test[::-1]]

    def test_refusals(self, cli: Cli, write: Write, tmp_path: Path) -> None:
        write("mine.tsv", self.TABLE)
        assert "no column 'rater' to group by" in cli("data", "split", "mine.tsv", "--by", "rater").fault
        assert "no column 'source_lang'" in cli("data", "split", "mine.tsv", "--by", "language").fault
        write("one.tsv", tsv(rows(3), document="d"))
        fault = cli("data", "split", "one.tsv", "--by", "document").fault
        assert fault == "one.tsv: 1 document; two or more are needed to split by"
        write("gap.tsv", tsv(rows(2), document=["d", ""]))
        assert cli("data", "split", "gap.tsv", "--by", "document").fault.startswith(
            "gap.tsv:3: document is ''"
        )
        assert not list(tmp_path.glob("*.train.tsv"))
