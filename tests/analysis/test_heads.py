"""Head rules of Collins (1999) and of Kahn et al. (2009): dependencies worked out by hand from bracketed trees."""

from collections.abc import Callable

import pytest

from pfsm.analysis.constituents import parse_brackets
from pfsm.analysis.heads import collins_analysis, head_dependencies
from pfsm.analysis.programs import bracketed_analysis
from pfsm.analysis.sentence import Analysis, DependencyTree, joined


def analysed(brackets: str) -> Analysis:
    return bracketed_analysis(parse_brackets(brackets))


def written(tokens: tuple[str, ...], tree: DependencyTree | None) -> str:
    """Every word with the word that it hangs on and the label; the root hangs on itself."""
    assert tree is not None
    return " ".join(
        f"{word}<{tokens[head - 1] if head else word}:{label}"
        for word, head, label in zip(tokens, tree.heads, tree.labels, strict=True)
    )


def collins(brackets: str) -> str:
    found = collins_analysis(analysed(brackets))
    return written(found.tokens, found.tree)


def kahn(brackets: str) -> str:
    line = analysed(brackets)
    return written(line.tokens, head_dependencies(line.constituents))


def heads(of: Callable[[str], str], brackets: str) -> dict[str, str]:
    pairs = (arc.partition(":")[0].split("<") for arc in of(brackets).split())
    return {word: head for word, head in pairs}  # noqa: C416


def test_the_example_of_liu_and_gildea() -> None:
    # "I have a red pen": chains have-I, have-pen, pen-a, pen-red.
    tree = "(TOP (S (NP (PRP I)) (VP (VBP have) (NP (DT a) (JJ red) (NN pen)))))"
    assert collins(tree) == "I<have:S/NP have<have:TOP/S a<pen:NP/DT red<pen:NP/JJ pen<have:VP/NP"


def test_figure_three_of_kahn_and_others() -> None:
    # The paper names the arc between "cat" and "stumbled": S/NP. The prepositional phrase is headed by its noun.
    tree = "(TOP (S (NP (DT The) (NN cat)) (VP (VBD stumbled) (PP (IN over) (NP (DT the) (NN dog)))) (. .)))"
    assert kahn(tree) == (
        "The<cat:NP/DT cat<stumbled:S/NP stumbled<stumbled:TOP/S over<dog:PP/IN the<dog:NP/DT dog<stumbled:VP/PP "
        ".<stumbled:S/."
    )


def test_function_words() -> None:
    """The preposition, the auxiliary and the complementiser are heads for Collins, modifiers for Kahn et al."""
    tree = (
        "(TOP (S (NP (PRP We)) (VP (MD will) (VP (VB sit) (PP (IN on) (NP (DT a) (NN bench)))"
        " (SBAR (IN if) (S (NP (PRP it)) (VP (VBZ rains)))))) (. .)))"
    )
    assert heads(collins, tree) == {
        "We": "will", "will": "will", "sit": "will", "on": "sit", "a": "bench", "bench": "on",
        "if": "sit", "it": "rains", "rains": "if",
    }  # fmt: skip
    tree = (
        "(TOP (S (NP (PRP I)) (VP (VBP know) (SBAR (IN that) (S (NP (PRP she)) "
        "(VP (MD will) (VP (VB be) (VP (VBG singing)))))))))"
    )
    assert kahn(tree) == (
        "I<know:S/NP know<know:TOP/S that<singing:SBAR/IN she<singing:S/NP will<singing:VP/MD be<singing:VP/VB "
        "singing<know:VP/SBAR"
    )


COLLINS = [
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
# Section 3.1, also where the nominal is not a phrase. An adjective is not a nominal.
KAHN = [
    ("(PP (IN post) (HYPH -) (NN war))", "war"), ("(PP (IN pre) (HYPH -) (CD 1990))", "1990"),
    ("(PP (IN of) (NNP Ann) (NNP Hill))", "Hill"), ("(PP (ADVP (RB just)) (IN like) (PRP her))", "her"),
    ("(PP (IN in) (CD two) (NNS days))", "days"), ("(WHPP (IN for) (WP whom))", "whom"),
    ("(PP (NN year) (IN after) (NP (NN week)))", "week"),
    ("(PP (NP (CD two) (NNS years)) (IN after) (NP (DT the) (NN war)))", "war"),
    ("(PP (NP (CD two) (NNS years)) (IN ago))", "years"),
    ("(PP (ADVP (RB straight)) (IN out) (PP (IN of) (NP (NN school))))", "school"),
    ("(WHPP (IN since) (WHADVP (WRB when)))", "when"), ("(PP (IN in) (JJ general))", "in"),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "table"), [(collins, COLLINS), (kahn, KAHN)])
def test_heads_of_phrases(rules: Callable[[str], str], table: list[tuple[str, str]]) -> None:
    for phrase, root in table:
        assert [word for word, head in heads(rules, phrase).items() if word == head] == [root], phrase


def test_coordination() -> None:
    # The first conjunct is the head.
    assert (
        collins("(NP (NNS cats) (CC and) (NNS dogs))") == "cats<cats:TOP/NP and<cats:NP/CC dogs<cats:NP/NNS"
    )
    # A comma before the conjunction.
    found = collins("(NP (NN red) (, ,) (NN blue) (, ,) (CC and) (NN green))")
    assert {"blue<blue:TOP/NP", "green<blue:NP/NN"} <= set(found.split())
    # "And rain" has nothing else that could be its head; the head before the conjunction stays.
    assert collins("(NP (CC and) (NN rain))").split()[1] == "rain<rain:TOP/NP"
    verbs = "(VP (VP (VBD came)) (CC and) (VP (VBD went)))"
    assert list(heads(collins, verbs).values()) == ["came"] * 3


def test_punctuation() -> None:
    """Quotes and full stop are gone, so is the mark at the edge; the comma after "baker" is the sentence's."""
    tree = (
        "(TOP (S (`` ``) (NP (NP (NNP Ann)) (, ,) (NP (DT the) (NN baker) (, ,))) (VP (VBD slept) (: ;)) ('' '')"
        " (. .)))"
    )
    assert collins(tree) == (
        "Ann<slept:S/NP ,<Ann:NP/, the<baker:NP/DT baker<Ann:NP/NP ,<slept:S/, slept<slept:TOP/S"
    )
    assert collins_analysis(analysed(tree)).xpos == ("NNP", ",", "DT", "NN", ",", "VBD")
    # Nothing but punctuation.
    assert collins("(TOP (FRAG (. !) (. !)))") == "!<!:FRAG/. !<!:TOP/FRAG"
    assert collins("(TOP (. .))") == ".<.:TOP/."
    assert collins_analysis(Analysis(())).trees == ()


def test_several_sentences() -> None:
    texts = ("(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))", "(TOP (INTJ (UH Oh) (, ,)))")
    found = collins_analysis(joined(list(map(analysed, texts))))
    assert found.tokens == ("It", "rained", "Oh")
    assert found.sentences == (0, 2)
    assert found.tree is not None
    assert found.tree.heads == (2, 0, 0)
