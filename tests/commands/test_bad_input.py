"""Faulty data: status 2, one line that names file, line and fix, nothing overwritten."""

import gzip

import pytest

from tests.command_runs import Cli, Write
from tests.commands.refusals import MODEL, compare, evaluate, train
from tests.judgment_cases import rows, tsv

pytestmark = pytest.mark.usefixtures("good_files")
ROWS = rows(8)


class TestParallelFiles:
    @pytest.mark.parametrize("command", ["score", "compare"])
    def test_line_counts_that_differ(self, command: str, cli: Cli, write: Write) -> None:
        write("short.txt", "a\nb\n")
        systems = ("hyp.txt", "short.txt") if command == "compare" else ("short.txt",)
        fault = cli(command, "ref.txt", "-i", *systems, *MODEL).fault
        assert fault == "short.txt: 2 lines, but ref.txt has 3 lines; line i of both must be segment i"

    def test_of_references_and_of_standard_input(self, cli: Cli, write: Write) -> None:
        write("one.txt", "a\n")
        fault = cli("score", "ref.txt", "one.txt", "-i", "hyp.txt", *MODEL).fault
        assert fault == "one.txt: 1 line, but ref.txt has 3 lines; line i of both must be segment i"
        fault = cli("score", "ref.txt", *MODEL, stdin="a\nb\nc\nd\n").fault
        assert fault == "standard input: 4 lines, but ref.txt has 3 lines; line i of both must be segment i"

    def test_compare_writes_no_sentences_then(self, cli: Cli, write: Write) -> None:
        write("short.txt", "a\n")
        assert compare(cli, "ref.txt", "-i", "hyp.txt", "short.txt").startswith("short.txt: 1 line")

    def test_no_lines(self, cli: Cli, write: Write) -> None:
        write("empty.txt", "")
        fault = cli("score", "empty.txt", "-i", "empty.txt", *MODEL).fault
        assert fault == "empty.txt: no lines, at least one segment is needed"

    def test_undecodable_bytes(self, cli: Cli, write: Write) -> None:
        write("latin.txt", b"a\nna\xefve\nc\n")
        for arguments in (("ref.txt", "-i", "latin.txt"), ("latin.txt", "-i", "hyp.txt")):
            fault = cli("score", *arguments, *MODEL).fault
            assert fault == "latin.txt:2: not UTF-8 (byte 0xef at position 3); convert the file to UTF-8"
        fault = cli("score", "ref.txt", *MODEL, stdin=b"\xff\n\n\n").fault
        assert fault.startswith("standard input:1: not UTF-8 (byte 0xff at position 1)")

    def test_parquet_is_no_text(self, cli: Cli, write: Write) -> None:
        write("x.parquet", b"PAR1\x15\x04\n\xf0\x00PAR1")
        hint = "x.parquet: is Parquet; score it with `pfsm score --table … --output DIR`"
        for arguments in (
            ("score", "--table", "x.parquet", *MODEL),
            ("score", "ref.txt", "-i", "x.parquet", *MODEL),
            ("evaluate", "x.parquet", *MODEL),
            ("train", "x.parquet", "-o", "out.json"),
            ("data", "info", "x.parquet"),
        ):
            assert cli(*arguments).fault.startswith(hint)

    def test_parquet_is_no_model_and_no_configuration(self, cli: Cli, write: Write) -> None:
        write("x.parquet", b"PAR1\x15\x04\n\xf0\x00PAR1")
        write("d.tsv", "reference\thypothesis\tscore\na b\ta\t1\na b c\ta b\t2\n")
        train = ("train", "d.tsv", "-o", "out.json")
        model = "x.parquet: is Parquet, a model file of pfsm (JSON) is needed"
        assert cli("score", "ref.txt", "-i", "hyp.txt", "-m", "x.parquet").fault == model
        assert cli(*train, "--init", "x.parquet").fault == model
        yaml = "x.parquet: is Parquet, a YAML file is needed"
        assert cli(*train, "--config", "x.parquet").fault == yaml
        assert cli("experiment", "x.parquet", "--data", ".", "--output", "out").fault == yaml

    def test_a_missing_file(self, cli: Cli) -> None:
        assert cli("score", "nope.txt", "-i", "hyp.txt", *MODEL).fault == "nope.txt: no such file"
        assert cli("score", "ref.txt", "-i", "hyp.txt", "nope.txt", *MODEL).fault == "nope.txt: no such file"
        assert compare(cli, "ref.txt", "-i", "hyp.txt", "nope.txt") == "nope.txt: no such file"

    def test_a_folder_and_no_name(self, cli: Cli) -> None:
        assert cli("score", ".", "-i", "hyp.txt", *MODEL).fault == ".: is a folder, a file is needed"
        assert cli("score", "", "-i", "hyp.txt", *MODEL).fault == "'': is a folder, a file is needed"

    def test_broken_gzip(self, cli: Cli, write: Write) -> None:
        write("cut.gz", gzip.compress(b"a\nb\nc\n")[:-9])
        write("plain.gz", "a\nb\nc\n")
        assert cli("score", "ref.txt", "-i", "cut.gz", *MODEL).fault.startswith(
            "cut.gz: the gzip data is truncated"
        )
        assert cli("score", "plain.gz", "-i", "hyp.txt", *MODEL).fault.startswith("plain.gz: not gzip data")

    def test_a_file_given_twice(self, cli: Cli) -> None:
        assert compare(cli, "ref.txt", "-i", "hyp.txt", "hyp.txt") == (
            "hyp.txt: given twice as a system; give each system once"
        )
        fault = cli("score", "-", "-i", "-", *MODEL, stdin="a\n").fault
        assert fault == "standard input: given more than once, it can be read only once; give files"

    def test_one_system_is_nothing_to_compare(self, cli: Cli) -> None:
        assert (
            compare(cli, "ref.txt", "-i", "hyp.txt") == "compare needs at least two system outputs after -i"
        )


class TestTables:
    def test_references_and_a_table_together(self, cli: Cli) -> None:
        for arguments in (("ref.txt",), ("-i", "hyp.txt"), ("ref.txt", "-i", "hyp.txt")):
            fault = cli("score", *arguments, "--table", "good.tsv", *MODEL).fault
            assert fault == "give either --table, or REF and -i, not both"

    def test_neither(self, cli: Cli) -> None:
        assert (
            cli("score", *MODEL).fault
            == "nothing to score; give a reference file, --test-set NAME, or --table FILE"
        )
        assert cli("score", "-i", "hyp.txt", *MODEL).fault.startswith("nothing to score")

    def test_a_missing_column(self, cli: Cli, write: Write) -> None:
        write("t.tsv", "reference\ttranslation\na\tb\n")
        missing = "t.tsv: no column 'hypothesis'; the columns are 'reference', 'translation'"
        assert cli("score", "--table", "t.tsv", *MODEL).fault == missing
        assert train(cli, "t.tsv") == missing
        assert evaluate(cli, "t.tsv") == missing

    def test_a_missing_score_column(self, cli: Cli) -> None:
        missing = "good.tsv: no column 'da'; the columns are 'reference', 'hypothesis', 'score'"
        assert train(cli, "good.tsv", "--score-column", "da") == missing
        assert evaluate(cli, "good.tsv", "--score-column", "da") == missing

    def test_preferences_where_scores_are_needed(self, cli: Cli) -> None:
        fault = "; this is a file of preferences (better, worse), which `pfsm evaluate` reads"
        assert cli("score", "--table", "pairs.tsv", *MODEL).fault.endswith(fault)

    @pytest.mark.parametrize(
        "value", ["n/a", "", "nan", "NaN", "inf", "-Infinity", "1e999", "1,5", "0x10", "1_000"]
    )
    def test_a_score_that_is_no_finite_number(self, value: str, cli: Cli, write: Write) -> None:
        write("t.tsv", tsv([*ROWS[:3], ("a", "b", value)]))
        expected = f"t.tsv:5: score is {value!r}, a finite number is needed"
        assert train(cli, "t.tsv") == expected
        assert evaluate(cli, "t.tsv") == expected
        assert train(cli, "good.tsv", "--dev", "t.tsv") == expected
        assert train(cli, "good.tsv", "t.tsv") == expected

    @pytest.mark.parametrize("votes", ["-1", "many", "inf"])
    def test_votes(self, votes: str, cli: Cli, write: Write) -> None:
        write("v.tsv", f"reference\tbetter\tworse\tvotes\na\tb\tc\t1\na\tb\tc\t{votes}\n")
        fault = f"v.tsv:3: votes is {votes!r}, a finite number of 0 or more is needed"
        assert evaluate(cli, "v.tsv") == fault
        assert train(cli, "good.tsv", "v.tsv") == fault

    def test_votes_that_teach_nothing(self, cli: Cli, write: Write) -> None:
        write("v.tsv", "reference\tbetter\tworse\tvotes\na\tb\tc\t0\na\tc\tb\t0\n")
        assert train(cli, "v.tsv") == "v.tsv: votes is 0 on every row, there is nothing to learn from"

    def test_no_rows(self, cli: Cli, write: Write) -> None:
        write("head.tsv", "reference\thypothesis\tscore\n")
        for fault in (
            train(cli, "head.tsv"),
            evaluate(cli, "head.tsv"),
            cli("score", "--table", "head.tsv", *MODEL).fault,
        ):
            assert fault == "head.tsv: no rows below the header"

    def test_nothing_at_all(self, cli: Cli, write: Write) -> None:
        write("nothing.tsv", "")
        for fault in (train(cli, "nothing.tsv"), evaluate(cli, "nothing.tsv")):
            assert fault == "nothing.tsv: empty file, a header row is needed"

    def test_a_row_that_is_too_short(self, cli: Cli, write: Write) -> None:
        write("t.tsv", "reference\thypothesis\tscore\na\tb\t1\na\tb\n")
        assert train(cli, "t.tsv") == "t.tsv:3: 2 fields, the header has 3 fields"

    def test_undecodable_bytes(self, cli: Cli, write: Write) -> None:
        write("t.tsv", tsv(ROWS).encode() + b"\xe9\tb\t1\n")
        expected = "t.tsv:10: not UTF-8 (byte 0xe9 at position 1); convert the file to UTF-8"
        assert train(cli, "t.tsv") == expected
        assert evaluate(cli, "t.tsv") == expected
        assert cli("score", "--table", "t.tsv", *MODEL).fault == expected

    def test_missing_files(self, cli: Cli) -> None:
        assert train(cli, "good.tsv", "nope.tsv") == "nope.tsv: no such file"
        assert train(cli, "good.tsv", "--dev", "nope.tsv") == "nope.tsv: no such file"
        assert evaluate(cli, "good.tsv", "nope.tsv") == "nope.tsv: no such file"
        assert cli("score", "--table", "nope.tsv", *MODEL).fault == "nope.tsv: no such file"


class TestGroups:
    def test_a_column_that_is_not_there(self, cli: Cli) -> None:
        assert evaluate(cli, "good.tsv", "--by", "system") == (
            "good.tsv: no column 'system' to group by; the columns are reference, hypothesis, score"
        )

    def test_a_column_that_only_some_files_have(self, cli: Cli, write: Write) -> None:
        write("more.tsv", tsv(ROWS, system="A"))
        assert evaluate(cli, "more.tsv", "good.tsv", "--by", "system").startswith(
            "good.tsv: no column 'system'"
        )

    @pytest.mark.parametrize("column", ["score", "reference", "hypothesis"])
    def test_grouping_by_the_score_column(self, column: str, cli: Cli) -> None:
        assert evaluate(cli, "good.tsv", "--by", column) == (
            f"{column!r} holds what is measured; group by another column"
        )


class TestTrainingData:
    def test_constant_scores(self, cli: Cli, write: Write) -> None:
        write("flat.tsv", tsv([(reference, hypothesis, "3") for reference, hypothesis, _ in ROWS]))
        fault = train(cli, "flat.tsv")
        assert fault == "flat.tsv: score is 3 on every row (8), scores that differ are needed to learn from"
        fault = train(cli, "flat.tsv", "flat.tsv", "--score-column", "score")
        assert fault.startswith("flat.tsv, flat.tsv: score is 3 on every row (16)")

    def test_a_single_judgment(self, cli: Cli, write: Write) -> None:
        write("one.tsv", tsv(ROWS[:1]))
        assert train(cli, "one.tsv").startswith("one.tsv: score is ")

    def test_settings_that_contradict_the_initial_model(self, cli: Cli, write: Write) -> None:
        write("c.yaml", "max_block: 2\n")
        fault = train(cli, "good.tsv", "--init", "hand.json", "--config", "c.yaml")
        assert "max_block is {'punct': 2, 'word': 2, 'lemma': 2}, but the initial model hand" in fault
        assert "leave the settings out" in fault
