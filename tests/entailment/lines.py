"""Analysed lines written by hand: FORM/UPOS/XPOS/HEAD/LABEL, heads counted from 1."""

from pfsm.analysis.sentence import Analysis, DependencyTree
from pfsm.english.entailment.sides import Pair, Side, align, side_of


def side(text: str) -> Side:
    if not text:
        return side_of(Analysis(()))
    forms, upos, xpos, heads, labels = zip(*(token.split("/") for token in text.split()), strict=True)
    tree = DependencyTree(tuple(map(int, heads)), labels)
    return side_of(Analysis(forms, (0,), upos, xpos, (tree,)))


def pair(reference: str, hypothesis: str, *synonyms: tuple[str, ...]) -> Pair:
    """Two lines; words of one tuple are synonyms."""

    def senses(word: str) -> list[int]:
        return [number for number, words in enumerate(synonyms) if word in words]

    return align(side(reference), side(hypothesis), senses)
