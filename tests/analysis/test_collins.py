"""Head rules of Collins (1999): dependencies worked out by hand from bracketed trees."""

import pytest

from pfsm.analysis.constituents import parse_brackets
from pfsm.analysis.heads import collins_analysis
from pfsm.analysis.programs import bracketed_analysis
from pfsm.analysis.sentence import Analysis, joined


def analysed(brackets: str) -> Analysis:
    return bracketed_analysis(parse_brackets(brackets))


def arcs(brackets: str) -> list[tuple[str, str, str]]:
    """Every word that is left with the word that it hangs on and the label."""
    found = collins_analysis(analysed(brackets))
    assert found.tree is not None
    words = ("", *found.tokens)
    return [
        (word, words[head], label)
        for word, head, label in zip(found.tokens, found.tree.heads, found.tree.labels, strict=True)
    ]


def test_the_example_of_liu_and_gildea() -> None:
    # "I have a red pen": chains have-I, have-pen, pen-a, pen-red.
    tree = "(TOP (S (NP (PRP I)) (VP (VBP have) (NP (DT a) (JJ red) (NN pen)))))"
    assert arcs(tree) == [
        ("I", "have", "S/NP"),
        ("have", "", "TOP/S"),
        ("a", "pen", "NP/DT"),
        ("red", "pen", "NP/JJ"),
        ("pen", "have", "VP/NP"),
    ]


def test_function_words_are_heads() -> None:
    # The preposition, the auxiliary and the complementiser, unlike in the rules of Kahn et al.
    tree = (
        "(TOP (S (NP (PRP We)) (VP (MD will) (VP (VB sit) (PP (IN on) (NP (DT a) (NN bench)))"
        " (SBAR (IN if) (S (NP (PRP it)) (VP (VBZ rains)))))) (. .)))"
    )
    assert {word: head for word, head, _ in arcs(tree)} == {
        "We": "will", "will": "", "sit": "will", "on": "sit", "a": "bench", "bench": "on",
        "if": "sit", "it": "rains", "rains": "if",
    }  # fmt: skip


TABLE = [
    ("(NP (NP (DT the) (NN dog)) (POS 's))", "'s"), ("(NP (NNP Mrs.) (NNP Hill) (JJ senior))", "Hill"),
    ("(NP (NP (NN water)) (PP (IN of) (NP (NN life))))", "water"), ("(NP (DT the) (CD two) (JJ red))", "two"),
    ("(NP (DT the) (JJ poor))", "poor"), ("(NP (DT this))", "this"), ("(NP (PRP it) (PRP self))", "self"),
    ("(NP (NML (NN steel) (NN mill)) (VBG running))", "mill"), ("(VP (TO to) (VP (VB go)))", "to"),
    ("(VP (VBD went) (VBN gone))", "went"), ("(VP (RB not) (JJ red) (NN x))", "x"),
    ("(PP (RB right) (IN up) (IN to) (NP (NN it)))", "to"), ("(ADVP (RB very) (RB well))", "well"),
    ("(ADJP (RB very) (JJ red) (NNS x))", "x"), ("(SBAR (WHNP (WP who)) (S (VP (VBD left))))", "who"),
    ("(S (NP (NN rain)) (ADJP (JJ wet)))", "wet"), ("(SINV (VBD said) (NP (PRP she)))", "said"),
    ("(SQ (VBZ is) (NP (PRP it)) (VP (VB go)))", "is"), ("(QP (RB about) (CD 5) (CD 6))", "about"),
    ("(FRAG (NP (NN x)) (NP (NN y)))", "y"), ("(INTJ (UH oh) (UH no))", "oh"),
    ("(UCP (NP (NN x)) (ADJP (JJ y)))", "y"), ("(WHNP (WDT which) (NN x))", "which"), ("(XYZ (NN x) (NN y))", "x"),
]  # fmt: skip


@pytest.mark.parametrize(("phrase", "head"), TABLE)
def test_the_table(phrase: str, head: str) -> None:
    assert [word for word, governor, _ in arcs(phrase) if not governor] == [head]


def test_coordination() -> None:
    # The first conjunct is the head.
    assert arcs("(NP (NNS cats) (CC and) (NNS dogs))") == [
        ("cats", "", "TOP/NP"), ("and", "cats", "NP/CC"), ("dogs", "cats", "NP/NNS"),
    ]  # fmt: skip
    # A comma before the conjunction.
    tree = "(NP (NN red) (, ,) (NN blue) (, ,) (CC and) (NN green))"
    assert {word: head for word, head, _ in arcs(tree)}["blue"] == ""
    assert ("green", "blue", "NP/NN") in arcs(tree)
    # "And rain" has nothing else that could be its head; the head before the conjunction stays.
    assert arcs("(NP (CC and) (NN rain))")[1] == ("rain", "", "TOP/NP")
    verbs = "(VP (VP (VBD came)) (CC and) (VP (VBD went)))"
    assert [head for _, head, _ in arcs(verbs)] == ["", "came", "came"]


def test_punctuation() -> None:
    """Quotes and full stop are gone, so is the mark at the edge; the comma after "baker" is the sentence's."""
    tree = (
        "(TOP (S (`` ``) (NP (NP (NNP Ann)) (, ,) (NP (DT the) (NN baker) (, ,))) (VP (VBD slept) (: ;)) ('' '')"
        " (. .)))"
    )
    assert arcs(tree) == [
        ("Ann", "slept", "S/NP"), (",", "Ann", "NP/,"), ("the", "baker", "NP/DT"), ("baker", "Ann", "NP/NP"),
        (",", "slept", "S/,"), ("slept", "", "TOP/S"),
    ]  # fmt: skip
    assert collins_analysis(analysed(tree)).xpos == ("NNP", ",", "DT", "NN", ",", "VBD")
    # Nothing but punctuation.
    assert arcs("(TOP (FRAG (. !) (. !)))") == [("!", "!", "FRAG/."), ("!", "", "TOP/FRAG")]
    assert arcs("(TOP (. .))") == [(".", "", "TOP/.")]
    assert collins_analysis(Analysis(())).trees == ()


def test_several_sentences() -> None:
    line = joined(
        [analysed("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))"), analysed("(TOP (INTJ (UH Oh) (, ,)))")]
    )
    found = collins_analysis(line)
    assert found.tokens == ("It", "rained", "Oh")
    assert found.sentences == (0, 2)
    assert found.tree is not None
    assert found.tree.heads == (2, 0, 0)
