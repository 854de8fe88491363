"""Constituents: the likeliest trees against all derivations, head rules and chunks worked out by hand."""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from pfsm.metrics import get_metric
from pfsm_linguistics.analysers.programs import bracketed_analysis, parsed_text
from pfsm_linguistics.analysers.registry import get_analyser
from pfsm_linguistics.analysis.chunks import Chunk, base_chunks, iob_labels
from pfsm_linguistics.analysis.constituents import Constituent, format_brackets, parse_brackets, tree_of_spans
from pfsm_linguistics.analysis.heads import collins_analysis, head_dependencies, projected_labels
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree
from pfsm_linguistics.analysis.wanted import Wanted
from pfsm_linguistics.parser.trees import best_constituents

NAMES = ("", "NP", "S+VP")
FRAGMENT = "(TOP (FRAG (NP (NP (NN a)) (PP (IN of) (NP (NN b)))) (: -) (NP (NN c))))"


def bracketings(start: int, end: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """All binary bracketings of words ``[start, end)``, single words among their spans."""
    if end - start == 1:
        yield ((start, end),)
        return
    for cut in range(start + 1, end):
        for left, right in itertools.product(bracketings(start, cut), bracketings(cut, end)):
            yield ((start, end), *left, *right)


def every_tree(n: int, scores: np.ndarray, labels: dict[tuple[int, int], np.ndarray]) -> dict[str, float]:
    """The probability of every tree, by listing all derivations."""
    sums: dict[str, float] = {}
    total = 0.0
    tags = ["X"] * n
    for spans in bracketings(0, n):
        weight = math.exp(sum(scores[span] for span in spans if span[1] - span[0] > 1))
        total += weight
        for chosen in itertools.product(range(len(NAMES)), repeat=len(spans)):
            if chosen[spans.index((0, n))] == 0:
                continue
            probability = weight * math.exp(
                sum(labels[span][label] for span, label in zip(spans, chosen, strict=True))
            )
            found = [(*span, NAMES[label]) for span, label in zip(spans, chosen, strict=True) if label]
            text = format_brackets(["w"] * n, tree_of_spans(found, tags))
            sums[text] = sums.get(text, 0.0) + probability
    return {text: value / total for text, value in sums.items()}


@pytest.mark.parametrize("n", [1, 3, 4])
def test_against_all_derivations(n: int) -> None:
    random = np.random.default_rng(n)
    scores = random.normal(size=(n + 1, n + 1))
    labels = {
        span: np.log(random.dirichlet(np.ones(len(NAMES))))
        for span in itertools.combinations(range(n + 1), 2)
    }

    def label_scores(starts: Sequence[int], ends: Sequence[int]) -> np.ndarray:
        return np.array([labels[span] for span in zip(starts, ends, strict=True)])

    wanted = every_tree(n, scores, labels)
    found = best_constituents(scores, label_scores, NAMES, ["X"] * n, 6000)
    assert len(found) == len(wanted)
    assert [one.log_probability for one in found] == sorted(
        (one.log_probability for one in found), reverse=True
    )
    for tree, log_probability in found:
        assert math.exp(log_probability) == pytest.approx(wanted[format_brackets(["w"] * n, tree)], rel=1e-9)
    # A short list is the head of the long one; what it lacks may be derivations of its trees.
    for one in best_constituents(scores, label_scores, NAMES, ["X"] * n, 2):
        assert one.log_probability <= math.log(wanted[format_brackets(["w"] * n, one.tree)]) + 1e-9


def test_a_shorter_list_is_the_head_of_a_longer_one() -> None:
    """Also in the metric. The likeliest bracketing gives the tree of rank 14 here, a short list another one first."""
    line = "Nobody, said the clerk, will pay for bread - not even here, in the market."
    (long,) = get_analyser("en-ewt").analyse([line], Wanted(headed=50))
    for count in (1, 7):
        (short,) = get_analyser("en-ewt").analyse([line], Wanted(headed=count))
        assert short.headed == long.headed[:count]
    first = long.headed[0]
    pieces = Counter(zip(long.tokens, first.labels, strict=True))
    (other,) = get_analyser("en-ewt").analyse([line[8:]], Wanted(headed=50))
    theirs = Counter(zip(other.tokens, other.headed[0].labels, strict=True))
    expected = 2 * (pieces & theirs).total() / (pieces.total() + theirs.total())
    metric = get_metric("dpm", labels="ab", parts="dl", lowercase=False)
    assert metric.score_pairs([line], [line[8:]]).tolist() == pytest.approx([expected])


def test_labels_of_projected_arcs() -> None:
    text = ["(TOP (S (NP (DT the) (NN cat)) (VP (VBD saw) (NP (PRP us))) (. .)))", FRAGMENT]
    tree, fragment = (one.constituents for one in parsed_text(text, "x"))
    # the cat saw us . with "us" hanging on "cat", and "saw" on "us".
    labels = ["NP/DT", "S/NP", "VP/VBD", "S/VP", "TOP/S"]
    assert projected_labels(tree, range(5), [2, 3, 4, 2, 0]) == labels
    for brackets in (tree, fragment, (Constituent("NN", 0, 1),)):
        found = head_dependencies(brackets)
        assert projected_labels(brackets, range(len(found.heads)), found.heads) == list(found.labels)


def test_reading_lists_of_brackets() -> None:
    text = (
        "-1.5 (TOP (S (NP (NN a)) (VP (VB b))))", "-0.5 (TOP (S (NN a) (NN b)))", "-3 (TOP (NP (NN a) (NN b)))", "",
        "-2e0 (TOP (NP (NN a) (NN b)))", "(TOP (NP (NN c)))", "-1 (NOPARSE (_ d))",
    )  # fmt: skip
    found = parsed_text(text, "x")
    assert [one.tokens for one in found] == [("a", "b"), ("a", "b"), ("c",), ("d",)]
    assert [tree.log_probability for tree in found[0].headed] == [-0.5, -1.5, -3.0]
    # Everything else is of the likeliest tree.
    assert found[0].xpos == ("NN", "NN")
    assert found[0].constituents[0].children[0].label == "S"
    assert [len(one.headed) for one in found] == [3, 1, 0, 0]
    assert found[3].is_failed
    # CoNLL-U that begins with a bracket.
    assert parsed_text(["1\t(\t_\t_\t_\t_\t0\troot\t_\t_"], "x")[0].tokens == ("(",)


def of_brackets(brackets: str) -> Analysis:
    return bracketed_analysis(parse_brackets(brackets))


def written(tokens: tuple[str, ...], tree: DependencyTree | None) -> str:
    """Every word with the word that it hangs on and the label; the root hangs on itself."""
    assert tree is not None
    return " ".join(
        f"{word}<{tokens[head - 1] if head else word}:{label}"
        for word, head, label in zip(tokens, tree.heads, tree.labels, strict=True)
    )


def collins(brackets: str) -> str:
    found = collins_analysis(of_brackets(brackets))
    return written(found.tokens, found.tree)


def kahn(brackets: str) -> str:
    line = of_brackets(brackets)
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
    assert collins_analysis(of_brackets(tree)).xpos == ("NNP", ",", "DT", "NN", ",", "VBD")
    # Nothing but punctuation.
    assert collins("(TOP (FRAG (. !) (. !)))") == "!<!:FRAG/. !<!:TOP/FRAG"
    assert collins("(TOP (. .))") == ".<.:TOP/."
    assert collins_analysis(Analysis(())).trees == ()


def chunked(brackets: str) -> str:
    """The sentence with its chunks in brackets."""
    sentence = parse_brackets(brackets)
    pieces = list(sentence.words)
    for chunk in base_chunks([sentence.tree]):
        pieces[chunk.start] = f"[{chunk.label} {pieces[chunk.start]}"
        pieces[chunk.end - 1] += "]"
    return " ".join(pieces)


# What a case is about, its tree, its chunks.
RULES = """
# what stands before the head is inside, what stands behind it is not
(S (NP (DT A) (ADJP (RB very) (JJ old)) (NN ox)) (VP (VBD sat) (PP (IN in) (NP (DT the) (NN barn)))))
[NP A very old ox] [VP sat] [PP in] [NP the barn]
# a noun phrase ends before what modifies it from the right
(S (NP (NP (DT the) (NN top)) (PP (IN of) (NP (DT the) (NN hill)))) (VP (VBZ is) (ADJP (JJ bare))))
[NP the top] [PP of] [NP the hill] [VP is] [ADJP bare]
# a possessive begins the next chunk
(NP (NP (NP (NNP Ida) (POS 's)) (NN aunt) (POS 's)) (NN goat))
[NP Ida] [NP 's aunt] [NP 's goat]
# coordination inside a noun phrase
(S (NP (DT the) (ADJP (JJ red) (CC and) (JJ green)) (NNS mugs)) (VP (VBD broke)))
[NP the red and green mugs] [VP broke]
# coordination of noun phrases
(S (NP (NP (NNP Ida)) (CC and) (NP (PRP$ her) (NN goat))) (VP (VBD left)))
[NP Ida] and [NP her goat] [VP left]
# auxiliaries and adverbs before the verb
(S (NP (PRP It)) (VP (MD could) (RB not) (ADVP (RB ever)) (VP (VB have) (VP (VBN been) (VP (VBN it))))))
[NP It] [VP could not ever have been it]
# infinitives without subject follow at once
(S (NP (PRP She)) (VP (VBZ seems) (S (VP (TO to) (VP (VB want) (S (VP (TO to) (VP (VB go)))))))))
[NP She] [VP seems to want to go]
# but not behind an object
(S (NP (PRP She)) (VP (VBD told) (NP (PRP him)) (S (VP (TO to) (VP (VB go))))))
[NP She] [VP told] [NP him] [VP to go]
# negation behind the verb
(S (NP (PRP She)) (VP (VBZ is) (RB n't) (ADJP (JJ here))))
[NP She] [VP is n't] [ADJP here]
# coordination of verbs
(S (NP (PRP She)) (VP (VBD sang) (CC and) (VBD left)))
[NP She] [VP sang and left]
# an auxiliary before its subject is in no chunk
(SQ (VBZ Does) (NP (PRP she)) (VP (VB sing)) (. ?))
Does [NP she] [VP sing] ?
# a verb before its subject that is the only one
(SQ (VBZ Is) (NP (PRP she)) (ADJP (JJ ill)) (. ?))
[VP Is] [NP she] [ADJP ill] ?
# a complementiser alone
(S (NP (PRP She)) (VP (VBD said) (SBAR (IN that) (S (NP (PRP it)) (VP (VBD rained))))))
[NP She] [VP said] [SBAR that] [NP it] [VP rained]
# a relative pronoun is a noun phrase
(NP (NP (NNS mugs)) (SBAR (WHNP (WDT which)) (S (VP (VBD broke)))))
[NP mugs] [NP which] [VP broke]
# what modifies a complementiser
(VP (VBD left) (SBAR (ADVP (RB even)) (IN before) (S (NP (PRP it)) (VP (VBD rained)))))
[VP left] [SBAR even before] [NP it] [VP rained]
# prepositions of two words
(VP (VBD left) (PP (IN because) (IN of) (NP (DT the) (NN rain))))
[VP left] [PP because of] [NP the rain]
# a measure before an adjective
(VP (VBZ is) (ADJP (NP (QP (RB about) (CD two)) (NNS days)) (JJ old)))
[VP is] [NP about two days] [ADJP old]
# a particle
(VP (VBD gave) (PRT (RP up)) (S (VP (VBG singing))))
[VP gave] [PRT up] [VP singing]
# whole phrases, and punctuation in none
(S (CONJP (RB not) (RB only)) (INTJ (UH oh)) (, ,) (NP (PRP we)) (VP (VBP go)) (. .))
[CONJP not only] [INTJ oh] , [NP we] [VP go] .
"""


def test_rules() -> None:
    for rule in RULES.strip("# \n").split("\n# "):
        name, brackets, wanted = rule.splitlines()
        assert chunked(brackets) == wanted, name


def test_iob_labels_of_two_sentences() -> None:
    trees = [
        parse_brackets("(TOP (S (NP (PRP We)) (VP (VBP go)) (. .)))").tree,
        Constituent("NP", 3, 5, (Constituent("DT", 3, 4), Constituent("NN", 4, 5))),
    ]
    assert base_chunks(trees) == [Chunk("NP", 0, 1), Chunk("VP", 1, 2), Chunk("NP", 3, 5)]
    assert iob_labels(trees, 5) == ["B-NP", "B-VP", "O", "B-NP", "I-NP"]
    assert base_chunks([]) == []
    assert iob_labels([], 2) == ["O", "O"]


def test_trees_deeper_than_python_recurses() -> None:
    tree = Constituent("NP", 0, 1, (Constituent("NN", 0, 1),))
    for _ in range(5000):
        tree = Constituent("S", 0, 1, (tree,))
    assert base_chunks([tree]) == [Chunk("NP", 0, 1)]
