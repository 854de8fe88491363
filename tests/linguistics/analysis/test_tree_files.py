"""Trees, clauses and roles in files: what is read, written and refused."""

import math
from dataclasses import replace

import pytest

from pfsm.errors import PfsmError
from pfsm_linguistics.analysers.cache import packed, unpacked
from pfsm_linguistics.analysers.programs import parsed_text
from pfsm_linguistics.analysers.registry import check_analysis
from pfsm_linguistics.analysis.clause_files import box_lines, clause_lines, read_clauses
from pfsm_linguistics.analysis.clauses import Clause
from pfsm_linguistics.analysis.conllu import analyses_of, conllu_lines, parse_conllu
from pfsm_linguistics.analysis.constituents import (
    format_brackets,
    labelled_spans,
    parse_brackets,
    tree_of_spans,
)
from pfsm_linguistics.analysis.roles import Argument, Frame, Span, arguments_of, standard_label
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree, joined, moved
from tests.linguistics.analysis.samples import CONLLU


def test_words_tags_heads_ranges_and_text() -> None:
    first, second = parse_conllu(CONLLU.split("\n"), "x")
    assert first.forms == ("We", "do", "n't", "sing", ",", "Anna", ".")
    assert first.heads == (4, 4, 4, 0, 6, 4, 4)
    assert first.labels[5] == "vocative"
    assert first.upos[1] == "AUX"
    assert first.xpos[3] == "VB"
    assert first.ranges == ((2, 3, "don't"),)
    assert first.text == "We don't sing, Anna."
    assert first.comment("sent_id") == "1"
    assert (second.text, second.line) == ("Yes", 13)


def test_text_is_put_together_where_no_comment_gives_it() -> None:
    lines = [line for line in CONLLU.split("\n") if not line.startswith("# text")]
    assert next(parse_conllu(lines, "x")).text == "We don't sing, Anna."


def rows(*heads: object) -> list[str]:
    return [f"{k}\tw{k}\t_\t_\t_\t_\t{head}\tdep\t_\t_" for k, head in enumerate(heads, 1)]


DAMAGE = [
    (["2\tA\t_\t_\t_\t_\t0\troot\t_\t_"], "x:1: ID is '2', 1 is next"),
    (["1\t\u00a0\t_\t_\t_\t_\t0\troot\t_\t_"], "x:1: FORM is empty"),
    (["1\tA\t_\t_\t_\t_\tx\troot\t_\t_"], "x:1: HEAD is 'x'"),
    (rows(3), "x:1: HEAD is 3, the sentence has 1 words"),
    (rows("9" * 5000), "x:1: HEAD is '999999999...'"),
    (["2-3\tA\t_\t_\t_\t_\t_\t_\t_\t_"], "x:1: ID is 2-3, a range"),
    (["# only a comment"], "x:1: a sentence without words"),
    (rows(0, 1, 4, 5, 3), "x:3: HEAD leads in a cycle back to word 3"),
    (["1-999999999999\tab\t_\t_\t_\t_\t_\t_\t_\t_", *rows(0, 1)], "x:1: .*1-999999999999"),
    (["# log_probability = inf", *rows(0)], "^x:1: log_probability is 'inf', a number is needed$"),
    (["# line = 1", "# tree = 1", *rows(0), "", "# line = 1", "# tree = 2", rows(0)[0].replace("w1", "w2"), ""],
     "x:5: this tree of the n-best list"),
]  # fmt: skip


def test_damage_of_conllu_is_named() -> None:
    for lines, message in DAMAGE:
        with pytest.raises(PfsmError, match=message):
            analyses_of(parse_conllu(lines, "x"))


def test_trees_are_read_as_they_are_written() -> None:
    trees = (
        DependencyTree((2, 0, 2, 0, 4), ("nsubj", "root", "punct", "root", "punct"), -0.25),
        DependencyTree((0, 1, 2, 0, 4), ("root", "dep", "punct", "root", "punct"), -1.75),
    )
    analysis = Analysis(
        ("He", "ran", ".", "Stop", "!"), (0, 3), ("PRON", "VERB", "PUNCT", "VERB", "PUNCT"), (), trees
    )
    once = Analysis(("Go",), (0,), (), ("VB",), (DependencyTree((0,), ("root",), -0.0),))
    text = [*conllu_lines(analysis, 1, n_best=True), *conllu_lines(once, 2, n_best=True)]
    found = analyses_of(parse_conllu(text, "x"))
    assert [(a.tokens, a.sentences, a.upos, a.xpos, a.trees) for a in found] == [
        (a.tokens, a.sentences, a.upos, a.xpos, a.trees) for a in (analysis, once)
    ]
    best = analyses_of(parse_conllu(conllu_lines(analysis, 1), "x"))
    assert [tree.heads for tree in best[0].trees] == [trees[0].heads]
    assert math.isnan(best[0].trees[0].log_probability)


def test_brackets_come_back_as_they_were() -> None:
    line = "(TOP (FRAG (NP (-LRB- -LRB-) (NN a) (-RRB- -RRB-)) (: :)))"
    sentence = parse_brackets(line)
    assert sentence.words == ("(", "a", ")", ":")
    assert format_brackets(sentence.words, sentence.tree) == line
    assert parse_brackets("( (S (VB Go)) )").tree.label == "TOP"


DAMAGE_IS_NAMED = [
    ("(S (NN a)", "1 brackets are not closed"),
    ("S", "begins with a bracket"),
    ("(S (NN))", "NN covers no word"),
    ("(S (NN a) b)", "needs a tag"),
    ("", "no tree"),
    ("(A " * 3000 + "a" + ")" * 3000, "brackets are nested deeper than 300"),
]


def test_damage_is_named() -> None:
    for line, message in DAMAGE_IS_NAMED:
        with pytest.raises(PfsmError, match=message):
            parse_brackets(line)


def test_the_deepest_tree_that_is_read_can_be_moved_and_written() -> None:
    line = "(A " * 300 + "a" + ")" * 300
    sentence = parse_brackets(line)
    assert format_brackets(("x", "a"), moved(sentence.tree, 1)) == line


def test_spans_and_back() -> None:
    sentence = parse_brackets("(TOP (S (VP (VB Go) (ADVP (RB home)))))")
    spans = labelled_spans(sentence.tree)
    assert spans == {(0, 2): "S+VP", (1, 2): "ADVP"}
    rebuilt = tree_of_spans([(s, e, label) for (s, e), label in spans.items()], ["VB", "RB"])
    assert rebuilt == sentence.tree
    with pytest.raises(ValueError, match="cross"):
        tree_of_spans([(0, 2, "A"), (1, 3, "B")], ["x"] * 3)


BARKS = """\
%%% a comment
%%% raw: A dog barks.
%%% tok: A dog barks .
b1 REF x1 % A [0...1]
b1 dog "n.01" x1 % dog [2...5]
b1 REF e1 % barks [6...11]
b1 Agent e1 x1 % barks [6...11]
b1 bark "v.01" e1 % barks [6...11]
% . [11...12]
"""


def test_reading_a_clause_file() -> None:
    (one,) = read_clauses(BARKS.splitlines(), "x")
    assert one.tokens == ("A", "dog", "barks", ".")
    assert one.drs is not None
    assert one.drs.clauses[1] == Clause("b1", "dog", ('"n.01"', "x1"), (1,))
    assert list(box_lines(one.drs)) == ["b1: x1 e1 | dog(x1), Agent(e1, x1), bark(e1)"]


def test_joined_and_empty_words_of_a_clause_file() -> None:
    text = (
        '%%% raw: I saw New York.\n%%% tok: I saw ø New~York .\nb1 Name x1 "new~york" % New~York [6...14]\n'
    )
    (one,) = read_clauses(text.splitlines(), "x")
    assert one.tokens == ("I", "saw", "New", "York", ".")
    assert one.drs is not None
    assert one.drs.clauses[0].words == (2, 3)


def test_clauses_are_read_as_they_are_written() -> None:
    (one,) = read_clauses(BARKS.splitlines(), "x")
    assert one.drs is not None
    (again,) = read_clauses(list(clause_lines(one, one.drs, 1)), "x")
    assert again.drs == one.drs
    assert again.tokens == one.tokens


MALFORMED_CLAUSES_ARE_REFUSED = [
    ("%%% raw: A\nb1 REF\n", "x:2: a clause is written as"),
    ("%%% tok: A\nb1 REF x1\n", "x:1: this block needs a line"),
    ('%%% raw: A\nb1 EQU "a" "b"\n', "x:2: .* has no variable"),
    ("%%% raw: A\nb1 EQU x1\n", "x:2: EQU takes two arguments"),
    ("%%% raw: A\nb1 REF b2\n", "x:2: REF takes one referent"),
    ("%%% raw: A\nb1 PRESUPPOSITION x1\n", "x:2: PRESUPPOSITION takes one box"),
    ("%%% raw: A\nb1 NEGATION b1\n", "x:2: .* another box than its own"),
    ('%%% raw: A\nx1 dog "n.01" x2\n', "x:2: a clause begins with its box"),
    ('%%% raw: A\nb1 dog "n.01" b2\n', "x:2: the concept dog takes"),
    ('%%% raw: A\nb1 Name b2 "bo"\n', "x:2: Name begins with a referent"),
    ("%%% raw: A\nb1 DIS b2 x1\n", "x:2: DIS takes two boxes"),
    ("%%% raw: A\nb1 REF x1 % A [1...0]\n", r"x:2: \[1\.\.\.0\] holds no characters"),
]


def test_malformed_clauses_are_refused() -> None:
    for text, message in MALFORMED_CLAUSES_ARE_REFUSED:
        with pytest.raises(PfsmError, match=message):
            read_clauses(text.splitlines(), "x")


def test_lines_of_several_blocks_share_no_variable() -> None:
    (one,) = read_clauses(BARKS.splitlines(), "x")
    first, whole = one.drs, joined([one, one])
    assert first is not None
    assert whole.drs is not None
    assert whole.drs.clauses[len(first.clauses) :] == tuple(
        Clause(
            "b2",
            clause.operator,
            tuple(name.replace("1", "2") if len(name) == 2 else name for name in clause.arguments),
            tuple(word + 4 for word in clause.words),
        )
        for clause in first.clauses
    )
    assert unpacked(packed(whole)).drs == whole.drs


ROLES = """\
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
    first, second = parsed_text(ROLES.splitlines(), "x")
    (frame,) = _frames(first)
    assert (frame.predicate, frame.lemma, frame.roleset) == (1, "give", "give.01")
    wanted = [("A0", ((0, 1),)), ("A2", ((2, 3),)), ("A1", ((3, 5),)), ("AM-TMP", ((5, 6),))]
    assert _arguments(frame) == wanted
    # A file with roles of one sentence gives those of all.
    assert second.frames == ()


def test_roles_are_written_as_they_are_read() -> None:
    first, second = parsed_text(ROLES.splitlines(), "x")
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
        text = ROLES.replace("Pred=give.01|Args=A0:1,A2:3,A1:4-5,AM-TMP:6", fields)
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
    first, _ = parsed_text(ROLES.splitlines(), "x")
    wrong = Frame(9, "be")
    with pytest.raises(PfsmError, match="none of its 6 words"):
        check_analysis(replace(first, frames=(wrong,)), "Anna gave Bo a pen today")
