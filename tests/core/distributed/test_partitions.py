"""Scoring in partitions, in this process: every file of whatever kind, whole or cut anywhere, gives the same scores."""

import gzip
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import pfsm
from pfsm.distributed import WorkerFaultError
from pfsm.distributed.parts import metric_of
from pfsm.distributed.pieces import Piece, input_files, placed, read_piece, survey
from pfsm.errors import PfsmError
from pfsm.installation import install_command
from pfsm.metrics import get_metric
from tests.command_runs import Cli, Outcome, Write
from tests.core.distributed.inputs import columns, scores_below, tsv_bytes, write_all
from tests.judgment_cases import rows

EXTRA = install_command(["distributed"])


def expected_scores(tables: dict[str, dict[str, list[str]]]) -> dict[str, list[float]]:
    """The scores of the metric itself, with the better of the available references."""
    metric = pfsm.load("en-small", threads=1)
    found = {}
    for name, table in tables.items():
        first = metric.score_pairs(table["hypothesis"], table["reference"])
        second = metric.score_pairs(table["hypothesis"], table["reference_2"])
        has_second = np.array([bool(line) for line in table["reference_2"]])
        found[name] = np.where(has_second, np.maximum(first, second), first).tolist()
    return found


def test_dask_is_for_clusters_alone(
    cli: Cli, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("d.tsv", "reference\thypothesis\na b\ta b\n")
    for package in ("dask", "distributed", "pfsm.distributed.cluster"):
        monkeypatch.setitem(sys.modules, package, None)
    command = ("score", "--table", "d.tsv", "--metric", "chrf", "-o", "out")
    assert cli(*command).status == 0
    assert (tmp_path / "out" / "d.tsv.00000.parquet").is_file()
    fault = cli(*command, "--scheduler", "local:1").fault
    assert fault == f"distributed is not installed; {EXTRA} here and on every worker"
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert cli(*command).fault == f"pyarrow is not installed; {EXTRA}"


def pieces_of(path: Path, partition_bytes: int) -> list[Piece]:
    (file,) = input_files(str(path))
    found = survey(file, partition_bytes)
    assert not isinstance(found, str), found
    return found


@pytest.mark.parametrize("partition_bytes", [7, 300, 1 << 20])
def test_cut_anywhere_every_row_is_in_one_partition(tmp_path: Path, partition_bytes: int) -> None:
    tables = write_all(tmp_path / "in", 12)
    for name, table in tables.items():
        found = [read_piece(piece, ("id",)) for piece in pieces_of(tmp_path / "in" / name, partition_bytes)]
        assert [line for one in found for line in one.columns["id"]] == table["id"]
        assert [line for one in found for line in one.columns["hypothesis"]] == table["hypothesis"]
        assert (len(found) == 1) == (partition_bytes == 1 << 20)


def _read_all(pieces: list[Piece]) -> None:
    for piece in pieces:
        try:
            read_piece(piece)
        except PfsmError as error:
            raise PfsmError(placed(str(error), piece)) from None


class TestCommand:
    @pytest.fixture
    def tables(self, tmp_path: Path) -> dict[str, dict[str, list[str]]]:
        return write_all(tmp_path / "in")

    def test_all_kinds_of_files(self, cli: Cli, tmp_path: Path) -> None:
        tables = write_all(tmp_path / "in", 26)  # more than a row group
        run = cli("score", "--table", "in", "-o", "out", "--partition-size", "1k", "-m", "en-small")
        assert run.status == 0, run.err
        expected = expected_scores(tables)
        assert scores_below(tmp_path / "out") == expected
        everything = [score for scores in expected.values() for score in scores]
        assert run.out.startswith(f"pfsm:en-small:{pfsm.load('en-small').model.fingerprint}:refsvar:")
        assert run.out.endswith(f" = {np.mean(everything):.4f}\n")
        assert "pfsm: 130 pairs, " in run.err

    def test_formats_have_the_same_scores(self, cli: Cli, tmp_path: Path, tables: object) -> None:
        for form in ("parquet", "tsv"):
            assert cli(*CHRF, "in", "-o", form, "--output-format", form, "--partition-size", "1k").status == 0
        assert scores_below(tmp_path / "parquet") == scores_below(tmp_path / "tsv") != {}

    def test_columns_are_copied(
        self, cli: Cli, tmp_path: Path, tables: dict[str, dict[str, list[str]]]
    ) -> None:
        arguments = ["--keep", "id,score_of_people", "--output-format", "tsv.gz"]
        assert cli("score", "--table", "in/deep/d.parquet", "-o", "out", *arguments).status == 0
        ids = []
        for path in sorted((tmp_path / "out").glob("d.parquet.*")):
            header, *lines = gzip.decompress(path.read_bytes()).decode().splitlines()
            assert header == "id\tscore_of_people\tscore"
            ids += [line.split("\t")[0] for line in lines]
        assert ids == tables["deep/d.parquet"]["id"]

    def test_patterns_addresses_and_json(self, cli: Cli, tmp_path: Path, tables: object) -> None:
        command = ("score", "--metric", "chrf", "--format", "json", "--table")
        whole = cli(*command, "in", "-o", "one")
        (tmp_path / "in" / "_ignored.tsv").unlink()
        (tmp_path / "in" / "notes.txt").unlink()
        again = cli(*command, f"file://{tmp_path}/in/**/*.*", "-o", f"file://{tmp_path}/two")
        found = json.loads(whole.out)
        assert found == json.loads(again.out)
        assert (found["segments"], found["faults"], found["leftover"]) == (300, [], 0)
        assert scores_below(tmp_path / "one") == scores_below(tmp_path / "two")

    def test_corpus_scores(self, cli: Cli, tables: object) -> None:
        run = cli("score", "--table", "in/a.tsv", "-o", "out", "--metric", "bleu", "--partition-size", "1k")
        assert "5 partitions" in run.err, run.err
        assert run.out == cli("score", "--table", "in/a.tsv", "--metric", "bleu").out

    def test_references_are_counted_first(self, cli: Cli, tmp_path: Path, tables: object) -> None:
        """Partitions have the scores of all rows together, of segments and of the corpus."""
        command = ("--metric", "nist", "-f", "json")
        run = cli("score", "--table", "in/a.tsv", "-o", "out", "--partition-size", "1k", *command)
        assert "5 partitions" in run.err, run.err
        whole = cli("score", "--table", "in/a.tsv", *command).document
        segments = cli("score", "--table", "in/a.tsv", "-sl", *command).document["segment_scores"]
        assert json.loads(run.out)["score"] == pytest.approx(whole["score"], rel=1e-12)
        (found,) = scores_below(tmp_path / "out").values()
        np.testing.assert_allclose(found, segments, rtol=1e-12)
        # Other references have other counts: the scores there are of another metric.
        again = cli("score", "--table", "in/b.tsv.gz", "-o", "out", "--partition-size", "1k", *command)
        assert again.fault.startswith("out: holds score as parquet, partitions of 1024 bytes, nrefs:1|")


def test_a_later_run_does_what_is_missing_or_has_changed(cli: Cli, tmp_path: Path) -> None:
    write_all(tmp_path / "in")

    def run(*more: str, metric: str = "chrf") -> Outcome:
        # What is kept does not depend on the metric: a fast one.
        return cli("score", "--metric", metric, "--table", "in", "-o", "out", "--partition-size", "1k", *more)

    def again() -> set[str]:
        """The partitions that another run writes."""
        before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.parquet")}
        assert run().status == 0
        now = (tmp_path / "out").rglob("*.parquet")
        return {path.name for path in now if path.stat().st_mtime_ns != before.get(path)}

    assert len(again()) > 10
    scores = scores_below(tmp_path / "out")
    assert "there already)" in run().err
    assert again() == set()
    gone, cut = (tmp_path / "out" / f"a.tsv.0000{number}.parquet" for number in (1, 2))
    gone.unlink()
    cut.write_bytes(cut.read_bytes()[:-1])
    assert again() == {gone.name, cut.name}
    assert scores_below(tmp_path / "out") == scores
    path = tmp_path / "in" / "a.tsv"
    first, _, last = path.read_bytes().rstrip(b"\n").rpartition(b"\n")
    fields = last.split(b"\t")
    fields[2] = bytes(reversed(fields[2]))  # the last hypothesis
    path.write_bytes(first + b"\n" + b"\t".join(fields) + b"\n")
    assert again() == {one.name for one in (tmp_path / "out").rglob("a.tsv.*.parquet")}
    fault = run("--keep", "id").fault
    assert fault.startswith("out: holds score as parquet, ")
    assert "; that is not id,score as parquet, " in fault
    assert run(metric="length_ratio").fault.endswith("; give another folder")
    record = tmp_path / "out" / "_parts" / "a.tsv.00000.json"
    record.write_text("{", encoding="utf-8")
    assert again() == {"a.tsv.00000.parquet"}
    path.unlink()
    assert "warning: out holds 5 partitions that the input no longer has" in run().err


class TestFaults:
    def test_lines_are_counted_from_the_beginning_of_the_file(self, cli: Cli, write: Write) -> None:
        # Rows follow, so that the partitions behind are not empty; the fault is far behind the first.
        good = tsv_bytes(columns(rows(200), "x"))
        for number, (content, fault) in enumerate(
            (
                (b"one field\n", "1 field, the header has 5 fields"),
                (b"\n" + b"a\tb\tc\td\te\n", "empty line between rows; delete it"),
                (b"a\tb\t\xff\td\te\n", "not UTF-8 (byte 0xff at position 5); convert the file to UTF-8"),
            )
        ):
            write("x.tsv", good + content + good.partition(b"\n")[2])
            run = cli(*CHRF, "x.tsv", "-o", f"out{number}", "--partition-size", "1k")
            assert run.status == 2
            assert f"pfsm: x.tsv:202: {fault}; the scores of " in run.err

    def test_an_empty_line_is_a_fault_wherever_partitions_end(self, tmp_path: Path) -> None:
        path, table = tmp_path / "x.tsv", b"reference\thypothesis\n" + b"a b\ta c\n" * 5
        for partition_bytes in range(40, 60):
            path.write_bytes(table + b"\n\n" + b"a b\ta c\n" * 5)
            found = pieces_of(path, partition_bytes)
            with pytest.raises(PfsmError, match=r"x.tsv:7: empty line between rows"):
                _read_all(found)
            path.write_bytes(table + b"\n" * 100)
            assert sum(len(read_piece(piece)) for piece in pieces_of(path, partition_bytes)) == 5

    def test_what_cannot_be(self, cli: Cli, tmp_path: Path) -> None:
        write_all(tmp_path / "in", 3)
        (tmp_path / "empty").mkdir()
        (tmp_path / "x.csv").write_text("reference,hypothesis\na,b\n", encoding="utf-8")
        for arguments, fault in (
            ("none -o out", "none: no such files; in folders, names in .tsv, "),
            ("empty -o out", "empty: no such files"),
            ("in -o in/out", "in/out: is, or lies within, the input's folder"),
            ("nope://x/y -o out", "nope://x/y: Protocol not known"),
            ("in -o out --keep score", "--keep score: the scores have this name"),
            ("in --keep id", "--keep goes with --output DIR"),
            ("in --scheduler local:2", "--scheduler goes with --output DIR"),
            ("x.csv -o out", "x.csv: CSV cannot be split"),
        ):
            run = cli("score", "--table", *arguments.split())
            assert run.status == 2
            assert f"pfsm: {fault}" in run.err


CHRF = ("score", "--metric", "chrf", "--output-format", "tsv", "-o", "out", "--table")


def test_a_worker_with_another_signature_is_refused() -> None:
    with pytest.raises(
        WorkerFaultError, match=r"^has other resources or packages: its signature is .*, here x$"
    ):
        metric_of(get_metric("chrf").recipe(), "x")


def test_a_run_without_any_score_says_one_line_and_leaves_nothing(
    cli: Cli, write: Write, tmp_path: Path
) -> None:
    for table in ("reference\thypothesis\nx\n", "reference\tother\nx\ty\n"):
        assert cli(*CHRF, write("bad.tsv", table)).fault.startswith("bad.tsv:")
        assert not (tmp_path / "out").exists()
