"""Faulty data, settings, models, outputs and options: status 2, one line with the fix, nothing overwritten."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_runs import Cli, Write
from tests.judgment_cases import preferences, rows, tsv
from tests.model_cases import saved

ROWS = rows(8)
OLD = "an older file, precious"
MODEL = ("-m", "hand.json")
SCORE = ("score", "ref.txt", "-i", "hyp.txt", *MODEL)
TRAIN = ("train", "--output", "out.json")
EVALUATE = ("evaluate", *MODEL, "--confidence-n", "9")
COMPARE = ("compare", "--junit", "out.xml", *MODEL)

FILES: dict[str, str | bytes] = {
    "short.txt": "a\nb\n",
    "empty.txt": "",
    "latin.txt": b"a\nna\xefve\nc\n",
    "x.parquet": b"PAR1\x15\x04\n\xf0\x00PAR1",
    "cut.gz": gzip.compress(b"a\nb\nc\n")[:-9],
    "t.tsv": "reference\ttexts\na\tb\n",
    "head.tsv": "reference\thypothesis\tscore\n",
    "votes.tsv": "reference\tbetter\tworse\tvotes\na\tb\tc\t1\na\tb\tc\t-1\n",
    "zero.tsv": "reference\tbetter\tworse\tvotes\na\tb\tc\t0\na\tc\tb\t0\n",
    "flat.tsv": tsv([(reference, hypothesis, "3") for reference, hypothesis, _ in ROWS]),
    "more.tsv": tsv(ROWS, system="A"),
    "c.yaml": "max_block: 2\n",
    "typo.yaml": "lamda: 5\n",
}
CASES: list[tuple[tuple[str, ...], str]] = [
    (("score", "ref.txt", "-i", "short.txt", *MODEL), "short.txt: 2 lines, but ref.txt has 3 lines; line i of"),
    (("score", "empty.txt", "-i", "empty.txt"), "empty.txt: no lines, at least one segment is needed"),
    (("score", "ref.txt", "-i", "latin.txt"), "latin.txt:2: not UTF-8 (byte 0xef at position 3); convert"),
    (("score", "ref.txt", "-i", "x.parquet"), "x.parquet: is Parquet; score it with `pfsm score --table"),
    ((*SCORE[:-2], "-m", "x.parquet"), "x.parquet: is Parquet, a model file of pfsm (JSON) is needed"),
    (("score", ".", "-i", "hyp.txt", *MODEL), ".: is a folder, a file is needed"),
    (("score", "ref.txt", "-i", "cut.gz", *MODEL), "cut.gz: the gzip data is truncated"),
    ((*COMPARE, "ref.txt", "-i", "hyp.txt", "hyp.txt"), "hyp.txt: given twice as a system; give each system once"),
    ((*COMPARE, "ref.txt", "-i", "hyp.txt"), "compare needs at least two system outputs after -i"),
    ((*SCORE, "--table", "good.tsv"), "give either --table, or REF and -i, not both"),
    (("score", *MODEL), "nothing to score; give a reference file, --test-set NAME, or --table FILE"),
    ((*TRAIN, "t.tsv"), "t.tsv: no column 'hypothesis'; the columns are 'reference', 'texts'"),
    ((*TRAIN, "good.tsv", "--score-column", "da"), "good.tsv: no column 'da'; the columns are 'reference', "),
    ((*EVALUATE, "pairs.tsv", "--score-column", "da"), "--score-column da"),
    ((*EVALUATE, "votes.tsv"), "votes.tsv:3: votes is '-1', a finite number of 0 or more is needed"),
    ((*TRAIN, "zero.tsv"), "zero.tsv: votes is 0 on every row, there is nothing to learn from"),
    ((*TRAIN, "head.tsv"), "head.tsv: no rows below the header"),
    ((*TRAIN, "empty.txt"), "empty.txt: empty file, a header row is needed"),
    ((*TRAIN, "good.tsv", "--dev", "nope.tsv"), "nope.tsv: no such file"),
    ((*EVALUATE, "more.tsv", "good.tsv", "--by", "system"), "good.tsv: no column 'system' to group by; the columns"),
    ((*EVALUATE, "good.tsv", "--by", "score"), "'score' holds what is measured; group by another column"),
    ((*TRAIN, "flat.tsv"), "flat.tsv: score is 3 on every row (8), scores that differ are needed to learn from"),
    (
        (*TRAIN, "good.tsv", "--init", "hand.json", "--config", "c.yaml"),
        "max_block is {'punct': 2, 'word': 2, 'lemma': 2}, but the initial model hand",
    ),
    ((*TRAIN, "good.tsv", "--config", ""), "'': "),
    ((*TRAIN, "good.tsv", "--config", "typo.yaml"), "typo.yaml: unknown key 'lamda'; did you mean lambda"),
    ((*TRAIN, "good.tsv", "--config", "nope.yaml"), "nope.yaml: no such file"),
    ((*TRAIN, "good.tsv", "--name", "two\nlines"), r"--name is 'two\nlines', it must be a line of text"),
    ((*TRAIN, "good.tsv", "--licence", "\udcff"), r"--licence is '\udcff', it must be a line of text"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def good_files(write: Write, tmp_path: Path) -> Iterator[None]:
    """Good files, and old ones where output goes: whatever a test does, those must be there after it."""
    saved(tmp_path)
    write("ref.txt", "a\nb\nc\n")
    write("hyp.txt", "a\nb\nd\n")
    write("other.txt", "x\ny\nz\n")
    write("good.tsv", tsv(rows(8)))
    write("pairs.tsv", preferences(rows(8)))
    write("out.json", OLD)
    write("out.tsv", OLD)
    yield
    assert (tmp_path / "out.json").read_text(encoding="utf-8") == OLD
    assert (tmp_path / "out.tsv").read_text(encoding="utf-8") == OLD
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".pfsm-")] == []


def test_bad_input(cli: Cli, write: Write) -> None:
    for name, content in FILES.items():
        write(name, content)
    for command, fault in CASES:
        assert cli(*command).fault.startswith(fault), command
    for stdin, fault in (
        ("a\nb\nc\nd\n", "standard input: 4 lines"),
        (b"\xff\n\n\n", "standard input:1: not UTF-8"),
    ):
        assert cli("score", "ref.txt", *MODEL, stdin=stdin).fault.startswith(fault)
    fault = cli("score", "-", "-i", "-", *MODEL, stdin="a\n").fault
    assert fault == "standard input: given more than once, it can be read only once; give files"


MODELS = (
    ("score", "ref.txt", "-i", "hyp.txt", "-m"),
    ("compare", "ref.txt", "-i", "hyp.txt", "other.txt", "--junit", "out.xml", "-m"),
    ("train", "good.tsv", "--output", "out.json", "--init"),
)


@pytest.mark.parametrize("command", MODELS)
def test_bad_models(command: tuple[str, ...], cli: Cli, write: Write, tmp_path: Path) -> None:
    for name in ("en-smal", "no/such/file.json", "x" * 5000, "a\0b", ""):
        shown = name.replace("\0", r"\x00") or repr(name)
        wanted = f"{shown}: no such file and no model of this name; shipped models: en"
        assert cli(*command, name).fault.startswith(wanted)
    write("m.json", '{"format": "pfsm-model-1",\n"name": oops}')
    assert cli(*command, "m.json").fault.startswith("m.json:2: not valid JSON (Expecting value)")
    saved(tmp_path, "m.json", weights={"Insert": 1, "S_wrod": 2})
    assert cli(*command, "m.json").fault.startswith("m.json: weights names 'S_wrod', which no machine has")
    saved(tmp_path, "m.json", training={"data": [5]})
    assert cli(*command, "m.json").fault == "m.json: training: data 1 is 5, it must be an object, in braces"


@pytest.mark.parametrize(
    ("command", "inputs"),
    [
        (("train", "good.tsv", "--config", "c.yaml", "--dev", "pairs.tsv", "--output"), "good.tsv c.yaml pairs.tsv"),
        (("compare", "ref.txt", "-i", "hyp.txt", "other.txt", *MODEL, "--junit"), "ref.txt other.txt hand.json"),
    ],
)  # fmt: skip
def test_outputs(
    command: tuple[str, ...], inputs: str, cli: Cli, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    write("c.yaml", "lambda: 5\n")
    for path, fault in (
        ("no/such/file", "no/such: no such folder; create it first"),
        (str(tmp_path), f"{tmp_path}: is a folder, a file name is needed"),
        ("", "output '': is not a file name; give the name of a file"),
        ("ref.txt/x", "ref.txt: is not a folder"),
    ):
        assert cli(*command, path).fault == fault
    name = inputs.split(maxsplit=1)[0]
    before = (tmp_path / name).read_bytes()
    (tmp_path / "link").symlink_to(tmp_path / name)
    for path in (*inputs.split(), f"./{name}", str(tmp_path / name), "link"):
        fault = f"{path}: is an input, which the output would replace; give the output another name"
        assert cli(*command, path).fault == fault
    assert (tmp_path / name).read_bytes() == before
    monkeypatch.setattr("pfsm.io.files.os.access", lambda *_, **__: False)
    assert cli(*command, "new").fault.endswith(": no permission to write into this folder")


def test_one_scorer_where_several_mean_nothing(cli: Cli) -> None:
    outcome = cli("mbr", "-m", "en", "-m", "en-small")
    assert outcome.status == 2
    assert "is given twice; this command takes one" in outcome.err


def test_seeds_that_are_no_numbers(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in ("x", "-1", "1.5", "", "0x10"):
        monkeypatch.setenv("PFSM_SEED", seed)
        expected = f"environment variable PFSM_SEED is {seed!r}, a whole number from 0 up is needed"
        assert cli(*EVALUATE, "good.tsv").fault == expected
        assert cli(*COMPARE, "ref.txt", "-i", "hyp.txt", "other.txt").fault == expected


def test_wrong_usage(cli: Cli) -> None:
    for more in (("--threads", "0"), ("--width", "18"), ("--format", "xml"), ("--no-such-option",)):
        outcome = cli(*SCORE, *more)
        assert (outcome.status, outcome.out) == (2, "")
        assert outcome.err.startswith("pfsm score: error: ")
        assert outcome.err.count("\n") == 1
