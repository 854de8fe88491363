"""Discourse representation structures are built from trees and roles; all expectations by hand."""

import gzip
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pfsm.analysis.analysers import get_analyser
from pfsm.analysis.clause_files import read_clauses
from pfsm.analysis.clause_matching import ClauseCounts, count_matches
from pfsm.analysis.clauses import Drs
from pfsm.analysis.conllu import analyses_of, parse_conllu
from pfsm.analysis.roles import Argument, Frame
from pfsm.analysis.sentence import Analysis, DependencyTree
from pfsm.analysis.structures import structure_of
from pfsm.analysis.wanted import Wanted
from tests.analysis.samples import drs


def analysed(conllu: str) -> Analysis:
    """An analysis from lines ``FORM UPOS XPOS HEAD LABEL``."""
    rows = [row.split() for row in conllu.strip().splitlines()]
    lines = [
        f"{k}\t{form}\t_\t{upos}\t{xpos}\t_\t{head}\t{label}\t_\t_"
        for k, (form, upos, xpos, head, label) in enumerate(rows, 1)
    ]
    return analyses_of(parse_conllu(lines, "x"))[0]


MAN_LOVES = "Every DET DT 2 det\nman NOUN NN 3 nsubj\nloves VERB VBZ 0 root\nMary PROPN NNP 3 obj"


def matches(analysis: Analysis, expected: str) -> bool:
    """Whether the structure is the expected one up to names of variables, tense aside."""
    clauses = structure_of(analysis).clauses
    moments = {name for one in clauses for name in one.arguments if name.startswith("t")}
    kept = Drs(tuple(one for one in clauses if not moments & set(one.arguments)))
    counts = count_matches(kept, drs(expected))
    return counts.shared == counts.ours == counts.gold


def test_the_sentence_of_the_paper() -> None:
    assert matches(
        analysed(MAN_LOVES),
        'b1 NEGATION b2;b2 NEGATION b3;b2 man "n.01" x1;b3 love "v.01" e1;b3 A0 e1 x1;b3 A1 e1 x2;'
        'b4 PRESUPPOSITION b3;b4 female "n.01" x2;b4 Name x2 "mary"',
    )


def test_passive_negation_and_definite_phrase() -> None:
    assert matches(
        analysed(
            "The DET DT 2 det\ncake NOUN NN 5 nsubj:pass\nwas AUX VBD 5 aux:pass\nnot PART RB 5 advmod\n"
            "eaten VERB VBN 0 root\nby ADP IN 8 case\ntwo NUM CD 8 nummod\ndogs NOUN NNS 5 obl"
        ),
        'b2 PRESUPPOSITION b1;b2 cake "n.01" x1;b1 NEGATION b3;b3 eat "v.01" e1;b3 A1 e1 x1;b3 A0 e1 x2;'
        'b3 dog "n.01" x2;b3 Quantity x2 "2"',
    )


def test_roles_that_are_given_count() -> None:
    one = analysed("Snow NOUN NN 2 nsubj\nmelts VERB VBZ 0 root")
    assert any(clause.operator == "A0" for clause in structure_of(one).clauses)
    frames = (Frame(1, "melt", (Argument("A1", ((0, 1),)),)),)
    given = Analysis(one.tokens, one.sentences, one.upos, one.xpos, one.trees, frames=frames)
    operators = {clause.operator for clause in structure_of(given).clauses}
    assert "A1" in operators
    assert "A0" not in operators


def test_pronoun_is_who_was_mentioned() -> None:
    one = analysed(
        "Anna PROPN NNP 2 nsubj\nsays VERB VBZ 0 root\nshe PRON PRP 4 nsubj\nsings VERB VBZ 2 ccomp"
    )
    subjects = [clause.arguments[1] for clause in structure_of(one).clauses if clause.operator == "A0"]
    assert len(subjects) == 2
    assert len(set(subjects)) == 1
    assert any(clause.operator == "Proposition" for clause in structure_of(one).clauses)


def with_roles(conllu: str, *frames: tuple[int, str]) -> Analysis:
    """An analysis with roles: predicates, counted from 0, with ``LABEL=FIRST-LAST`` for each argument."""
    found = []
    for predicate, text in frames:
        arguments = []
        for one in text.split():
            label, _, span = one.partition("=")
            first, _, last = span.partition("-")
            arguments.append(Argument(label, ((int(first), int(last or first) + 1),)))
        found.append(Frame(predicate, "", tuple(arguments)))
    return replace(analysed(conllu), frames=tuple(found))


def test_content_of_an_attitude_that_has_a_role() -> None:
    assert matches(
        with_roles(
            "He PRON PRP 2 nsubj\nsaid VERB VBD 0 root\nthat SCONJ IN 5 mark\nshe PRON PRP 5 nsubj\n"
            "left VERB VBD 2 ccomp",
            (1, "A0=0 A1=2-4"),
            (4, "A0=3"),
        ),
        'b2 PRESUPPOSITION b1;b2 male "n.01" x1;b1 say "v.01" e1;b1 A0 e1 x1;b1 ATTRIBUTION b3;'
        'b1 Proposition e1 b3;b3 leave "v.01" e2;b3 A0 e2 x2;b4 PRESUPPOSITION b3;b4 female "n.01" x2',
    )


@pytest.mark.parametrize(
    ("conllu", "frames", "expected"),
    [
        (
            (
                "dogs NOUN NNS 2 nsubj\nbark VERB VBP 0 root\nbecause SCONJ IN 5 mark\nsnow NOUN NN 5 nsubj\n"
                "melts VERB VBZ 2 advcl"
            ),
            ((1, "A0=0 AM-CAU=2-4"), (4, "A1=3")),
            (
                'b1 dog "n.01" x1;b1 bark "v.01" e1;b1 A0 e1 x1;b1 EXPLANATION b2;b2 melt "v.01" e2;'
                'b2 A1 e2 x2;b2 snow "n.01" x2'
            ),
        ),
        (
            (
                "If SCONJ IN 3 mark\nsnow NOUN NN 3 nsubj\nmelts VERB VBZ 5 advcl\ndogs NOUN NNS 5 nsubj\n"
                "bark VERB VBP 0 root"
            ),
            ((4, "AM-ADV=0-2 A0=3"), (2, "A1=1")),
            (
                'b1 NEGATION b2;b2 NEGATION b3;b2 melt "v.01" e2;b2 A1 e2 x2;b2 snow "n.01" x2;'
                'b3 dog "n.01" x1;b3 bark "v.01" e1;b3 A0 e1 x1'
            ),
        ),
        (
            "dogs NOUN NNS 2 nsubj\ncome VERB VBP 0 root\nto PART TO 4 mark\nbark VERB VB 2 advcl",
            ((1, "A1=0 AM-PRP=2-3"),),
            'b1 dog "n.01" x1;b1 come "v.01" e1;b1 A1 e1 x1;b1 AM-PRP e1 e2;b1 bark "v.01" e2',
        ),
    ],
)
def test_adverbial_clauses_that_have_a_role(
    conllu: str, frames: tuple[tuple[int, str], ...], expected: str
) -> None:
    assert matches(with_roles(conllu, *frames), expected)


SWIMS = "dogs NOUN NNS 4 nsubj\ncan AUX MD 4 aux\nnot PART RB 4 advmod\nswim VERB VB 0 root\n"
SWIM = 'b1 dog "n.01" x1;b1 NEGATION b2;b2 POSSIBILITY b3;b3 swim "v.01" e1;b3 A0 e1 x1;'


@pytest.mark.parametrize(
    ("rest", "frames", "expected"),
    [
        ("", ((3, "A0=0 AM-MOD=1 AM-NEG=2"),), ""),
        (
            "and CCONJ CC 7 cc\ncats NOUN NNS 7 nsubj\nrun VERB VBP 4 conj",
            ((3, "A0=0 AM-MOD=1 AM-NEG=2"), (6, "A0=5")),
            'b1 CONTINUATION b4;b4 cat "n.01" x2;b4 run "v.01" e2;b4 A0 e2 x2',
        ),
        (
            "but CCONJ CC 6 cc\nrun VERB VBP 4 conj",
            ((3, "A0=0"), (5, "A0=0")),
            'b1 CONTRAST b4;b4 run "v.01" e2;b4 A0 e2 x1',
        ),
        (
            "and CCONJ CC 6 cc\nrun VERB VB 4 conj",
            ((3, "A0=0"), (5, "A0=0")),
            'b3 CONTINUATION b4;b4 run "v.01" e2;b4 A0 e2 x1',
        ),
        (
            "cats NOUN NNS 6 nsubj\nrun VERB VBP 4 parataxis",
            ((3, "A0=0"), (5, "A0=4")),
            'b1 CONTINUATION b4;b4 cat "n.01" x2;b4 run "v.01" e2;b4 A0 e2 x2',
        ),
    ],
)
def test_a_coordinated_clause_stands_outside_negation_and_modals(
    rest: str, frames: tuple[tuple[int, str], ...], expected: str
) -> None:
    assert matches(with_roles(SWIMS + rest, *frames), (SWIM + expected).rstrip(";"))


def test_a_coordinated_clause_stands_outside_a_quantifier() -> None:
    assert matches(
        analysed(
            "No DET DT 2 det\ndog NOUN NN 3 nsubj\nbarked VERB VBD 0 root\nand CCONJ CC 6 cc\n"
            "cats NOUN NNS 6 nsubj\nslept VERB VBD 3 conj"
        ),
        'b1 NEGATION b2;b2 dog "n.01" x1;b2 bark "v.01" e1;b2 A0 e1 x1;b1 CONTINUATION b3;b3 cat "n.01" x2;'
        'b3 sleep "v.01" e2;b3 A0 e2 x2',
    )


def test_an_oblique_phrase_with_every() -> None:
    assert matches(
        analysed(
            "Anna PROPN NNP 2 nsubj\nspoke VERB VBD 0 root\nwith ADP IN 5 case\nevery DET DT 5 det\n"
            "child NOUN NN 2 obl"
        ),
        'b4 PRESUPPOSITION b1;b4 female "n.01" x1;b4 Name x1 "anna";b1 NEGATION b2;b2 child "n.01" x2;'
        'b2 NEGATION b3;b3 speak "v.01" e1;b3 A0 e1 x1;b3 A2 e1 x2',
    )


def test_role_of_a_relative_pronoun_is_that_of_the_noun() -> None:
    assert matches(
        with_roles(
            "Dogs NOUN NNS 0 root\nthat PRON WDT 3 nsubj\nbark VERB VBP 1 acl:relcl", (2, "A0=0 R-A0=1")
        ),
        'b1 dog "n.01" x1;b1 bark "v.01" e1;b1 A0 e1 x1',
    )


def values_of(conllu: str) -> set[tuple[str, str]]:
    """Operators and constants of a structure, tense and senses aside."""
    return {
        (one.operator, one.arguments[-1].strip('"'))
        for one in structure_of(analysed(conllu)).clauses
        if one.arguments[-1].startswith('"') and one.arguments[-1] != '"now"'
    }


LEFT = "Snow NOUN NN 2 nsubj\nfell VERB VBD 0 root\n"
DATE = {("DayOfMonth", "05"), ("MonthOfYear", "05"), ("YearOfCentury", "2012")}


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("in ADP IN 4 case\n1999 NUM CD 2 obl", {("YearOfCentury", "1999")}),
        ("5 NUM CD 2 obl\nMay PROPN NNP 3 nmod\n2012 NUM CD 3 nmod", DATE),
        ("May PROPN NNP 2 obl\n5 NUM CD 3 nummod\n2012 NUM CD 3 nummod", DATE),
        ("at ADP IN 4 case\nnoon NOUN NN 2 obl", {("ClockTime", "12:00")}),
        ("3:30 NUM CD 2 obl\np.m. NOUN NN 3 nmod", {("ClockTime", "15:30")}),
        ("12:05 NUM CD 2 obl\nam NOUN NN 3 nmod", {("ClockTime", "00:05")}),
        ("five NUM CD 4 nummod\no'clock NOUN NN 2 obl", {("ClockTime", "05:00")}),
        ("1999 NUM CD 4 nummod\nflakes NOUN NNS 2 obj", {("Quantity", "1999")}),
        ("5 NUM CD 4 compound\nmillion NUM CD 5 nummod\nflakes NOUN NNS 2 obj", {("Quantity", "5000000")}),
        ("2.5 NUM CD 4 compound\nthousand NUM CD 5 nummod\nflakes NOUN NNS 2 obj", {("Quantity", "2500")}),
        (
            "two NUM CD 5 compound\nhundred NUM CD 5 compound\nfive NUM CD 6 nummod\nflakes NOUN NNS 2 obj",
            {("Quantity", "205")},
        ),
    ],
)
def test_dates_hours_and_numbers(rest: str, expected: set[tuple[str, str]]) -> None:
    assert values_of(LEFT + rest) == expected


FELL = "did AUX VBD 4 aux\nsnow NOUN NN 4 nsubj\nfall VERB VB 0 root"


@pytest.mark.parametrize(
    ("conllu", "role", "concept"),
    [
        (f"Where ADV WRB 4 advmod\n{FELL}", "AM-LOC", "location"),
        (f"When ADV WRB 4 advmod\n{FELL}", "AM-TMP", "time"),
        (f"Why ADV WRB 4 advmod\n{FELL}", "AM-CAU", "cause"),
        (f"How ADV WRB 4 advmod\n{FELL}", "AM-MNR", "manner"),
        ("Where ADV WRB 0 root\nis AUX VBZ 1 cop\nsnow NOUN NN 1 nsubj", "AM-LOC", "location"),
        ("Which DET WDT 2 det\ndog NOUN NN 3 nsubj\nbarks VERB VBZ 0 root", "A0", "dog"),
        ("Whose PRON WP$ 2 nmod:poss\ndog NOUN NN 3 nsubj\nbarks VERB VBZ 0 root", "Of", "person"),
        (
            "How ADV WRB 2 advmod\nmany ADJ JJ 3 amod\ndogs NOUN NNS 4 nsubj\nbark VERB VBP 0 root",
            "Quantity",
            "quantity",
        ),
    ],
)
def test_what_is_asked_for(conllu: str, role: str, concept: str) -> None:
    clauses = structure_of(analysed(conllu)).clauses
    (asked,) = (one.arguments[0] for one in clauses if one.arguments[-1] == '"?"')
    assert {one.operator for one in clauses if one.is_concept and one.arguments[1] == asked} == {concept}
    assert role in {one.operator for one in clauses if asked in one.arguments[1:] and not one.is_concept}


@pytest.mark.parametrize(
    "conllu",
    [
        "dogs NOUN NNS 0 root\nwhose PRON WP$ 3 nmod:poss\nears NOUN NNS 4 nsubj\nhang VERB VBP 1 acl:relcl",
        (
            "dogs NOUN NNS 2 nsubj\nbark VERB VBP 0 root\nwhen ADV WRB 5 advmod\nsnow NOUN NN 5 nsubj\n"
            "falls VERB VBZ 2 advcl"
        ),
    ],
)
def test_relative_words_and_conjunctions_ask_nothing(conllu: str) -> None:
    assert all('"?"' not in one.arguments for one in structure_of(analysed(conllu)).clauses)


@pytest.mark.parametrize("conllu", [". PUNCT . 0 root", "and CCONJ CC 0 root"])
def test_nothing_is_said(conllu: str) -> None:
    assert structure_of(analysed(conllu)).clauses == ()


def test_no_tree_no_structure() -> None:
    assert structure_of(Analysis(("a", "b"), (0,))).clauses == ()
    assert structure_of(Analysis(())).clauses == ()


SNOW = "Snow NOUN NN 2 nsubj\nmelts VERB VBZ 0 root\nfast ADV RB 2 advmod\nquietly ADV RB 2 advmod"


def test_an_equal_line_has_the_structure_that_was_built() -> None:
    first = analysed(SNOW)
    tree = first.trees[0]
    # An analyser of another package may give lists, and its probabilities do not matter here.
    frames = [Frame(1, "melt", (Argument("A1", [[0, 1]], 0.5),), probability=0.75)]  # type: ignore[arg-type]
    listed = Analysis(
        list(first.tokens),  # type: ignore[arg-type]
        [0],  # type: ignore[arg-type]
        list(first.upos),  # type: ignore[arg-type]
        list(first.xpos),  # type: ignore[arg-type]
        (DependencyTree(list(tree.heads), list(tree.labels), -1.0),),  # type: ignore[arg-type]
        frames=frames,  # type: ignore[arg-type]
    )
    given = replace(first, frames=(Frame(1, "melt", (Argument("A1", ((0, 1),)),)),))
    assert structure_of(listed) is structure_of(given)
    assert structure_of(analysed(SNOW)) is structure_of(first)
    assert structure_of(given) != structure_of(first)


@pytest.mark.parametrize(
    "changed",
    [
        {"tokens": ("Ice", "melts", "fast", "quietly")},
        {"sentences": (0, 2), "trees": (DependencyTree((2, 0, 0, 2), ("nsubj", "root", "root", "advmod")),)},
        {"upos": ("PROPN", "VERB", "ADV", "ADV")},
        {"xpos": ("NN", "VBD", "RB", "RB")},
        {"trees": (DependencyTree((2, 0, 2, 3), ("nsubj", "root", "advmod", "advmod")),)},
        {"trees": (DependencyTree((2, 0, 2, 2), ("obj", "root", "advmod", "advmod")),)},
        {"frames": (Frame(1, "melt", (Argument("A1", ((0, 1),)),)),)},
        {"frames": (Frame(1, "melt", (Argument("A0", ((2, 3),)),)),)},
    ],
)
def test_a_line_with_a_difference_has_a_structure_of_its_own(changed: dict[str, Any]) -> None:
    one = analysed(SNOW)
    before = structure_of(one)
    assert structure_of(replace(one, **changed)) != before
    assert structure_of(one) == before


def test_a_chain_of_thousands_of_words() -> None:
    n = 3000
    tree = DependencyTree((0, *range(1, n)), ("root", *["ccomp"] * (n - 1)))
    one = Analysis(("say",) * n, (0,), ("VERB",) * n, ("VB",) * n, (tree,))
    assert sum(clause.operator == "Proposition" for clause in structure_of(one).clauses) == n - 1


def test_structures_of_the_shipped_parser(parallel_meaning_bank: Path) -> None:
    text = parallel_meaning_bank.read_bytes()
    gold = read_clauses(gzip.decompress(text).decode().split("\n"), "gold")[:100]
    found = get_analyser("en-ewt").analyse([one.text for one in gold], Wanted(roles=True))
    total = ClauseCounts()
    for ours, theirs in zip(found, gold, strict=True):
        assert theirs.analysis.drs is not None
        total += count_matches(structure_of(ours), theirs.analysis.drs, plain=True)
    assert total.f1 >= 0.75


@pytest.fixture(name="parallel_meaning_bank")
def _parallel_meaning_bank() -> Path:
    data = os.environ.get("PFSM_DATA", "")
    path = Path(data).parent / "treebanks" / "pmb" / "pmb-4.0.0-en-gold-test.clf.gz"
    if not (data and path.is_file()):
        pytest.skip("PFSM_DATA has no treebanks beside it")
    return path
