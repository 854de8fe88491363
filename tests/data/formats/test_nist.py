"""Sets in SGML and XML joined with their scores."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.data.formats.judged_sets import JudgedSet, judged_sets, nist_set, numbers_in_documents
from tests.data.formats.reading import fault, judgments, reading, write

TIDY = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"], exclude_characters="\ufffe\uffff\ufeff"),
    max_size=12,
)


def matr(judged: JudgedSet) -> str:
    """Scores in five columns, as mteval writes them."""
    numbers = numbers_in_documents(judged)
    return "".join(
        f"set\t{system}\t{judged.documents[at]}\t{numbers[at]}\t{score!r}\n"
        for (system, at), score in judged.scores.items()
    )


@settings(max_examples=50, deadline=None)
@given(judged_sets(TIDY), st.booleans(), st.booleans())
def test_round_trip(judged: JudgedSet, xml: bool, together: bool) -> None:
    sets = [nist_set("srcset", judged, judged.sources)]
    sets += [nist_set("refset", judged, stream, f"ref{k}") for k, stream in enumerate(judged.references)]
    sets += [nist_set("tstset", judged, output, system) for system, output in judged.outputs.items()]
    contents = ["\n".join(sets)] if together else sets
    head, end = ('<?xml version="1.0"?>\n<mteval>\n', "</mteval>\n") if xml else ("", "")
    with tempfile.TemporaryDirectory() as folder:
        paths = [
            write(Path(folder), f"{number}.sgm", f"{head}{content}{end}")
            for number, content in enumerate(contents)
        ]
        scores = write(Path(folder), "scores", matr(judged))
        read = reading(paths, scores=(scores,))
        found = judgments(paths, scores=(scores,))
    numbers = numbers_in_documents(judged)
    assert "genre" in read.columns
    assert len(found) == len(judged.scores)
    for ((system, at), score), each in zip(judged.scores.items(), found, strict=True):
        assert (each.system, each.score, each.hypothesis) == (system, score, judged.outputs[system][at])
        assert each.segment_id == f"set.{judged.documents[at]}.{numbers[at]}"
        assert (each.document, each.test_set) == (judged.documents[at], "set")
        assert each.references == tuple(stream[at] for stream in judged.references)
        assert each.source == judged.sources[at]
        assert (each.source_lang, each.target_lang, each.further) == ("cs", "en", {"genre": "news"})


SETS = (
    '<refset setid="t" srclang="Czech" trglang="English"><DOC docid="d" sysid="ref">\n'
    '<seg id="1">r</seg><seg id="2">s</seg></DOC></refset>\n'
    '<tstset setid="t" srclang="Czech" trglang="English"><DOC docid="d" sysid="S">\n'
    '<seg id="1">h</seg><seg id="2">i</seg><seg id="3">j</seg></DOC></tstset>\n'
)


def test_scores_with_a_header_and_raters(tmp_path: Path) -> None:
    path = write(tmp_path, "x.sgm", SETS)
    scores = write(
        tmp_path, "s.tsv", "sysid\tdoc\tseg\tjudge\tadequacy\tscore\nS\td\t2\tj1\t5\t0\nS\td\t2\tj2\t3\t0\n"
    )
    read = reading(path, scores=(scores,), score_column="adequacy", test_set="MT08")
    found = list(read.records)
    assert [(each.rater, getattr(each, "score", None), each.segment_id) for each in found] == [
        ("j1", 5.0, "MT08.d.2"),
        ("j2", 3.0, "MT08.d.2"),
    ]
    assert (found[0].source_lang, found[0].target_lang) == ("cs", "en")
    assert read.notes == {"translations without a score left out": 2}
    assert "rater" in read.columns


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ("", "s: empty file, scores are needed"),
        (
            "t S d 1 0.5\nt S d 2\n",
            "s:2: 4 fields, 5 are needed (test_set, system, document, segment, score)",
        ),
        ("t S d 1 0.5\nt S d 2 x\n", "s:2: score is 'x', a finite number is needed"),
        ("t S d 1 0.5\nt Z d 2 1\n", "s:2: system is 'Z', but there are sets of 'S'"),
        ("t S d 1 0.5\nt S e 1 1\n", "s:2: no segment 1 of document 'e' by 'S' in the sets"),
        ("t S d 1 0.5\nt S d 4 1\n", "s:2: no segment 4 of document 'd' by 'S' in the sets"),
        ("t S d 1 0.5\nt S d 3 1\n", "s:2: no reference of segment 3 of document 'd'"),
        (
            "system\tdocument\tscore\n",
            (
                "s: no column 'segment'; the columns are 'system', 'document', 'score'; without a header, five columns "
                "are needed: test set, system, document, segment, score"
            ),
        ),
    ],
)
def test_malformed_scores(scores: str, expected: str, tmp_path: Path) -> None:
    path = write(tmp_path, "x.sgm", SETS)
    assert fault(path, scores=(write(tmp_path, "s", scores),)) == expected


def test_sets_that_do_not_fit(tmp_path: Path) -> None:
    scores = (write(tmp_path, "s", "t S d 1 0.5\n"),)
    assert fault(write(tmp_path, "x", SETS), "nist").startswith(
        "sets in SGML or XML hold no scores; give them"
    )
    twice = SETS.replace('<seg id="2">i', '<seg id="1">i')
    assert (
        fault(write(tmp_path, "x", twice), scores=scores)
        == "x:4: segment 1 of document 'd' of 'S' a second time"
    )
    other = SETS.replace('<tstset setid="t"', '<tstset setid="u"')
    assert fault(write(tmp_path, "x", other), scores=scores) == (
        "x:4: test set 'u' after 't'; convert one test set at a time"
    )
    references, systems = SETS[: SETS.index("<tstset")], SETS[SETS.index("<tstset") :]
    assert (
        fault(write(tmp_path, "x", references), scores=scores)
        == "x: no tstset (or hyp); give the files of all sets"
    )
    assert (
        fault(write(tmp_path, "y", systems), scores=scores)
        == "y: no refset (or ref); give the files of all sets"
    )
    [found] = judgments(f"{tmp_path}/y", references=(f"{tmp_path}/x",), scores=scores)
    assert (found.hypothesis, found.references) == ("h", ("r",))
