"""Files side by side, plain, of mt-metrics-eval and of MLQE-PE: written by hand, read back, damaged."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.data.formats.judged_sets import SCORE, SEGMENT, JudgedSet, judged_sets, lines
from tests.core.data.formats.reading import fault, judgments, reading, write


def test_lines_of_one_number_belong_together(tmp_path: Path) -> None:
    hyps = [write(tmp_path, name, f"{name} 1\n{name} 2\n") for name in "ab"]
    refs = tuple(write(tmp_path, name, "1\n2\n") for name in "rs")
    scores = (write(tmp_path, "x", "0.5\nNone\n"), write(tmp_path, "y", "1\n2\n"))
    docs = write(tmp_path, "docs", "d\ne\n")
    found = judgments(hyps, "parallel", references=refs, scores=scores, documents=docs)
    got = [(one.system, one.hypothesis, one.references, one.score, one.document, one.line) for one in found]
    assert got == [
        ("a", "a 1", ("1", "1"), 0.5, "d", 1),
        ("b", "b 1", ("1", "1"), 1.0, "d", 1),
        ("b", "b 2", ("2", "2"), 2.0, "e", 2),
    ]


@pytest.mark.parametrize(
    ("file", "content", "expected"),
    [
        ("hyp", "a\nb\nc\nd\n", "hyp: 4 lines, but ref has 3 lines; line i of both must be segment i"),
        ("scores", "1\n2\n", "scores: 2 lines, but ref has 3 lines; line i of both must be segment i"),
        ("scores", "1\n2\nnan\n", "scores:3: score is 'nan', a finite number is needed"),
        ("docs", "d\nd\n", "docs: 2 lines, but ref has 3 lines; line i of both must be segment i"),
        ("hyp", b"a\n\xff\nb\n", "hyp:2: not UTF-8 (byte 0xff at position 1); convert the file to UTF-8"),
    ],
)
def test_malformed_files(file: str, content: str | bytes, expected: str, tmp_path: Path) -> None:
    contents: dict[str, str | bytes] = {"hyp": "a\n\nc\n", "ref": "r\n\nt\n", "scores": "1\n2\n3\n"}
    contents |= {"docs": "d\nd\ne\n", "src": "s\nt\nu\n", file: content}
    paths = {name: write(tmp_path, name, each) for name, each in contents.items()}
    options = {"references": (paths["ref"],), "scores": (paths["scores"],)}
    message = fault(paths["hyp"], "parallel", **options, documents=paths["docs"], sources=paths["src"])
    assert message == expected


def mtme(root: Path, judged: JudgedSet, separator: str = "\t") -> str:
    """The set as a folder; segments without a judgment have the score None, systems without any are not there."""
    lines(root / "sources/cs-en.txt", judged.sources)
    lines(root / "documents/cs-en.docs", [f"news {document}" for document in judged.documents])
    for number, stream in enumerate(judged.references):
        lines(root / f"references/cs-en.ref{'ABC'[number]}.txt", stream)
    for system, output in judged.outputs.items():
        lines(root / f"system-outputs/cs-en/{system}.txt", output)
    scored = dict.fromkeys(system for system, _ in judged.scores)
    places = [(system, at) for system in scored for at in range(len(judged))]
    rows = [f"{place[0]}{separator}{judged.scores.get(place)}" for place in places]
    lines(root / "human-scores/cs-en.mqm.seg.score", rows)
    return str(root)


@settings(max_examples=50)
@given(judged_sets(), st.sampled_from(["\t", " ", " \t "]))
def test_round_trip_mt_metrics_eval(judged: JudgedSet, separator: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = judgments(mtme(Path(folder) / "wmt99", judged, separator))
    got = {(each.system, int(each.segment_id.removeprefix("wmt99.")) - 1): each for each in found}
    assert {place: each.score for place, each in got.items()} == judged.scores
    assert len(got) == len(found)
    for (system, at), each in got.items():
        assert (each.hypothesis, each.source) == (judged.outputs[system][at], judged.sources[at])
        assert each.references == tuple(stream[at] for stream in judged.references)
        assert (each.document, each.further["domain"]) == (judged.documents[at], "news")
        assert (each.test_set, each.source_lang, each.target_lang) == ("wmt99", "cs", "en")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Three segments of two documents, a system, two references of which both are scored as systems."""
    root = tmp_path / "wmt99"
    outputs: dict[str, tuple[str, ...]] = {
        "S": ("a", "b", "c"),
        "refA": ("r", "s", "t"),
        "refB": ("u", "v", "w"),
    }
    scores = {(system, at): float(at) for system in outputs for at in range(3) if (system, at) != ("S", 1)}
    judged = JudgedSet((outputs["refA"], outputs["refB"]), ("x", "y", "z"), ("d", "d", "e"), outputs, scores)
    mtme(root, judged)
    return root


def test_scores_of_systems_and_documents_become_columns(root: Path) -> None:
    write(root, "human-scores/cs-en.mqm.sys.score", "S 0.5\nrefA None\nrefB\t1\n")
    write(root, "human-scores/cs-en.mqm.doc.score", "S 1\nS None\nrefA 2\nrefA 3\n")
    read = reading(str(root))
    assert read.columns[-3:] == ("domain", "system_score", "document_score")
    found = {(each.system, each.segment_id[-1]): each.further for each in judgments(str(root))}
    assert found["S", "1"] == {"domain": "news", "system_score": "0.5", "document_score": "1"}
    assert found["S", "3"] == {"domain": "news", "system_score": "0.5", "document_score": ""}
    assert found["refA", "3"] == {"domain": "news", "system_score": "", "document_score": "3"}
    assert found["refB", "1"] == {"domain": "news", "system_score": "1", "document_score": ""}


def test_no_reference_is_its_own_reference(root: Path) -> None:
    read = reading(str(root))
    found = list(read.records)
    assert {
        getattr(each, "system", ""): each.references for each in found if each.segment_id.endswith("1")
    } == {"S": ("r", "u"), "refA": ("u",), "refB": ("r",)}
    assert read.notes == {"segments without a score left out": 1}
    read = reading(str(root), references=("refB",))
    assert {getattr(each, "system", "") for each in read.records} == {"S", "refA"}
    assert read.notes["judgments of the only reference left out"] == 3
    assert fault(str(root), references=("refC",)) == "wmt99: no reference 'refC' of cs-en, only refA, refB"


SCORES = "human-scores/cs-en.mqm.seg.score"
NUMBER = "a system and a finite number or None is needed"
SHORT = ": 1 line, but sources/cs-en.txt has 3 lines; line i of both must be segment i"
NO_OUTPUT = "no output of system 'T' (system-outputs/cs-en/T.txt); give it, or --skip-unknown-systems"

OUTSIDE = ("../../../sources/cs-en", "/etc/passwd", "a/../../S", "..")


@pytest.mark.parametrize(
    ("file", "content", "expected"),
    [
        (SCORES, "S 1\nS nil\n", f":2: 'S nil', {NUMBER}"),
        (SCORES, "S 1\n" * 4, ":4: a score of segment 4 of S, but there are 3 segments"),
        (SCORES, "S 1\nS 1\nrefA 1\n", ": 2 scores of S, but there are 3 segments"),
        (SCORES, "S 1\nT 1\n", f":2: {NO_OUTPUT}"),
        *((SCORES, f"{name} 1\n", f":1: {name!r} names a file outside the folder") for name in OUTSIDE),
        ("human-scores/cs-en.mqm.sys.score", "S 1\nS 1\n", ":2: a second score of S"),
        ("references/cs-en.refB.txt", "r\n", SHORT),
        ("sources/cs-en.txt", "", ": no lines, at least one segment is needed"),
    ],
)
def test_malformed_folders(file: str, content: str, expected: str, root: Path) -> None:
    write(root, file, content)
    assert fault(str(root)).replace("wmt99/", "") == f"{file}{expected}"


HEADER = "index\toriginal\ttranslation\tscores\tmean\tz_scores\tz_mean\tmodel_scores"
TEXTS = {"src": SEGMENT, "mt": SEGMENT, "pe": SEGMENT}
RATES = {"mean": SCORE, "z": SCORE, "hter": SCORE.map(abs), "raters": st.integers(1, 6)}
ROW = st.fixed_dictionaries({**TEXTS, **RATES})


@settings(max_examples=40)
@given(st.lists(ROW, min_size=1, max_size=5), st.sampled_from(["", "da_raw", "da_z", "hter"]), st.booleans())
def test_round_trip(rows: list[dict[str, str | float | int]], column: str, header: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = [HEADER]
        for at, row in enumerate(rows):
            fields = [at, row["src"], row["mt"], [90] * int(row["raters"]), row["mean"], [0], row["z"], -0.5]
            table.append("\t".join(map(str, fields)))
        lines(folder / "da/ro-en-test/test20.roen.df.short.tsv", table)
        names = ["doc_id"] * header + [f"doc {at}" for at in range(len(rows))]
        lines(folder / "da/ro-en-test/test20.doc_ids", names)
        lines(folder / "da/ro-en-test/word-probas/mt.test20.roen", ["noise"])
        for kind in ("src", "mt", "pe", "hter"):
            lines(folder / f"pe/ro-en-test20/test20.{kind}", [str(row[kind]) for row in rows])
        found = judgments([str(folder / "da"), str(folder / "pe")], score_column=column)
    chosen = {"": "mean", "da_raw": "mean", "da_z": "z", "hter": "hter"}[column]
    for at, (row, each) in enumerate(zip(rows, found, strict=True)):
        assert each.score == (0.0 - float(row["hter"]) if chosen == "hter" else row[chosen])
        assert (each.references, each.hypothesis, each.source) == ((row["pe"],), row["mt"], row["src"])
        assert each.segment_id == f"mlqe-pe.test20.{at}"
        assert (each.source_lang, each.target_lang, each.document) == ("ro", "en", f"doc {at}")
        assert float(each.further["hter"]) == row["hter"]
        assert (each.further["n_raters"], each.further["nmt_logprob"]) == (str(row["raters"]), "-0.5")


def table(*rows: str) -> str:
    return "".join(f"{line}\n" for line in (HEADER, *rows))


def post_edits(folder: Path, **files: str) -> str:
    """Two sentences."""
    plain = {"pe": "p\nq\n", "mt": "m\nn\n", "src": "s\nt\n", "hter": "0.5\n0\n"}
    for kind, content in (plain | files).items():
        write(folder, f"x/dev.{kind}", content)
    return str(folder / "x")


def test_post_edits_alone_are_scored_by_their_edit_rate(tmp_path: Path) -> None:
    path = post_edits(tmp_path)
    found = judgments(path)
    assert [(each.score, each.further["hter"], each.segment_id) for each in found] == [
        (-0.5, "0.5", "mlqe-pe.dev.0"),
        (0.0, "0", "mlqe-pe.dev.1"),
    ]
    assert str(found[1].score) == "0.0"
    assert fault(path, score_column="da_raw") == "x/dev.pe: no score 'da_raw'; there is hter"
