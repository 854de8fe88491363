import pytest

from pfsm.analysis.constituents import format_brackets, labelled_spans, parse_brackets, tree_of_spans
from pfsm.analysis.sentence import moved
from pfsm.errors import PfsmError


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
