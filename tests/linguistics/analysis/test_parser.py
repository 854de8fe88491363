"""The parser with random weights: properties that hold for any weights; its tokeniser."""

import itertools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pfsm.errors import PfsmError
from pfsm_linguistics.analysis.sentence import DependencyTree
from pfsm_linguistics.analysis.tokens import words_of
from pfsm_linguistics.analysis.wanted import Wanted
from pfsm_linguistics.parser.network import Network
from pfsm_linguistics.parser.parse import LONGEST_SENTENCE, Parser, _combined
from pfsm_linguistics.parser.weights import (
    ParserWeights,
    quantised,
    read_weights,
    restored,
    weights_bytes,
    write_weights,
)
from tests.linguistics.analysis.samples import random_weights
from tests.linguistics.oracles.syntax import single_root_trees, tree_score

LINES = [["the", "Cat", "sees", "."], [], ["x"], ["the", "dog", "99", "sees", "Ünïcode"], ["the"] * 12]
ALL = Wanted(trees=3, marginals=True, constituents=True)


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser(random_weights())


def test_lines_do_not_depend_on_their_neighbours(parser: Parser) -> None:
    together = parser.parse(LINES, ALL)
    alone = [Parser(random_weights()).parse([line], ALL)[0] for line in LINES]
    for one, other in zip(together, alone, strict=True):
        assert (one.tokens, one.upos, one.xpos, one.sentences) == (
            other.tokens, other.upos, other.xpos, other.sentences,
        )  # fmt: skip
        assert [tree.heads for tree in one.trees] == [tree.heads for tree in other.trees]
        ours, theirs = ([tree.log_probability for tree in side.trees] for side in (one, other))
        assert ours == pytest.approx(theirs, abs=1e-5)
        assert one.constituents == other.constituents


def test_trees_and_probabilities_are_those_of_the_scores() -> None:
    words = ["the", "cat", "sees", "dog"]
    weights = random_weights(3)
    network = Network(weights)
    encoded = network.lines([words])[0].encoded
    scores = network.arcs(encoded).astype(np.float64)
    trees = sorted(single_root_trees(4), key=lambda heads: -tree_score(scores, heads))
    values = np.array([tree_score(scores, heads) for heads in trees])
    log_sum = math.log(np.exp(values).sum())
    found = Parser(weights).parse([words], Wanted(trees=64, marginals=True, one_sentence=True))[0]
    assert [tree.heads for tree in found.trees] == trees
    assert [tree.log_probability for tree in found.trees] == pytest.approx(list(values - log_sum), abs=1e-9)
    assert found.marginals is not None
    arcs = np.zeros((4, 5))
    for tree in found.trees:
        arcs[np.arange(4), tree.heads] += math.exp(tree.log_probability)
    # Labelled arcs under the threshold are left out.
    assert np.abs(found.marginals.arcs(4) - arcs).max() < 1e-4
    roots = found.marginals.label == 0
    assert (found.marginals.head[roots] == 0).all()
    assert (found.marginals.head[~roots] > 0).all()


def test_lines_of_several_sentences_have_several_roots() -> None:
    weights = random_weights(1)
    weights.arrays["starts.bias"][:] = 50.0
    found = Parser(weights).parse([["the", "cat", "sees"]], ALL)[0]
    assert found.sentences == (0, 1, 2)
    assert found.trees[0].heads == (0, 0, 0)
    assert [tree.start for tree in found.constituents] == [0, 1, 2]
    assert Parser(weights).parse([["the", "cat"]], Wanted(one_sentence=True))[0].trees[0].heads.count(0) == 1


def test_endless_lines_are_cut(parser: Parser) -> None:
    found = parser.parse([["the", "cat"] * LONGEST_SENTENCE], Wanted(one_sentence=True))[0]
    assert max(end - start for start, end in found.bounds) <= LONGEST_SENTENCE
    assert len(found.trees[0].heads) == 2 * LONGEST_SENTENCE


def test_weights_come_back_and_damage_is_seen(tmp_path: Path) -> None:
    folder = tmp_path
    weights = random_weights()
    write_weights(weights, folder / "x.parser")
    again = read_weights(folder / "x.parser")
    assert again.inventories == weights.inventories
    assert again.temperatures == weights.temperatures
    for name, array in weights.arrays.items():
        step = np.abs(array).max() / 127
        assert np.abs(again.arrays[name] - array).max() <= step / 2 + 1e-7
    content = weights_bytes(weights)
    for damaged in (content[:-40], content.replace(b"random", b"rondom"), b"", b"{}\n", b"\x00" * 50):
        (folder / "y.parser").write_bytes(damaged)
        with pytest.raises(PfsmError, match="parser"):
            read_weights(folder / "y.parser")


def damaged_parsers() -> list[tuple[str, ParserWeights]]:
    """Undamaged files whose content is no network."""
    weights = random_weights()
    found = []
    for name, array in weights.arrays.items():
        others = {key: value for key, value in weights.arrays.items() if key != name}
        found.append((f"{name} is missing", replace(weights, arrays=others)))
        broken = np.where(np.arange(array.size) == 0, np.nan, array.ravel())
        for what, bad in (
            ("short", array[:-1]),
            ("deep", array[None]),
            ("no number", broken.astype(np.float32)),
        ):
            if bad.size:
                found.append((f"{name} is {what}", replace(weights, arrays={**others, name: bad})))
    for kind, names in weights.inventories.items():
        shorter = {**weights.inventories, kind: names[:-1]}
        found.append((f"{kind} lacks one", replace(weights, inventories=shorter)))
    temperatures = {**weights.temperatures, "arcs": 0.0}
    found.append(("cold", replace(weights, temperatures=temperatures)))
    return found


def test_an_undamaged_file_without_a_network_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.parser"
    cases = damaged_parsers()
    assert len(cases) > 100
    for what, weights in cases:
        write_weights(weights, path)
        fault = ""
        try:
            read_weights(path)
        except PfsmError as error:
            fault = str(error)
        assert fault.startswith(f"{path}: not a complete parser of pfsm"), what


def test_rows_keep_their_own_scale() -> None:
    matrix = np.array([[1.0, -0.5], [1e-4, 3e-5], [0.0, 0.0]], dtype=np.float32)
    assert np.abs(restored(*quantised(matrix)) - matrix).max(axis=1) == pytest.approx([0, 0, 0], abs=4e-3)
    assert restored(*quantised(matrix))[1] == pytest.approx(matrix[1], rel=0.02)


def test_n_best_lists_against_every_combination() -> None:
    """Of a line of several sentences of one word; labels tell the trees apart."""
    rng = np.random.default_rng(1)
    for sizes, count in itertools.product([(1,), (3, 1), (3, 4), (5, 1, 4), (2, 4, 3, 2)], [1, 2, 17, 1000]):
        lists = [
            [
                DependencyTree((0,), (f"{sentence}-{number}",), value)
                for number, value in enumerate(sorted((-rng.exponential(size=size)).tolist(), reverse=True))
            ][:count]
            for sentence, size in enumerate(sizes)
        ]
        every = {
            tuple(tree.labels[0] for tree in chosen): sum(tree.log_probability for tree in chosen)
            for chosen in itertools.product(*lists)
        }
        wanted = sorted(every.items(), key=lambda entry: -entry[1])[:count]
        found = _combined(lists, count)
        assert [tree.labels for tree in found] == [labels for labels, _ in wanted]
        assert [tree.log_probability for tree in found] == pytest.approx([value for _, value in wanted])
        assert {tree.heads for tree in found} == {(0,) * len(sizes)}


WORDS = [
    ("They don't, we'll see.", "They do n't , we 'll see ."),
    ("A 15-year plan to co-operate.", "A 15 - year plan to co-operate ."),
    ("We cannot pay $20,000.50 (or £3)!", "We can not pay $ 20,000.50 ( or £ 3 ) !"),
    ("See https://a.example/x?y=1 or ann@b.example.", "See https://a.example/x?y=1 or ann@b.example ."),
    ("the dog's bone… and\u00a0Anna’s", "the dog 's bone … and Anna ’s"),
    ("the U.S. team at 5pm...", "the U.S. team at 5pm ..."),
    ("", ""),
]


def test_words() -> None:
    for line, words in WORDS:
        assert [word.form for word in words_of(line)] == words.split()


def test_every_character_belongs_to_one_word_whatever_the_line_is() -> None:
    line = "a\t\u2028«x»–'s n't 'll (: :-) <<>> \ud83d\ude00 _x_ --- '' .. http:// @ \x00 ½ don''t"
    found = words_of(line)
    assert "".join(word.form for word in found) == "".join(c for c in line if not c.isspace())
    assert all(line[word.start : word.end] == word.form for word in found)
