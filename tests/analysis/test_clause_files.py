"""Clause files of discourse representation structures: what is read, written and refused."""

import pytest

from pfsm.analysis.cache import packed, unpacked
from pfsm.analysis.clause_files import box_lines, clause_lines, read_clauses
from pfsm.analysis.clauses import Clause
from pfsm.analysis.sentence import joined
from pfsm.errors import PfsmError

BARKS = """\
%%% a comment
%%% raw: A dog barks.
%%% tok: A dog barks .
b1 REF x1 % A [0...1]
b1 dog "n.01" x1 % dog [2...5]
b1 REF e1 % barks [6...11]
b1 Agent e1 x1 % barks [6...11]
b1 bark "v.01" e1 % barks [6...11]
% . [11...12]
"""


def test_reading_a_clause_file() -> None:
    (one,) = read_clauses(BARKS.splitlines(), "x")
    assert one.tokens == ("A", "dog", "barks", ".")
    assert one.drs is not None
    assert one.drs.clauses[1] == Clause("b1", "dog", ('"n.01"', "x1"), (1,))
    assert list(box_lines(one.drs)) == ["b1: x1 e1 | dog(x1), Agent(e1, x1), bark(e1)"]


def test_joined_and_empty_words_of_a_clause_file() -> None:
    text = (
        '%%% raw: I saw New York.\n%%% tok: I saw ø New~York .\nb1 Name x1 "new~york" % New~York [6...14]\n'
    )
    (one,) = read_clauses(text.splitlines(), "x")
    assert one.tokens == ("I", "saw", "New", "York", ".")
    assert one.drs is not None
    assert one.drs.clauses[0].words == (2, 3)


def test_what_is_written_is_read_again() -> None:
    (one,) = read_clauses(BARKS.splitlines(), "x")
    assert one.drs is not None
    (again,) = read_clauses(list(clause_lines(one, one.drs, 1)), "x")
    assert again.drs == one.drs
    assert again.tokens == one.tokens


MALFORMED_CLAUSES_ARE_REFUSED = [
    ("%%% raw: A\nb1 REF\n", "x:2: a clause is written as"),
    ("%%% tok: A\nb1 REF x1\n", "x:1: this block needs a line"),
    ('%%% raw: A\nb1 EQU "a" "b"\n', "x:2: .* has no variable"),
    ("%%% raw: A\nb1 EQU x1\n", "x:2: EQU takes two arguments"),
    ("%%% raw: A\nb1 REF b2\n", "x:2: REF takes one referent"),
    ("%%% raw: A\nb1 PRESUPPOSITION x1\n", "x:2: PRESUPPOSITION takes one box"),
    ("%%% raw: A\nb1 NEGATION b1\n", "x:2: .* another box than its own"),
    ('%%% raw: A\nx1 dog "n.01" x2\n', "x:2: a clause begins with its box"),
    ('%%% raw: A\nb1 dog "n.01" b2\n', "x:2: the concept dog takes"),
    ('%%% raw: A\nb1 Name b2 "bo"\n', "x:2: Name begins with a referent"),
    ("%%% raw: A\nb1 DIS b2 x1\n", "x:2: DIS takes two boxes"),
    ("%%% raw: A\nb1 REF x1 % A [1...0]\n", r"x:2: \[1\.\.\.0\] holds no characters"),
]


def test_malformed_clauses_are_refused() -> None:
    for text, message in MALFORMED_CLAUSES_ARE_REFUSED:
        with pytest.raises(PfsmError, match=message):
            read_clauses(text.splitlines(), "x")


def test_lines_of_several_blocks_share_no_variable() -> None:
    (one,) = read_clauses(BARKS.splitlines(), "x")
    first, whole = one.drs, joined([one, one])
    assert first is not None
    assert whole.drs is not None
    assert whole.drs.clauses[len(first.clauses) :] == tuple(
        Clause(
            "b2",
            clause.operator,
            tuple(name.replace("1", "2") if len(name) == 2 else name for name in clause.arguments),
            tuple(word + 4 for word in clause.words),
        )
        for clause in first.clauses
    )
    assert unpacked(packed(whole)).drs == whole.drs
