"""Metrics over discourse structures, with boxes given in files; all numbers by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm.errors import PfsmError
from pfsm.metrics.registry import get_metric

# Words with their places: a 0-1, dog 2-5, barks 6-11, today 12-17.
CLAUSES = """\
%%% raw: a dog barks today
b1 REF x1 % [0...1]
b1 dog "n.01" x1 % [2...5]
b1 bark "v.01" e1 % [6...11]
b1 A0 e1 x1 % [6...11]
b1 time "n.08" t1 % [6...11]
b1 EQU t1 "now" % [6...11]
b1 Time e1 t1 % [6...11]

%%% raw: a cat barks
b1 cat "n.01" x1 % [2...5]
b1 bark "v.01" e1 % [6...11]
b1 A0 e1 x1 % [6...11]

%%% raw: no dog barks
b1 NEGATION b2 % [0...2]
b2 dog "n.01" x1 % [3...6]
b2 bark "v.01" e1 % [7...12]
b2 A0 e1 x1 % [7...12]

%%% raw: every dog barks
b1 NEGATION b2 % [0...5]
b2 NEGATION b3 % [0...5]
b2 dog "n.01" x1 % [6...9]
b3 bark "v.01" e1 % [10...15]
b3 A0 e1 x1 % [10...15]

%%% raw: every barks dog
b1 NEGATION b2 % [0...5]
b2 NEGATION b3 % [0...5]
b2 bark "n.01" x1 % [6...11]
b3 dog "v.01" e1 % [12...15]
b3 A0 e1 x1 % [12...15]

%%% raw: Bo owns two pens
b2 PRESUPPOSITION b1 % [0...2]
b2 male "n.02" x1 % [0...2]
b2 Name x1 "bo" % [0...2]
b1 own "v.01" e1 % [3...7]
b1 A0 e1 x1 % [3...7]
b1 A1 e1 x2 % [3...7]
b1 Quantity x2 "2" % [8...11]
b1 pen "n.01" x2 % [12...16]

%%% raw: who says that Bo is me or you
b1 person "n.01" x1 % [0...3]
b1 Name x1 "?" % [0...3]
b1 say "v.01" e1 % [4...8]
b1 A0 e1 x1 % [4...8]
b1 ATTRIBUTION b2 % [4...8]
b1 Proposition e1 b2 % [4...8]
b2 Name x2 "bo" % [14...16]
b2 DIS b3 b4 % [23...25]
b3 EQU x2 "speaker" % [20...22]
b4 EQU x2 "hearer" % [26...29]

%%% raw: on Monday
b1 DayOfWeek t1 "monday" % [3...9]

%%% raw: mm

"""
DOG, CAT, NO_DOG, EVERY_DOG, EVERY_BARK = (
    "a dog barks today", "a cat barks", "no dog barks", "every dog barks", "every barks dog",
)  # fmt: skip
PENS, ASKED, MONDAY, NOTHING = "Bo owns two pens", "who says that Bo is me or you", "on Monday", "mm"


@pytest.fixture(name="parser")
def _parser(tmp_path: Path) -> str:
    path = tmp_path / "boxes.clf"
    path.write_text(CLAUSES, encoding="utf-8")
    return f"file:{path}"


def _score(name: str, hypothesis: str, reference: str, parser: str, **options: Any) -> float:
    return float(get_metric(name, parser=parser, **options).score_pairs([hypothesis], [reference])[0])


@pytest.mark.parametrize(
    ("name", "hypothesis", "reference", "score"),
    [
        # pred: {dog, barks} and {cat, barks}; rel: the same words. Tense is not a condition.
        ("dr-or-pred", CAT, DOG, 1 / 3),
        ("dr-or-*", CAT, DOG, 1 / 3),
        # not: {dog, barks}, the words of the box, on one side only, which counts as a type.
        ("dr-or-*", NO_DOG, DOG, (1 + 1 + 0) / 3),
        ("dr-or-*(average=elements)", NO_DOG, DOG, 4 / 6),
        # Two negations are an implication, and no negation: its parts have positions.
        ("dr-or-imp", EVERY_DOG, EVERY_DOG, 1.0),
        ("dr-or-not", EVERY_DOG, NO_DOG, 0.0),
        # {1 dog, 2 barks} and {1 barks, 2 dog}; the words of a simple condition have no position.
        ("dr-or-imp", EVERY_BARK, EVERY_DOG, 0.0),
        ("dr-or-rel", EVERY_BARK, EVERY_DOG, 1.0),
        # named {Bo}; card {two, pens}; eq none.
        ("dr-or-named", PENS, ASKED, 1.0),
        ("dr-or-card", PENS, DOG, 0.0),
        ("dr-or-timex", MONDAY, MONDAY, 1.0),
    ],
)
def test_overlaps_by_hand(name: str, hypothesis: str, reference: str, score: float, parser: str) -> None:
    assert _score(name, hypothesis, reference, parser) == pytest.approx(score, abs=1e-15)
    assert _score(name, reference, hypothesis, parser) == pytest.approx(score, abs=1e-15)


def test_words_of_every_type(parser: str, tmp_path: Path) -> None:
    from pfsm_linguistics.analysers.programs import FileAnalyser
    from pfsm_linguistics.analysis.wanted import Wanted
    from pfsm_linguistics.metrics.discourse import conditions_of

    (one,) = FileAnalyser(parser.removeprefix("file:")).analyse([ASKED], Wanted())
    found = {
        condition.kind: [sorted(one.tokens[word] for word in words) for words in condition.words]
        for condition in conditions_of(one)
        if condition.kind in {"whq", "prop", "or"}
    }
    assert found == {
        "whq": [["who"], ["Bo", "me", "or", "says", "you"]],
        "prop": [["Bo", "me", "or", "you"]],
        "or": [["me", "you"]],
    }


def test_trees_by_hand(parser: str) -> None:
    # drs(pred:dog(1:x) pred:bark(1:e) rel:a0(1:e 2:x)): 1 + 3 + 4 nodes; depths 1, 2, 3 have 8, 4 and 1 subtrees.
    # The cat shares all nodes but pred:dog, all of the depth 2 but that of the dog, and not the box. Depth 4 gives 0.
    pieces = [(8 - 1) / 8, 2 / 4, 0 / 1]
    assert _score("dr-stm", CAT, DOG, parser) == pytest.approx(sum(pieces) / 4)
    assert _score("dr-stm", CAT, DOG, parser, depth=2) == pytest.approx(sum(pieces[:2]) / 2)
    assert _score("dr-stm", DOG, DOG, parser) == 3 / 4
    assert _score("dr-stm", EVERY_DOG, EVERY_DOG, parser) == 1.0
    # Ways down: 8 nodes; 3 + 4 steps; 4 ways of three. The dog's way has one piece of each size less.
    ways = [7 / 8, (7 - 2) / 7, 3 / 4]
    assert _score("dr-stm(pieces=paths)", CAT, DOG, parser) == pytest.approx(sum(ways) / 4)


@pytest.mark.parametrize("name", ["dr-or-*", "dr-stm"])
def test_without_structure_the_score_is_zero(name: str, parser: str) -> None:
    metric = get_metric(name, parser=parser)
    hypotheses = [NOTHING, DOG, NOTHING, "", "", EVERY_DOG]
    references = [DOG, NOTHING, NOTHING, DOG, "", EVERY_DOG]
    assert metric.score_pairs(hypotheses, references).tolist() == [0, 0, 0, 0, 0, 1]
    assert np.isnan(metric.understood_scores(hypotheses, references)).tolist() == [True] * 5 + [False]


TREES = """\
1\tAnna\t_\tPROPN\tNNP\t_\t2\tnsubj\t_\t_
2\tsings\t_\tVERB\tVBZ\t_\t0\troot\t_\t_

1\tBo\t_\tPROPN\tNNP\t_\t2\tnsubj\t_\t_
2\tsang\t_\tVERB\tVBD\t_\t0\troot\t_\t_

"""


def test_tags_of_structures_built_from_trees(tmp_path: Path) -> None:
    path = tmp_path / "trees.conllu"
    path.write_text(TREES, encoding="utf-8")
    # pred: {Anna, sings} against {Bo, sang}, tags {NNP, VBZ} against {NNP, VBD}; named {NNP}; rel as pred.
    assert _score("dr-or-*", "Anna sings", "Bo sang", f"file:{path}") == 0.0
    assert _score("dr-orp-pred", "Anna sings", "Bo sang", f"file:{path}") == pytest.approx(1 / 3)
    assert _score("dr-orp-*", "Anna sings", "Bo sang", f"file:{path}") == pytest.approx(
        (1 / 3 + 1 / 3 + 1) / 3
    )


def test_a_file_without_what_is_needed_is_the_wrong_one(parser: str, tmp_path: Path) -> None:
    with pytest.raises(PfsmError, match="gives no tags"):
        _score("dr-orp-*", DOG, DOG, parser)
    path = tmp_path / "trees.ptb"
    path.write_text("(TOP (INTJ (UH Yes)))\n", encoding="utf-8")
    with pytest.raises(PfsmError, match="gives no dependency trees"):
        _score("dr-or-*", "Yes", "Yes", f"file:{path}")


def test_boxes_in_circles_end(tmp_path: Path) -> None:
    path = tmp_path / "circles.clf"
    path.write_text(
        "%%% raw: go\nb1 NEGATION b2 % [0...2]\nb2 NEGATION b1 % [0...2]\n"
        'b3 PRESUPPOSITION b4\nb4 PRESUPPOSITION b3\nb3 go "v.01" e1 % [0...2]\n',
        encoding="utf-8",
    )
    for name in ("dr-or-*", "dr-stm", "dr-stm(pieces=paths)"):
        assert 0.0 < _score(name, "go", "go", f"file:{path}") <= 1.0


def _kinds(clauses: str) -> list[tuple[str, str]]:
    from pfsm_linguistics.analysis.clause_files import read_clauses
    from pfsm_linguistics.metrics.discourse import conditions_of

    (one,) = read_clauses(f"%%% raw: a b c d e f\n{clauses}".splitlines(), "x")
    return [(condition.kind, condition.symbol) for condition in conditions_of(one)]


@pytest.mark.parametrize(
    ("marks", "kinds"),
    [
        # If (a) it does not (b) rain, we stay: the two of the implication have the same word.
        (("a", "b", "a"), ["imp", "not"]),
        # It is not (a) so that none (b) rains: one negation in another.
        (("a", "b", ""), ["not", "not"]),
        # Without words the only inner one is the consequence; of two nobody knows.
        (("-", "", "-"), ["imp"]),
    ],
)
def test_the_negations_of_an_implication_have_one_word(marks: tuple[str, str, str], kinds: list[str]) -> None:
    words = {"a": " % a [0...1]", "b": " % b [2...3]", "-": ""}
    boxes = ("b1 NEGATION b2", "b2 NEGATION b3", "b2 NEGATION b4")
    clauses = [box + words[mark] for box, mark in zip(boxes, marks, strict=True) if mark]
    assert sorted(kind for kind, _ in _kinds("\n".join(clauses))) == sorted(kinds)
