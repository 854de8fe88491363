import pytest

from pfsm.analysis.constituents import format_brackets, labelled_spans, parse_brackets, tree_of_spans
from pfsm.analysis.heads import head_dependencies
from pfsm.analysis.sentence import moved
from pfsm.errors import PfsmError

TREE = "(TOP (S (NP (DT The) (NN cat)) (VP (VBD stumbled) (PP (IN over) (NP (DT the) (NN dog)))) (. .)))"


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


def dependencies(line: str) -> list[tuple[str, str, str]]:
    sentence = parse_brackets(line)
    tree = head_dependencies([sentence.tree])
    names = ("ROOT", *sentence.words)
    return [
        (word, label, names[head])
        for word, head, label in zip(sentence.words, tree.heads, tree.labels, strict=True)
    ]


def test_figure_three_of_kahn_and_others() -> None:
    # The paper names the arc between "cat" and "stumbled": S/NP. The prepositional phrase is headed by its noun.
    assert dependencies(TREE) == [
        ("The", "NP/DT", "cat"),
        ("cat", "S/NP", "stumbled"),
        ("stumbled", "TOP/S", "ROOT"),
        ("over", "PP/IN", "dog"),
        ("the", "NP/DT", "dog"),
        ("dog", "VP/PP", "stumbled"),
        (".", "S/.", "stumbled"),
    ]


@pytest.mark.parametrize(
    ("phrase", "head"),
    [
        ("(PP (IN post) (HYPH -) (NN war))", "war"),
        ("(PP (IN pre) (HYPH -) (CD 1990))", "1990"),
        ("(PP (IN of) (NNP Ann) (NNP Hill))", "Hill"),
        ("(PP (ADVP (RB just)) (IN like) (PRP her))", "her"),
        ("(PP (IN in) (CD two) (NNS days))", "days"),
        ("(WHPP (IN for) (WP whom))", "whom"),
        ("(PP (NN year) (IN after) (NP (NN year)))", "year"),
        ("(PP (NP (CD two) (NNS years)) (IN after) (NP (DT the) (NN war)))", "war"),
        ("(PP (NP (CD two) (NNS years)) (IN ago))", "years"),
        ("(PP (ADVP (RB straight)) (IN out) (PP (IN of) (NP (NN school))))", "school"),
        ("(WHPP (IN since) (WHADVP (WRB when)))", "when"),
        ("(PP (IN in) (JJ general))", "in"),
    ],
)
def test_prepositional_phrases_are_headed_by_their_nominal(phrase: str, head: str) -> None:
    # Kahn et al. (2009), section 3.1, also where the nominal is not a phrase. An adjective is not a nominal.
    assert [word for word, _, governor in dependencies(phrase) if governor == "ROOT"] == [head]


def test_auxiliaries_and_complementisers_are_modifiers() -> None:
    line = (
        "(TOP (S (NP (PRP I)) (VP (VBP know) (SBAR (IN that) (S (NP (PRP she)) "
        "(VP (MD will) (VP (VB be) (VP (VBG singing)))))))))"
    )
    assert dependencies(line) == [
        ("I", "S/NP", "know"),
        ("know", "TOP/S", "ROOT"),
        ("that", "SBAR/IN", "singing"),
        ("she", "S/NP", "singing"),
        ("will", "VP/MD", "singing"),
        ("be", "VP/VB", "singing"),
        ("singing", "VP/SBAR", "know"),
    ]
