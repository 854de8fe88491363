"""SGML as it is found, XML as it should be, what is refused in both."""

from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.data.formats.markup import SetSegment, set_segments
from pfsm.errors import PfsmError
from tests.data.formats.reading import write

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
        SetSegment("system", "S", "d & e", "news", text, line)
        for text, line in [
            ("AT&T grew, 1 < 2 <b> éé &amp; &unknown; <i>now</i>", 7),
            ("two lines", 10),
            ("no id", 12),
            ("", 12),
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


def test_wmt_xml_and_inline_tags(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "x.xml",
        "<?xml version='1.0' encoding='utf-8'?>\n<dataset id=\"newstest2099\">\n"
        '<doc origlang="cs" id="d1"><src lang="cs"><p><seg id="1">a <b>bold</b> word</seg></p></src>\n'
        '<ref lang="en" translator="A"><p><seg id="1">r</seg></p></ref>\n'
        '<hyp system="S" language="en"><p><seg id="1">h</seg></p></hyp></doc></dataset>\n',
    )
    assert [(each.role, each.name, each.text) for each in set_segments(path)] == [
        ("source", "", "a bold word"),
        ("reference", "A", "r"),
        ("system", "S", "h"),
    ]


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
