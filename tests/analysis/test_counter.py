"""Counter: matching clauses under the best renaming of variables; all expectations by hand or by trying."""

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
