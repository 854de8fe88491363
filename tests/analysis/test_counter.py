"""Counter: matching clauses under the best renaming of variables; all expectations by hand or by trying."""

import itertools
import random

from pfsm.analysis.clauses import Clause, Drs
from tests.analysis.counter import count_matches
from tests.analysis.samples import drs

BY_HAND = [
    # The same but for names of variables; REF of a referent that its box uses is left out, another one stays.
    ('b1 REF x1;b1 dog "n.01" x1', 'b7 REF x9;b7 dog "n.01" x9', 1, 1, 1),
    ('b1 REF x1;b2 dog "n.01" x1', 'b1 REF x1;b2 dog "n.01" x1', 2, 2, 2),
    # Another sense.
    ('b1 dog "n.02" x1', 'b1 dog "n.01" x1', 0, 1, 1),
    # Two dogs, one of which barks: the mapping has to choose the one that barks.
    ('b1 dog "n.01" x1;b1 dog "n.01" x2;b1 A0 e1 x2', 'b1 dog "n.01" x5;b1 A0 e1 x5;b1 dog "n.01" x6', 3, 3, 3),
    # Boxes are mapped to boxes only, and direction counts.
    ("b1 NEGATION b2;b2 NEGATION b1", "b1 NEGATION b2;b2 NEGATION b3", 1, 2, 2),
    # The role has its arguments the other way round; a clause that stands there twice counts once.
    ("b1 A0 e1 x1;b1 A1 e1 x2", "b1 A0 e1 x1;b1 A1 x2 e1", 1, 2, 2),
    ("b1 A0 e1 x1;b1 A0 e1 x1", "b1 A0 e1 x1", 1, 1, 1),
]  # fmt: skip


def test_counter_by_hand() -> None:
    for ours, gold, *counts in BY_HAND:
        assert count_matches(drs(ours), drs(gold)) == tuple(counts), ours


def test_counter_without_senses_and_role_names() -> None:
    ours = drs('b1 dog "n.02" x1;b1 A0 e1 x1;b1 EQU t1 "now"')
    gold = drs('b1 dog "n.01" x1;b1 Agent e1 x1;b1 TPR t1 "now"')
    assert count_matches(ours, gold)[0] == 0
    assert count_matches(ours, gold, plain=True) == (2, 3, 3)


def _best_by_trying(ours: Drs, gold: Drs) -> int:
    """The largest number of matches over all mappings."""
    names = [sorted({n for c in side.clauses for n in (c.box, *c.arguments)}) for side in (ours, gold)]
    boxes, others = ([n for n in names[0] if (n[0] == "b") is kind] for kind in (True, False))
    targets = [[n for n in names[1] if (n[0] == "b") is kind] for kind in (True, False)]
    best = 0
    for b in itertools.permutations([*targets[0], *(f"b9{k}" for k in range(len(boxes)))], len(boxes)):
        for x in itertools.permutations([*targets[1], *(f"x9{k}" for k in range(len(others)))], len(others)):
            to = dict(zip([*boxes, *others], [*b, *x], strict=True))
            mapped = {(to[c.box], c.operator, tuple(to[n] for n in c.arguments)) for c in ours.clauses}
            best = max(best, len(mapped & {(c.box, c.operator, c.arguments) for c in gold.clauses}))
    return best


def test_counter_finds_the_best_mapping_of_small_structures() -> None:
    dice = random.Random(1)
    lost = 0
    for _ in range(40):
        sides = []
        for _side in range(2):
            drawn = [(dice.choice("12"), dice.choice("PQ"), dice.sample("123", 2)) for _ in range(5)]
            clauses = (Clause(f"b{b}", name, (f"x{x}", f"x{y}")) for b, name, (x, y) in drawn)
            sides.append(Drs(tuple(dict.fromkeys(clauses))))
        best, found = _best_by_trying(*sides), count_matches(*sides)[0]
        assert found <= best
        lost += best - found
    assert lost == 0
