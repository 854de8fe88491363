"""Discourse representation structures are built from trees and roles; all expectations by hand."""

import gzip
import os
from collections import Counter
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm_linguistics.analysers.registry import get_analyser
from pfsm_linguistics.analysis.clause_files import read_clauses
from pfsm_linguistics.analysis.clauses import Clause, Drs, is_box, is_constant
from pfsm_linguistics.analysis.roles import Argument, Frame
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree
from pfsm_linguistics.analysis.wanted import Wanted
from pfsm_linguistics.discourse.building import structure_of
from tests.linguistics.analysis.samples import analysed, drs


def with_roles(text: str, frames: str = "") -> Analysis:
    """An analysis with roles: ``PREDICATE LABEL=FIRST-LAST …``, several between semicolons, words counted from 0."""
    found = []
    for row in filter(None, frames.split(";")):
        predicate, *given = row.split()
        arguments = []
        for one in given:
            label, _, span = one.partition("=")
            first, _, last = span.partition("-")
            arguments.append(Argument(label, ((int(first), int(last or first) + 1),)))
        found.append(Frame(int(predicate), "", tuple(arguments)))
    return replace(analysed(text), frames=tuple(found) if found else None)


def matches(analysis: Analysis, expected: str) -> bool:
    """Whether the structure is the expected one up to names of variables, tense aside."""
    clauses = structure_of(analysis).clauses
    moments = {name for one in clauses for name in one.arguments if name.startswith("t")}
    ours = compared(Drs(tuple(one for one in clauses if not moments & set(one.arguments))))
    gold = compared(drs(expected))
    boxes, others = variables(gold)
    given = [name for names in variables(ours) for name in names]
    return len(given) == len(boxes) + len(others) and any(
        {renamed(one, dict(zip(given, (*first, *last), strict=True))) for one in ours} == gold
        for first in permutations(boxes)
        for last in permutations(others)
    )


def compared(structure: Drs) -> set[Clause]:
    """The clauses but for those that say no more than that a box has a variable, where another says it too."""
    bare = [replace(one, words=()) for one in structure.clauses]
    used = {(one.box, name) for one in bare if not one.is_reference for name in one.arguments}
    return {one for one in bare if not (one.is_reference and (one.box, one.arguments[0]) in used)}


def variables(clauses: set[Clause]) -> tuple[list[str], list[str]]:
    """The boxes and the other variables."""
    found = {name for one in clauses for name in (one.box, *one.arguments) if not is_constant(name)}
    return sorted(filter(is_box, found)), sorted(name for name in found if not is_box(name))


def renamed(clause: Clause, names: dict[str, str]) -> Clause:
    """The clause with other names of variables."""
    arguments = tuple(names.get(name, name) for name in clause.arguments)
    return replace(clause, box=names[clause.box], arguments=arguments)


SWIMS = "dogs NOUN NNS 4 nsubj;can AUX MD 4 aux;not PART RB 4 advmod;swim VERB VB 0 root;"
SWIM = 'b1 dog "n.01" x1;b1 NEGATION b2;b2 POSSIBILITY b3;b3 swim "v.01" e1;b3 A0 e1 x1'
RUN = 'b4 cat "n.01" x2;b4 run "v.01" e2;b4 A0 e2 x2'
STRUCTURES = {
    "the sentence of the paper": (
        "Every DET DT 2 det;man NOUN NN 3 nsubj;loves VERB VBZ 0 root;Mary PROPN NNP 3 obj", "",
        ('b1 NEGATION b2;b2 NEGATION b3;b2 man "n.01" x1;b3 love "v.01" e1;b3 A0 e1 x1;b3 A1 e1 x2;'
        'b4 PRESUPPOSITION b3;b4 female "n.01" x2;b4 Name x2 "mary"'),
    ),
    "passive, negation, definite phrase": (
        ("The DET DT 2 det;cake NOUN NN 5 nsubj:pass;was AUX VBD 5 aux:pass;not PART RB 5 advmod;eaten VERB VBN 0 root;"
        "by ADP IN 8 case;two NUM CD 8 nummod;dogs NOUN NNS 5 obl"), "",
        ('b2 PRESUPPOSITION b1;b2 cake "n.01" x1;b1 NEGATION b3;b3 eat "v.01" e1;b3 A1 e1 x1;b3 A0 e1 x2;'
        'b3 dog "n.01" x2;b3 Quantity x2 "2"'),
    ),
    "content of an attitude that has a role": (
        "He PRON PRP 2 nsubj;said VERB VBD 0 root;that SCONJ IN 5 mark;she PRON PRP 5 nsubj;left VERB VBD 2 ccomp",
        "1 A0=0 A1=2-4;4 A0=3",
        ('b2 PRESUPPOSITION b1;b2 male "n.01" x1;b1 say "v.01" e1;b1 A0 e1 x1;b1 ATTRIBUTION b3;'
        'b1 Proposition e1 b3;b3 leave "v.01" e2;b3 A0 e2 x2;b4 PRESUPPOSITION b3;b4 female "n.01" x2'),
    ),
    "a reason": (
        ("dogs NOUN NNS 2 nsubj;bark VERB VBP 0 root;because SCONJ IN 5 mark;snow NOUN NN 5 nsubj;"
        "melts VERB VBZ 2 advcl"), "1 A0=0 AM-CAU=2-4;4 A1=3",
        ('b1 dog "n.01" x1;b1 bark "v.01" e1;b1 A0 e1 x1;b1 EXPLANATION b2;b2 melt "v.01" e2;b2 A1 e2 x2;'
        'b2 snow "n.01" x2'),
    ),
    "a condition": (
        "If SCONJ IN 3 mark;snow NOUN NN 3 nsubj;melts VERB VBZ 5 advcl;dogs NOUN NNS 5 nsubj;bark VERB VBP 0 root",
        "4 AM-ADV=0-2 A0=3;2 A1=1",
        ('b1 NEGATION b2;b2 NEGATION b3;b2 melt "v.01" e2;b2 A1 e2 x2;b2 snow "n.01" x2;b3 dog "n.01" x1;'
        'b3 bark "v.01" e1;b3 A0 e1 x1'),
    ),
    "negation and modal": (SWIMS, "3 A0=0 AM-MOD=1 AM-NEG=2", SWIM),
    # A coordinated clause stands outside negation and modals, if it has a subject or contrasts.
    "and with a subject": (
        SWIMS + "and CCONJ CC 7 cc;cats NOUN NNS 7 nsubj;run VERB VBP 4 conj", "3 A0=0 AM-MOD=1 AM-NEG=2;6 A0=5",
        f"{SWIM};b1 CONTINUATION b4;{RUN}",
    ),
    "but": (
        SWIMS + "but CCONJ CC 6 cc;run VERB VBP 4 conj", "3 A0=0;5 A0=0",
        f'{SWIM};b1 CONTRAST b4;b4 run "v.01" e2;b4 A0 e2 x1',
    ),
    "a coordinated clause stands outside a quantifier": (
        ("No DET DT 2 det;dog NOUN NN 3 nsubj;barked VERB VBD 0 root;and CCONJ CC 6 cc;cats NOUN NNS 6 nsubj;"
        "slept VERB VBD 3 conj"), "",
        ('b1 NEGATION b2;b2 dog "n.01" x1;b2 bark "v.01" e1;b2 A0 e1 x1;b1 CONTINUATION b3;b3 cat "n.01" x2;'
        'b3 sleep "v.01" e2;b3 A0 e2 x2'),
    ),
    "the role of a relative pronoun is that of the noun": (
        "Dogs NOUN NNS 0 root;that PRON WDT 3 nsubj;bark VERB VBP 1 acl:relcl", "2 A0=0 R-A0=1",
        'b1 dog "n.01" x1;b1 bark "v.01" e1;b1 A0 e1 x1',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STRUCTURES)
def test_structures(name: str) -> None:
    text, frames, expected = STRUCTURES[name]
    assert matches(with_roles(text, frames), expected)


def test_pronoun_is_who_was_mentioned() -> None:
    one = analysed("Anna PROPN NNP 2 nsubj;says VERB VBZ 0 root;she PRON PRP 4 nsubj;sings VERB VBZ 2 ccomp")
    subjects = [clause.arguments[1] for clause in structure_of(one).clauses if clause.operator == "A0"]
    assert (len(subjects), len(set(subjects))) == (2, 1)
    assert any(clause.operator == "Proposition" for clause in structure_of(one).clauses)


VALUES = [
    ("in ADP IN 4 case;1999 NUM CD 2 obl", "YearOfCentury 1999"),
    ("5 NUM CD 2 obl;May PROPN NNP 3 nmod;2012 NUM CD 3 nmod", "DayOfMonth 05;MonthOfYear 05;YearOfCentury 2012"),
    ("at ADP IN 4 case;noon NOUN NN 2 obl", "ClockTime 12:00"),
    ("3:30 NUM CD 2 obl;p.m. NOUN NN 3 nmod", "ClockTime 15:30"),
    ("12:05 NUM CD 2 obl;am NOUN NN 3 nmod", "ClockTime 00:05"),
    ("five NUM CD 4 nummod;o'clock NOUN NN 2 obl", "ClockTime 05:00"),
    ("1999 NUM CD 4 nummod;flakes NOUN NNS 2 obj", "Quantity 1999"),
    ("5 NUM CD 4 compound;million NUM CD 5 nummod;flakes NOUN NNS 2 obj", "Quantity 5000000"),
    ("two NUM CD 5 compound;hundred NUM CD 5 compound;five NUM CD 6 nummod;flakes NOUN NNS 2 obj", "Quantity 205"),
]  # fmt: skip


@pytest.mark.parametrize(("rest", "expected"), VALUES)
def test_dates_hours_and_numbers(rest: str, expected: str) -> None:
    clauses = structure_of(analysed(f"Snow NOUN NN 2 nsubj;fell VERB VBD 0 root;{rest}")).clauses
    last = [(one.operator, one.arguments[-1]) for one in clauses if one.arguments[-1].startswith('"')]
    assert {f"{name} {value[1:-1]}" for name, value in last if value != '"now"'} == set(expected.split(";"))


FELL = "did AUX VBD 4 aux;snow NOUN NN 4 nsubj;fall VERB VB 0 root"


@pytest.mark.parametrize(
    ("text", "role", "concept"),
    [
        (f"Where ADV WRB 4 advmod;{FELL}", "AM-LOC", "location"),
        ("Where ADV WRB 0 root;is AUX VBZ 1 cop;snow NOUN NN 1 nsubj", "AM-LOC", "location"),
        ("Which DET WDT 2 det;dog NOUN NN 3 nsubj;barks VERB VBZ 0 root", "A0", "dog"),
        ("Whose PRON WP$ 2 nmod:poss;dog NOUN NN 3 nsubj;barks VERB VBZ 0 root", "Of", "person"),
        ("How ADV WRB 2 advmod;many ADJ JJ 3 amod;dogs NOUN NNS 4 nsubj;bark VERB VBP 0 root", "Quantity", "quantity"),
    ],
)  # fmt: skip
def test_what_is_asked_for(text: str, role: str, concept: str) -> None:
    clauses = structure_of(analysed(text)).clauses
    (asked,) = (one.arguments[0] for one in clauses if one.arguments[-1] == '"?"')
    assert {one.operator for one in clauses if one.is_concept and one.arguments[1] == asked} == {concept}
    assert role in {one.operator for one in clauses if asked in one.arguments[1:] and not one.is_concept}


def test_nothing_is_said() -> None:
    lines = [analysed("and CCONJ CC 0 root"), Analysis(("a",), (0,)), Analysis(())]
    assert [structure_of(one).clauses for one in lines] == [()] * 3


SNOW = "Snow NOUN NN 2 nsubj;melts VERB VBZ 0 root;fast ADV RB 2 advmod;quietly ADV RB 2 advmod"


def test_a_line_with_a_difference_has_a_structure_of_its_own() -> None:
    one = analysed(SNOW)
    before = structure_of(one)
    labels = ("nsubj", "root", "advmod", "advmod")
    changes: list[dict[str, Any]] = [
        {"tokens": ("Ice", "melts", "fast", "quietly")},
        {"sentences": (0, 2), "trees": (DependencyTree((2, 0, 0, 2), ("nsubj", "root", "root", "advmod")),)},
        {"upos": ("PROPN", "VERB", "ADV", "ADV")},
        {"xpos": ("NN", "VBD", "RB", "RB")},
        {"trees": (DependencyTree((2, 0, 2, 3), labels),)},
        {"trees": (DependencyTree((2, 0, 2, 2), ("obj", *labels[1:])),)},
        {"frames": with_roles(SNOW, "1 A1=0").frames},
        {"frames": with_roles(SNOW, "1 A0=2").frames},
    ]
    for changed in changes:
        assert structure_of(replace(one, **changed)) != before, changed
        assert structure_of(one) == before


def test_a_chain_of_thousands_of_words() -> None:
    n = 3000
    tree = DependencyTree((0, *range(1, n)), ("root", *["ccomp"] * (n - 1)))
    one = Analysis(("say",) * n, (0,), ("VERB",) * n, ("VB",) * n, (tree,))
    assert sum(clause.operator == "Proposition" for clause in structure_of(one).clauses) == n - 1


def test_structures_of_the_shipped_parser() -> None:
    data = os.environ.get("PFSM_DATA", "")
    path = Path(data).parent / "treebanks" / "pmb" / "pmb-4.0.0-en-gold-test.clf.gz"
    if not (data and path.is_file()):
        pytest.skip("PFSM_DATA has no treebanks beside it")
    lines = gzip.decompress(path.read_bytes()).decode().split("\n")
    gold = read_clauses(lines, "gold")[:60]
    texts = [line.removeprefix("%%% raw:").strip() for line in lines if line.startswith("%%% raw:")][:60]
    found = get_analyser("en-ewt").analyse(texts, Wanted(roles=True))
    total = np.zeros(3)
    for ours, theirs in zip(found, gold, strict=True):
        assert theirs.drs is not None
        sides = by_concepts(structure_of(ours)), by_concepts(theirs.drs)
        total += ((sides[0] & sides[1]).total(), *(side.total() for side in sides))
    assert 2 * total[0] / (total[1] + total[2]) >= 0.785


def by_concepts(structure: Drs) -> Counter[tuple[str, ...]]:
    """How often each clause is there, its variables told by their concepts, without senses and names of roles."""
    concepts = {one.arguments[1]: one.operator for one in structure.clauses if one.is_concept}
    return Counter(
        ("role" if one.is_role else one.operator, *(concepts.get(name, "") for name in one.arguments))
        for one in structure.clauses
        if not one.is_reference
    )
