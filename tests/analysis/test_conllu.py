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


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("2\tA\t_\t_\t_\t_\t0\troot\t_\t_", "x:1: ID is '2', 1 is next"),
        ("1\t\t_\t_\t_\t_\t0\troot\t_\t_", "x:1: FORM is empty"),
        ("1\tA\t_\t_\t_\t_\tx\troot\t_\t_", "x:1: HEAD is 'x'"),
        ("1\tA\t_\t_\t_\t_\t3\troot\t_\t_", "x:1: HEAD is 3, the sentence has 1 words"),
        (f"1\tA\t_\t_\t_\t_\t{'9' * 5000}\troot\t_\t_", "x:1: HEAD is '999999999...'"),
        ("2-3\tA\t_\t_\t_\t_\t_\t_\t_\t_", "x:1: ID is 2-3, a range"),
        ("# only a comment", "x:1: a sentence without words"),
    ],
)
def test_damage_is_named(line: str, message: str) -> None:
    with pytest.raises(PfsmError, match=message.replace("(", r"\(")):
        list(parse_conllu([line], "x"))


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


def test_trees_over_other_words_are_refused() -> None:
    row = "1\t{}\t_\t_\t_\t_\t0\troot\t_\t_"
    text = ["# line = 1", "# tree = 1", row.format("A"), "", "# line = 1", "# tree = 2", row.format("B"), ""]
    with pytest.raises(PfsmError, match="x:5: this tree of the n-best list"):
        analyses_of(parse_conllu(text, "x"))


def rows(*heads: int) -> list[str]:
    return [f"{k}\tw{k}\t_\t_\t_\t_\t{head}\tdep\t_\t_" for k, head in enumerate(heads, 1)]


def test_words_in_a_circle_are_refused() -> None:
    assert [sentence.heads for sentence in parse_conllu(rows(2, 4, 2, 0), "x")] == [(2, 4, 2, 0)]
    with pytest.raises(PfsmError, match="x:3: HEAD leads in a cycle back to word 3"):
        list(parse_conllu(rows(0, 1, 4, 5, 3), "x"))


@pytest.mark.parametrize("last", ["3", "999999999999"])
def test_a_range_ends_within_its_sentence(last: str) -> None:
    with pytest.raises(PfsmError, match=f"x:1: .*1-{last}"):
        list(parse_conllu([f"1-{last}\tab\t_\t_\t_\t_\t_\t_\t_\t_", *rows(0, 1)], "x"))


@pytest.mark.parametrize("value", ["x", "-1e999"])
def test_a_probability_that_is_no_number_is_refused(value: str) -> None:
    with pytest.raises(PfsmError, match=f"^x:1: log_probability is '{value}', a number is needed$"):
        analyses_of(parse_conllu([f"# log_probability = {value}", *rows(0)], "x"))
