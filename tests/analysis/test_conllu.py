import math

import pytest

from pfsm.analysis.conllu import analyses_of, conllu_lines, parse_conllu
from pfsm.analysis.sentence import Analysis, DependencyTree
from pfsm.errors import PfsmError
from tests.analysis.samples import CONLLU


def test_words_tags_heads_ranges_and_text() -> None:
    first, second = parse_conllu(CONLLU.split("\n"), "x")
    assert first.forms == ("We", "do", "n't", "sing", ",", "Anna", ".")
    assert first.heads == (4, 4, 4, 0, 6, 4, 4)
    assert first.labels[5] == "vocative"
    assert first.upos[1] == "AUX"
    assert first.xpos[3] == "VB"
    assert first.ranges == ((2, 3, "don't"),)
    assert first.text == "We don't sing, Anna."
    assert first.comment("sent_id") == "1"
    assert (second.text, second.line) == ("Yes", 13)


def test_text_is_put_together_where_no_comment_gives_it() -> None:
    lines = [line for line in CONLLU.split("\n") if not line.startswith("# text")]
    assert next(parse_conllu(lines, "x")).text == "We don't sing, Anna."


def rows(*heads: object) -> list[str]:
    return [f"{k}\tw{k}\t_\t_\t_\t_\t{head}\tdep\t_\t_" for k, head in enumerate(heads, 1)]


DAMAGE = [
    (["2\tA\t_\t_\t_\t_\t0\troot\t_\t_"], "x:1: ID is '2', 1 is next"),
    (["1\t\u00a0\t_\t_\t_\t_\t0\troot\t_\t_"], "x:1: FORM is empty"),
    (["1\tA\t_\t_\t_\t_\tx\troot\t_\t_"], "x:1: HEAD is 'x'"),
    (rows(3), "x:1: HEAD is 3, the sentence has 1 words"),
    (rows("9" * 5000), "x:1: HEAD is '999999999...'"),
    (["2-3\tA\t_\t_\t_\t_\t_\t_\t_\t_"], "x:1: ID is 2-3, a range"),
    (["# only a comment"], "x:1: a sentence without words"),
    (rows(0, 1, 4, 5, 3), "x:3: HEAD leads in a cycle back to word 3"),
    (["1-999999999999\tab\t_\t_\t_\t_\t_\t_\t_\t_", *rows(0, 1)], "x:1: .*1-999999999999"),
    (["# log_probability = inf", *rows(0)], "^x:1: log_probability is 'inf', a number is needed$"),
    (["# line = 1", "# tree = 1", *rows(0), "", "# line = 1", "# tree = 2", rows(0)[0].replace("w1", "w2"), ""],
     "x:5: this tree of the n-best list"),
]  # fmt: skip


def test_damage_is_named() -> None:
    for lines, message in DAMAGE:
        with pytest.raises(PfsmError, match=message):
            analyses_of(parse_conllu(lines, "x"))


def test_what_is_written_is_read_again() -> None:
    trees = (
        DependencyTree((2, 0, 2, 0, 4), ("nsubj", "root", "punct", "root", "punct"), -0.25),
        DependencyTree((0, 1, 2, 0, 4), ("root", "dep", "punct", "root", "punct"), -1.75),
    )
    analysis = Analysis(
        ("He", "ran", ".", "Stop", "!"), (0, 3), ("PRON", "VERB", "PUNCT", "VERB", "PUNCT"), (), trees
    )
    once = Analysis(("Go",), (0,), (), ("VB",), (DependencyTree((0,), ("root",), -0.0),))
    text = [*conllu_lines(analysis, 1, n_best=True), *conllu_lines(once, 2, n_best=True)]
    found = analyses_of(parse_conllu(text, "x"))
    assert [(a.tokens, a.sentences, a.upos, a.xpos, a.trees) for a in found] == [
        (a.tokens, a.sentences, a.upos, a.xpos, a.trees) for a in (analysis, once)
    ]
    best = analyses_of(parse_conllu(conllu_lines(analysis, 1), "x"))
    assert [tree.heads for tree in best[0].trees] == [trees[0].heads]
    assert math.isnan(best[0].trees[0].log_probability)
