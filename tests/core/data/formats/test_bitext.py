"""XLIFF and TMX: units, inline elements, alternative translations, and what is refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfsm.data.bitext import units
from pfsm.data.formats import guess_format
from pfsm.data.segments import segments_of
from pfsm.errors import PfsmError
from tests.command_runs import Cli
from tests.core.data.formats.reading import fault, judgments, reading, write

OLD = """<?xml version="1.0" encoding="utf-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="a.docx" source-language="de-DE" target-language="en" datatype="plaintext"><header/><body><group id="g">
<trans-unit id="1"><source>Ein <g id="1">kleiner</g> Hund<ph id="2">&lt;br/&gt;</ph>.</source>
 <seg-source><mrk mtype="seg" mid="1">Ein kleiner Hund.</mrk></seg-source>
 <target>A <mrk mtype="seg" mid="1">small
  dog</mrk>.</target>
 <note>a note</note>
 <alt-trans origin="mt-1"><source>Ein kleiner Hund.</source><target>A little dog &amp; co.</target></alt-trans>
 <alt-trans tool-id="mt-2"><target>Small dogs.</target></alt-trans>
 <alt-trans origin="mt-1"><target>A dog.</target></alt-trans></trans-unit>
<trans-unit id="2"><source>Noch nicht.</source><alt-trans><target>Not yet.</target></alt-trans></trans-unit>
</group></body></file></xliff>
"""
NEW = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0"
 version="2.0" srcLang="de" trgLang="en"><file id="f" original="b.html"><unit id="u"><mtc:matches>
 <mtc:match ref="#m" origin="MT"><source>Zwei.</source><target>Both.</target></mtc:match></mtc:matches>
 <segment id="s1"><source><pc id="1">Eins</pc>.</source><target>One.</target></segment>
 <ignorable><source> </source></ignorable>
 <segment id="s2"><source>Zwei.</source><target>Two<ph id="3"/>.</target></segment></unit></file></xliff>
"""
MEMORY = """<?xml version="1.0" ?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="de" datatype="plaintext" segtype="sentence"/><body>
<tu tuid="7"><tuv xml:lang="EN-US"><seg>A <bpt i="1">{b}</bpt>dog<ept i="1">{/b}</ept>.</seg></tuv>
<tuv xml:lang="DE"><seg>Ein <hi>Hund</hi>.</seg></tuv></tu>
<tu><tuv xml:lang="DE"><seg>Katzen</seg></tuv><tuv xml:lang="EN-US"><seg>Cats</seg></tuv></tu></body></tmx>
"""


@pytest.mark.parametrize(
    ("content", "sources", "targets"),
    [
        (OLD, ("Ein kleiner Hund.", "Noch nicht."), ("A small dog.", "")),
        (NEW, ("Eins.", "Zwei."), ("One.", "Two.")),
        (MEMORY, ("Ein Hund.", "Katzen"), ("A dog.", "Cats")),
    ],
)
def test_lines(
    content: str, sources: tuple[str, ...], targets: tuple[str, ...], cli: Cli, tmp_path: Path
) -> None:
    path = write(tmp_path, "x.xlf", content)
    assert guess_format(path) == "xliff"
    assert segments_of(path, "source") == sources
    assert segments_of(path, "reference") == segments_of(path, "system") == targets
    plain = write(tmp_path, "plain.txt", "".join(f"{line}\n" for line in targets))
    assert cli("score", path, "-i", plain, "--metric", "chrf", "-b").out == "100.0000\n"


def test_alternatives_are_compared_with_the_target(cli: Cli, tmp_path: Path) -> None:
    read = reading(path := write(tmp_path, "x.xlf", OLD))
    assert [(one.system, one.hypothesis, *one.references, one.source) for one in judgments(path)] == [
        (name, text, "A small dog.", "Ein kleiner Hund.")
        for name, text in (("mt-1", "A little dog & co."), ("mt-2", "Small dogs."), ("mt-1.2", "A dog."))
    ]
    first = judgments(path)[0]
    assert (first.document, first.segment_id, first.source_lang, first.target_lang) == (
        "a.docx",
        "1",
        "de",
        "en",
    )
    assert (list(read.records) and dict(read.notes)) == {"units without a target left out": 1}
    assert "score" not in read.columns
    [other] = judgments(write(tmp_path, "y.xlf", NEW))
    assert (other.system, other.hypothesis, *other.references, other.segment_id) == (
        "MT",
        "Both.",
        "Two.",
        "u.s2",
    )
    assert cli("score", "--table", path, "--metric", "chrf", "-sl").out.count("\n") == 3
    assert "no alternative translations" in fault(write(tmp_path, "z.tmx", MEMORY))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]>' + OLD.partition("\n")[2], "declares entities"),
        (
            '<?xml version="1.0"?>\n<!DOCTYPE tmx SYSTEM "file:///etc/passwd">\n<tmx><body>&x;</body></tmx>',
            "&x; is not",
        ),
        (OLD.replace("</group>", ""), "not well-formed XML"),
        ("<xliff><file></file></xliff>", "no units with a source or a target"),
        (
            MEMORY.replace("</tu>\n", '<tuv xml:lang="fr"><seg>x</seg></tuv></tu>\n', 1),
            "more than two languages",
        ),
    ],
)
def test_refused_in_a_line(content: str, said: str, tmp_path: Path) -> None:
    assert said in fault(write(tmp_path, "x.xlf", content), "xliff")


@given(
    st.sampled_from([OLD, NEW, MEMORY]),
    st.integers(0, 900),
    st.integers(0, 30),
    st.sampled_from(["", "<", "&", "</"]),
)
def test_damage(
    tmp_path_factory: pytest.TempPathFactory, content: str, at: int, length: int, piece: str
) -> None:
    path = write(tmp_path_factory.mktemp("x"), "x.xlf", content[:at] + piece + content[at + length :])
    try:
        found = units(path)
    except PfsmError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert all("\n" not in f"{one.source}{one.target}" for one in found)


def test_nesting_is_no_matter_of_depth(tmp_path: Path) -> None:
    deep = OLD.replace("Noch", "<g>" * 20_000 + "Noch" + "</g>" * 20_000)
    assert segments_of(write(tmp_path, "x.xlf", deep), "source")[1] == "Noch nicht."
