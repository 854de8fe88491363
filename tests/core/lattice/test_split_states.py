"""States split by word class, from settings to score, explanation and signature."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pfsm.errors import PfsmError
from pfsm.lattice.building import LONGEST, repeated_words
from pfsm.model.builder import LatticeBuilder
from pfsm.model.explain.text import explanation_lines
from pfsm.model.file import load_model, save_model
from pfsm.model.metric import Metric
from pfsm.model.settings import settings_from_dict
from pfsm.text.classes import word_classes
from pfsm.text.vocabulary import Vocabulary
from pfsm_kernels.inference import log_sum
from tests.command_runs import Cli
from tests.model_cases import model, saved
from tests.oracles import matching
from tests.oracles.classes import word_class
from tests.oracles.enumeration import Arc, EditLattice, enumerate_all

LISTS = {"negation": ["not", "no"], "function": ["the", "of"], "number": ["two"]}
WORDS = ("not", "the", "The", "two", "7", "walk", "walks", "Rome", ".", ",", "No")
STATES = ("Insert", "Delete", "S_punct", "S_word", "S_lemma")
CLASSES = ("punctuation", "number", "negation", "function", "name", "content")


def split_name(state: str, token: str, split: Sequence[str]) -> str:
    return f"{state}:{word_class(token, LISTS)}" if state in split else state


def repeated(tokens: list[str], longest: int = LONGEST) -> list[bool]:
    """By definition: some run of tokens that holds the word is followed or preceded by the same run."""
    words = [token.lower() for token in tokens]
    found = [False] * len(words)
    for first in range(len(words)):
        for size in range(1, longest + 1):
            run, behind = words[first : first + size], words[first + size : first + 2 * size]
            if run == behind and len(run) == size:
                found[first : first + 2 * size] = [True] * (2 * size)
    return [one and any(map(str.isalnum, word)) for one, word in zip(found, words, strict=True)]


def test_which_words_are_said_twice() -> None:
    rng = np.random.default_rng(3)
    lines = [
        [("the", "The", "dog", ",", "of")[at] for at in rng.integers(0, 5, rng.integers(0, 20))]
        for _ in range(200)
    ]
    lines += [["a", "b", "c", "d", "e", "f", "g", "h", "i"][:size] * 2 for size in (LONGEST, LONGEST + 1)]
    vocabulary = Vocabulary("plain", "none")
    found = repeated_words(vocabulary.encode([" ".join(line) for line in lines]), vocabulary)
    expected = [one for line in lines for one in repeated(line)]
    assert found.tolist() == expected
    assert 0 < sum(expected) < len(expected)
    # A line ends a run.
    assert not repeated_words(vocabulary.encode(["the dog", "the dog"]), vocabulary).any()
    assert repeated_words(vocabulary.encode([]), vocabulary).shape == (0,)


def enumerated(
    reference: list[str], hypothesis: list[str], split: Sequence[str], weights: dict[str, float]
) -> float:
    """y / (m + n) by brute force; a split state weighs what the whole state and the state of the class weigh."""
    names = ["punct", "word", "lemma"]
    found = matching.arcs(reference, hypothesis, names, dict.fromkeys(names, 2), exclusive=True)
    lattice = EditLattice(
        tuple(split_name("Delete", token, split) for token in reference),
        tuple(
            "Insert:repeat" if again and "Insert:repeat" in split else split_name("Insert", token, split)
            for token, again in zip(hypothesis, repeated(hypothesis), strict=True)
        ),
        tuple(Arc(i, p, j, q, split_name(state, reference[i], split)) for i, p, j, q, state in found),
    )
    states = {*lattice.delete_states, *lattice.insert_states, *(arc.state for arc in lattice.arcs)}
    both = {}
    for state in states:
        both[state] = weights.get(state, 0.0) + (
            weights.get(state.split(":")[0], 0.0) if ":" in state else 0.0
        )
        for after in states:
            whole = f"{state.split(':')[0]}>{after.split(':')[0]}"
            name = f"{state}>{after}"
            both[name] = weights.get(name, 0.0) + (weights.get(whole, 0.0) if whole != name else 0.0)
    return enumerate_all(lattice, both).log_sum / max(1, lattice.m + lattice.n)


def random_weights(rng: np.random.Generator, split: Sequence[str]) -> dict[str, float]:
    """A weight for every state and transition, whole and split."""
    parts = [f"{base}:{name}" for base in STATES if base in split for name in CLASSES]
    states = [*STATES, "Insert:repeat", *parts]
    names = [*states, *(f"{before}>{after}" for before in states for after in states)]
    return dict(zip(names, rng.normal(size=len(names)).tolist(), strict=True))


@pytest.mark.parametrize(
    "split", [["Insert:repeat"], ["Insert", "Insert:repeat", "Delete"], ["Delete", "S_lemma"], list(STATES)]
)
def test_scores_are_those_of_all_edit_sequences(split: list[str]) -> None:
    rng = np.random.default_rng(len(split))
    weights = random_weights(rng, split)
    settings = {"tokeniser": "plain", "max_block": 2, "split": split}
    if split != ["Insert:repeat"]:
        settings["classes"] = LISTS
    lines = [[WORDS[at] for at in rng.integers(0, len(WORDS), rng.integers(0, 5))] for _ in range(40)]
    references, hypotheses = lines[:20], lines[20:]
    metric = Metric(model(settings=settings, weights=weights), 1)
    scores = metric.score_pairs(
        [" ".join(line) for line in hypotheses], [" ".join(line) for line in references]
    )
    expected = [enumerated(*pair, split, weights) + 0.25 for pair in zip(references, hypotheses, strict=True)]
    assert scores == pytest.approx(expected, abs=1e-9)


def english(**weights: float) -> Metric:
    named = {key.replace("__", ">").replace("_of_", ":"): weight for key, weight in weights.items()}
    settings = {"split": ["Insert", "Delete", "S_word"]}
    base = {"Insert": -1.0, "Delete": -1.0, "S_word": 1.0, "S_punct": 0.5}
    return Metric(model(settings=settings, weights=base | named), 1)


@pytest.mark.parametrize("transition", [{}, {"Insert_of_content__S_word": 0.4}])
def test_with_jumps(transition: dict[str, float]) -> None:
    """Scores are found by whole states, explanations and sums of the kernel over all parts."""
    weights = {
        "Delete_of_negation": -2.0,
        "Insert_of_name": 0.7,
        "Insert_of_content": -0.4,
        "S_word_of_name": 1.5,
    }
    plain = english(**weights, **transition, Jump=-0.5, Jump__S_word=0.3, Delete__Jump=-0.2).model
    metric = Metric(replace(plain, settings=replace(plain.settings, max_jump=3)), 1)
    references = ["He did not buy 12 maps in Oslo .", "Ann saw Bob .", "", "up"]
    hypotheses = ["In Oslo he did buy 12 of maps .", "Bob saw Ann .", "Ann", ""]
    scores = metric.score_pairs(hypotheses, references)
    batch = LatticeBuilder(metric.model.settings).build(references, hypotheses)
    sums = log_sum(batch.lattices, batch.weights(metric.model.weights), 1, batch.jumps)
    of_pairs = sums / batch.lattices.lengths + metric.model.alpha
    scale = metric.model.scale
    assert scores == pytest.approx(scale.mean + scale.sd * of_pairs, abs=1e-9)
    pairs = zip(hypotheses, references, strict=True)
    assert [metric.score_pairs([one], [other])[0] for one, other in pairs] == scores.tolist()
    for score, hypothesis, reference in zip(scores, hypotheses, references, strict=True):
        assert metric.explain(hypothesis, reference).score == pytest.approx(score, abs=1e-9)


def test_explanations_name_the_class_and_number_the_aligned_words() -> None:
    metric = english(Delete_of_negation=-2.0)
    reference, hypothesis = "He did not buy 12 maps in Oslo .", "He did buy 12 of maps in Oslo ."
    explanation = metric.explain(hypothesis, reference)
    states = [edit.state for edit in explanation.edits]
    assert states == [
        "S_word:function", "S_word:function", "Delete:negation", "S_word:content", "S_word:number",
        "Insert:function", "S_word:content", "S_word:function", "S_word:name", "S_punct",
    ]  # fmt: skip
    lines = list(explanation_lines(explanation))
    # The losses come first.
    lines = lines[next(k for k, line in enumerate(lines) if line.startswith("reference ")) - 1 :]
    assert lines[1] == "reference   He₁ did₂ not buy₃ 12₄ maps₅ in₆ Oslo₇ .₈"
    assert lines[2] == "hypothesis  He₁ did₂ buy₃ 12₄ of maps₅ in₆ Oslo₇ .₈"
    assert lines[3].startswith(
        "edits       He did (same words), not (missing word), buy 12 (same words), of (extra word), maps"
    )
    assert not [line for line in lines if any(code in line for code in ("S_", "Delete", "Insert:"))]
    total = explanation.base + explanation.entropy + sum(part.points for part in explanation.contributions)
    assert total == pytest.approx(metric.sentence_score(hypothesis, [reference]).score, abs=1e-9)


def test_signatures_files_and_refusals(cli: Cli, tmp_path: Path) -> None:
    # The number is that of the same document before states could be split.
    assert model().fingerprint == "303424b5"
    assert "split" not in Metric(model()).get_signature(1)
    lists = {"language": "de", "split": ["Insert:repeat", "Delete", "Insert"], "classes": LISTS}
    weights = {"Delete": -1.0, "Delete:negation": -2.0, "Insert:name>S_word": 0.5, "Insert:repeat": -1.0}
    own = model(settings=lists, weights=weights)
    entry = f"|split:Insert+Delete+Insert:repeat|classes:own@{word_classes(LISTS).checksum}|"
    assert entry in Metric(own).get_signature(1)
    assert f"|classes:en@{word_classes('en').checksum}|" in english().get_signature(1)
    save_model(own, tmp_path / "m.json")
    assert load_model(tmp_path / "m.json").to_dict() == own.to_dict()
    stored = own.to_dict()["settings"]
    assert stored["split"] == ["Insert", "Delete", "Insert:repeat"]
    assert stored["classes"] == {key: sorted(LISTS[key]) for key in ("number", "negation", "function")}
    lines = cli("show", saved(tmp_path, settings={"split": stored["split"]})).lines
    at = lines.index("split       Insert, Delete by word class, lists en")
    assert lines[at + 1] == "            Insert of words said twice in a row"
    for split in (["Delete:repeat"], ["Insert:repeat", "Insert:repeat"]):
        with pytest.raises(PfsmError, match=r"^x: split names"):
            settings_from_dict({"split": split}, "x")
    with pytest.raises(PfsmError, match="classes is given, but split names no state to split by word class"):
        settings_from_dict({"split": ["Insert:repeat"], "classes": {}}, "x")
    with pytest.raises(PfsmError, match="Delete:repeat"):
        model(weights={"Delete:repeat": 1.0})
