"""SGML as it is found, XML as it should be, what is refused in both, and sets joined with their scores."""

import tempfile
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.data.markup import SetSegment, set_segments
from pfsm.errors import PfsmError
from tests.core.data.formats.judged_sets import JudgedSet, judged_sets, nist_set, numbers_in_documents
from tests.core.data.formats.reading import fault, judgments, reading, write

DOCTYPE = '<!DOCTYPE mteval SYSTEM "ftp://somewhere/mteval-xml-v1.3.dtd">\n'


def texts(path: str) -> list[str]:
    return [segment.text for segment in set_segments(path)]


def tstset(body: str, attributes: str = 'setid="set" srclang="cs" trglang="en"') -> str:
    """A set of one document."""
    return f'<tstset {attributes}>\n<doc docid="d" sysid="S">\n{body}</doc>\n</tstset>\n'


def refusal(path: str) -> str:
    with pytest.raises(PfsmError) as caught:
        list(set_segments(path))
    return str(caught.value).replace(f"{Path(path).parent}/", "")


def test_sgml_as_it_is_found(tmp_path: Path) -> None:
    """Upper-case tags, bare and single-quoted attributes, missing end tags, raw & and <, tags over two lines."""
    path = write(
        tmp_path,
        "x.sgm",
        "<!-- made by\nhand --> <!doctype tstset>\n"
        "<TSTSET SetID=set srclang='any' TRGLANG=\"en\">\n"
        '<DOC docid="d &amp; e"\n  SysID="S" GENRE="news">\n'
        "<hl>\n<SEG ID=7> AT&T grew, 1 < 2 &lt;b> &#233;&#xE9; &amp;amp; &unknown; <i>now</i>\n</hl>\n"
        '<p>\n<seg id="8">two\n  lines</seg>\n<seg>no id</seg><seg id=" 9 "></seg></p>\n'
        "</DOC></TSTSET>\n",
    )
    assert list(set_segments(path)) == [
        SetSegment("system", "S", "set", "any", "en", "d & e", "news", number, text, line)
        for number, text, line in [
            ("7", "AT&T grew, 1 < 2 <b> éé &amp; &unknown; <i>now</i>", 7),
            ("8", "two lines", 10),
            ("3", "no id", 12),
            ("9", "", 12),
        ]
    ]


@settings(max_examples=80)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20), min_size=1))
def test_escaped_text_survives_both(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    folder = tmp_path_factory.mktemp("x")
    lines = [line.replace("\ufffe", "").replace("\uffff", "").strip(" ") for line in lines]
    body = "".join(f'<seg id="{number}">{escape(line)}</seg>\n' for number, line in enumerate(lines))
    expected = [" ".join(filter(None, line.split(" "))) for line in lines]
    for head in ("", f'<?xml version="1.0" encoding="UTF-8"?>\n{DOCTYPE}'):
        path = write(folder, "x", f"{head}<mteval>\n{tstset(body)}</mteval>\n")
        assert texts(path) == expected
    tree = ElementTree.parse(path)
    assert [" ".join(filter(None, (seg.text or "").split(" "))) for seg in tree.iter("seg")] == expected


@pytest.mark.parametrize("said", ['lang="en"', 'language="en"', "", 'language="en" lang="en"'])
def test_wmt_xml_and_inline_tags(tmp_path: Path, said: str) -> None:
    path = write(
        tmp_path,
        "x.xml",
        "<?xml version='1.0' encoding='utf-8'?>\n<dataset id=\"newstest2099\">\n"
        '<doc origlang="cs" id="d1"><src lang="cs"><p><seg id="1">a <b>bold</b> word</seg></p></src>\n'
        '<ref lang="en" translator="A"><p><seg id="1">r</seg></p></ref>\n'
        f'<hyp system="S" {said}><p><seg id="1">h</seg></p></hyp></doc></dataset>\n',
    )
    assert [
        (each.role, each.name, each.source_lang, each.target_lang, each.text) for each in set_segments(path)
    ] == [
        ("source", "", "cs", "", "a bold word"),
        ("reference", "A", "cs", "en", "r"),
        ("system", "S", "cs", "en", "h"),
    ]
    assert {each.set_id for each in set_segments(path)} == {"newstest2099"}


XML = '<?xml version="1.0"?>\n'
ENTITIES = "declares entities, which are refused; put the text in their place"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "x: empty file, a test set is needed"),
        ("words\n", "x: no segments (<seg>) of a srcset, refset or tstset"),
        ('<!DOCTYPE x [\n<!ENTITY a "aa">]>\n', f"x:1: {ENTITIES}"),
        (f'{XML}<!DOCTYPE x [\n<!ENTITY % a SYSTEM "file:///etc/passwd">\n%a;]><x/>\n', f"x:3: {ENTITIES}"),
        (f'{XML}<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>\n', f"x:2: {ENTITIES}"),
        (f'{XML}{DOCTYPE}<x>\n&nbsp;</x>\n', "x:4: &nbsp; is not a known entity; put the character in its place"),
        ('<?xml version="1.0"?>\n<x>\n', ("x:3: not well-formed XML (no element found); correct it, or remove "
         "the line <?xml …> to have it read as SGML, which allows more")),
        ("<tstset>\n<seg>a</seg>\n", "x:2: a segment outside a document (doc)"),
        ('<tstset>\n<doc sysid="S">\n', "x:2: a document without an id (docid)"),
        (tstset('<seg id="1">a</seg>\n<seg id="2">b').replace("</doc>\n</tstset>\n", ""),
         "x:4: the file ends inside this segment; copy it again"),
        (b"<tstset>\n\xff", "x:2: not UTF-8 (byte 0xff at position 1); convert the file to UTF-8"),
    ],
)  # fmt: skip
def test_refusals(content: str | bytes, expected: str, tmp_path: Path) -> None:
    assert refusal(write(tmp_path, "x", content)) == expected


def test_a_tag_that_never_ends_is_text(tmp_path: Path) -> None:
    body = '<seg id="1">a <p b\n</seg>\n<seg id="2">c <!-- d\n</seg>\n'
    assert texts(write(tmp_path, "x", tstset(body)))[0] == "a <p b"
    long = "x" * 70000
    assert texts(write(tmp_path, "y", tstset(f'<seg id="1">a <!-- {long}\n{long}\n</seg>\n'))) == [
        f"a <!-- {long} {long}"
    ]


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


@settings(max_examples=50)
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
    # Adequacy and fluency: the sum, in the mean over judges.
    both = "sysid\tdoc\tseg\tjudge\tadequacy\tfluency\nS\td\t2\tj1\t5\t2\nS\td\t2\tj2\t3\t1\n"
    read = reading(path, scores=(write(tmp_path, "b.tsv", both),))
    assert [getattr(each, "score", None) for each in read.records] == [5.5]
    assert "rater" not in read.columns


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ("", "s: empty file, scores are needed"),
        ("t S d 1 0.5\nt S d 2 x\n", "s:2: score is 'x', a finite number is needed"),
        ("t S d 1 0.5\nt Z d 2 1\n", "s:2: system is 'Z', but there are sets of 'S'"),
        ("t S d 1 0.5\nt S e 1 1\n", "s:2: no segment 1 of document 'e' by 'S' in the sets"),
        ("t S d 1 0.5\nt S d 3 1\n", "s:2: no reference of segment 3 of document 'd'"),
    ],
)
def test_malformed_scores(scores: str, expected: str, tmp_path: Path) -> None:
    path = write(tmp_path, "x.sgm", SETS)
    assert fault(path, scores=(write(tmp_path, "s", scores),)) == expected


def test_sets_that_do_not_fit(tmp_path: Path) -> None:
    scores = (write(tmp_path, "s", "t S d 1 0.5\n"),)
    references, systems = SETS[: SETS.index("<tstset")], SETS[SETS.index("<tstset") :]
    for content, expected in (
        (
            SETS.replace('<seg id="2">i', '<seg id="1">i'),
            "x:4: segment 1 of document 'd' of 'S' a second time",
        ),
        (
            SETS.replace('<tstset setid="t"', '<tstset setid="u"'),
            "x:4: test set 'u' after 't'; convert one te",
        ),
        (systems, "x: no refset (or ref); give the files of all sets"),
        (references, "x: no tstset (or hyp); give the files of all sets"),
    ):
        assert fault(write(tmp_path, "x", content), scores=scores).startswith(expected)
    [found] = judgments(write(tmp_path, "y", systems), references=(f"{tmp_path}/x",), scores=scores)
    assert (found.hypothesis, found.references) == ("h", ("r",))
