"""Semantic roles in analyses and files."""

from dataclasses import replace

import pytest

from pfsm.analysis.analysers import check_analysis
from pfsm.analysis.cache import packed, unpacked
from pfsm.analysis.conllu import conllu_lines
from pfsm.analysis.programs import parsed_text
from pfsm.analysis.roles import Argument, Frame, Span, arguments_of, standard_label
from pfsm.analysis.sentence import Analysis, joined
from pfsm.errors import PfsmError

CONLLU = """\
1\tAnna\t_\tPROPN\tNNP\t_\t2\tnsubj\t_\t_
2\tgave\t_\tVERB\tVBD\t_\t0\troot\t_\tPred=give.01|Args=A0:1,A2:3,A1:4-5,AM-TMP:6
3\tBo\t_\tPROPN\tNNP\t_\t2\tiobj\t_\t_
4\ta\t_\tDET\tDT\t_\t5\tdet\t_\t_
5\tpen\t_\tNOUN\tNN\t_\t2\tobj\t_\t_
6\ttoday\t_\tADV\tRB\t_\t2\tadvmod\t_\tSpaceAfter=No

1\tYes\t_\tINTJ\tUH\t_\t0\troot\t_\t_
"""

PROPBANK = """\
# sent_id = x-1
# words = The\tpen\tthat\tshe\tgave\taway\tis\tred
5\tgive\tgive_away.02\tARG1:1-2\tR-ARG1:3-3\tARG0:4-4\tV:5-6
7\tbe\tbe.01\tARG1:1-6\tV:7-7\tARG2:8-8

# sent_id = x-2
# words = No
"""


def _frames(analysis: Analysis) -> tuple[Frame, ...]:
    assert analysis.frames is not None
    return analysis.frames


def _arguments(frame: Frame) -> list[tuple[str, tuple[Span, ...]]]:
    return [(one.label, one.spans) for one in frame.arguments]


def test_labels_are_those_of_the_paper() -> None:
    given = ["ARG0", "ARGA", "ARGM-TMP", "R-ARG1", "C-ARG1", "ARG1-DSP", "A3", "AM-NEG", "R-AM-LOC", "V"]
    wanted = ["A0", "AA", "AM-TMP", "R-A1", "C-A1", "A1", "A3", "AM-NEG", "R-AM-LOC", "V"]
    assert [standard_label(one) for one in given] == wanted
    with pytest.raises(ValueError, match="not a label"):
        standard_label("A 0")


def test_continuations_join_arguments_and_the_predicate_is_none() -> None:
    labelled = [
        ("ARG1", (0, 2)), ("V", (2, 3)), ("ARG0", (3, 4)), ("C-ARG1", (5, 7)), ("C-V", (4, 5)), ("R-ARG0", (7, 8)),
    ]  # fmt: skip
    found = arguments_of(labelled)
    assert [(one.label, one.spans) for one in found] == [
        ("A1", ((0, 2), (5, 7))), ("A0", ((3, 4),)), ("R-A0", ((7, 8),)),
    ]  # fmt: skip
    assert found[0].words == [0, 1, 5, 6]
    # The nearest argument before it.
    found = arguments_of([("A1", (0, 1)), ("A1", (2, 3)), ("C-A1", (4, 5)), ("C-A2", (6, 7))])
    assert [(one.label, one.spans) for one in found] == [
        ("A1", ((0, 1),)), ("A1", ((2, 3), (4, 5))), ("A2", ((6, 7),)),
    ]  # fmt: skip


def test_roles_in_conllu() -> None:
    first, second = parsed_text(CONLLU.splitlines(), "x")
    (frame,) = _frames(first)
    assert (frame.predicate, frame.lemma, frame.roleset) == (1, "give", "give.01")
    wanted = [("A0", ((0, 1),)), ("A2", ((2, 3),)), ("A1", ((3, 5),)), ("AM-TMP", ((5, 6),))]
    assert _arguments(frame) == wanted
    # A file with roles of one sentence gives those of all.
    assert second.frames == ()


def test_roles_are_written_as_they_are_read() -> None:
    first, second = parsed_text(CONLLU.splitlines(), "x")
    likely = (Argument("A0", ((0, 1),), 0.75), Argument("A1", ((2, 3), (4, 5)), 0.5))
    frame = Frame(1, "give", likely, "give_up.11", 0.875, (*likely, Argument("A2", ((2, 4),), 0.1)))
    unlike = Frame(4, "pens", (), "pen.01", 0.25, (Argument("A0", ((2, 3),), 0.01),))
    line = joined([second, replace(first, frames=(frame, unlike))])
    check_analysis(line, "Yes Anna gave Bo a pen today")
    text = list(conllu_lines(line, 3))
    assert "# roles = 0" in text
    assert "# roles = 1" in text
    (again,) = parsed_text(text, "x")
    assert again.frames == line.frames
    assert unpacked(packed(line)).frames == line.frames


FAULTS_IN_CONLLU_NAME_THE_LINE = [
    ("Pred=give|Args=A0:7", "sentence has 6"),
    ("Pred=give|Args=A0:3-2", "'3-2'"),
    ("Pred=give|Args=A0:1-3+2-4", "follow each other"),
    ("Pred=|Args=A0:1", "Pred is empty"),
    ("Pred=give|Args=A!:1", "not a label"),
    ("Pred=give|Args=A0:1,A0:1", "A0 is given twice"),
    ("Pred=give|PredP=0.2|Args=A0:1", "not a predicate, but Args"),
]


def test_faults_in_conllu_name_the_line() -> None:
    for fields, message in FAULTS_IN_CONLLU_NAME_THE_LINE:
        text = CONLLU.replace("Pred=give.01|Args=A0:1,A2:3,A1:4-5,AM-TMP:6", fields)
        with pytest.raises(PfsmError) as caught:
            parsed_text(text.splitlines(), "roles.conllu")
        assert "roles.conllu:2: " in str(caught.value)
        assert message in str(caught.value)


def test_propbank_over_ud() -> None:
    first, second = parsed_text(PROPBANK.splitlines(), "x")
    assert first.tokens == ("The", "pen", "that", "she", "gave", "away", "is", "red")
    assert [(one.predicate, one.lemma, one.roleset) for one in _frames(first)] == [
        (4, "give", "give_away.02"), (6, "be", "be.01"),
    ]  # fmt: skip
    assert _arguments(_frames(first)[0]) == [("A1", ((0, 2),)), ("R-A1", ((2, 3),)), ("A0", ((3, 4),))]
    assert second.frames == ()
    assert not second.is_failed


FAULTS_IN_OTHER_FORMATS_NAME_THE_LINE = [
    (PROPBANK.replace("ARG2:8-8", "ARG2:8-9"), "x:4: 'ARG2:8-9'"),
    (PROPBANK.replace("7\tbe\t", "9\tbe\t"), "x:4: the predicate is word 9"),
    ("# words = a\t\tb\n3\tb\tb.01\n", "x:1: '# words = ': word 2 is empty"),
    (PROPBANK.replace("7\tbe\t", "5\tbe\t"), "x:4: word 5 is the predicate of line 3 too"),
]  # fmt: skip


def test_faults_in_other_formats_name_the_line() -> None:
    for text, message in FAULTS_IN_OTHER_FORMATS_NAME_THE_LINE:
        with pytest.raises(PfsmError) as caught:
            parsed_text(text.splitlines(), "x")
        assert message in str(caught.value)


def test_roles_beyond_the_words_are_refused() -> None:
    first, _ = parsed_text(CONLLU.splitlines(), "x")
    wrong = Frame(9, "be")
    with pytest.raises(PfsmError, match="none of its 6 words"):
        check_analysis(replace(first, frames=(wrong,)), "Anna gave Bo a pen today")
