"""Base phrase chunks: the rules of CoNLL-2000, one sentence each, worked out by hand."""

from pfsm.analysis.chunks import Chunk, base_chunks, iob_labels
from pfsm.analysis.constituents import Constituent, parse_brackets


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
