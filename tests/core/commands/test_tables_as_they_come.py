"""Tables with the quotes of pandas, segments without a reference, and `pfsm data`."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest

from pfsm.data import read_pairs_table, read_parallel, read_preferences, read_table, unquoting
from pfsm.errors import PfsmError, PfsmWarning
from tests.command_runs import Cli, Write
from tests.judgment_cases import rows, tsv

TEXTS = ['He said "no" to it.', "A tab\there.", "the cat\nsat", '"Hello."']
SKIP, SMALL = "--skip-missing-references", ("-m", "en-small")


def written(
    path: Path, texts: Sequence[str], between: str = "\t", quoting: Literal[0, 1] = csv.QUOTE_MINIMAL
) -> None:
    """A table as pandas' ``to_csv`` writes it, by Python's own writer."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=between, lineterminator="\n", quoting=quoting)
        writer.writerow(["reference", "hypothesis", "score"])
        writer.writerows([text, text, len(text)] for text in texts)


def test_quotes_of_pandas(cli: Cli, tmp_path: Path) -> None:
    written(tmp_path / "p.csv", TEXTS, ",")
    written(tmp_path / "whole.tsv", [TEXTS[0], TEXTS[3]])
    written(tmp_path / "cut.tsv", TEXTS)
    written(tmp_path / "all.tsv", TEXTS, quoting=csv.QUOTE_ALL)
    wanted = cli("score", "--table", "p.csv", "-sl", *SMALL).lines
    for name in ("cut.tsv", "all.tsv"):
        for command in (
            ("score", "--table", name, *SMALL),
            ("data", "info", name),
            ("evaluate", name, *SMALL),
        ):
            assert "--unquote" in cli(*command).err.splitlines()[-1]
            assert cli(*command, "--unquote").status == 0
        assert cli("score", "--table", name, "-sl", "--unquote", *SMALL).lines == wanted
        with unquoting():
            assert list(read_table(name).columns["reference"]) == TEXTS
    with pytest.warns(PfsmWarning, match=r"^whole.tsv:2: a field in quotes, .*--unquote"):
        assert read_table("whole.tsv").columns["reference"][1] == '"""Hello."""'
    assert "whole.tsv:2: a field in quotes" in cli("score", "--table", "whole.tsv", "--strict", *SMALL).fault


def test_quoted_and_raw_fields_in_one_file(cli: Cli, write: Write) -> None:
    """Some tools quote the fields that need it and leave others with their quotes: the advice is to be followed."""
    lines = ['"He said ""no"" to it."\t"Hello," she said.\t1', 'the cat\t"5 feet\t2', '"a cat"\tx"\t3']
    write("m.tsv", "reference\thypothesis\tscore\n" + "".join(f"{line}\n" for line in lines))
    assert "--unquote" in cli("score", "--table", "m.tsv", *SMALL).err
    with unquoting():
        table = read_table("m.tsv")
    assert table.columns["reference"] == ['He said "no" to it.', "the cat", "a cat"]
    assert table.columns["hypothesis"] == ['"Hello," she said.', '"5 feet', 'x"']
    assert cli("score", "--table", "m.tsv", "--unquote", *SMALL).status == 0
    for bad in ('a\t"b\tc\td\n', "a\tb\n"):
        write("bad.tsv", f"reference\thypothesis\tscore\n{lines[0]}\n{bad}")
        assert "--unquote" not in cli("score", "--table", "bad.tsv", "--unquote", *SMALL).fault


@pytest.mark.parametrize("name", ["s.csv", "s.txt"])
def test_semicolons(name: str, cli: Cli, tmp_path: Path) -> None:
    """As spreadsheets write CSV where a comma is the decimal sign."""
    texts = [*TEXTS, "a; b, c"]
    written(tmp_path / name, texts, ";")
    written(tmp_path / "p.csv", texts, ",")
    assert list(read_table(tmp_path / name).columns["reference"]) == texts
    assert (
        cli("score", "--table", name, "-sl", *SMALL).lines
        == cli("score", "--table", "p.csv", "-sl", *SMALL).lines
    )
    (tmp_path / "n.csv").write_text('system;reference;hypothesis\n"a\nb";r;r\nc;r;r\n', encoding="utf-8")
    lines = cli("score", "--table", "n.csv", *SMALL).lines
    assert [line.partition("\t")[0] for line in lines[1:]] == ["a b", "c"]
    for command in (("data", "info"), ("evaluate", "--metric", "chrf"), ("data", "convert")):
        assert cli(*command, name, *(("-o", "o.tsv") if command[-1] == "convert" else ())).status == 0


REFERENCES = ("the cat sat", " ", "the dog ran", "no")
SYSTEMS = {
    "a.txt": ("the cat sat", "x", "the dog sat", "no"),
    "b.txt": ("a cat", "x", "the dog ran", "no no"),
}


def test_segments_without_a_reference_are_left_out(cli: Cli, write: Write, tmp_path: Path) -> None:
    for suffix, kept in (("", [0, 1, 2, 3]), (".less", [0, 2, 3])):
        for name, lines in {"r.txt": REFERENCES, **SYSTEMS, "d.txt": ("d", "d", "e", "e")}.items():
            write(name + suffix, "".join(f"{lines[row]}\n" for row in kept))
        pairs = [f"{REFERENCES[row]}\t{SYSTEMS['a.txt'][row]}\t{row}\n" for row in kept]
        write("t.tsv" + suffix, "".join(["reference\thypothesis\tscore\n", *pairs]))
        write("s.txt" + suffix, "".join(f"{row * row}\n" for row in kept))
    for command in (
        ("score", "r.txt", "-i", "a.txt", "b.txt"),
        ("score", "--table", "t.tsv"),
        ("compare", "r.txt", "-i", "a.txt", "b.txt", "--documents", "d.txt"),
        ("evaluate", "t.tsv"),
        ("evaluate", "t.tsv", "--scores", "s.txt"),
    ):
        scorer = () if "s.txt" in command else SMALL
        found = cli(*command, *scorer, SKIP)
        wanted = cli(*(f"{word}.less" if "." in word else word for word in command), *scorer)
        assert (found.status, found.err) == (
            0,
            "pfsm: note: 1 of 4 segments left out, which have no reference\n",
        )
        rest = found.out.replace(" 1 of 4 segments left out, which have no reference.", "")
        assert (rest != found.out) == (command[0] == "compare")
        assert rest.replace(" ", "") == wanted.out.replace(".less", "").replace(" ", "")
    told = cli("score", "r.txt", "-i", "a.txt", "-sl", "--format", "tsv", *SMALL, SKIP).out.splitlines()
    assert [line.split("\t")[1] for line in told] == ["segment", "0", "2", "3"]
    written_too = ("--junit", "j.xml", "-f", "json")
    compared = cli("compare", "r.txt", "-i", "a.txt", "b.txt", *written_too, *SMALL, SKIP, "-q").document
    assert (compared["segments"], compared["segments_left_out"]) == (3, [1])
    assert "1 of 4 segments left out, which have no reference." in (tmp_path / "j.xml").read_text("utf-8")
    assert "--spans has a line" in cli("score", "--table", "t.tsv", "--spans", "x", *SMALL, SKIP).fault
    assert read_parallel(["r.txt"], ["a.txt"], skip_missing_references=True).left_out == (1,)
    assert read_pairs_table("t.tsv", skip_missing_references=True).left_out == (1,)
    write("none.txt", "\n \n")
    with pytest.raises(PfsmError, match=r"^none.txt: every reference is missing"):
        read_parallel(["none.txt"], ["none.txt"], skip_missing_references=True)


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
def test_any_format(cli: Cli, write: Write) -> None:
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
